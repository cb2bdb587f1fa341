/**
 * Puts a question of the model to people (the tool `ask_person`) and makes the answer the call's result. The call waits as one that
 * needs approval does: without a running activity, across runs, and anew after a reset. Whoever answers is a maker of what follows.
 */
import type { AdmittedCall, CallArguments, CallOutcome } from '../../shared/io/activities';
import type { Decision } from '../../shared/approval/approval';
import { callError } from '../../shared/wire/errors';
import type { PersonQuestion } from '../approvals/question';
import { keepProgress } from '../turn/state';
import { addMakers } from '../turn/steering';
import { endCall, moveCall, showDecisions, stoppedOutcome } from './call-log';
import type { Dispatch } from './dispatch-types';
import { runRepeatable } from './run-call';

/** How a question ended. `answers`: the workflow was reset since it was asked, so it has to be asked anew, whatever was answered. */
export type QuestionEnd = { outcome: CallOutcome } | { answers: Decision[] };

/** @param seed `resetSeed()` when the card was made */
export async function askPerson(
  context: Dispatch,
  call: AdmittedCall,
  args: CallArguments,
  question: PersonQuestion,
  seed: string | null,
): Promise<QuestionEnd> {
  const { data } = context;
  const earlier = args.earlier ?? [];
  const answer = await context.questions.askQuestion(question, seed);
  switch (answer.how) {
    case 'stopped':
      return { outcome: stoppedOutcome(data, call, null) };
    case 'steered':
      return { outcome: endCall(data, call, 'superseded', { error: STEERED_OVER, earlier }) };
    case 'expired':
      showDecisions(data, call.id, [answer.decision]);
      return { outcome: endCall(data, call, 'expired', { error: notAnswered(question), decision: answer.decision, earlier }) };
    case 'answered':
      return takeAnswer(context, call, args, answer.decision);
    default:
      return { answers: [] };
  }
}

async function takeAnswer(context: Dispatch, call: AdmittedCall, args: CallArguments, answer: Decision): Promise<QuestionEnd> {
  const { data, turn } = context;
  const approvals = [answer];
  showDecisions(data, call.id, approvals);
  addMakers(data, turn, [answer.by]);
  moveCall(data, call.id, 'approved'); // for a question: it is answered
  keepProgress(data, call.id, { at: 'ready', args, approvals });
  const result = await runRepeatable(context, call, { ok: true, args, approvals });
  return 'held' in result ? { answers: approvals } : result;
}

const STEERED_OVER = callError(
  'CONFIRMATION_REQUIRED',
  'superseded_by_message',
  'While this question waited for an answer the user said something, which follows. Nobody answered it.',
  { hint: 'If you still need the answer after what the user said, ask again.' },
);

function notAnswered({ expires_at }: PersonQuestion) {
  return callError('CONFIRMATION_REQUIRED', 'not_answered', `Nobody answered this question before ${expires_at}.`, {
    hint: 'Go on without the answer if you can; else tell the user what you asked, and that nobody answered in time.',
  });
}
