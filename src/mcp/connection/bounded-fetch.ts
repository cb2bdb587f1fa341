/**
 * `fetch` for one server. It connects only to hosts that the configuration names, whatever the server says (the server may name
 * any address as its authorization server), and it limits the size of an answer.
 */
import { traceFields } from '../../telemetry/traces/api';
import type { HttpServer } from '../servers-file';

/** Largest message of a server over any transport, bytes. */
export const MESSAGE_BYTES = 16 * 1024 * 1024;

export const TOO_LARGE = "The server's message is larger than";

/** A retry does not help. */
export class UnnamedHost extends Error {
  override readonly name = 'UnnamedHost';
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function boundedFetch(origins: readonly string[], bytes = MESSAGE_BYTES, base: Fetch = fetch): Fetch {
  const allowed = new Set(origins.map((url) => new URL(url).origin));
  return async (url, init) => {
    const { origin, href } = new URL(url);
    if (!allowed.has(origin))
      throw new UnnamedHost(
        `The server refers to ${origin}, which its configuration does not name. If that origin is correct, set it as oauth.issuer.`,
      );
    const response = await base(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers, body } = response;
    if (status >= 300 && status < 400 && status !== 304) return withoutLocation(response, href);
    if (body === null) return response;
    const events = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
    return new Response(body.pipeThrough(createByteLimit(bytes, events)), { status, statusText, headers });
  };
}

/** The SDK follows a `location` within the origin by itself: it would send a call to another path, and several times. */
async function withoutLocation({ status, statusText, headers, body }: Response, href: string): Promise<Response> {
  await body?.cancel();
  const location = headers.get('location');
  const target = location !== null && URL.canParse(location, href) ? new URL(location, href) : null;
  const where = target === null ? 'It redirects' : `It redirects to ${target.origin}${target.pathname}`;
  const text = `${where}, and no redirect is followed. If that address is right, name it in the servers' file.`;
  return new Response(text, { status, statusText });
}

/** @param events count each event by itself: such a stream may go on for days */
function createByteLimit(most: number, events: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  let lineIsEmpty = false;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of events ? chunk : []) {
        count += 1;
        if (byte === 0x0d) continue;
        const feed = byte === 0x0a;
        if (feed && lineIsEmpty) count = 0;
        lineIsEmpty = feed;
      }
      if (!events) count += chunk.byteLength;
      if (count > most) controller.error(new Error(`${TOO_LARGE} ${most} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

// `fetch` for one server and its issuer. Only the server gets the entry's headers: they are secrets that it shares with us.

/** @param sends gets each token that goes to the server: such a secret is not in its configuration */
export function fetchFor({ url, headers, oauth }: HttpServer, sends?: (token: string) => void): Fetch {
  const bounded = boundedFetch([url, ...(oauth ? [oauth.issuer] : [])]);
  const { origin } = new URL(url);
  return (address, init) => {
    if (new URL(address).origin !== origin) return bounded(address, init);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries({ ...traceFields(), ...headers })) all.set(name, value);
    const token = all.get('authorization')?.split(' ')[1];
    if (token !== undefined) sends?.(token);
    return bounded(address, { ...init, headers: all });
  };
}
