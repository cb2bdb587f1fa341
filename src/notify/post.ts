/** Posts JSON to an address whose path or query is a secret: no error shows more than its host. */

export interface JsonPost {
  body: string;
  headers?: Record<string, string>;
  /** Longest wait for an answer, ms. Default 10,000. */
  timeoutMs?: number;
}

/** @throws Error when the answer is not 2xx, or none comes; it names only the host */
export async function postJson(url: string, { body, headers = {}, timeoutMs = 10_000 }: JsonPost): Promise<void> {
  const { host } = new URL(url);
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    // A redirect could send the card elsewhere.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error(`${host} did not answer: ${reasonOf(error)}`);
  });
  // The answer's body is not needed, and could be endless.
  await response.body?.cancel().catch(() => undefined);
  if (!response.ok) throw new Error(`${host} answered ${response.status}; 2xx means that the message was taken`);
}

/** fetch only says "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return 'it took too long';
  return cause?.code ?? cause?.message ?? message;
}
