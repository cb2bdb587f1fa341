/**
 * Sends mail over SMTP, one connection a message, and records whether the message was handed to the server: that decides whether a
 * failed send is in doubt. The Message-ID is made from the idempotency key, so that the receiver recognises a message that was sent
 * twice.
 */
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { requiresStartTls, ToolError } from 'holdfast/tools';
import type { Mailer, MailMessage, MailReceipt } from './mailer';
import { smtpFailure, type SmtpError } from './smtp-failure';

export interface SmtpSettings {
  host: string;
  port: number;
  /** TLS from the first byte (port 465); otherwise STARTTLS. */
  secure?: boolean;
  /** Mail and password may go out without TLS. Default: only mail, and only on this machine. */
  allowPlain?: boolean;
  user?: string;
  pass?: string;
  from: string;
  /** Longest wait for the connection and for the greeting, ms. Default 15,000. */
  timeoutMs?: number;
  /**
   * Longest wait for an answer, ms. Default 45,000: generous, since giving up after the hand-over leaves
   * the outcome in doubt, but within the time limit of the tool's class.
   */
  answerTimeoutMs?: number;
}

export class SmtpMailer implements Mailer {
  readonly from: string;
  readonly host: string;

  constructor(private readonly settings: SmtpSettings) {
    this.from = settings.from;
    this.host = settings.host;
  }

  async send(message: MailMessage, options: { idempotencyKey: string; signal: AbortSignal }): Promise<MailReceipt> {
    const messageId = messageIdOf(options.idempotencyKey);
    const { raw, sender } = await compose(this.from, message, messageId, options.idempotencyKey);
    const conversation = new Conversation(this.settings, raw, options.signal);
    const info = await conversation.run({ from: sender, to: message.recipient, size: raw.length });
    return { messageId, accepted: info.accepted, response: info.response };
  }
}

/** Deterministic: `<key@holdfast.invalid>` (RFC 2606 keeps .invalid free, so it can't collide with a real host's ids). */
export function messageIdOf(idempotencyKey: string): string {
  return `<${idempotencyKey.replace(/[^A-Za-z0-9._-]/g, '_')}@holdfast.invalid>`;
}

/** The message in its wire format, and the bare address of its sender (`from` may carry a name). */
async function compose(
  from: string,
  message: MailMessage,
  messageId: string,
  key: string,
): Promise<{ raw: Buffer; sender: string }> {
  const composer = new MailComposer({
    from,
    to: { name: '', address: message.recipient },
    subject: message.subject,
    text: message.body,
    messageId,
    headers: { 'X-Holdfast-Idempotency-Key': key.replace(/[^\x21-\x7e]/g, '_') },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const compiled = composer.compile();
  const raw = await new Promise<Buffer>((resolve, reject) =>
    compiled.build((error, buffer) => (error ? reject(error) : resolve(buffer!))),
  );
  return { raw, sender: compiled.getEnvelope().from || from };
}

/** One SMTP conversation. It records whether the message was handed over, which nodemailer's errors do not show. */
class Conversation {
  private readonly connection: SMTPConnection;
  private handedOver = false;

  constructor(
    private readonly settings: SmtpSettings,
    private readonly raw: Buffer,
    private readonly signal: AbortSignal,
  ) {
    const { host, port, secure = false, timeoutMs = 15_000, answerTimeoutMs = 45_000 } = settings;
    this.connection = new SMTPConnection({
      host,
      port,
      secure,
      requireTLS: requiresStartTls(settings),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: answerTimeoutMs,
      dnsTimeout: timeoutMs,
    });
  }

  /** @throws ToolError, see smtp-failure.ts; `send_aborted` when the signal ended it */
  run(envelope: { from: string; to: string; size: number }): Promise<{ accepted: string[]; response: string }> {
    return new Promise((resolve, reject) => {
      const end = (error?: SmtpError | null, info?: { accepted: string[]; response: string }) => {
        this.signal.removeEventListener('abort', onAbort);
        if (info && !error) resolve(info);
        else reject(smtpFailure(error ?? new Error('no answer'), this.handedOver));
        this.connection.close();
      };
      const onAbort = () => {
        reject(this.abortError());
        this.connection.close();
      };
      if (this.signal.aborted) return reject(this.abortError());
      this.signal.addEventListener('abort', onAbort, { once: true });
      this.connection.once('error', end);
      this.connection.connect((error) => {
        if (error) return end(error);
        this.login((error) => {
          if (error) return end(error);
          this.connection.send(envelope, this.message(), (failure, info) => end(failure, info));
        });
      });
    });
  }

  private login(callback: (error?: SmtpError | null) => void): void {
    const { user, pass } = this.settings;
    if (user === undefined) return callback();
    this.connection.login({ credentials: { user, pass: pass ?? '' } }, (error) => callback(error));
  }

  /**
   * nodemailer reads it only after the server's 354, so the first read is the hand-over. After a stall the call's time may be over.
   */
  private message(): Readable {
    const { raw, signal } = this;
    const mark = () => (this.handedOver = true);
    return new Readable({
      read() {
        if (signal.aborted) return void this.destroy(new Error('the time of the call is over'));
        mark();
        this.push(raw);
        this.push(null);
      },
    });
  }

  private abortError(): ToolError {
    const after = this.handedOver
      ? 'after the message had been handed over: it may have been delivered'
      : 'before the message was handed over';
    return new ToolError('TIMEOUT', 'send_aborted', `Sending was stopped ${after}.`, { nothingHappened: !this.handedOver });
  }
}
