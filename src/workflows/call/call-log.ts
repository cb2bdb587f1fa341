/** Keeps the view of each call, moves it from state to state, and builds the outcomes that go back to the model. */
import { patched } from '@temporalio/workflow';
import type {
  AdmittedCall,
  CallOutcome,
  RenewedPolicy,
  RunCallInput,
  AdmitCallInput,
  DecidedCall,
  Denials,
} from '../../shared/io/activities';
import { PLAIN_POLICY, type Decision } from '../../shared/approval/approval';
import { move } from '../../shared/turn/calls';
import { optional } from '../../shared/json/optional';
import { callError, type CallError } from '../../shared/wire/errors';
import type { CallState, CallView } from '../../shared/turn/turn-view';
import { approvalsSoFar } from '../approvals/question';
import { beginOfCall, reportSpan } from '../sandbox/trace';
import type { TurnData } from '../turn/state';

export function propose(data: TurnData, call: AdmittedCall, revision = 1): CallView {
  const { quorum, channel, entry } = call.approval ?? PLAIN_POLICY;
  const view: CallView = {
    id: call.id,
    revision,
    tool: call.tool,
    version: call.version,
    class: call.class,
    digest: null,
    state: 'proposed',
    idempotency_key: null,
    approval: {
      required: call.verdict === 'ask',
      by: [],
      decision: null,
      note: null,
      expires_at: null,
      quorum,
      channel,
      decisions: [],
      ...optional({ entry }),
    },
    effect: null,
    attempts: 0,
    error: null,
    result_summary: null,
    result_ref: null,
  };
  data.calls.push(view);
  return view;
}

/** Replaces this revision of the call by another one. */
export function supersede(data: TurnData, call: AdmittedCall, revision: number): void {
  const { attempts } = moveCall(data, call.id, 'superseded');
  propose(data, call, revision).attempts = attempts;
}

/** Applies rules that changed after the call was admitted. */
export function renew(data: TurnData, call: AdmittedCall, policy: RenewedPolicy): void {
  Object.assign(call, policy);
  const { quorum, channel, entry } = policy.approval;
  const { approval } = viewOf(data, call.id);
  Object.assign(approval, { quorum, channel, ...optional({ entry }) });
  if (entry === undefined) delete approval.entry;
}

/** The view of the call's last revision. */
export function viewOf(data: TurnData, id: string): CallView {
  const view = data.calls.findLast((call) => call.id === id);
  if (!view) throw new Error(`There is no call ${id}`);
  return view;
}

/** Moves a call to a state; its present state is allowed. */
export function moveCall(data: TurnData, id: string, to: CallState, facts: Partial<CallView> = {}): CallView {
  const view = viewOf(data, id);
  if (view.state !== to) view.state = move(view.state, to);
  return Object.assign(view, facts);
}

/** Puts the decisions so far into the call's view. */
export function showDecisions(data: TurnData, id: string, decisions: Decision[]): void {
  const { approval } = viewOf(data, id);
  const last = decisions.at(-1);
  approval.decisions = decisions.map((decision) => ({
    decision: decision.decision,
    by: decision.by,
    ...optional({ on_behalf_of: decision.on_behalf_of }),
    at: decision.at,
    note: decision.note,
    channel: decision.channel,
    identity: decision.identity,
    attested: decision.attestation !== undefined,
  }));
  approval.decision = last && (last.decision !== 'approve' || decisions.length >= approval.quorum) ? last.decision : null;
  approval.note = last?.note ?? null;
  const deciding = last?.decision === 'approve' ? decisions : decisions.slice(-1);
  approval.by = deciding.map(({ by }) => by).filter((by) => by !== '');
}

/** What is known of a call's end, besides its state. */
type DecisionField = 'decision' | 'approvals' | 'earlier';
type Facts = Partial<Pick<CallOutcome, 'effect' | 'result_ref' | 'summary' | 'error' | 'attempts' | DecisionField>>;

/** Ends a call in the view and returns its outcome. */
export function endCall(data: TurnData, call: AdmittedCall, state: CallOutcome['state'], facts: Facts): CallOutcome {
  const view = moveCall(data, call.id, state, {
    effect: facts.effect ?? null,
    error: facts.error ?? null,
    attempts: facts.attempts ?? viewOf(data, call.id).attempts,
    result_summary: facts.summary ?? null,
    result_ref: facts.result_ref ?? null,
  });
  reportCall(call, view);
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
    ...(facts.approvals?.length ? { approvals: facts.approvals } : {}),
    ...(facts.earlier?.length ? { earlier: facts.earlier } : {}),
    version: call.version,
    class: call.class,
    revision: view.revision,
    note: changeNote(call),
    ...(call.gives_result ? { gives_result: true } : {}),
  };
}

