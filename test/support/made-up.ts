/** Calls as an attacker makes them up: every field of his choice, and a digest that fits them. */
import type { HoldfastClient } from '../../src/client';
import type { TurnHandle } from '../../src/client/turn-handle';
import type { CallArguments, TurnContext } from '../../src/shared/activity-io';
import type { Decision } from '../../src/shared/approval';
import { callDigest, hashJson } from '../../src/shared/digests';
import type { JsonObject } from '../../src/shared/json';

export function madeUpCall(turn: TurnContext, fields: Partial<CallArguments> & { input: JsonObject }): CallArguments {
  const call = {
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
  const digest = callDigest({ ...call, turn_id: turn.turn_id, call_id: call.id, requester: turn.requester });
  return { ...call, digest };
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

/** Who and where, as the turn's own activities are told. */
export async function contextOf(turn: TurnHandle, more: Partial<TurnContext> = {}): Promise<TurnContext> {
  const { workflow_id, first_execution_run_id } = await turn.audience();
  const trace_id = 'trace_20260101_000000000000';
  return {
    turn_id: turn.id,
    workflow_id,
    first_execution_run_id,
    agent: 'tester',
    requester: 'rita',
    session_id: null,
    trace_id,
    ...more,
  };
}

/** What the turn's activities have answered so far: whoever reaches Temporal can read it. */
export async function answersOf(client: HoldfastClient, turn: TurnHandle): Promise<any[]> {
  const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
  const payloads = history.events!.flatMap(({ activityTaskCompletedEventAttributes: done }) => done?.result?.payloads ?? []);
  return payloads.map(({ data }) => JSON.parse(Buffer.from(data as Uint8Array).toString()));
}

/** The hash of the rules, as admission recorded it. */
export async function recordedPolicyRef(client: HoldfastClient, turn: TurnHandle): Promise<string> {
  return (await answersOf(client, turn)).find(({ policy }) => policy).policy.policy_ref;
}
