/**
 * Runs a destructive call; at most once, unless its tool is idempotent. The order: check the approvals against the call that is
 * about to run, and that nothing is frozen; pass the tool's limits; write decision and dispatch; claim the effect record; look at the
 * stop switch once more; only then run the tool. A worker
 * that finds an existing claim does not run the tool again. The heartbeat covers all of this, so that a slow store does not leave
 * a call in doubt.
 */
import { Context } from '@temporalio/activity';
import { approvalsOf, type LaterCompletion, type RunCallOutput } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import { CLASS_RULES } from '../../shared/turn/tool-class';
import type { EffectRecord } from '../../record/effect';
import { StoreError } from '../../store/store';
import { Draft } from '../../store/core/transcript';
import { Deadline } from '../../tools/run/deadline';
import { type RunResult, TIMED_OUT } from '../../tools/run/run';
import { callContext, pendingOutput, type CallContext } from '../call/call-context';
import { withAfterHooks, failure, keep, refusal, runOnce, success } from '../call/run-once';
import { giveBack, reserveUntil } from './budgets';
import { withDebugInfo } from '../call/direct-envelope';
import type { Dependencies, RunOutcome } from '../ports';
import { addDecisions, appendEffect, notifyEffectListeners, IN_DOUBT_HINT, recordedOutcome } from './effect-outcome';
import { claimFor, effectOf, fenceOff, keyOf, otherDispatch, actsUntil, BEGINS_WITHIN_MS } from './effect-record';
import { holdAnswerOutput, checkBeforeEffect } from '../checks/resolve-call';
import { busyError, shareRateLimit } from '../call/run-in-thread';
import { agentSince } from '../step/mcp-tools';
import { policyOfRun, recheckPermission } from '../checks/recheck-approvals';
import { showing } from '../call/heartbeat';
import type { DispatchBody } from '../../record/blocks';
import { callSubject } from '../../record/subject';
import { dispatchBlock } from '../../record/write-block';
import { checkTargetChange } from '../checks/change-since-approval';
import { freezeOfTool, frozenOutput, stoppedBeforeTool } from '../checks/stop-switch';
import { freezeText } from '../../record/stop';
import type { Tool } from '../../tools/define/tool';

export async function runDestructive(run: CallContext): Promise<RunCallOutput> {
  const { deps, request, turn, call, tool } = run;
  const key = keyOf(turn, call);

  const record = await effectOf(deps.store, turn, call);
  const earlier = record && record.idempotency_key !== key ? record : null;
  const began = earlier ? null : record;
  if (began && stands(began, call.dispatch, tool))
    return recordedOutcome(deps, request, began, 'it was dispatched before, and no outcome was recorded');
  const fault = await recheckPermission(run);
  // An idempotent call that was dispatched and is in doubt: a refusal now does not prove that it had no effect.
  const inDoubt = began !== null && began.state !== 'not_applied' ? began : null;
  const freeze = await freezeOfTool(deps.store, turn, tool.name);
  // A call in doubt does not wait for the end of a freeze: probe and people can find out what became of it.
  if (inDoubt && freeze) return recordedOutcome(deps, request, inDoubt, freezeText(freeze));
  // It is not repeated on another target either: there its idempotency key is unknown.
  const hold = inDoubt && (fault ?? (await checkTargetChange(run)));
  if (hold) return recordedOutcome(deps, request, inDoubt, 'refused' in hold ? hold.refused.message : hold.text);
  if (fault && 'refused' in fault) return refusal(run, fault.refused);
  if (earlier)
    return recordedOutcome(
      deps,
      request,
      earlier,
      'it was dispatched before the workflow was reset, and no outcome was recorded',
    );
  if (freeze && !fault) return frozenOutput(run, freeze);
  const reportNoEffect = () => notifyEffectListeners(deps, { turn, call, key, dispatch: call.dispatch, effect: 'not_applied' });
  // Any other change that a call in doubt sees may be its own effect, so it does not hold the repetition.
  const output = fault ? await holdAnswerOutput(run, fault) : inDoubt ? null : await checkBeforeEffect(run);
  if (output) {
    // A call that may pass later is dispatched again under the next number, which needs this dispatch on record.
    if (output.error && CLASS_RULES.read.retries[output.error.code]) await fenceOff(deps, request);
    await reportNoEffect();
    return output;
  }

  const entry = await deps.gate.enter(tool, Context.current().cancellationSignal);
  if (!entry.ok) {
    await giveBack(run, began);
    if (!inDoubt) await reportNoEffect();
    const busyOutput = await refusal(run, busyError(tool, entry));
    return { ...busyOutput, busy_ms: Math.ceil(entry.waitMs) };
  }
  try {
    return await dispatch(run, key, began);
  } finally {
    await entry.leave();
  }
}

