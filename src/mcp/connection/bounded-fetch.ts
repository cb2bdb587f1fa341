import type { HttpServer } from '../servers-file';

/**
 * `fetch` for one server: to the hosts that its configuration names and no others, whatever the server says (an
 * authorization server that it names could be anybody's address), and with an end to what it may answer.
 */

/** Largest message of a server, bytes: over every transport. */
export const MESSAGE_BYTES = 16 * 1024 * 1024;

export const TOO_LARGE = "The server's message is larger than";

/** Waiting does not mend it. */
export class UnnamedHost extends Error {
  override readonly name = 'UnnamedHost';
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function boundedFetch(origins: readonly string[], bytes = MESSAGE_BYTES, base: Fetch = fetch): Fetch {
  const allowed = new Set(origins.map((url) => new URL(url).origin));
  return async (url, init) => {
    const { origin } = new URL(url);
    if (!allowed.has(origin))
      throw new UnnamedHost(
        `The server leads to ${origin}, which its configuration does not name; if that is right, name it as oauth.issuer.`,
      );
    const response = await base(url, { ...init, redirect: 'manual' });
    if (response.body === null || (response.status >= 300 && response.status < 400)) return response;
    const events = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(createByteLimit(bytes, events)), { status, statusText, headers });
  };
}

/** @param events each event counts by itself: such a stream may go on for days */
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

// `fetch` to one server and its issuer. The entry's headers go to the server alone: they are secrets between it and us.

/** @param sends told each token that goes to the server: it is a secret that its configuration does not have */
export function fetchFor({ url, headers, oauth }: HttpServer, sends?: (token: string) => void): Fetch {
  const bounded = boundedFetch([url, ...(oauth ? [oauth.issuer] : [])]);
  const { origin } = new URL(url);
  return (address, init) => {
    if (new URL(address).origin !== origin) return bounded(address, init);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const token = all.get('authorization')?.split(' ')[1];
    if (token !== undefined) sends?.(token);
    return bounded(address, { ...init, headers: all });
  };
}
