/**
 * Decides a waiting call in the demo of `npm start`: asks in the terminal, approves as `demo-operator`, or leaves it to people
 * outside.
 */
import type { SigningKey } from '../../attestation/signing-key';
import { linesOfCard } from '../../client/approvals/cards';
import type { Card } from '../../shapes/card';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { visible } from '../../shared/text/visible';
import { EndOfInput, type TerminalQuestions } from './terminal-questions';
import { cardExcerpt } from './card-excerpt';
import { oneLine } from './describe';
import type { Output } from './output';
import { errorMessage } from '../../shared/text/error-message';

const HOLDING = '    Waiting for a decision from outside.';

/** Who decides the waiting calls. */
export type DemoApprover = 'people outside' | 'the terminal' | 'demo-operator';

export interface Decision {
  turn: TurnHandle;
  digest: string;
  key: SigningKey | null;
  decides: DemoApprover;
  output: Output;
  questions: TerminalQuestions;
  /** Aborts when the call has been decided, here or elsewhere. */
  signal: AbortSignal;
}

/** If the card cannot be shown, this asks nobody, shows no way to decide, and approves nothing. */
export async function decideDemoCall(decision: Decision): Promise<void> {
  const { turn, digest, decides, output, questions, signal } = decision;
  const { card, why, url } = await cardOf(turn, digest);
  if (signal.aborted) return;
  if (card === null) {
    const look = url === null ? '' : ` Read it in the Web UI: ${url}`;
    return output.say(`    ${visible(why)} So this terminal does not ask.${look}\n${HOLDING}`);
  }
  output.say(
    [
      // In the terminal the whole card is shown above the question.
      ...(decides === 'the terminal' ? [] : cardExcerpt(card).map((line) => `    │ ${line}`)),
      '    Read what is about to be sent in the Web UI (under User Metadata), and send the signal `approve` or `deny` there:',
      `    ${url ?? ''}`,
      `    {"call": "${digest}", "by": "your-name"}`,
      `    or: npx holdfast approve ${turn.id} --call ${digest.slice(0, 12)} --by your-name`,
    ].join('\n'),
  );
  if (decides === 'people outside') return output.say(HOLDING);
  try {
    if (decides === 'demo-operator') {
      output.say('    Approving as demo-operator (--yes).');
      return await send(decision, 'approve', { by: 'demo-operator', note: 'npm start -- --yes' });
    }
    const above = linesOfCard(card).map((line) => `    │ ${line}`);
    const answer = await questions.ask('    approve? [y]es / [n]o, with a reason / enter: decide elsewhere  ', signal, above);
    if (answer === null) return;
    const by = 'operator at the terminal';
    const no = /^no?\b[\s,.:;-]*/i.exec(answer.trim());
    if (/^y(es)?$/i.test(answer.trim())) await send(decision, 'approve', { by });
    else if (no) await send(decision, 'deny', { by, note: answer.trim().slice(no[0].length) });
    else output.say(HOLDING);
  } catch (error) {
    output.say(`    ${oneLine(errorMessage(error))}`); // decided elsewhere meanwhile
    if (error instanceof EndOfInput) output.say(HOLDING);
  }
}

/** The card, or why there is none; and where the Web UI shows it. */
async function cardOf(
  turn: TurnHandle,
  digest: string,
): Promise<{ url: string | null } & ({ card: Card; why?: never } | { card: null; why: string })> {
  try {
    const view = await turn.status();
    const { ui_url: url } = view;
    const { questions, unread } = await turn.waiting(view);
    const question = questions.find((each) => each.digest === digest);
    if (question) return { url, card: question.card };
    const blind = unread.find(({ call }) => call.digest === digest);
    return { url, card: null, why: blind?.why ?? 'The call does not wait any more.' };
  } catch (error) {
    return { url: turn.uiUrl, card: null, why: errorMessage(error) };
  }
}

/** Under a name; signed if the demo has a key. */
async function send(
  { turn, digest, key }: Decision,
  decision: 'approve' | 'deny',
  { by, note: text }: { by: string; note?: string },
): Promise<void> {
  const note = text === undefined ? {} : { note: text };
  if (key === null) return decision === 'approve' ? turn.approve(digest, { by, ...note }) : turn.deny(digest, { by, ...note });
  const { signAndDecide } = await import('../../client/approvals/attest.js');
  await signAndDecide(turn, key, { decision, calls: [digest], principal: by, roles: [], ...note });
}
