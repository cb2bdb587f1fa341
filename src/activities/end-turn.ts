import type { EndTurnInput } from '../shared/activity-io';
import { append } from '../store/transcript';
import { appendOutcomes } from './conversation';
import type { Dependencies } from './dependencies';

/** Closes the transcript of a turn that did not end with an answer: what its last calls gave, and why it ended. */
export async function endTurn({ store }: Dependencies, input: EndTurnInput): Promise<{ head: string | null }> {
  const { turn, at, state, reason } = input;
  if (input.head === null) return { head: null }; // no step ever succeeded: there is no transcript to close
  const parent = await appendOutcomes(store, turn, at, input.head, input.outcomes);
  return { head: await append(store, turn.first_execution_run_id, { parent, kind: 'end', at, bodies: [{ state, reason }] }) };
}
