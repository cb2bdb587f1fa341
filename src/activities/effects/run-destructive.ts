/**
 * A destructive call, behind its fence. In this order: the approval is checked against what is about
 * to be executed; the tool's limits let it pass; decision and dispatch are written; the effect record is
 * claimed; only then does the tool act. Whoever finds a claim never acts on it again. The activity's heartbeat goes on over
 * all of it: a store that answers late leaves nobody in doubt.
 */
import { Context } from '@temporalio/activity';
import { approvalsOf, type RunCallInput, type RunCallOutput } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import { CLASS_RULES } from '../../shared/turn/tool-class';
import { type EffectRecord, StoreError } from '../../store/store';
import { Draft, walk } from '../../store/core/transcript';
import { Deadline } from '../../tools/run/deadline';
import { type RunResult, TIMED_OUT } from '../../tools/run/run';
import { callRun, recordedTool, type CallRun } from '../call/call-run';
import { withAfterHooks, failure, keep, refusal, runOnce, success } from '../call/run-once';
import { giveBack } from './budgets';
import { withDebugInfo } from '../call/direct-envelope';
import type { Dependencies, RunOutcome } from '../ports';
import { appendEffect, notifyEffectListeners, IN_DOUBT_HINT, recordedOutcome } from './effect-outcome';
import { claimFor, effectOf, fenceOff, keyOf, otherDispatch, actsUntil, BEGINS_WITHIN_MS } from './effect-record';
import { holdAnswerOutput, holdBeforeEffect } from '../checks/checks-before-effect';
import { busyError, shareRateLimit } from '../call/run-where';
import { agentSince } from '../step/mcp-tools';
import { permissionFault } from '../checks/approvals-fault';
import { showing } from '../call/heartbeat';
import type { DispatchBody } from '../../record/blocks';
import { blocksOf } from '../../record/read-block';
import { callSubject } from '../../record/subject';
import { decisionBlocks, dispatchBlock } from '../../record/write-block';
import { checkTargetChange } from '../checks/change-since-approval';
import type { Tool } from '../../tools/define/tool';

export async function runDestructive(run: CallRun): Promise<RunCallOutput> {
  const { deps, request, turn, call, tool } = run;
  const key = keyOf(turn, call);

  const known = await effectOf(deps.store, turn, call);
  const earlier = known && known.idempotency_key !== key ? known : null;
  const began = earlier ? null : known;
  if (began && stands(began, call.dispatch, tool))
    return recordedOutcome(deps, request, began, 'it was dispatched before, and no outcome was recorded');
  const fault = await permissionFault(run);
  // An idempotent call that was dispatched and is in doubt: not to run it again is no proof that nothing has happened.
  const inDoubt = began !== null && began.state !== 'not_applied' ? began : null;
  // Nor is it repeated on something else: there nobody honours its key.
  const stopped = inDoubt && (fault ?? (await checkTargetChange(run)));
  if (stopped) return recordedOutcome(deps, request, inDoubt, 'refused' in stopped ? stopped.refused.message : stopped.text);
  if (fault && 'refused' in fault) return refusal(run, fault.refused);
  if (earlier)
    return recordedOutcome(
      deps,
      request,
      earlier,
      'it was dispatched before the workflow was reset, and no outcome was recorded',
    );
  const undispatched = () => notifyEffectListeners(deps, { turn, call, key, dispatch: call.dispatch, effect: 'not_applied' });
  // What else a call in doubt finds changed may be its own doing, so nothing holds its repetition.
  const held = fault ? await holdAnswerOutput(run, fault) : inDoubt ? null : await holdBeforeEffect(run);
  if (held) {
    // What may pass by itself is dispatched again, under the next number: that needs this one on record.
    if (held.error && CLASS_RULES.read.retries[held.error.code]) await fenceOff(deps, request);
    await undispatched();
    return held;
  }

  const entry = await deps.gate.enter(tool, Context.current().cancellationSignal);
  if (!entry.ok) {
    await giveBack(run, began);
    if (!inDoubt) await undispatched();
    const refused = await refusal(run, busyError(tool, entry));
    return { ...refused, busy_ms: Math.ceil(entry.waitMs) };
  }
  try {
    return await dispatch(run, key, began);
  } finally {
    await entry.leave();
  }
}

/** From here on it counts: what is claimed is never acted on again. */
async function dispatch(run: CallRun, key: string, began: EffectRecord | null): Promise<RunCallOutput> {
  const { deps, request, turn, call, tool } = run;
  const head = await writeDispatch(run, key);
  const record = began && began.state !== 'not_applied' ? began : null; // idempotent: the claim that is there serves again
  const begins = Deadline.in(BEGINS_WITHIN_MS); // before the claim: whoever finds it knows how long its attempt may act
  const deadline = actsUntil(begins, tool, record?.deadline ?? null);
  const before = record ? record.deadline : null;
  if (record) await deps.store.effects.renew(key, record.dispatch, record.deadline, deadline);
  else {
    const claimed = await deps.store.effects.claim({ ...claimFor({ turn, call, head }), deadline });
    if (!claimed.claimed) {
      if (claimed.record.dispatch > call.dispatch) await giveBack(run, null); // long given up: a later one has its own
      return recordedOutcome(deps, request, claimed.record, 'another worker dispatched it first');
    }
    // Each claims first and looks then: of two runs that a reset has left at the same act, one at least sees the other.
    const other = await otherDispatch(deps.store, turn, call, key);
    if (other) return giveWay(run, key, other);
  }
  // A cancelled turn waits for the end of an effect in flight: the tool is stopped by its time limit only.
  const ran = await runOnce(run, { show: showing(), begins });
  await shareRateLimit(deps, tool, ran.result);
  const dispatched = {
    key,
    head,
    dispatch: record?.dispatch ?? call.dispatch,
    again: record !== null,
    deadline,
    before,
  };
  return conclude(run, dispatched, ran);
}

