/** The claim of a dispatch in the effect records. */
import { Context } from '@temporalio/activity';
import type { RunCallInput } from '../../shared/activity-io';
import type { EffectRecord, NewClaim } from '../../store/store';
import type { Dependencies } from '../ports';
import { actOf, keyOf } from './effect-key';

type Dispatched = Pick<RunCallInput, 'turn' | 'call' | 'head'>;

/** By the attempt that runs now. */
export function claimFor({ turn, call, head }: Dispatched) {
  const { info } = Context.current();
  return {
    idempotency_key: keyOf(turn, call),
    turn_id: turn.turn_id,
    digest: call.digest,
    dispatch: call.dispatch,
    tool: call.tool,
    run_id: info.workflowExecution?.runId ?? '',
    attempt: info.attempt,
    act: actOf(turn, call),
    head,
  } satisfies NewClaim;
}

/**
 * Closes a dispatch that has no record as one that came to nothing: an attempt of it that is alive somewhere comes too late
 * to act. `claimed`: it had no record. Else what is known of the effect.
 */
export function fenceOff({ store }: Dependencies, dispatched: Dispatched): Promise<{ claimed: boolean; record: EffectRecord }> {
  return store.effects.claim(claimFor(dispatched), 'not_applied');
}
