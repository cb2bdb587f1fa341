/**
 * Pages of other sites do not speak to us through somebody's browser: neither openly, which `Origin` shows, nor by giving
 * their own name our address (DNS rebinding), which `Host` shows where we are reached over loopback.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Wrong } from '../errors';

export interface Site {
  /** HOLDFAST_PUBLIC_URL */
  publicUrl?: string;
  /** Of other sites that may. */
  origins: readonly string[];
}

/** @param localAddress where the connection came in */
export function siteFault(headers: IncomingHttpHeaders, localAddress: string | undefined, site: Site): Wrong | null {
  const local = localAddress !== undefined && LOOPBACK_ADDRESS.test(localAddress);
  const own = site.publicUrl === undefined ? null : new URL(site.publicUrl);
  const host = hostnameOf(`http://${headers.host ?? ''}`);
  if (local && !(host !== null && (isLoopback(host) || host === own?.hostname))) return refused('Host', headers.host);
  const { origin } = headers;
  if (origin === undefined || origin === own?.origin || site.origins.includes(origin)) return null;
  const from = hostnameOf(origin);
  return local && from !== null && isLoopback(from) ? null : refused('Origin', origin);
}

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

function refused(header: string, value: string | undefined): Wrong {
  const message = `The header ${header} is ${JSON.stringify((value ?? '').slice(0, 100))}, which is not this gateway's.`;
  return {
    code: 'PERMISSION_DENIED',
    reason: 'wrong_site',
    message,
    hint: 'HOLDFAST_PUBLIC_URL says under which name it is reached.',
  };
}
