import { guessInput } from '../guess';
import type { Ledger, WantedCall } from '../play';

/** Fields that this version of the tool requires besides ours are filled as harmlessly as the schema lets (`confirmed: false`). */
export function sendMemo(ledger: Ledger, recipient: string, subject: string, body: string): WantedCall {
  const guessed = guessInput(ledger.tool('send_credit_memo')?.schema ?? {}, '') ?? {};
  return { name: 'send_credit_memo', input: { ...guessed, recipient, subject, body_md: body } };
}
