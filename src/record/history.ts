/**
 * Facts of history: what one event of a workflow's history says, as one union, without the rest of Temporal's fields. It reads both
 * forms of an event: Temporal's messages, as a server gives them, and their JSON, as bundles hold it; both have the same names of
 * fields. A field that is missing, or of a wrong type (anybody can make a bundle), is empty or null. Payloads stay as they are: each
 * caller decodes its own form of them.
 */
import type { temporal } from '@temporalio/proto';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { list, number, object, text, textOrNull } from './fields';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payload = temporal.api.common.v1.IPayload;
type Text = string | null;

/** How a run ended. */
export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out' | 'continued';

export interface Failure {
  message: Text;
  /** Of a failure that the application threw. */
  type: Text;
  cause: Failure | null;
}

export interface UpdateRequest<P> {
  update_id: string;
  name: string;
  identity: string;
  input: P[];
}

/** What an event says, by kind. `P` is a payload; `scheduled` and `accepted` are ids of earlier events. */
export type HistoryFact<P> =
  | {
      kind: 'run_started';
      workflow_type: string;
      input: P[];
      identity: string;
      first_run: string;
      /** The run that this one continues. */
      continued_run: Text;
      /** The run whose events a reset copied into this one, or this run. */
      original_run: Text;
      /** The workflow that started this one. */
      parent: { workflow_id: string; run_id: string } | null;
    }
  | { kind: 'activity_scheduled'; type: string; activity_id: string; input: P[] }
  | { kind: 'activity_started'; scheduled: string; attempt: number; worker: Text; last_failure: Failure | null }
  | { kind: 'activity_completed'; scheduled: string; result: P[] }
  | { kind: 'activity_failed'; scheduled: string; outcome: 'failed' | 'timed_out' | 'cancelled'; failure: Failure | null }
  | { kind: 'child_initiated'; workflow_id: string; workflow_type: string; input: P[] }
  | { kind: 'child_started'; workflow_id: string }
  | { kind: 'signal'; name: string; identity: string; input: P[] }
  | ({ kind: 'update_admitted' } & UpdateRequest<P>)
  | ({ kind: 'update_accepted' } & UpdateRequest<P>)
  /** `answer`: null if the update failed. */
  | { kind: 'update_completed'; update_id: string; accepted: string; answer: P[] | null }
  | { kind: 'cancel_requested'; identity: string; cause: Text }
  | { kind: 'timer_fired' | 'task_started' | 'task_completed' }
  /** A workflow task failed; with `new_run`, because a reset took place here. */
  | { kind: 'task_failed'; new_run: Text; failure: Failure | null }
  /** `result`: a turn's view, also of a run that failed or was cancelled. `reason`, `identity`: of a termination. */
  | { kind: 'run_ended'; how: RunEnd; result: P[]; failure: Failure | null; reason: Text; identity: string }
  | { kind: 'other' };

/** A fact with the id of its event, and with the name under which Temporal has its attributes, such as `timerFired`. */
export type EventFact<P> = HistoryFact<P> & { event_id: string; event_name: string };

/** Null: the event has no attributes. */
export function readFact(event: JsonObject): EventFact<Json> | null;
export function readFact(event: HistoryEvent): EventFact<Payload> | null;
export function readFact(event: object): EventFact<unknown> | null {
  const key = Object.keys(event).find((name) => name.endsWith(ATTRIBUTES));
  if (key === undefined || !isJsonObject(event)) return null;
  const name = key.slice(0, -ATTRIBUTES.length);
  const fact = getOwn(READERS, name)?.(object(event[key])) ?? { kind: 'other' as const };
  return { ...fact, event_id: idOf(event.eventId), event_name: name };
}

const ATTRIBUTES = 'EventAttributes';

type Reader = (attributes: JsonObject) => HistoryFact<Json>;

