/**
 * Surveys a turn before its export: the runs and heads that its history names, its references, and how it ended. A survey is no
 * larger than a list of names, so a turn of any size can be surveyed. The lines are read again when they are written.
 */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { idempotencyKey, type EffectIdentity } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { TURN_WORKFLOW } from '../../workflows/contract';
import type { RunBody } from '../format/lines';
import { readHistory } from '../../temporal/history';
import { object, text } from '../../record/fields';
import { eventJson, valuesOf } from './event-json';
import { ownText } from './own-text';
import { collect, noReferences, type References } from './references';
import type { StartedIn } from './session-events';

export interface SurveyedRun extends RunBody {
  /** The last event at the time of the survey; later events are not in this bundle. */
  last_event: string;
}

export interface Survey extends References {
  workflow_id: string;
  first_execution_run_id: string;
  /** Empty: no agent was found that has the tool of a direct call. */
  agent: string;
  requester: string;
  /** For a sub-agent's turn: the workflow and the call that it answers. */
  parent: { workflow_id: string; first_execution_run_id: string; call_id: string } | null;
  /** For a turn that a session started. */
  session: StartedIn | null;
  runs: SurveyedRun[];
  /** In the order of events, each once. */
  heads: string[];
  /** The head that was named last. */
  head: string | null;
  /** Idempotency keys of the destructive calls that were scheduled. */
  keys: Set<string>;
  /** Calls by the workflow id of the sub-agent's turn that answers them, in the order of their starts. */
  children: Map<string, string>;
  /** Why the turn is incomplete, one sentence each. */
  faults: string[];
}

/** Activities whose result has the head of another turn. */
const OF_OTHERS = new Set(['lookAtSubTurn', 'lookAtTurn', 'checkFork']);

/** @returns null: Temporal does not know the workflow */
export async function survey(temporal: Client, workflowId: string): Promise<Survey | null> {
  const seen = new Reading(workflowId);
  try {
    for await (const { runId, event } of readHistory(temporal, workflowId, { follow: false })) seen.take(runId, eventJson(event));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    if (seen.found.runs.length === 0) return null;
    seen.found.faults.push('Temporal no longer has all of its runs.');
  }
  return seen.end();
}

class Reading {
  readonly found: Survey;
  /** Types of the activities of this run that have not ended, by the id of the event that scheduled them. */
  private types = new Map<string, string>();
  private readonly heads = new Set<string>();
  private ended: string | null = null;

  constructor(workflowId: string) {
    this.found = {
      workflow_id: workflowId,
      first_execution_run_id: '',
      agent: '',
      requester: '',
      parent: null,
      session: null,
      runs: [],
      heads: [],
      head: null,
      keys: new Set(),
      children: new Map(),
      faults: [],
      ...noReferences(),
    };
  }

  take(runId: string, event: JsonObject): void {
    if (this.found.runs.at(-1)?.run_id !== runId) this.begin(runId, event);
    this.found.runs.at(-1)!.last_event = String(event.eventId);
    this.ended = endOf(event);
    const scheduled = attributes(event, 'activityTaskScheduled');
    if (scheduled) this.schedule(String(event.eventId), scheduled);
    const completed = attributes(event, 'activityTaskCompleted');
    if (completed) this.complete(completed);
    const child = attributes(event, 'startChildWorkflowExecutionInitiated');
    if (child && nameOf(child.workflowType) === TURN_WORKFLOW) this.found.children.set(String(child.workflowId), calledBy(child));
  }

  end(): Survey {
    if (this.ended !== null) this.found.faults.push(this.ended);
    return { ...this.found, heads: [...this.heads] };
  }

  private begin(runId: string, event: JsonObject): void {
    const started = attributes(event, 'workflowExecutionStarted') ?? {};
    const { found } = this;
    if (found.runs.length === 0) this.identify(runId, started);
    const reset = Boolean(started.originalExecutionRunId) && started.originalExecutionRunId !== runId;
    const began = reset ? 'reset' : started.continuedExecutionRunId ? 'continued' : 'start';
    if (found.runs.length === 0 && began === 'continued') found.faults.push('Temporal no longer has its first run.');
    found.runs.push({ run_id: runId, began, last_event: '0' });
    this.types = new Map();
  }

