/** Our MCP server for the one client at this process's standard streams. Standard output has the protocol and nothing else. */
import { Writable } from 'node:stream';
import { sdk } from './sdk';
import { mcpFace, type McpParts } from './server';

/**
 * @param output of `protocolOnly`
 * @returns when the client is gone, or `stopped` resolves
 */
export async function serveStdio(parts: McpParts, output: Writable, stopped: Promise<unknown>): Promise<void> {
  const face = mcpFace(parts);
  const transport = new (sdk.stdio().StdioServerTransport)(process.stdin, output);
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    transport.onclose = () => resolve();
  });
  await face.server.connect(transport);
  await Promise.race([gone, stopped]);
  face.leave();
  await face.server.close();
}

/** Standard output, for the protocol: whatever else writes there, such as the user's own app, from now on writes to standard error. */
export function protocolOnly(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, done) });
}
