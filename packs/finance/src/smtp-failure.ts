/**
 * Maps a failed SMTP conversation to a ToolError. What matters is whether the message was handed over. Once the server has said 354
 * and we began to write the message, a missing answer proves nothing (RFC 5321, 4.5.3.2.6 and 6.1: the server may have taken it);
 * only a complete refusal (4xx, 5xx) proves that it did not. 421 is no refusal: a server that closes the connection may send it at
 * any time, after any command (3.8).
 */
import { ToolError } from 'holdfast/tools';

/** The fields of a nodemailer error that we read. */
export interface SmtpError extends Error {
  /** ECONNECTION, ETIMEDOUT, EDNS, EAUTH, EENVELOPE, EMESSAGE… */
  code?: string;
  /** RCPT TO, DATA, CONN… */
  command?: string;
  responseCode?: number;
  response?: string;
}

/** The server closes the connection. */
const CLOSING = 421;

/** @param handedOver whether the server asked for the message, so that we began to write it */
export function smtpFailure(error: SmtpError, handedOver: boolean): ToolError {
  const answer = error.responseCode ?? 0;
  const quote = cut(error.response ?? error.message);
  const hasAnswer = error.code === 'EMESSAGE' && error.command === 'DATA' && answer !== CLOSING;
  const refusedMessage = hasAnswer && answer >= 400 && answer < 600;
  if (handedOver && !refusedMessage) {
    return new ToolError(
      'NETWORK_ERROR',
      'no_answer_after_data',
      `The message was handed to the mail server, and its answer to that never came: ${quote}`,
      {
        hint: 'It may or may not have been delivered. Look for the Message-ID at the receiving side before anything is sent again.',
        nothingHappened: false,
        cause: error,
      },
    );
  }
  const refusal = (...args: [ConstructorParameters<typeof ToolError>[0], string, string, string]) =>
    new ToolError(args[0], args[1], args[2], { hint: args[3], nothingHappened: true, cause: error });

  if (error.code === 'ETLS' && answer >= 500) {
    return refusal(
      'EXECUTION_ERROR',
      'smtp_no_tls',
      `The mail server offers no TLS: ${quote}`,
      'Nothing was sent. An operator must name a server with TLS, or allow mail without it (HOLDFAST_SMTP_ALLOW_PLAIN).',
    );
  }
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH' || error.code === 'EOAUTH2' || answer === 530 || answer === 535) {
    return refusal(
      'UNAUTHORIZED',
      'smtp_auth_failed',
      `The mail server did not accept our credentials: ${quote}`,
      'An operator must correct them.',
    );
  }
  if (answer === CLOSING || answer === 450 || answer === 452) {
    return refusal('RATE_LIMITED', 'smtp_busy', `The mail server asks to come back later: ${quote}`, 'Nothing was sent.');
  }
  if (answer >= 400 && answer < 500) {
    return refusal('NETWORK_ERROR', 'smtp_temporary_refusal', `The mail server refused for now: ${quote}`, 'Nothing was sent.');
  }
  if (answer >= 500 && answer < 600) {
    const reason = error.command === 'RCPT TO' ? 'recipient_refused' : 'message_refused';
    return refusal(
      'EXECUTION_ERROR',
      reason,
      `The mail server refused: ${quote}`,
      'Nothing was sent. Check the recipient with the user.',
    );
  }
  return refusal('NETWORK_ERROR', 'smtp_unreachable', `The connection to the mail server failed: ${quote}`, 'Nothing was sent.');
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
