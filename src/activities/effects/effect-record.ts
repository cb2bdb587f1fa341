/**
 * The effect record of a call. Its own comes first. A reset may have given the call another digest, and so another key:
 * what was done under the old one is found by the act, is taken over, and is never done again.
 */
import { Context } from '@temporalio/activity';
import type { CallArguments, RunCallInput, TurnContext } from '../../shared/io/activities';
import { actHash, idempotencyKey } from '../../shared/json/digests';
import { type EffectRecord, type NewClaim, type Store, StoreError } from '../../store/store';
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

export interface ClosedEffect {
  turn: TurnContext;
  call: CallArguments;
  /** The idempotency key. */
  key: string;
  dispatch: number;
  /** `not_applied` also where nothing was dispatched. In doubt is no end yet: what was taken stays taken. */
  effect: 'applied' | 'not_applied' | 'in_doubt';
}

type DispatchedCall = Pick<RunCallInput, 'turn' | 'call' | 'head'>;

/** By the attempt that runs now. */
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
 * Closes a dispatch that has no record as one that came to nothing: an attempt of it that is alive somewhere comes too late
 * to act. `claimed`: it had no record. Else what is known of the effect.
 */
export function fenceOff(
  { store }: Dependencies,
  dispatched: DispatchedCall,
): Promise<{ claimed: boolean; record: EffectRecord }> {
  return store.effects.claim(claimFor(dispatched), 'not_applied');
}

// What was written down of a dispatch when it was claimed: who is told of it later on may be told something else. A record may
// be found by its act too, since a reset gives a call another digest; and whoever starts activities has any digest admitted. So
// whose an effect is, and what it acted on, is said by its own dispatch, not by the digest that it is asked about under.

export interface RecordedDispatch {
  agent: string;
  requester: string;
  version: string;
  /** What whoever approved it was shown. */
  preview_ref: string | null;
  /** What approving the call took. Null: from before that was written down. */
  approval: ApprovalPolicy | null;
}

/** Null: the record is no dispatch's, or from before the blocks said whose they are. */
export async function recordedDispatch(store: Store, { head }: EffectRecord): Promise<RecordedDispatch | null> {
  const block = readBlock(await store.getBlock(head));
  if (block?.kind !== 'dispatch' || block.subject === null) return null;
  const { subject, preview_ref, approval } = block;
  const { agent, requester, version } = subject;
  return { agent: agent ?? '', requester: requester ?? '', version: version ?? '', preview_ref, approval };
}

/**
 * The call that a record is of.
 * @param named the one that was found by its act
 * @returns null where that cannot be told, or is another agent's or requester's
 */
export async function dispatchedAs(
  store: Store,
  { turn, digest, named }: { turn: TurnContext; digest: string; named: NamedCall },
  record: EffectRecord,
): Promise<NamedCall | null> {
  if (record.digest === digest) return named;
  const before = await recordedDispatch(store, record);
  if (before?.agent !== turn.agent || before.requester !== turn.requester) return null;
  if (turn.store_id === undefined) return { ...named, version: before.version };
  const own = await store.getCall(record.digest).catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  return own && { ...named, version: own.record.version, target: own.target };
}

// Until when an attempt may act. Each attempt writes it down before it acts, and looks at its own clocks right before; whoever
// is told that nothing has happened believes it only from then on. So a worker that stood still cannot act after others have gone
// on without it.

/** From before the claim is written until the tool begins, ms. An attempt that takes longer gives its claim back. */
export const BEGINS_WITHIN_MS = 10_000;
/** So far may the clocks of two workers be apart, ms (docs/effects.md). */
export const CLOCK_SKEW_MS = 5000;

/**
 * Of an attempt that begins before `begins`, or never.
 * @param others until when those before it under the same claim may act: the record has one deadline, which is never an earlier
 *   one, and never the same, since an attempt knows by it that no other has begun
 */
export function actsUntil(begins: Deadline, tool: Tool, others: string | null): string {
  const own = begins.at + timeLimitOf(tool);
  return new Date(others === null ? own : Math.max(own, Date.parse(others) + 1)).toISOString();
}

/** From when on a probe is believed that finds nothing, ms since 1970; 0: at once, since no attempt is under way. */
export async function believedFrom(store: Store, record: EffectRecord, tool: Tool): Promise<number> {
  const { deadline, claimed_at } = record;
  if (deadline === null) return 0;
  if (deadline !== undefined) return Date.parse(deadline) + CLOCK_SKEW_MS;
  // Claimed by an older build, which wrote down no deadline.
  return (await wasLost(store, record)) ? Date.parse(claimed_at) + timeLimitOf(tool) + CLOCK_SKEW_MS : 0;
}

async function wasLost(store: Store, { result_ref }: EffectRecord): Promise<boolean> {
  if (result_ref === null) return true;
  const { envelope } = readResult(await store.getPart(result_ref));
  return !envelope.success && envelope.error.reason === 'outcome_unknown';
}
