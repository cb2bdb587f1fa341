/** Sends the message as an e-mail: plain text, with the same Message-ID when it is sent again. */
import { errorMessage } from '../shared/text/error-message';
import { visible } from '../shared/text/visible';
import { optionalPackage } from '../optional-package';
import { titleOf, type Message } from './message';
import { requiresStartTls } from './smtp-tls';

export interface MailSettings {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean;
  /** Mail and password may go out without TLS. Default: only mail, and only on this machine. */
  allowPlain?: boolean;
  user?: string;
  pass?: string;
  from: string;
  /** Addresses. */
  to: readonly string[];
  /** Longest wait for each step of the SMTP dialogue, ms. Default 15,000. */
  timeoutMs?: number;
}

/** @throws Error of the mail server, or of the connection to it */
export async function sendMail(settings: MailSettings, to: string, id: string, message: Message): Promise<void> {
  const { host, port, secure, user, pass = '', from, timeoutMs = 15_000 } = settings;
  const { createTransport } = optionalPackage<typeof import('nodemailer')>('nodemailer', 'Mail');
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: requiresStartTls(settings),
    ...(user === undefined ? {} : { auth: { user, pass } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from,
      to: { name: '', address: to },
      subject: `[holdfast] ${titleOf(message)}`,
      text: textOf(message),
      messageId: `<${id}@holdfast.invalid>`, // .invalid is reserved (RFC 2606): it cannot be another host's id
      // Written by a machine, which expects no answer (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ETLS') throw error;
    throw new Error(`${errorMessage(error)} (mail without TLS: HOLDFAST_SMTP_ALLOW_PLAIN)`, { cause: error });
  } finally {
    transport.close();
  }
}

function textOf({ card, card_truncated, link, ui_url, commands, expires_at }: Message): string {
  const places = [...(link === null ? [] : [link]), ...(ui_url === null ? [] : [ui_url]), ...Object.values(commands)];
  return [
    ...(expires_at === null ? [] : [`Decide before ${expires_at}; then it is refused.`, '']),
    ...places,
    '',
    card === null ? 'Its card could not be read, so this asks for no decision: read it in the Web UI first.' : visible(card),
    ...(card_truncated
      ? ['', `The card goes on: read the whole of it ${link === null ? 'in the Web UI' : 'on the page'} before you decide.`]
      : []),
  ].join('\n');
}
