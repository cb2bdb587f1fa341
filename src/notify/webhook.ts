/**
 * A webhook in the way of the Standard Webhooks specification (standardwebhooks.com, 1.0.0): JSON over POST, with
 * `webhook-id`, `webhook-timestamp` and `webhook-signature`, an HMAC-SHA256 over all three. The id stays the same when
 * a message is sent again; the timestamp is that of the attempt, so that an old request cannot be played again.
 */
import { createHmac } from 'node:crypto';
import { version } from '../version';
import type { Message } from './message';

export interface WebhookSettings {
  /** http or https. Treated as a secret: many services put a key into the path. */
  url: string;
  /** `whsec_` and the base64 of 24 to 64 random bytes. */
  secret: string;
  /** Longest wait for an answer, ms. Default 10,000. */
  timeoutMs?: number;
}

/** @throws Error when the answer is not 2xx, or none comes; it names the host only */
export async function postWebhook(
  { url, secret, timeoutMs = 10_000 }: WebhookSettings,
  id: string,
  message: Message,
): Promise<void> {
  const body = JSON.stringify(message);
  const { host } = new URL(url);
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: signedHeaders(secret, id, body),
    // Whoever could redirect it could send the card elsewhere.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error(`${host} did not answer: ${reasonOf(error)}`);
  });
  // What it says is of no interest, and could be endless.
  await response.body?.cancel().catch(() => undefined);
  if (!response.ok) throw new Error(`${host} answered ${response.status}; 2xx means that the message was taken`);
}

/** Of one attempt. @param secret as in {@link WebhookSettings} */
export function signedHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'content-type': 'application/json',
    'user-agent': `holdfast/${version}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature(secret, id, timestamp, body),
  };
}

/** `v1,` and base64. @param secret as in {@link WebhookSettings} */
export function signature(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** fetch says "fetch failed", and hides why. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return 'it took too long';
  return cause?.code ?? cause?.message ?? message;
}
