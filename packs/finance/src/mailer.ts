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
  /** The server's answer to the message. */
  response: string;
}

export interface Mailer {
  /** Sender address of the messages. The approver sees it. */
  readonly from: string;
  /** Host name of the mail server. The approver sees it too. */
  readonly host?: string;
  /**
   * Sends once or fails; never retries.
   * @throws ToolError whose `nothingHappened` is true only when the server can't have accepted the message
   */
  send(message: MailMessage, options: { idempotencyKey: string; signal: AbortSignal }): Promise<MailReceipt>;
}
