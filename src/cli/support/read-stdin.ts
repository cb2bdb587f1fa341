/** Reads standard input. */
import { UsageError } from './exit';

const MOST_BYTES = 1_000_000;

/** All of standard input, as text. @throws UsageError beyond 1 MB */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new UsageError(`Standard input has more than ${MOST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
