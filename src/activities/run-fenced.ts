/**
 * A destructive call, behind its fence. In this order: the approval is checked against what is about
 * to be executed; decision and dispatch are written; the effect record is claimed; only then does the
 * tool act. Whoever finds a claim never acts on it again.
 */
import { Context } from '@temporalio/activity';
import type { RunCallInput, RunCallOutput } from '../shared/activity-io';
import { idempotencyKey } from '../shared/digests';
import { callError, type CallError } from '../shared/errors';
import type { Json, JsonObject } from '../shared/json';
import type { EffectRecord } from '../store/store';
import { Draft } from '../store/transcript';
import type { Tool } from '../tools/define';
import { permission } from '../tools/permission';
import type { RunResult } from '../tools/run';
import type { Dependencies } from './dependencies';
import { appendEffect, IN_DOUBT_HINT } from './effect-block';
import { recordedOutcome } from './effect-outcome';
import { withPulse } from './pulse';
import { refusal } from './refusal';
import { failure, keep, runOnce, success, type Ran } from './run-once';

export async function runFenced(
  deps: Dependencies,
  request: RunCallInput,
  tool: Tool,
  input: JsonObject,
): Promise<RunCallOutput> {
  const { turn, call } = request;
  const { info } = Context.current();
  const key = idempotencyKey({ ...turn, call_id: call.id, digest: call.digest });

  const began = await deps.store.effects.latest(key);
  if (began && stands(began, call.dispatch, tool))
    return recordedOutcome(deps, request, began, 'it was dispatched before, and no outcome was recorded');
  const fault = approvalFault(deps, request, tool, info.workflowExecution?.runId ?? '');
  if (fault) return refusal(deps, request, fault, tool, input);

  const head = await writeDispatch(deps, request, key);
  const record = began && began.state !== 'not_applied' ? began : null; // idempotent: the claim that is there serves again
  if (!record) {
    const claim = {
      idempotency_key: key,
      turn_id: turn.turn_id,
      digest: call.digest,
      dispatch: call.dispatch,
      tool: tool.name,
      run_id: info.workflowExecution?.runId ?? '',
      attempt: info.attempt,
      head,
    };
    const claimed = await deps.store.effects.claim(claim);
    if (!claimed.claimed) return recordedOutcome(deps, request, claimed.record, 'another worker dispatched it first');
  }
  // A cancelled turn waits for the end of an effect in flight: the tool is stopped by its time limit only.
  const ran = await withPulse((show) => runOnce(deps, request, tool, input, { show }));
  return conclude(deps, request, { tool, input, key, head, dispatch: record?.dispatch ?? call.dispatch }, ran);
}

/** True when the record forbids this dispatch. */
function stands(record: EffectRecord, dispatch: number, tool: Tool): boolean {
  if (record.state === 'not_applied') return record.dispatch >= dispatch;
  const open = record.state === 'claimed' || record.state === 'in_doubt';
  return !(open && tool.idempotent === true && dispatch > record.dispatch);
}

function approvalFault(deps: Dependencies, { turn, call, approval }: RunCallInput, tool: Tool, runId: string): CallError | null {
  const rules = deps.registry.agent(turn.agent)!;
  if (rules.policyRef !== call.policy_ref) {
    return callError('PERMISSION_DENIED', 'policy_changed', 'The rules have changed since this call was admitted.', {
      hint: 'Ask for the call again.',
    });
  }
  const verdict = permission(rules.agent.permissions, tool);
  if (verdict.verdict === 'deny')
    return callError('PERMISSION_DENIED', 'denied_by_rule', `${tool.name} may not be used: ${verdict.reason}.`);
  if (verdict.verdict === 'allow') return null;
  const no = (reason: string, message: string) => callError('CONFIRMATION_REQUIRED', reason, message);
  if (approval?.decision !== 'approve')
    return no('approval_missing', `${tool.name} runs only after a person has approved this call.`);
  if (approval.digest !== call.digest)
    return no('approval_mismatch', `The approval is for ${approval.digest}, not for this call.`);
  if (approval.run_id !== runId)
    return no('approval_of_another_run', `The approval was given in run ${approval.run_id}, not in this one.`);
  if (!(Date.parse(approval.at) <= Date.parse(approval.expires_at)))
    return no('approval_expired', `The approval came after ${approval.expires_at}.`);
  return null;
}

/** Decision and dispatch, on disk before anything acts. Returns the new head. */
function writeDispatch(deps: Dependencies, { turn, call, at, head, approval }: RunCallInput, key: string): Promise<string> {
  const draft = new Draft(deps.store, turn.first_execution_run_id, head);
  if (approval && call.dispatch === 1) draft.add('decision', at, [{ ...approval }]);
  const dispatch: Json = {
    call_id: call.id,
    tool: call.tool,
    version: call.version,
    digest: call.digest,
    dispatch: call.dispatch,
    idempotency_key: key,
    input_ref: call.input_ref,
    preview_ref: call.preview_ref,
  };
  draft.add('dispatch', at, [dispatch]);
  return draft.store();
}

interface Dispatched {
  tool: Tool;
  input: JsonObject;
  key: string;
  head: string;
  dispatch: number;
}

async function conclude(
  deps: Dependencies,
  request: RunCallInput,
  { tool, input, key, head, dispatch }: Dispatched,
  { result, metadata }: Ran,
): Promise<RunCallOutput> {
  const { turn, call } = request;
  const effect = effectOf(result);
  const error = result.ok ? null : effect === 'in_doubt' ? inDoubt(result.error) : result.error;
  const envelope = result.ok ? success(result.data, metadata) : failure(error!, metadata);
  const kept = await keep(deps, turn, call, tool, input, envelope);
  const effectFacts = { parent: head, dispatch, key, effect, result_ref: kept.result_ref };
  const newHead = await appendEffect(deps, request, effectFacts);
  try {
    await deps.store.effects.move(key, dispatch, effect, { result_ref: kept.result_ref, result_head: newHead });
  } catch (error) {
    // Cut off, settled by a person, and then done after all: the turn has gone on, so the log must say it.
    deps.log.error(
      { turn_id: turn.turn_id, call: call.id, digest: call.digest, effect },
      'this call ended after it was settled otherwise',
    );
    throw error;
  }
  const state = effect === 'applied' ? 'succeeded' : effect === 'in_doubt' ? 'in_doubt' : 'failed';
  return { ...kept, state, effect, error, attempts: 1, took_ms: metadata.execution_time_ms, head: newHead };
}

function effectOf(result: RunResult): 'applied' | 'not_applied' | 'in_doubt' {
  if (result.ok) return 'applied';
  return result.nothingHappened ? 'not_applied' : 'in_doubt';
}

function inDoubt(error: CallError): CallError {
  return { ...error, hint: IN_DOUBT_HINT };
}
