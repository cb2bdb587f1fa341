/** `fetch` with limits on the size of an answer and of each text in it. */
/** No answer that we request is larger; a node that sends more is broken or hostile. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/**
 * Limit for one text in an answer. viem turns a text in the place of a number into a number; to print a number of 2 million digits
 * blocks the worker's thread for 3 to 12 s, one of 65,536 digits for 0.03 s.
 */
const MAX_TEXT_BYTES = 64 * 1024;
const QUOTE = 0x22;

/** `fetch` that reads at most 2 MiB, refuses a text of more than 64 KiB, and also ends with the signal. */
export function boundedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const signals = init?.signal ? [signal, init.signal] : [signal];
    const response = await fetch(input, { ...init, redirect: 'error', signal: AbortSignal.any(signals) });
    const { status, statusText, headers } = response;
    return new Response(await readBody(response), {
      status,
      statusText,
      headers: { 'content-type': headers.get('content-type') ?? '' },
    });
  };
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`The answer is larger than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  refuseLongTexts(bytes);
  return new Uint8Array(bytes);
}

/** @throws Error if two successive quotation marks, or the last one and the end, are too far apart */
function refuseLongTexts(bytes: Buffer): void {
  for (let from = 0, next; from < bytes.length; from = next + 1) {
    next = bytes.indexOf(QUOTE, from);
    if (next === -1) next = bytes.length;
    if (next - from > MAX_TEXT_BYTES) throw new Error(`The answer has a text of more than ${MAX_TEXT_BYTES} bytes.`);
  }
}
