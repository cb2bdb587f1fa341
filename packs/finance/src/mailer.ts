/**
 * The interface through which `send_credit_memo` sends e-mail. `send` sends once or fails, and never retries. It reports
 * `nothingHappened` only if the server cannot have accepted the message.
 */
export interface MailMessage {
  recipient: string;
  subject: string;
  /** Plain text (Markdown). */
  body: string;
}

export interface MailReceipt {
  messageId: string;
  accepted: string[];
  /** The server's own answer to the message. */
  response: string;
}

export interface Mailer {
  /** Address that the messages come from; shown to the person who decides. */
  readonly from: string;
  /** Name of the host that takes them; shown likewise. */
  readonly host?: string;
  /**
   * Sends once, or fails; never repeats by itself.
   * @throws ToolError whose `nothingHappened` is true only when the server can't have accepted the message
   */
  send(message: MailMessage, options: { idempotencyKey: string; signal: AbortSignal }): Promise<MailReceipt>;
}
