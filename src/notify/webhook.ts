/**
 * Sends webhooks by the Standard Webhooks specification (standardwebhooks.com, 1.0.0): JSON over POST, with `webhook-id`,
 * `webhook-timestamp` and `webhook-signature`, an HMAC-SHA256 over id, timestamp and body. The id stays the same when a message is
 * sent again; the timestamp is that of the attempt, so that an old request cannot be replayed.
 */
import { createHmac } from 'node:crypto';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { version } from '../version';
import type { CallbackSender } from '../activities/ports';
import { callbackHost, type CallbackHost } from '../shared/wire/callback';
import type { Message } from './message';
import { postJson } from './post';

export interface WebhookSettings {
  /** http or https. Treated as a secret: many services put a key into the path. */
  url: string;
  /** `whsec_` and the base64 of 24 to 64 random bytes. */
  secret: string;
  /** Longest wait for an answer, ms. Default 10,000. */
  timeoutMs?: number;
}

/** @throws Error when the answer is not 2xx, or none comes; it names only the host */
export async function postWebhook(
  { url, secret, timeoutMs = 10_000 }: WebhookSettings,
  id: string,
  message: Message,
): Promise<void> {
  const body = JSON.stringify(message);
  await postJson(url, { body, headers: signedHeaders(secret, id, body), timeoutMs });
}

/** The headers of one attempt. @param secret as in {@link WebhookSettings} */
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

// Callbacks: webhooks to an address that a caller gave. The caller must not reach through us what they could not reach directly:
// only hosts that were allowed, no redirects, and at the moment of connecting only public addresses, whatever the name resolved to
// before.

export interface CallbackSettings {
  hosts: readonly CallbackHost[];
  /** `whsec_` and the base64 of 24 to 64 random bytes. */
  secret: string;
  /** Longest wait for an answer, ms. Default 10,000. */
  timeoutMs?: number;
}

/** The address is not allowed: a retry cannot succeed. */
export class CallbackNotAllowed extends Error {
  override readonly name = 'CallbackNotAllowed';
}

export function callbackSender({ hosts, secret, timeoutMs = 10_000 }: CallbackSettings): CallbackSender {
  return {
    async send(url, id, message) {
      const host = callbackHost(url, hosts);
      if (typeof host === 'string') throw new CallbackNotAllowed(`The callback address may not be used: ${host}.`);
      const body = JSON.stringify(message);
      const status = await post(new URL(url), host, { body, headers: signedHeaders(secret, id, body), timeoutMs });
      if (status < 200 || status > 299)
        throw new Error(`${host.hostname} answered ${status}; 2xx means that the message was taken`);
    },
  };
}

interface WebhookPost {
  body: string;
  headers: Record<string, string>;
  timeoutMs: number;
}

/** @returns the status; the answer's body is not needed, and could be endless */
async function post(url: URL, host: CallbackHost, { body, headers, timeoutMs }: WebhookPost): Promise<number> {
  const { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } = await import('request-filtering-agent'); // an ES module
  const secure = url.protocol === 'https:';
  const filter = { allowPrivateIPAddress: host.private, keepAlive: false };
  const agent = secure ? new RequestFilteringHttpsAgent(filter) : new RequestFilteringHttpAgent(filter);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const options: RequestOptions = {
    method: 'POST',
    agent,
    headers: { ...headers, ...length },
    signal: AbortSignal.timeout(timeoutMs),
  };
  try {
    return await new Promise<number>((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      });
      request.on('error', reject);
      request.end(body);
    });
  } catch (error) {
    throw new Error(`${url.hostname} did not answer: ${callbackFailure(error)}`);
  } finally {
    agent.destroy();
  }
}

/** Never contains an address: nobody may learn what a name leads to inside a network. */
function callbackFailure(error: unknown): string {
  const { name, code, message } = error as Error & { code?: string };
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR') return 'it took too long';
  if (message.includes('is not allowed')) return 'it is not a public address';
  return code ?? 'the connection failed';
}
