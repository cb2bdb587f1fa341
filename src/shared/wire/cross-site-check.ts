/**
 * Checks that a request does not come from a page of another site, through a user's browser (CSRF). `Origin` shows a plain request of such
 * a page. `Host` shows a site that gives its own name our address (DNS rebinding). Every HTTP port that we open uses this check
 * (decision 0029).
 */

export interface Site {
  /** HOLDFAST_HOSTS: further names of this server, as in `Host`, without a port. */
  hosts?: readonly string[] | undefined;
  /** HOLDFAST_PUBLIC_URL */
  publicUrl?: string | undefined;
  /** Other sites whose pages may send requests, as in `Origin`. */
  origins?: readonly string[] | undefined;
  /** Pages of other programs on this machine may send requests too: a token decides what they may do. */
  localPages?: boolean;
}

export interface SiteHeaders {
  host?: string | undefined;
  origin?: string | undefined;
}

/**
 * Beyond loopback a server has names that it does not know (of containers, of proxies): there, `Host` is checked only if names are
 * configured.
 * @param localAddress where the connection came in
 * @returns what is wrong, as a sentence; null: nothing
 */
export function siteFault({ host, origin }: SiteHeaders, localAddress: string | undefined, site: Site): string | null {
  const { hosts = [], publicUrl, origins = [], localPages = false } = site;
  const address = localAddress?.replace(/^::ffff:(?=\d)/, '');
  const local = address !== undefined && isLoopbackHost(address);
  const own = publicUrl === undefined ? null : new URL(publicUrl);
  const hostName = nameOf(host);
  const isOwnName = (name: string) =>
    LOOPBACK_NAMES.has(name) || name === own?.hostname || hosts.includes(name) || name === address || name === `[${address}]`;
  if ((local || hosts.length > 0) && !(hostName !== null && isOwnName(hostName))) return wrong('Host', host);
  if (origin === undefined || origin === own?.origin || origins.includes(origin)) return null;
  const from = URL.canParse(origin) && /^https?:/.test(origin) ? new URL(origin) : null;
  if (from === null) return wrong('Origin', origin);
  // The server's own pages, or those of this machine's other programs.
  if (hostName !== null && sameHost(from, host!)) return null;
  return localPages && local && LOOPBACK_NAMES.has(from.hostname) ? null : wrong('Origin', origin);
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|::1|\[::1\])$/i;
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** @param name as `URL.hostname` has it */
export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAMES.has(name);
}

/** Literally loopback, without a port: what a name resolves to can change. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

/** `name`, `name:port`, `[address]:port`; nothing that two parsers could read in two ways. */
const HOST = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

function nameOf(host: string | undefined): string | null {
  return HOST.exec(host ?? '')?.[1]?.toLowerCase() ?? null;
}

/** Uses the scheme of `Origin`: a proxy in front may set it, and with it the port that a URL leaves out. */
export function sameHost(from: URL, host: string): boolean {
  const address = `${from.protocol}//${host}`;
  return URL.canParse(address) && new URL(address).host === from.host;
}

function wrong(header: string, value: string | undefined): string {
  return `The header ${header} is ${JSON.stringify((value ?? '').slice(0, 100))}, which is not this server's.`;
}

export const SITE_HINT =
  'HOLDFAST_PUBLIC_URL and HOLDFAST_HOSTS say under which names it is reached, HOLDFAST_CORS_ORIGINS which pages may ask.';