  private identify(runId: string, started: JsonObject): void {
    const [input] = valuesOf(started.input);
    this.found.first_execution_run_id = String(started.firstExecutionRunId || runId);
    if (!isJsonObject(input)) return;
    const { agent, requester, parent, session_workflow_id } = input;
    if (typeof requester === 'string') this.found.requester = requester;
    if (typeof agent === 'string') this.found.agent = agent;
    const above = object(started.parentWorkflowExecution);
    if (typeof session_workflow_id === 'string' && above.workflowId === session_workflow_id)
      this.found.session = { workflow_id: ownText(session_workflow_id), run_id: ownText(text(above.runId)) };
    if (!isJsonObject(parent)) return;
    const { workflow_id, first_execution_run_id, call_id } = parent as Record<string, string>;
    this.found.parent = { workflow_id: workflow_id!, first_execution_run_id: first_execution_run_id!, call_id: call_id! };
  }

  private schedule(id: string, scheduled: JsonObject): void {
    const type = nameOf(scheduled.activityType);
    this.types.set(id, type);
    const values = valuesOf(scheduled.input);
    collect(values, this.found);
    const [input] = values;
    if (type === 'runCall' && isJsonObject(input)) this.addEffectKey(input);
  }

  private addEffectKey({ turn, call }: JsonObject): void {
    if (!isJsonObject(turn) || !isJsonObject(call)) return;
    const { id, digest, class: toolClass } = call;
    if (toolClass !== 'destructive') return;
    this.found.keys.add(idempotencyKey({ ...(turn as unknown as EffectIdentity), call_id: String(id), digest: String(digest) }));
  }

  private complete(completed: JsonObject): void {
    const type = this.types.get(String(completed.scheduledEventId)) ?? '';
    this.types.delete(String(completed.scheduledEventId));
    const values = valuesOf(completed.result);
    collect(values, this.found);
    if (OF_OTHERS.has(type)) return;
    const [result] = values;
    for (const head of headsIn(result)) {
      this.found.head = ownText(head);
      this.heads.add(this.found.head);
    }
    if (type === 'admitDirect' && isJsonObject(result)) this.found.agent = String(result.agent);
  }
}

/** The call that a sub-agent's turn answers. */
function calledBy(child: JsonObject): string {
  const [input] = valuesOf(child.input);
  const parent = isJsonObject(input) ? input.parent : null;
  return isJsonObject(parent) ? String(parent.call_id) : '';
}

/** The transcript heads that an activity's result names. */
function headsIn(result: Json | undefined): string[] {
  if (!isJsonObject(result)) return [];
  const { head, outcome, settled, refused } = result;
  const below = [outcome, settled, refused].map((one) => (isJsonObject(one) ? one.head : null));
  return [head, ...below].filter((one): one is string => typeof one === 'string' && /^[0-9a-f]{64}$/.test(one));
}

/** Why a turn with this last event is incomplete; null: it is complete. */
function endOf(event: JsonObject): string | null {
  const has = (name: string) => attributes(event, name) !== null;
  if (['workflowExecutionCompleted', 'workflowExecutionFailed', 'workflowExecutionCanceled'].some(has)) return null;
  if (has('workflowExecutionTerminated')) return 'It was terminated from outside, through Temporal.';
  if (has('workflowExecutionTimedOut')) return 'It was ended by its time limit from outside, through Temporal.';
  return 'It was running still when this was exported.';
}

function attributes(event: JsonObject, name: string): JsonObject | null {
  const held = event[`${name}EventAttributes`];
  return isJsonObject(held) ? held : null;
}

function nameOf(type: Json | undefined): string {
  return isJsonObject(type) ? String(type.name) : '';
}
