/** The view of each call, moved from state to state, and the outcomes that go back to the model. */
import type { AdmittedCall, CallOutcome } from '../shared/activity-io';
import { move } from '../shared/call-state';
import { callError, type CallError } from '../shared/errors';
import type { CallState, CallView } from '../shared/turn-view';
import type { TurnData } from './state';

export function propose(data: TurnData, call: AdmittedCall): void {
  data.calls.push({
    id: call.id,
    tool: call.tool,
    version: call.version,
    class: call.class,
    digest: null,
    state: 'proposed',
    idempotency_key: null,
    approval: { required: call.verdict === 'ask', by: [], decision: null, note: null, expires_at: null },
    effect: null,
    attempts: 0,
    error: null,
    result_summary: null,
    result_ref: null,
  });
}

export function viewOf(data: TurnData, id: string): CallView {
  const view = data.calls.find((call) => call.id === id);
  if (!view) throw new Error(`There is no call ${id}`);
  return view;
}

/** Moves a call on; the same state again is no move. */
export function moveCall(data: TurnData, id: string, to: CallState, facts: Partial<CallView> = {}): CallView {
  const view = viewOf(data, id);
  if (view.state !== to) view.state = move(view.state, to);
  return Object.assign(view, facts);
}

/** What is known of how a call ended, beside its state. */
type Facts = Partial<Pick<CallOutcome, 'effect' | 'result_ref' | 'summary' | 'error' | 'attempts' | 'decision'>>;

/** Ends a call in the view and gives its outcome. */
export function endCall(data: TurnData, call: AdmittedCall, state: CallOutcome['state'], facts: Facts): CallOutcome {
  const view = moveCall(data, call.id, state, {
    effect: facts.effect ?? null,
    error: facts.error ?? null,
    attempts: facts.attempts ?? viewOf(data, call.id).attempts,
    result_summary: facts.summary ?? null,
    result_ref: facts.result_ref ?? null,
  });
  return {
    call_id: call.id,
    tool_use_id: call.tool_use_id,
    tool: call.tool,
    digest: view.digest,
    state,
    effect: view.effect,
    result_ref: view.result_ref,
    summary: view.result_summary,
    error: view.error,
    attempts: view.attempts,
    decision: facts.decision ?? null,
    note: null,
  };
}

/** A call that did not come to its turn, or was stopped: the model must get an answer for it all the same. */
export function stoppedOutcome(data: TurnData, call: AdmittedCall, abortedBy: string | null): CallOutcome {
  const view = viewOf(data, call.id);
  const error = stopError(abortedBy, view.state === 'running');
  if (view.state === 'proposed' || view.state === 'ready') {
    view.error = error;
    return { ...blank(call), state: 'cancelled', error };
  }
  const refused = call.class === 'destructive' && view.state !== 'running' ? 'refused' : view.effect;
  return endCall(data, call, 'cancelled', { error, effect: refused });
}

function stopError(abortedBy: string | null, wasRunning: boolean): CallError {
  const how = wasRunning ? 'was stopped' : 'was not run';
  return abortedBy === null
    ? callError('EXECUTION_ERROR', 'turn_cancelled', `The turn was cancelled; this call ${how}.`)
    : callError('EXECUTION_ERROR', 'aborted_by_sibling', `Call ${abortedBy} of the same batch failed; this call ${how}.`);
}

function blank(call: AdmittedCall): Omit<CallOutcome, 'state' | 'error'> {
  return {
    call_id: call.id,
    tool_use_id: call.tool_use_id,
    tool: call.tool,
    digest: null,
    effect: null,
    result_ref: null,
    summary: null,
    attempts: 0,
    decision: null,
    note: null,
  };
}
