/**
 * The effect record of a call. Its own comes first. A reset may have given the call another digest, and so another key:
 * what was done under the old one is found by the act, is taken over, and is never done again.
 */
import type { CallArguments, RunCallInput, TurnContext } from '../../shared/activity-io';
import { actHash, idempotencyKey } from '../../shared/json/digests';
import type { EffectRecord, NewClaim, Store } from '../../store/store';
import { Context } from '@temporalio/activity';
import type { Dependencies } from '../ports';

export function actOf(turn: TurnContext, { id, tool, input_hash }: Pick<CallArguments, 'id' | 'tool' | 'input_hash'>): string {
  return actHash({ first_execution_run_id: turn.first_execution_run_id, call_id: id, tool, input_hash });
}

/** The call's idempotency key, under which its effect is on record. */
export function keyOf(turn: TurnContext, call: Pick<CallArguments, 'id' | 'digest'>): string {
  return idempotencyKey({ ...turn, call_id: call.id, digest: call.digest });
}

export async function effectOf(store: Store, turn: TurnContext, call: CallArguments): Promise<EffectRecord | null> {
  const key = keyOf(turn, call);
  const own = await store.effects.latest(key);
  // That nothing happened under its own key says nothing of another.
  if (own && own.state !== 'not_applied') return own;
  return (await otherDispatch(store, turn, call, key)) ?? own;
}

/** The same act under another key than this, or under any, where it is not proven that nothing has happened. */
export async function otherDispatch(
  store: Store,
  turn: TurnContext,
  call: Pick<CallArguments, 'id' | 'tool' | 'input_hash'>,
  key?: string,
): Promise<EffectRecord | null> {
  const record = await store.effects.findByAct(turn.turn_id, actOf(turn, call), key);
  return record && record.state !== 'not_applied' && record.state !== 'refused' ? record : null;
}

export interface EffectClosed {
  turn: TurnContext;
  call: CallArguments;
  /** The idempotency key. */
  key: string;
  dispatch: number;
  /** `not_applied` also where nothing was dispatched. In doubt is no end yet: what was taken stays taken. */
  effect: 'applied' | 'not_applied' | 'in_doubt';
}

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
