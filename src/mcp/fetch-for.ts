/** `fetch` to one server and its issuer. The entry's headers go to the server alone: they are secrets between it and us. */
import { boundedFetch, type Fetch } from './bounded-fetch';
import type { HttpServer } from './servers-file';

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