/** Another run of the turn has dispatched this act meanwhile: what was claimed here comes to nothing. */
async function giveWay({ deps, request, turn, call }: CallRun, key: string, other: EffectRecord): Promise<RunCallOutput> {
  await deps.store.effects.move(key, call.dispatch, 'not_applied');
  await notifyEffectListeners(deps, { turn, call, key, dispatch: call.dispatch, effect: 'not_applied' });
  const now = (await deps.store.effects.latest(other.idempotency_key)) ?? other;
  if (now.state !== 'not_applied') return recordedOutcome(deps, request, now, 'another run of this turn dispatched it');
  const error = callError('EXECUTION_ERROR', 'dispatched_twice', `${call.tool} was not run: two runs of this turn were at it.`, {
    hint: 'Nothing has happened. Ask for the call again.',
  });
  return refusal(callRun(deps, request, recordedTool(call), {}), error);
}

/** True when the record forbids this dispatch. */
function stands(record: EffectRecord, dispatch: number, tool: Tool): boolean {
  if (record.state === 'not_applied') return record.dispatch >= dispatch;
  const open = record.state === 'claimed' || record.state === 'in_doubt';
  return !(open && tool.idempotent === true && dispatch > record.dispatch);
}

/** Decisions and dispatch, on disk before anything acts. Returns the new head. */
async function writeDispatch({ deps, request, turn, call }: CallRun, key: string): Promise<string> {
  const { at, head } = request;
  const draft = new Draft(deps.store, turn.first_execution_run_id, head);
  if (call.dispatch === 1 || !(await isWritten(deps, request)))
    for (const block of decisionBlocks(turn, call, approvalsOf(request))) draft.add(block, at);
  // As the turn has had it since it began, with the tools from outside.
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
    approval: { ...deps.registry.approval(turn.agent, call.tool) },
    subject: callSubject(turn, call),
  };
  draft.add(dispatchBlock(dispatch), at);
  return draft.store();
}

/** Whether an earlier dispatch has written the decisions; one that was lost may have, beside the chain. */
async function isWritten({ store }: Dependencies, { head, call }: RunCallInput): Promise<boolean> {
  const blocks = await walk(store, head);
  return blocksOf('decision', blocks).some(({ digest }) => digest === call.digest);
}

interface DispatchAttempt {
  key: string;
  head: string;
  dispatch: number;
  /** An earlier attempt under this claim may have acted. */
  again: boolean;
  /** Until when this attempt may act, as the record has it. */
  deadline: string;
  /** Until when those before it may; undefined: an older build has not written it down. */
  before: EffectRecord['deadline'];
}

async function conclude(
  run: CallRun,
  dispatched: DispatchAttempt,
  { result, metadata, notes }: RunOutcome,
): Promise<RunCallOutput> {
  const { deps, request, turn, call } = run;
  const { key, head, dispatch, again, deadline } = dispatched;
  const effect = effectIn(result, again);
  const error = result.ok ? null : effect === 'in_doubt' ? inDoubt(result.error) : result.error;
  const envelope = result.ok ? success(result.data, metadata) : failure(error!, metadata);
  const asked = { options: request.options, allowed: deps.debugInfo, attempts: call.dispatch, notes };
  const kept = await keep(run, withDebugInfo(envelope, asked));
  const effectFacts = { parent: head, dispatch, key, effect, result_ref: kept.result_ref };
  const newHead = await appendEffect(deps, request, effectFacts);
  try {
    const alone = effect === 'not_applied' ? { alone: deadline } : {};
    await deps.store.effects.move(key, dispatch, effect, { result_ref: kept.result_ref, result_head: newHead, ...alone });
  } catch (error) {
    // Cut off, settled by a person, and then done after all: the turn has gone on, so the log must say it.
    deps.log.error(
      { turn_id: turn.turn_id, call: call.id, digest: call.digest, effect },
      'this call ended after it was settled otherwise',
    );
    throw error;
  }
  if (effect === 'in_doubt' && hasEnded(result)) await markAttemptEnd(deps, dispatched);
  await notifyEffectListeners(deps, { turn, call, key, dispatch, effect });
  // Only now that the effect is on record: a hook that hangs must not leave anybody in doubt.
  const noted = await withAfterHooks(run, envelope);
  const shown = noted === envelope ? kept : await keep(run, noted);
  const state = effect === 'applied' ? 'succeeded' : effect === 'in_doubt' ? 'in_doubt' : 'failed';
  return { ...shown, state, effect, error, attempts: 1, took_ms: metadata.execution_time_ms, head: newHead };
}

/** @param again what proves that this attempt has done nothing proves nothing of those before it */
function effectIn(result: RunResult, again: boolean): 'applied' | 'not_applied' | 'in_doubt' {
  if (result.ok) return 'applied';
  return result.nothingHappened && !again ? 'not_applied' : 'in_doubt';
}

/** A tool that has not answered in time may be at it still, whatever its signal says. */
function hasEnded(result: RunResult): boolean {
  return result.ok || result.error.reason !== TIMED_OUT;
}

/** What a probe finds is believed at once then, unless others may be at it. */
async function markAttemptEnd({ store }: Dependencies, { key, dispatch, deadline, before }: DispatchAttempt): Promise<void> {
  if (before === undefined) return;
  await store.effects.renew(key, dispatch, deadline, before).catch((error: unknown) => {
    if (!(error instanceof StoreError) || error.code !== 'conflict') throw error; // another attempt has begun, or it was settled
  });
}

function inDoubt(error: CallError): CallError {
  return { ...error, hint: IN_DOUBT_HINT };
}
