/** Calls as an attacker makes them up: every field of his choice, and a digest that fits them. */
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { CallArguments, TurnContext } from '../../../src/shared/io/activities';
import type { Decision } from '../../../src/shared/approval/approval';
import { callDigest, callRecord, hashJson } from '../../../src/shared/json/digests';
import type { JsonObject } from '../../../src/shared/json/json';
import type { Store } from '../../../src/store/store';

export function madeUpCall(turn: TurnContext, fields: Partial<CallArguments> & { input: JsonObject }): CallArguments {
  const bound = turn.store_id === undefined ? {} : { definition_ref: 'c'.repeat(64), target_hash: null };
  const call = {
    ...bound,
    id: '1.1',
    revision: 1,
    tool: 'pay',
    version: '1.0.0',
    class: 'destructive' as const,
    input_hash: hashJson(fields.input),
    input_ref: 'a'.repeat(64),
    preview_ref: null,
    policy_ref: 'b'.repeat(64),
    dispatch: 1,
    ...fields,
  };
  return { ...call, digest: callDigest(turn, call) };
}

/** Stores the call under its digest, as admission would: an attacker who reaches the task queue can have that done. */
export async function keepMadeUp(store: Store, turn: TurnContext, call: CallArguments, input = call.input!): Promise<void> {
  await store.putCalls([{ record: callRecord(turn, call), input, target: null }]);
}

export function madeUpApproval({ digest }: { digest: string }, more: Partial<Decision> = {}): Decision {
  return {
    decision: 'approve',
    digest,
    run_id: '',
    by: 'nobody',
    note: null,
    channel: 'signal',
    identity: '',
    card_ref: null,
    at: '2026-01-01T00:00:00Z',
    expires_at: '2099-01-01T00:00:00Z',
    ...more,
  };
}

/** The turn's context, as its own activities get it. */
export async function contextOf(turn: TurnHandle, more: Partial<TurnContext> = {}): Promise<TurnContext> {
  const { namespace: _, ...audience } = await turn.audience();
  const trace_id = 'trace_20260101_000000000000';
  return {
    turn_id: turn.id,
    ...audience,
    agent: 'tester',
    requester: 'rita',
    session_id: null,
    trace_id,
    ...more,
  };
}

/** The answers of the turn's activities so far: an attacker who reaches Temporal can read them. */
export async function answersOf(client: HoldfastClient, turn: TurnHandle): Promise<any[]> {
  const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
  const payloads = history.events!.flatMap(({ activityTaskCompletedEventAttributes: done }) => done?.result?.payloads ?? []);
  return payloads.map(({ data }) => JSON.parse(Buffer.from(data as Uint8Array).toString()));
}

type Refs = Required<Pick<CallArguments, 'policy_ref' | 'definition_ref' | 'target_hash'>>;

/** The refs that a digest covers besides the call itself, as admission recorded them for the first call. */
export async function recordedRefs(client: HoldfastClient, turn: TurnHandle): Promise<Refs> {
  const { policy, calls } = (await answersOf(client, turn)).find((answer) => answer?.policy);
  const [{ definition_ref, target_hash }] = calls;
  return { policy_ref: policy.policy_ref, definition_ref, target_hash };
}
