/** Sends a decision. It names the whole digest of the card that was shown, so a call that has changed since refuses it. */
import type { Question } from '../../../../src/shapes/turn-view';
import { ApiError, newKey } from '../api/http';
import { decide, readChallenge, type Decision, type DecisionReply } from '../api/turns';
import { plural } from '../lib/format';
import { arePasskeysKnown, hasPasskey, signWithPasskey } from './passkeys';

const takesSignatures = ({ card, approval }: Question) => (card.policy?.channel ?? approval.channel) === 'attested';

/** Only where signed decisions count, and the person has a passkey that counts; otherwise the gateway signs. */
export function signsByPasskey(question: Question): boolean {
  return takesSignatures(question) && hasPasskey();
}

/** @returns how the call stands now, in words. @throws ApiError */
export async function sendDecision(turn: string, question: Question, what: Omit<Decision, 'call'>): Promise<string> {
  const decision: Decision = { ...what, call: question.digest };
  const key = newKey();
  // Who does not know whether there is a passkey must not have the gateway sign in its place.
  if (takesSignatures(question) && !(await arePasskeysKnown()))
    throw new ApiError(
      0,
      'passkeys_unread',
      'Your passkeys cannot be read, and nothing was sent.',
      'Try again in a moment. If it stays so, tell the people who run the gateway.',
    );
  const reply = signsByPasskey(question) ? await signed(turn, decision, key) : await decide(turn, decision, key);
  return inWords(decision, reply);
}

async function signed(turn: string, decision: Decision, key: string): Promise<DecisionReply> {
  const { claims, options } = await readChallenge(turn, decision);
  const response = await signWithPasskey(options);
  return decide(turn, { ...decision, passkey: { claims, response } }, key);
}

function inWords({ decision, input, outcome }: Decision, { now }: DecisionReply): string {
  if (decision === 'deny') return 'denied';
  if (decision === 'settle') return outcome === 'applied' ? 'settled: it took effect' : 'settled: it did not take effect';
  if (input !== undefined) return 'changed; a call with the new input waits now';
  const [call] = now;
  if (call === undefined) return 'approved';
  if (call.approvals < call.quorum) return `approved by ${call.approvals} of ${plural(call.quorum, 'person', 'people')}`;
  return 'approved';
}
