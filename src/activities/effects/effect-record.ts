/**
 * Finds the effect record of a call: first under its own key, then by its act. A reset may give a call another digest, and so
 * another key; an effect under the old key is taken over, and is not repeated.
 */
import { Context } from '@temporalio/activity';
import type { CallArguments, RunCallInput, TurnContext } from '../../shared/io/activities';
import { actHash, idempotencyKey } from '../../shared/json/digests';
import type { EffectRecord, NewClaim } from '../../record/effect';
import { type Store, StoreError } from '../../store/store';
import type { ApprovalPolicy } from '../../shared/approval/approval';
import { readBlock } from '../../record/read-block';
import { timeLimitOf } from '../../shared/turn/tool-class';
import type { Deadline } from '../../tools/run/deadline';
import { readResult } from '../../record/parts';
import type { Tool } from '../../tools/define/tool';
import type { Dependencies } from '../ports';
import type { NamedCall } from '../call/call-input';

export function actOf(turn: TurnContext, { id, tool, input_hash }: Pick<CallArguments, 'id' | 'tool' | 'input_hash'>): string {
  return actHash({ first_execution_run_id: turn.first_execution_run_id, call_id: id, tool, input_hash });
}

/** The call's idempotency key, under which its effect is recorded. */
export function keyOf(turn: TurnContext, call: Pick<CallArguments, 'id' | 'digest'>): string {
  return idempotencyKey({ ...turn, call_id: call.id, digest: call.digest });
}

export async function effectOf(store: Store, turn: TurnContext, call: CallArguments): Promise<EffectRecord | null> {
  const key = keyOf(turn, call);
  const own = await store.effects.latest(key);
  // A record under its own key that says `not_applied` does not cover other keys.
  if (own && own.state !== 'not_applied') return own;
  return (await otherDispatch(store, turn, call, key)) ?? own;
}

/** The same act under another key (or under any key), unless it is proven that it had no effect. */
export async function otherDispatch(
  store: Store,
  turn: TurnContext,
  call: Pick<CallArguments, 'id' | 'tool' | 'input_hash'>,
  key?: string,
): Promise<EffectRecord | null> {
  const record = await store.effects.findByAct(turn.turn_id, actOf(turn, call), key);
  return record && record.state !== 'not_applied' && record.state !== 'refused' ? record : null;
}

export interface ClosedEffect {
  turn: TurnContext;
  call: CallArguments;
  /** The idempotency key. */
  key: string;
  dispatch: number;
  /** `not_applied` also if nothing was dispatched. `in_doubt` is not final: reservations stay. */
  effect: 'applied' | 'not_applied' | 'in_doubt';
}

type DispatchedCall = Pick<RunCallInput, 'turn' | 'call' | 'head'>;

/** The claim of the current attempt. */
export function claimFor({ turn, call, head }: DispatchedCall) {
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
 * Claims a dispatch as `not_applied` if it has no record, so that an attempt that is still alive elsewhere can no longer act.
 * `claimed`: it had no record. Otherwise `record` is the existing one.
 */
export function fenceOff({ store }: Dependencies, call: DispatchedCall): Promise<{ claimed: boolean; record: EffectRecord }> {
  return store.effects.claim(claimFor(call), 'not_applied');
}

// The facts of a dispatch, from the block that was written when it was claimed. A record may also be found by its act, since a
// reset gives a call another digest, and someone who starts activities can have any digest admitted. So the owner of an
// effect and its target come from its own dispatch block, not from the digest in the request.

export interface RecordedDispatch {
  agent: string;
  requester: string;
  version: string;
  /** The evidence that the approvers saw. */
  preview_ref: string | null;
  /** The approval policy at that time. Null: an older build did not record it. */
  approval: ApprovalPolicy | null;
}

/** Null: the record is not of a dispatch, or its block is from a build that did not record the subject. */
export async function recordedDispatch(store: Store, { head }: EffectRecord): Promise<RecordedDispatch | null> {
  const block = readBlock(await store.getBlock(head));
  if (block?.kind !== 'dispatch' || block.subject === null) return null;
  const { subject, preview_ref, approval } = block;
  const { agent, requester, version } = subject;
  return { agent: agent ?? '', requester: requester ?? '', version: version ?? '', preview_ref, approval };
}

/**
 * The call that an effect record belongs to.
 * @param named the call that was found by its act
 * @returns null if that is unknown, or it belongs to another agent or requester
 */
export async function dispatchedAs(
  store: Store,
  { turn, digest, call }: { turn: TurnContext; digest: string; call: NamedCall },
  record: EffectRecord,
): Promise<NamedCall | null> {
  if (record.digest === digest) return call;
  const before = await recordedDispatch(store, record);
  if (before?.agent !== turn.agent || before.requester !== turn.requester) return null;
  if (turn.store_id === undefined) return { ...call, version: before.version };
  const own = await store.getCall(record.digest).catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  return own && { ...call, version: own.record.version, target: own.target };
}

// The deadline of an attempt. Each attempt records it before it acts, and checks its own clocks right before acting. A probe
// that finds no effect is believed only after the deadline, so that a suspended worker cannot act after others have continued.

/** Longest time between writing the claim and the start of the tool, ms. A slower attempt gives its claim back. */
export const BEGINS_WITHIN_MS = 10_000;
/** Largest difference between the clocks of two workers, ms (docs/effects.md). */
export const CLOCK_SKEW_MS = 5000;

/**
 * The deadline of an attempt that starts before `begins`, or not at all.
 * @param others deadline of earlier attempts under the same claim. The record has one deadline; it only moves later, and is
 *   never the same again, since an attempt recognises by it that no other attempt has begun
 */
export function actsUntil(begins: Deadline, tool: Tool, others: string | null): string {
  const own = begins.at + timeLimitOf(tool);
  return new Date(others === null ? own : Math.max(own, Date.parse(others) + 1)).toISOString();
}

/** The time from which on a probe that finds no effect is believed, ms since 1970; 0: at once, since no attempt runs. */
export async function believedFrom(store: Store, record: EffectRecord, tool: Tool): Promise<number> {
  const { deadline, claimed_at } = record;
  if (deadline === null) return 0;
  if (deadline !== undefined) return Date.parse(deadline) + CLOCK_SKEW_MS;
  // An older build claimed it, and recorded no deadline.
  return (await wasLost(store, record)) ? Date.parse(claimed_at) + timeLimitOf(tool) + CLOCK_SKEW_MS : 0;
}

async function wasLost(store: Store, { result_ref }: EffectRecord): Promise<boolean> {
  if (result_ref === null) return true;
  const { envelope } = readResult(await store.getPart(result_ref));
  return !envelope.success && envelope.error.reason === 'outcome_unknown';
}
