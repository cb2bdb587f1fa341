import { ApplicationFailure } from '@temporalio/activity';
import type { EndTurnInput, EndTurnOutput, TurnBegin } from '../../shared/activity-io';
import { endBlock } from '../../record/write-block';
import { Draft } from '../../store/core/transcript';
import { addBeginning } from './begin-turn';
import { START_NOT_ATTESTED } from '../checks/signed-start';
import { envelopeOf } from '../call/direct-envelope';
import { addOutcomes } from './conversation';
import type { Dependencies } from '../ports';
import { beginOver } from '../checks/own-turn';

/** Closes the transcript of a turn that did not end with an answer: what its last calls gave, and why it ended. */
export async function endTurn(deps: Dependencies, input: EndTurnInput): Promise<EndTurnOutput> {
  const { turn, at, state, reason, begin } = input;
  const draft = new Draft(deps.store, turn.first_execution_run_id, input.head);
  if (begin) await addBegun(deps, draft, input, begin);
  if (draft.head === null) return { head: null }; // no step ever succeeded: there is no transcript to close
  await addOutcomes(deps.store, draft, turn, at, input.outcomes);
  draft.add(endBlock({ state, reason }), at);
  const head = await draft.store();
  const [outcome] = input.outcomes;
  return input.envelope && outcome ? { head, envelope: await envelopeOf(deps, input, outcome) } : { head };
}

/** What the user said stands, although nothing came of it: the session's next turn goes on from there. A start that nobody may make does not. */
async function addBegun(deps: Dependencies, draft: Draft, { turn, at, head }: EndTurnInput, begin: TurnBegin): Promise<void> {
  const agent = deps.registry.forTurn(turn);
  if (!agent) return;
  // No turn begins without a store any more: whoever starts activities could else have one begin as of an older version.
  const bound = { ...turn, store_id: await beginOver(deps, turn) };
  try {
    await addBeginning(deps, { draft, parent: head, at }, { agent, outside: null }, { turn: bound, ...begin });
  } catch (error) {
    if (!(error instanceof ApplicationFailure && error.type === START_NOT_ATTESTED)) throw error;
  }
}
