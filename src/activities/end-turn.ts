import type { EndTurnInput } from '../shared/activity-io';
import { Draft } from '../store/transcript';
import { addOutcomes } from './conversation';
import type { Dependencies } from './dependencies';

/** Closes the transcript of a turn that did not end with an answer: what its last calls gave, and why it ended. */
export async function endTurn({ store }: Dependencies, input: EndTurnInput): Promise<{ head: string | null }> {
  const { turn, at, state, reason } = input;
  if (input.head === null) return { head: null }; // no step ever succeeded: there is no transcript to close
  const draft = new Draft(store, turn.first_execution_run_id, input.head);
  await addOutcomes(store, draft, at, input.outcomes);
  draft.add('end', at, [{ state, reason }]);
  return { head: await draft.store() };
}