/** Writes the dispatch, claims the effect record and runs the tool. No other attempt runs it then, unless it is idempotent. */
async function dispatch(run: CallContext, key: string, began: EffectRecord | null): Promise<RunCallOutput> {
  const { deps, request, turn, call, tool } = run;
  const head = await writeDispatch(run, key);
  const record = began && began.state !== 'not_applied' ? began : null; // idempotent: the existing claim is used again
  const begins = Deadline.in(BEGINS_WITHIN_MS); // set before the claim: a reader of the claim then knows how long its attempt may act
  const deadline = actsUntil(begins, tool, record?.deadline ?? null);
  const before = record ? record.deadline : null;
  if (record) await deps.store.effects.renew(key, record.dispatch, record.deadline, deadline);
  else {
    const claim = await deps.store.effects.claim({ ...claimFor({ turn, call, head }), deadline });
    if (!claim.claimed) {
      if (claim.record.dispatch > call.dispatch) await giveBack(run, null); // this attempt is outdated: a later one has its own reservation
      return recordedOutcome(deps, request, claim.record, 'another worker dispatched it first');
    }
    // Claim first, then look: if a reset left two runs at the same act, at least one of them sees the other.
    const other = await otherDispatch(deps.store, turn, call, key);
    if (other) return giveWay(run, key, other);
  }
  // A cancelled turn waits for a running effect: only its time limit stops the tool.
  const number = record?.dispatch ?? call.dispatch;
  const stopped = () => stoppedBeforeTool(run);
  // From then on a lost attempt leaves the call pending: its tool may have handed the work over.
  const onLater = async (later: LaterCompletion) => {
    await reserveUntil(deps, { turn, call, key, dispatch: number }, Date.parse(later.expires_at));
    await deps.store.effects.move(key, number, 'pending', { later });
  };
  const outcome = await runOnce(run, { show: showing(), begins, stopped, onLater });
  await shareRateLimit(deps, tool, outcome.result);
  const attempt = {
    key,
    head,
    dispatch: number,
    again: record !== null,
    deadline,
    before,
  };
  return conclude(run, attempt, outcome);
}

/** Another run of the turn dispatched this act meanwhile: closes the claim of this one as `not_applied`. */
async function giveWay({ deps, request, turn, call }: CallContext, key: string, other: EffectRecord): Promise<RunCallOutput> {
  await deps.store.effects.move(key, call.dispatch, 'not_applied');
  await notifyEffectListeners(deps, { turn, call, key, dispatch: call.dispatch, effect: 'not_applied' });
  const now = (await deps.store.effects.latest(other.idempotency_key)) ?? other;
  if (now.state !== 'not_applied') return recordedOutcome(deps, request, now, 'another run of this turn dispatched it');
  const error = callError(
    'EXECUTION_ERROR',
    'dispatched_twice',
    `${call.tool} was not run: two runs of this turn tried to dispatch it.`,
    {
      hint: 'Nothing has happened. Ask for the call again.',
    },
  );
  return refusal(callContext(deps, request), error);
}

/** True if the effect record forbids this dispatch. */
function stands(record: EffectRecord, dispatch: number, tool: Tool): boolean {
  if (record.state === 'not_applied') return record.dispatch >= dispatch;
  const open = record.state === 'claimed' || record.state === 'in_doubt';
  return !(open && tool.idempotent === true && dispatch > record.dispatch);
}

