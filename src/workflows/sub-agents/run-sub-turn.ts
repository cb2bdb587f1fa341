/** Runs a call that a sub-agent answers, as a child workflow with a turn of its own, which goes on if this run ends or continues as new. */
import { ActivityFailure, CancellationScope } from '@temporalio/workflow';
import type { AdmittedCall, CallOutcome, CloseSubTurnInput, RunCallInput, RunCallOutput } from '../../shared/io/activities';
import type { SubTurnReport } from '../../shared/turn/sub-turn';
import { callError } from '../../shared/wire/errors';
import { closeSubTurn } from '../activities';
import { admittedAs, endCall, moveCall } from '../call/call-log';
import type { Admission, CallRun, Dispatch, NeedsDecision } from '../call/dispatch-types';
import { now } from '../sandbox/time';
import { showState } from '../turn/publish-turn-state';
import { keepProgress, type SubTurn } from '../turn/state';
import { settleReservation, startSubTurn, waitForEnd } from './start-sub-turn';

export async function runSubTurn(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
): Promise<CallRun | NeedsDecision> {
  const { data } = context;
  const progress = data.open?.progress[call.id];
  moveCall(data, call.id, 'running');
  const request = requestOf(context, call, admission);
  const carriedOn = progress?.at === 'sub_turn' ? data.subs?.find(({ turn_id }) => turn_id === progress.turn_id) : undefined;
  const start = carriedOn ? { sub: carriedOn } : await startSubTurn(context, call, request);
  if ('refusal' in start) {
    const { refusal } = start;
    if (refusal.held) return { held: refusal.held, took_ms: 0 };
    return { outcome: endCall(data, call, 'failed', { ...refusal, ...saidOf(admission) }), took_ms: 0 };
  }
  const { sub } = start;
  keepProgress(data, call.id, { at: 'sub_turn', args: admission.args, approvals: admission.approvals, turn_id: sub.turn_id });
  const cancellation = await waitForEnd(context, sub);
  const outcome = await CancellationScope.nonCancellable(() => close(context, call, request, sub, cancellation !== null));
  if (cancellation !== null) {
    if (data.open) data.open.outcomes[call.id] = outcome;
    throw cancellation;
  }
  return { outcome, took_ms: sub.report!.spent.time_ms };
}

function requestOf(context: Dispatch, call: AdmittedCall, { args, approvals }: Admission & { ok: true }): RunCallInput {
  return { turn: context.turn, call: args, at: now(), head: context.data.head!, approvals, ...admittedAs(call) };
}

function saidOf({ approvals, args }: Admission & { ok: true }): Pick<CallOutcome, 'approvals' | 'earlier'> {
  return { approvals, earlier: args.earlier ?? [] };
}

async function close(
  context: Dispatch,
  call: AdmittedCall,
  request: RunCallInput,
  sub: SubTurn,
  isCancelled: boolean,
): Promise<CallOutcome> {
  const { data } = context;
  const report = sub.report as SubTurnReport;
  settleReservation(context, sub);
  const result = await resultOf(call, { ...request, at: now(), sub_turn_id: sub.turn_id, report });
  const wasStopped = isCancelled && result.state === 'failed';
  const decisions = { approvals: request.approvals, earlier: request.call.earlier ?? [] };
  const outcome = endCall(data, call, wasStopped ? 'cancelled' : result.state, { ...result, ...decisions });
  const { turn_id, workflow_id } = sub;
  const { first_execution_run_id, head } = report;
  showState(data, context.questions);
  return { ...outcome, sub_turn: { turn_id, workflow_id, first_execution_run_id, head } };
}

async function resultOf(
  call: AdmittedCall,
  request: CloseSubTurnInput,
): Promise<Partial<RunCallOutput> & { state: 'succeeded' | 'failed' }> {
  try {
    const result = await closeSubTurn(request);
    return { ...result, state: result.state === 'succeeded' ? 'succeeded' : 'failed' };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const cause = error.cause?.message ?? error.message;
    return {
      state: 'failed',
      error: callError('EXECUTION_ERROR', 'no_result', `The answer of ${call.tool} could not be kept: ${cause}`),
    };
  }
}
