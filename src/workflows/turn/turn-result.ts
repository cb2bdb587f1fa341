/** Ends a turn with its result, once the model has given one that fits; and fails the turn when it cannot. */
import { MOST_CORRECTIONS } from '../../shared/turn/result';
import type { Ending } from './ending';
import { hasOnlyRefusals, type TurnData } from './state';
import type { Steering } from './steering';

/**
 * What the calls of the last step mean for the turn's result. Null: the turn goes on, since none of them gave a result, or the model
 * reads what was wrong with it, or a person has said more meanwhile.
 */
export async function resultEnding(data: TurnData, steering: Steering): Promise<Ending | null> {
  const outcome = data.outcomes.findLast(({ gives_result }) => gives_result);
  if (!outcome || outcome.state === 'cancelled') return null;
  if (outcome.state !== 'succeeded') {
    data.corrections = (data.corrections ?? 0) + 1;
    return data.corrections > MOST_CORRECTIONS ? invalid(outcome.error?.message ?? outcome.state) : null;
  }
  if (outcome.digest === null || (await steering.waits())) return null;
  const state = hasOnlyRefusals(data) ? 'refused' : 'completed';
  return { state, reason: null, hasEndBlock: false, resultOf: outcome.digest };
}

function invalid(why: string): Ending {
  const reason = `RESULT_INVALID: the model was told ${MOST_CORRECTIONS} times what was wrong with its result, and gave none that fits. Give it an example in the prompt, or ask for less. The last time: ${why}`;
  return { state: 'failed', reason, hasEndBlock: false };
}