const READERS: Readonly<Record<string, Reader>> = {
  workflowExecutionStarted: (from) => ({
    kind: 'run_started',
    workflow_type: nameIn(from.workflowType),
    input: payloads(from.input),
    identity: text(from.identity),
    first_run: text(from.firstExecutionRunId),
    continued_run: textOrNull(from.continuedExecutionRunId),
    original_run: textOrNull(from.originalExecutionRunId),
    parent: isJsonObject(from.parentWorkflowExecution) ? executionIn(from.parentWorkflowExecution) : null,
  }),
  activityTaskScheduled: (from) => ({
    kind: 'activity_scheduled',
    type: nameIn(from.activityType),
    activity_id: text(from.activityId),
    input: payloads(from.input),
  }),
  activityTaskStarted: (from) => ({
    kind: 'activity_started',
    scheduled: idOf(from.scheduledEventId),
    attempt: number(from.attempt, 1),
    worker: textOrNull(from.identity),
    last_failure: failureIn(from.lastFailure),
  }),
  activityTaskCompleted: (from) => ({
    kind: 'activity_completed',
    scheduled: idOf(from.scheduledEventId),
    result: payloads(from.result),
  }),
  activityTaskFailed: activityFailureReader('failed'),
  activityTaskTimedOut: activityFailureReader('timed_out'),
  activityTaskCanceled: activityFailureReader('cancelled'),
  startChildWorkflowExecutionInitiated: (from) => ({
    kind: 'child_initiated',
    workflow_id: text(from.workflowId),
    workflow_type: nameIn(from.workflowType),
    input: payloads(from.input),
  }),
  childWorkflowExecutionStarted: (from) => ({
    kind: 'child_started',
    workflow_id: executionIn(from.workflowExecution).workflow_id,
  }),
  workflowExecutionSignaled: (from) => ({
    kind: 'signal',
    name: text(from.signalName),
    identity: text(from.identity),
    input: payloads(from.input),
  }),
  workflowExecutionUpdateAdmitted: updateReader('update_admitted'),
  workflowExecutionUpdateAccepted: updateReader('update_accepted'),
  workflowExecutionUpdateCompleted: ({ meta, acceptedEventId, outcome }) => {
    const { success } = object(outcome);
    return {
      kind: 'update_completed',
      update_id: text(object(meta).updateId),
      accepted: idOf(acceptedEventId),
      answer: isJsonObject(success) ? payloads(success) : null,
    };
  },
  workflowExecutionCancelRequested: (from) => ({
    kind: 'cancel_requested',
    identity: text(from.identity),
    cause: textOrNull(from.cause),
  }),
  timerFired: () => ({ kind: 'timer_fired' }),
  workflowTaskStarted: () => ({ kind: 'task_started' }),
  workflowTaskCompleted: () => ({ kind: 'task_completed' }),
  workflowTaskFailed: (from) => ({
    kind: 'task_failed',
    new_run: textOrNull(from.newRunId),
    failure: failureIn(from.failure),
  }),
  workflowExecutionCompleted: runEndReader('completed'),
  workflowExecutionFailed: runEndReader('failed'),
  workflowExecutionCanceled: runEndReader('cancelled'),
  workflowExecutionTerminated: runEndReader('terminated'),
  workflowExecutionTimedOut: runEndReader('timed_out'),
  workflowExecutionContinuedAsNew: runEndReader('continued'),
};

function activityFailureReader(outcome: 'failed' | 'timed_out' | 'cancelled'): Reader {
  return ({ scheduledEventId, failure }) => ({
    kind: 'activity_failed',
    scheduled: idOf(scheduledEventId),
    outcome,
    failure: failureIn(failure),
  });
}

function updateReader(kind: 'update_admitted' | 'update_accepted'): Reader {
  return ({ acceptedRequest, request, protocolInstanceId }) => {
    const { meta, input } = object(acceptedRequest ?? request);
    const { updateId, identity } = object(meta);
    const { name, args } = object(input);
    return {
      kind,
      update_id: text(updateId) || text(protocolInstanceId),
      name: text(name),
      identity: text(identity),
      input: payloads(args),
    };
  };
}

function runEndReader(how: RunEnd): Reader {
  return ({ result, details, failure, reason, identity }) => {
    const { applicationFailureInfo, canceledFailureInfo } = object(failure);
    const info = object(applicationFailureInfo ?? canceledFailureInfo);
    return {
      kind: 'run_ended',
      how,
      result: payloads(result ?? info.details ?? details),
      failure: failureIn(failure),
      reason: textOrNull(reason),
      identity: text(identity),
    };
  };
}

/** Causes below this are not read: a bundle may nest them without end. */
const DEEPEST_CAUSE = 5;

function failureIn(value: Json | undefined, depth = 0): Failure | null {
  if (!isJsonObject(value) || depth > DEEPEST_CAUSE) return null;
  return {
    message: textOrNull(value.message),
    type: textOrNull(object(value.applicationFailureInfo).type),
    cause: failureIn(value.cause, depth + 1),
  };
}

function payloads(value: Json | undefined): Json[] {
  return list(object(value).payloads);
}

function nameIn(type: Json | undefined): string {
  return text(object(type).name);
}

function executionIn(value: Json | undefined): { workflow_id: string; run_id: string } {
  const { workflowId, runId } = object(value);
  return { workflow_id: text(workflowId), run_id: text(runId) };
}

/** Ids are 64-bit numbers: texts in JSON, objects in messages. */
function idOf(id: unknown): string {
  return String(id);
}
