/** Which mail may go out without TLS. */
import { isLoopbackHost } from '../shared/wire/cross-site-check';

export interface SmtpServer {
  host: string;
  /** TLS from the first byte. */
  secure?: boolean;
  user?: string;
  /** Mail and password may go out without TLS if the server offers none. Default: only mail, and only on this machine. */
  allowPlain?: boolean;
}

/** Whether STARTTLS is a must. Who stands between us and the server can remove the offer of it, to read what follows. */
export function requiresStartTls({ host, secure = false, user, allowPlain = false }: SmtpServer): boolean {
  return !secure && !allowPlain && (user !== undefined || !isLoopbackHost(host));
}
