/**
 * Callbacks: a webhook to an address that a caller gave. He must not reach through us what he could not reach himself: only
 * hosts that were allowed, no redirects, and at the moment of connecting only public addresses, whatever the name said before.
 */
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CallbackSender } from '../activities/ports';
import { callbackHost, type CallbackHost } from '../shared/wire/callback';
import { signedHeaders } from './webhook';

export interface CallbackSettings {
  hosts: readonly CallbackHost[];
  /** `whsec_` and the base64 of 24 to 64 random bytes. */
  secret: string;
  /** Longest wait for an answer, ms. Default 10,000. */
  timeoutMs?: number;
}

/** It will never be sent there. */
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

interface Posted {
  body: string;
  headers: Record<string, string>;
  timeoutMs: number;
}

/** @returns the status; what it says besides is of no interest, and could be endless */
async function post(url: URL, host: CallbackHost, { body, headers, timeoutMs }: Posted): Promise<number> {
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
    throw new Error(`${url.hostname} did not answer: ${reasonOf(error)}`);
  } finally {
    agent.destroy();
  }
}

/** Never an address: of what a name leads to inside a network nobody is told. */
function reasonOf(error: unknown): string {
  const { name, code, message } = error as Error & { code?: string };
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR') return 'it took too long';
  if (message.includes('is not allowed')) return 'it is not a public address';
  return code ?? 'the connection failed';
}
