/** No answer that we ask for is larger; a node that sends more is broken, or hostile. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** `fetch` that reads at most 2 MiB and also ends with the signal. */
export function boundedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const signals = init?.signal ? [signal, init.signal] : [signal];
    const response = await fetch(input, { ...init, redirect: 'error', signal: AbortSignal.any(signals) });
    const { status, statusText, headers } = response;
    return new Response(await bounded(response), {
      status,
      statusText,
      headers: { 'content-type': headers.get('content-type') ?? '' },
    });
  };
}

async function bounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`The answer is larger than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