/** Stores the decisions and the dispatch before the tool acts. Returns the new head. */
async function writeDispatch(run: CallContext, key: string): Promise<string> {
  const { deps, request, turn, call } = run;
  const { at, head } = request;
  const draft = new Draft(deps.store, turn.first_execution_run_id, head);
  await addDecisions(deps, draft, { ...request, approvals: approvalsOf(request) });
  // The agent as it was when the turn began, with its MCP tools.
  const agent = (await agentSince(deps, turn, head)) ?? deps.registry.forTurn(turn)!;
  const dispatch: DispatchBody = {
    call_id: call.id,
    tool: call.tool,
    version: call.version,
    digest: call.digest,
    dispatch: call.dispatch,
    idempotency_key: key,
    input_ref: call.input_ref,
    preview_ref: call.preview_ref,
    input_hash: call.input_hash,
    policy_ref: call.policy_ref,
    definition_ref: await deps.archive.agent(agent),
    verdict: request.verdict ?? null,
    revision: call.revision,
    approval: await policyOfRun(run),
    subject: callSubject(turn, call),
  };
  draft.add(dispatchBlock(dispatch), at);
  return draft.store();
}

interface DispatchAttempt {
  key: string;
  head: string;
  dispatch: number;
  /** An earlier attempt under this claim may have acted. */
  again: boolean;
  /** The latest time at which this attempt may act, ISO 8601, as in the effect record. */
  deadline: string;
  /** The same of earlier attempts; null: none may act; undefined: an older build did not record it. */
  before: EffectRecord['deadline'];
}

async function conclude(
  run: CallContext,
  attempt: DispatchAttempt,
  { result, metadata, notes, later }: RunOutcome,
): Promise<RunCallOutput> {
  const { deps, request, turn, call } = run;
  const { key, head, dispatch, again, deadline } = attempt;
  const effect = effectIn(result, again);
  // Also if the tool failed after it had asked to end later: it may have handed the work over.
  if (later !== null && ((result.ok && result.pending) || effect === 'in_doubt'))
    return pendingOutput(later, metadata.execution_time_ms);
  const error = result.ok ? null : effect === 'in_doubt' ? inDoubt(result.error) : result.error;
  const envelope = result.ok ? success(result.data, metadata) : failure(error!, metadata);
  const debugRequest = { options: request.options, allowed: deps.debugInfo, attempts: call.dispatch, notes };
  const resultPart = await keep(run, withDebugInfo(envelope, debugRequest));
  const effectFacts = { parent: head, dispatch, key, effect, result_ref: resultPart.result_ref };
  const newHead = await appendEffect(deps, request, effectFacts);
  try {
    const alone = effect === 'not_applied' ? { alone: deadline } : {};
    await deps.store.effects.move(key, dispatch, effect, { result_ref: resultPart.result_ref, result_head: newHead, ...alone });
  } catch (error) {
    // The attempt seemed lost, a person settled the call, and then it ended after all. The turn has gone on, so it is logged.
    deps.log.error(
      { turn_id: turn.turn_id, call: call.id, digest: call.digest, effect },
      'this call ended after it was settled otherwise',
    );
    throw error;
  }
  if (effect === 'in_doubt' && hasEnded(result)) await markAttemptEnd(deps, attempt);
  await notifyEffectListeners(deps, { turn, call, key, dispatch, effect });
  // Hooks run only after the effect is recorded: a hook that hangs must not leave the call in doubt.
  const finalEnvelope = await withAfterHooks(run, envelope);
  const finalPart = finalEnvelope === envelope ? resultPart : await keep(run, finalEnvelope);
  const state = effect === 'applied' ? 'succeeded' : effect === 'in_doubt' ? 'in_doubt' : 'failed';
  return { ...finalPart, state, effect, error, attempts: 1, took_ms: metadata.execution_time_ms, head: newHead };
}

/** @param again an earlier attempt may have acted: proof that this one did nothing does not cover it */
function effectIn(result: RunResult, again: boolean): 'applied' | 'not_applied' | 'in_doubt' {
  if (result.ok) return 'applied';
  return result.nothingHappened && !again ? 'not_applied' : 'in_doubt';
}

/** A tool that exceeded its time limit may still be running, even after its abort signal. */
function hasEnded(result: RunResult): boolean {
  return result.ok || result.error.reason !== TIMED_OUT;
}

/** Restores the deadline of earlier attempts: a probe need not wait for this one any more. */
async function markAttemptEnd({ store }: Dependencies, { key, dispatch, deadline, before }: DispatchAttempt): Promise<void> {
  if (before === undefined) return;
  await store.effects.renew(key, dispatch, deadline, before).catch((error: unknown) => {
    if (!(error instanceof StoreError) || error.code !== 'conflict') throw error; // another attempt has begun, or the call was settled
  });
}

function inDoubt(error: CallError): CallError {
  return { ...error, hint: IN_DOUBT_HINT };
}
