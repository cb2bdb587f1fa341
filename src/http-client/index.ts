/**
 * The gateway's HTTP API for TypeScript: each path, its body and its answers are typed by the OpenAPI document.
 *
 * ```ts
 * const holdfast = httpClient({ url: 'http://localhost:8480', token: process.env.HOLDFAST_TOKEN! });
 * const { data, error } = await holdfast.POST('/v1/turns', { body: { agent: 'payables', message: 'Pay INV-7' } });
 * ```
 */
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema';

export type { components, operations, paths } from './schema';
export type HttpClient = Client<paths>;
/** The data of an event of a turn's stream. */
export type TurnEvent = components['schemas']['TurnEvent'];
/** Name and data of an event of a tool call's stream. */
export type ToolEvent = components['schemas']['ToolEvent'];

export interface HttpClientSettings {
  /** Of the gateway: `http://localhost:8480`. */
  url: string;
  /** Of a principal: its roles say what it may. */
  token: string;
}

/** A method gives `{data, error, response}` and throws only where no answer comes. A redirect is an error: the token goes to `url`, and nowhere else. */
export function httpClient({ url, token }: HttpClientSettings): HttpClient {
  return createClient<paths>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${token}` },
    redirect: 'error',
  });
}
