/**
 * The two cookies of the page: `session` has the id of a sign-in, `flow` what a sign-in at the provider needs until the browser is back.
 * Scripts see neither, and no page of another site sends the first. Their names begin with `__Host-` where browsers allow it: then no
 * other host, and no page without TLS, can set them. A cookie that comes twice counts for nothing: one of the two is somebody else's.
 */

export type CookieKind = 'session' | 'flow';

const NAMES = { session: 'holdfast', flow: 'holdfast-flow' };
/** The provider sends the browser back from its own site; a strict cookie would not come along. */
const SAME_SITE = { session: 'Strict', flow: 'Lax' };

export class Cookies {
  private readonly path: string;
  private readonly isSecure: boolean;

  /** @param publicUrl HOLDFAST_PUBLIC_URL: whether there is TLS, and the path before all of ours */
  constructor(publicUrl: string) {
    const { protocol, pathname } = new URL(publicUrl);
    this.isSecure = protocol === 'https:';
    this.path = pathname.replace(/\/+$/, '') || '/';
    if (/[;,\s]/.test(this.path)) throw new Error('The path of HOLDFAST_PUBLIC_URL must have no ";" and no ",".');
  }

  nameOf(kind: CookieKind): string {
    const prefix = !this.isSecure ? '' : this.path === '/' ? '__Host-' : '__Secure-';
    return `${prefix}${NAMES[kind]}`;
  }

  /** Null: it is not there, or more than once. */
  read(header: string | undefined, kind: CookieKind): string | null {
    const name = this.nameOf(kind);
    const values = (header ?? '').split(';').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at >= 0 && pair.slice(0, at).trimStart() === name ? [pair.slice(at + 1).trim()] : [];
    });
    return values.length === 1 ? values[0]! : null;
  }

  /**
   * The value of a `Set-Cookie` header.
   * @param seconds absent: until the browser ends
   */
  set(kind: CookieKind, value: string, seconds?: number): string {
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    const secure = this.isSecure ? '; Secure' : '';
    return `${this.nameOf(kind)}=${value}; Path=${this.path}; HttpOnly; SameSite=${SAME_SITE[kind]}${secure}${age}`;
  }

  remove(kind: CookieKind): string {
    return this.set(kind, '', 0);
  }
}
