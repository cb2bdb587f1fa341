/** Makes the call that sends the memo. */
import { guessInput } from '../guess';
import type { Ledger, WantedCall } from '../call-ledger';

/** Other fields that this version of the tool requires get the most harmless value that the schema allows (`confirmed: false`). */
export function sendMemo(ledger: Ledger, recipient: string, subject: string, body: string): WantedCall {
  const defaults = guessInput(ledger.tool('send_credit_memo')?.schema ?? {}, '') ?? {};
  return { name: 'send_credit_memo', input: { ...defaults, recipient, subject, body_md: body } };
}
