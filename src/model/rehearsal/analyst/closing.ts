/** The analyst's last step: reports the outcome of sending the memo, or proposes it to another address. */
import { isJsonObject, type JsonObject } from '../../../shared/json/json';
import type { PastCall } from '../conversation';
import type { Play } from '../call-ledger';
import { failureKind, describeError, sentence, type FailureKind } from '../failure-kind';
import type { ResultError } from '../tool-result';
import { emails } from '../words';
import type { Order } from './order';

const REHEARSAL = 'This is a rehearsal, not a model.';

/**
 * Ends the turn by the outcome of the last `send_credit_memo`; or, if a person declined with another address in the note, proposes
 * the memo once more, to that address.
 * @param sends the proposals of this turn with their results, at least one
 */
export function close(sends: PastCall[], order: Order): Play {
  const last = sends.at(-1)!;
  const recipient = String(last.input.recipient ?? order.recipient);
  if (last.result.ok) {
    return { text: describeSentMemo(order.ticker, recipient, isJsonObject(last.result.data) ? last.result.data : {}), calls: [] };
  }
  const error = last.result.error;
  const end = failureKind(error);
  const recipients = sends.map((send) => send.input.recipient);
  const other = end === 'declined' ? addresses(error).find((address) => !recipients.includes(address)) : undefined;
  if (other !== undefined && sends.length === 1) {
    return {
      text: `The memo was declined: ${sentence(error.message)} I propose it again, to ${other}.`,
      calls: [{ name: 'send_credit_memo', input: { ...last.input, recipient: other } }],
    };
  }
  return { text: notSent(end, order.ticker, recipient, error), calls: [] };
}

function describeSentMemo(ticker: string, recipient: string, data: JsonObject): string {
  const facts = [
    typeof data.message_id === 'string' ? `message id ${data.message_id}` : '',
    data.settled === 'applied' ? `settled by ${String(data.by)}` : '',
    typeof data.sent_at === 'string' ? `at ${data.sent_at}` : '',
    typeof data.response === 'string' ? `the mail server answered "${data.response}"` : '',
  ].filter(Boolean);
  // The approver may have edited the recipient, so the result counts more than the call.
  const to = Array.isArray(data.accepted) && data.accepted.length > 0 ? data.accepted.join(', ') : recipient;
  return `${REHEARSAL} The credit memo on ${ticker} was sent to ${to}${facts.length > 0 ? ` (${facts.join('; ')})` : ''}.`;
}

function notSent(end: FailureKind, ticker: string, recipient: string, error: ResultError): string {
  const memo = `the credit memo on ${ticker} to ${recipient}`;
  switch (end) {
    case 'declined':
      return `${REHEARSAL} Nothing was sent: ${memo} was declined. ${sentence(error.message)}`;
    case 'expired':
      return `${REHEARSAL} Nothing was sent: nobody decided on ${memo} in time. ${describeError(error)}`;
    case 'in_doubt':
      return `${REHEARSAL} It is in doubt whether ${memo} was sent. I do not send it again: a person has to find out. ${describeError(error)}`;
    case 'failed':
      return `${REHEARSAL} Sending ${memo} failed. ${error.kind}: ${describeError(error)}`;
  }
}

/** Addresses in the approver's note; not the address of the approver ("denied by ana@bank.example"). */
function addresses(error: ResultError): string[] {
  return emails(error.text.replace(/\bby["':\s]+[^\s"',:;]+@[^\s"',:;]+/gi, ' '));
}
