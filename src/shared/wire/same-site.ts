/**
 * Pages of other sites do not speak to us through somebody's browser: neither openly, which `Origin` shows, nor by giving
 * their own name our address (DNS rebinding), which `Host` shows. Every HTTP port that we open asks here (decision 0029).
 */

export interface Site {
  /** HOLDFAST_HOSTS: further names of ours, as `Host` has them, without a port. */
  hosts?: readonly string[] | undefined;
  /** HOLDFAST_PUBLIC_URL */
  publicUrl?: string | undefined;
  /** Of other sites that may ask, as `Origin` has them. */
  origins?: readonly string[] | undefined;
  /** Pages that another program of this machine serves may ask too: what they may do is decided by a token. */
  localPages?: boolean;
}

export interface SiteHeaders {
  host?: string | undefined;
  origin?: string | undefined;
}

/**
 * Beyond loopback a server has names that it does not know (of containers, of proxies): there `Host` counts only where
 * somebody has listed names.
 * @param localAddress where the connection came in
 * @returns what is wrong, as a sentence; null: nothing is
 */
export function siteFault({ host, origin }: SiteHeaders, localAddress: string | undefined, site: Site): string | null {
  const { hosts = [], publicUrl, origins = [], localPages = false } = site;
  const address = localAddress?.replace(/^::ffff:(?=\d)/, '');
  const local = address !== undefined && LOOPBACK_ADDRESS.test(address);
  const own = publicUrl === undefined ? null : new URL(publicUrl);
  const asked = nameOf(host);
  const named = (name: string) =>
    LOOPBACK_NAMES.has(name) || name === own?.hostname || hosts.includes(name) || name === address || name === `[${address}]`;
  if ((local || hosts.length > 0) && !(asked !== null && named(asked))) return wrong('Host', host);
  if (origin === undefined || origin === own?.origin || origins.includes(origin)) return null;
  const from = URL.canParse(origin) && /^https?:/.test(origin) ? new URL(origin) : null;
  if (from === null) return wrong('Origin', origin);
  // Its own pages; or those of this machine's other programs.
  if (asked !== null && sameHost(from, host!)) return null;
  return localPages && local && LOOPBACK_NAMES.has(from.hostname) ? null : wrong('Origin', origin);
}

const LOOPBACK_ADDRESS = /^127\.|^::1$/;
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
/** `name`, `name:port`, `[address]:port`; nothing that two readers could read in two ways. */
const HOST = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

function nameOf(host: string | undefined): string | null {
  return HOST.exec(host ?? '')?.[1]?.toLowerCase() ?? null;
}

/** The scheme is the proxy's, where one is in front, and so is the port that a URL leaves out. */
function sameHost(from: URL, host: string): boolean {
  const asked = `${from.protocol}//${host}`;
  return URL.canParse(asked) && new URL(asked).host === from.host;
}

function wrong(header: string, value: string | undefined): string {
  return `The header ${header} is ${JSON.stringify((value ?? '').slice(0, 100))}, which is not this server's.`;
}

export const SITE_HINT =
  'HOLDFAST_PUBLIC_URL and HOLDFAST_HOSTS say under which names it is reached, HOLDFAST_CORS_ORIGINS which pages may ask.';
