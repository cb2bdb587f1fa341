/** Closes a dispatch that has no record as one that came to nothing: an attempt of it that is alive somewhere comes too late to act. */
import { Context } from '@temporalio/activity';
import type { RunCallInput } from '../shared/activity-io';
import type { EffectRecord } from '../store/store';
import type { Dependencies } from './dependencies';
import { actOf, keyOf } from './effect-of';

/** `claimed`: it had no record. Else what is known of the effect. */
export function fenceOff(
  { store }: Dependencies,
  { turn, call, head }: Pick<RunCallInput, 'turn' | 'call' | 'head'>,
): Promise<{ claimed: boolean; record: EffectRecord }> {
  const { info } = Context.current();
  const fence = {
    idempotency_key: keyOf(turn, call),
    turn_id: turn.turn_id,
    digest: call.digest,
    dispatch: call.dispatch,
    tool: call.tool,
    run_id: info.workflowExecution?.runId ?? '',
    attempt: info.attempt,
    act: actOf(turn, call),
    head,
  };
  return store.effects.claim(fence, 'not_applied');
}