function reportCall(
  { id, tool, tool_use_id, class: toolClass }: AdmittedCall,
  { state, effect, revision, attempts, error }: CallView,
): void {
  const attributes = { tool_use_id, state, class: toolClass, revision, attempts, ...optional({ effect: effect ?? undefined }) };
  const failure = error === null ? {} : { failure: error.code };
  reportSpan({ kind: 'call', id, subject: tool, start: beginOfCall(id), attributes, ...failure });
}

/** Tells the model that its input was changed before the run. Null: it was not. */
function changeNote({ changes = [] }: AdmittedCall): string | null {
  if (changes.length === 0) return null;
  const descriptions = changes.map(({ hook, why, by }) => `${why} (${by === undefined ? `hook ${hook}` : `a person, ${by}`})`);
  return `Your input was changed before the run: ${descriptions.join('; ')}.`;
}

/** The result of admission, for the activity that runs the call and checks it again. */
export function admittedAs(call: AdmittedCall): Pick<RunCallInput, 'untrusted' | 'verdict' | 'validation_ms'> {
  const { untrusted = false, verdict, validation_ms = 0 } = call;
  return { untrusted, verdict: verdict === 'allow' ? 'allow' : 'ask', validation_ms };
}

/** The outcome of a call that was not run, or was stopped: the model needs a result for every call. */
export function stoppedOutcome(data: TurnData, call: AdmittedCall, abortedBy: string | null): CallOutcome {
  const view = viewOf(data, call.id);
  const isRunning = view.state === 'running' || view.state === 'pending';
  const error = stopError(abortedBy, isRunning);
  if (view.state === 'proposed' || view.state === 'ready') {
    view.error = error;
    return { ...blank(call), state: 'cancelled', error };
  }
  const effect = call.class === 'destructive' && !isRunning ? (view.effect ?? 'refused') : view.effect;
  return endCall(data, call, 'cancelled', { error, effect, ...saidSoFar(data, call, view) });
}

/** The outcome of a destructive call that was approved and not dispatched when somebody interrupted the turn. */
export function notRunOutcome(data: TurnData, call: AdmittedCall, decisions: Pick<Facts, 'approvals' | 'earlier'>): CallOutcome {
  return endCall(data, call, 'cancelled', { error: stopError(null, false), effect: 'refused', ...decisions });
}

/** Decisions on a call that did not run, or is not destructive: the dispatch of a destructive call has recorded them. */
function saidSoFar({ open }: TurnData, call: AdmittedCall, { state }: CallView): Pick<Facts, 'approvals' | 'earlier'> {
  const progress = open?.progress[call.id];
  if (progress === undefined || state === 'in_doubt') return {};
  const approvals = progress.at === 'question' ? approvalsSoFar(progress.question) : progress.approvals;
  const earlier = progress.args.earlier ?? [];
  const isRecorded = call.class === 'destructive' || approvals.length + earlier.length === 0;
  if ((state === 'running' || state === 'pending') && (isRecorded || !patched('decisions-on-stopped-calls'))) return {};
  return { approvals, earlier };
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

// Calls that static admission left undecided: the facts for `admitCall`, and how its answer is applied.

/** Each is shown on the next card, and is passed on to every run. */
const MOST_CHANGES = 20;

const NONE: Denials = { in_a_row: 0, in_all: 0 };

export function openFacts(data: TurnData, call: AdmittedCall): Pick<AdmitCallInput, 'undecided' | 'changes'> {
  return {
    ...(call.changes ? { changes: call.changes } : {}),
    ...(call.undecided ? { undecided: { untrusted: call.untrusted ?? false, denials: data.denials ?? NONE } } : {}),
  };
}

/** Replaces the call's input, verdict and reason by the decided ones. */
export function applyDecision(data: TurnData, call: AdmittedCall, decision: DecidedCall): void {
  const { by_classifier, changes, ...fields } = decision;
  Object.assign(call, fields, { changes: [...(call.changes ?? []), ...changes].slice(-MOST_CHANGES) });
  viewOf(data, call.id).approval.required = decision.verdict === 'ask';
  if (by_classifier) endDenials(data);
}

export function countDenial(data: TurnData): void {
  const { in_a_row, in_all } = data.denials ?? NONE;
  data.denials = { in_a_row: in_a_row + 1, in_all: in_all + 1 };
}

/** Ends the series of denials after the classifier or a person approved; the turn's total stays. */
export function endDenials(data: TurnData): void {
  if (data.denials) data.denials = { ...data.denials, in_a_row: 0 };
}
