/**
 * Requests to the gateway that served the page. Addresses are relative to the page, so they work below any path. A request that
 * changes something carries the session's token against forgery.
 */
import { signal } from '@preact/signals';

/** Whether the gateway answered the last request. */
export const isReachable = signal(true);
/** Set by the sign-in; sent with every request that changes something. */
export const csrfToken = signal<string | null>(null);
/** Called when the session has ended. */
export const onSignedOut: { call: () => void } = { call: () => {} };

export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    /** 0: there was no answer. */
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly hint: string | null = null,
    readonly details: { path: string; message: string }[] = [],
  ) {
    super(message);
  }
}

const UNKNOWN_FATE = 'It is not known whether the request was taken. Look at the present state before you send it again.';

export interface RequestOptions {
  signal?: AbortSignal;
  /** The same key is the same operation, however often it is sent. */
  key?: string;
}

/** @param path without a leading slash */
export function addressOf(path: string): string {
  return new URL(path, document.baseURI.split('#')[0]).href;
}

export const get = <T>(path: string, options: RequestOptions = {}): Promise<T> => send<T>('GET', path, undefined, options);
export const post = <T>(path: string, body: object = {}, options: RequestOptions = {}): Promise<T> =>
  send<T>('POST', path, body, options);
export const remove = <T>(path: string): Promise<T> => send<T>('DELETE', path, undefined, {});

/** A key that no other operation has. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

async function send<T>(method: string, path: string, body: object | undefined, options: RequestOptions): Promise<T> {
  const response = await answerTo(method, path, body, options);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

export async function getText(path: string, options: RequestOptions = {}): Promise<string> {
  return (await answerTo('GET', path, undefined, options)).text();
}

/** Sends a file as it is: what it is, the gateway finds out by its content. */
export async function postFile<T>(path: string, file: Blob): Promise<T> {
  return (await (await answerTo('POST', path, file, {})).json()) as T;
}

async function answerTo(method: string, path: string, body: object | undefined, options: RequestOptions): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json, */*' };
  const isFile = body instanceof Blob;
  if (body !== undefined) headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json';
  if (method !== 'GET' && csrfToken.value !== null) headers['x-holdfast-csrf'] = csrfToken.value;
  if (options.key !== undefined) headers['idempotency-key'] = options.key;
  let response: Response;
  try {
    response = await fetch(addressOf(path), {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    isReachable.value = false;
    throw new ApiError(
      0,
      'unreachable',
      'The gateway did not answer.',
      method === 'GET' ? 'Check your connection; the page tries again.' : UNKNOWN_FATE,
    );
  }
  isReachable.value = true;
  if (response.ok) return response;
  const wrong = await errorOf(response, method);
  if (response.status === 401 && !path.startsWith('v1/sign-in')) onSignedOut.call();
  throw wrong;
}

interface ErrorBody {
  error?: { reason?: string; message?: string; hint?: string; details?: { path: string; message: string }[] };
}

/** @returns what the gateway says; of an answer that is not the gateway's own, such as a proxy's, what is known */
async function errorOf(response: Response, method: string): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const {
    reason = 'unknown',
    message = `The gateway answered ${response.status}.`,
    hint = null,
    details = [],
  } = body.error ?? { hint: method !== 'GET' && response.status >= 500 ? UNKNOWN_FATE : null };
  return new ApiError(response.status, reason, message, hint, details);
}

/** For people: what went wrong, and what to do. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, 'page_failed', error instanceof Error ? error.message : 'Something went wrong.', 'Reload the page.');
}
