/** Reads from history the commands that the workflow gave, event by event. */
import { temporal } from '@temporalio/proto';
import { isEnd, type Command, type RecordedCommand } from './command';
import { OWN_QUEUE } from './replayed-commands';
import {
  failureOf,
  fieldsOf,
  isJsonObject,
  msOf,
  outcomeOf,
  retryOf,
  valueOf,
  valuesOf,
  wholeOf,
  type Json,
  type JsonObject,
} from './values';

const { ParentClosePolicy, WorkflowIdReusePolicy } = temporal.api.enums.v1;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type StartAttributes = temporal.api.history.v1.IWorkflowExecutionStartedEventAttributes;

export interface History {
  startAttributes: StartAttributes;
  /** The commands that events record, in order. */
  commands: RecordedCommand[];
  /** Whether the workflow's own code ended the run, as far as history goes. */
  isEnded: boolean;
  events: number;
  /** When the completed workflow tasks began, in order, ms since 1970. */
  taskTimes: number[];
}

/**
 * @throws Error for a history that does not begin with a workflow's start, and for one without a workflow task: Temporal's replay
 *   of it would never end
 */
export function readHistory(events: readonly HistoryEvent[]): History {
  const startAttributes = events[0]?.workflowExecutionStartedEventAttributes;
  if (!startAttributes) throw new Error('The history does not begin with the start of a workflow.');
  if (!events.some(({ workflowTaskScheduledEventAttributes: task }) => task))
    throw new Error('Nothing of this run has been asked of a worker yet: it has only begun.');
  const reader = new Reader(startAttributes);
  const commands = events.flatMap((event) => {
    const command = reader.read(event);
    return command ? [{ ...command, event: wholeOf(event.eventId) }] : [];
  });
  const isEnded = commands.some(isEnd);
  return { startAttributes, commands, isEnded, events: events.length, taskTimes: taskTimesOf(events) };
}

function taskTimesOf(events: readonly HistoryEvent[]): number[] {
  const began = new Map(events.map(({ eventId, eventTime }) => [wholeOf(eventId), Math.floor(msOf(eventTime) ?? NaN)]));
  return events.flatMap(({ workflowTaskCompletedEventAttributes: task }) => began.get(wholeOf(task?.startedEventId)) ?? []);
}

class Reader {
  /** Event number → id of what began there: later events name only the number. */
  private readonly idsByEvent = new Map<number, string>();

  constructor(private readonly startAttributes: StartAttributes) {}

  read(event: HistoryEvent): Command | null {
    const {
      activityTaskScheduledEventAttributes: activity,
      activityTaskCancelRequestedEventAttributes: activityCancel,
      timerStartedEventAttributes: timer,
      timerCanceledEventAttributes: timerCancel,
      startChildWorkflowExecutionInitiatedEventAttributes: child,
      requestCancelExternalWorkflowExecutionInitiatedEventAttributes: externalCancel,
      signalExternalWorkflowExecutionInitiatedEventAttributes: signal,
      upsertWorkflowSearchAttributesEventAttributes: attributes,
      workflowPropertiesModifiedEventAttributes: memo,
      markerRecordedEventAttributes: marker,
      workflowExecutionUpdateAcceptedEventAttributes: accepted,
      workflowExecutionUpdateCompletedEventAttributes: completed,
    } = event;
    const at = wholeOf(event.eventId);
    if (activity) {
      this.idsByEvent.set(at, activity.activityId ?? '');
      return this.activity(activity, event);
    }
    if (activityCancel) return plain('activity_cancel', this.idsByEvent.get(wholeOf(activityCancel.scheduledEventId)) ?? '');
    if (timer) return plain('timer', timer.timerId ?? '', { duration_ms: msOf(timer.startToFireTimeout) });
    if (timerCancel) return plain('timer_cancel', timerCancel.timerId ?? '');
    if (child) return this.child(child, event);
    if (externalCancel) return plain('external_cancel', externalCancel.workflowExecution?.workflowId ?? '');
    if (signal)
      return plain('signal', `${signal.workflowExecution?.workflowId ?? ''} ${signal.signalName}`, {
        run_id: signal.workflowExecution?.runId ?? '',
        input: valuesOf(signal.input?.payloads),
        child_only: signal.childWorkflowOnly ?? false,
        headers: fieldsOf(signal.header?.fields),
      });
    if (attributes) return searchAttributes(fieldsOf(attributes.searchAttributes?.indexedFields));
    if (memo) return plain('memo', '', fieldsOf(memo.upsertedMemo?.fields));
    if (marker) return patch(marker);
    if (accepted) {
      this.idsByEvent.set(at, accepted.protocolInstanceId ?? '');
      return plain('update_accepted', accepted.protocolInstanceId ?? '');
    }
    if (completed)
      return plain(
        'update_completed',
        this.idsByEvent.get(wholeOf(completed.acceptedEventId)) ?? completed.meta?.updateId ?? '',
        outcomeOf(completed.outcome),
      );
    return this.ending(event);
  }

  private activity(
    attributes: temporal.api.history.v1.IActivityTaskScheduledEventAttributes,
    { userMetadata }: HistoryEvent,
  ): Command {
    const type = attributes.activityType?.name ?? '';
    const input = valuesOf(attributes.input?.payloads);
    return plain('activity', attributes.activityId ?? '', {
      type,
      input,
      task_queue: this.queue(attributes.taskQueue),
      schedule_to_close_ms: msOf(attributes.scheduleToCloseTimeout),
      schedule_to_start_ms: msOf(attributes.scheduleToStartTimeout),
      start_to_close_ms: msOf(attributes.startToCloseTimeout),
      heartbeat_ms: msOf(attributes.heartbeatTimeout),
      retry: retryOf(attributes.retryPolicy),
      headers: fieldsOf(attributes.header?.fields),
      priority: attributes.priority?.priorityKey ?? 0,
      eager: isEager(type, input),
      summary: valueOf(userMetadata?.summary),
    });
  }

  private child(
    child: temporal.api.history.v1.IStartChildWorkflowExecutionInitiatedEventAttributes,
    { userMetadata }: HistoryEvent,
  ): Command {
    return plain('child', child.workflowId ?? '', {
      type: child.workflowType?.name ?? '',
      input: valuesOf(child.input?.payloads),
      task_queue: this.queue(child.taskQueue),
      execution_timeout_ms: msOf(child.workflowExecutionTimeout),
      run_timeout_ms: msOf(child.workflowRunTimeout),
      task_timeout_ms: msOf(child.workflowTaskTimeout),
      parent_close_policy: ParentClosePolicy[child.parentClosePolicy ?? 0] ?? '',
      id_reuse_policy: WorkflowIdReusePolicy[child.workflowIdReusePolicy ?? 0] ?? '',
      retry: child.retryPolicy ? retryOf(child.retryPolicy) : null,
      cron: child.cronSchedule ?? '',
      memo: fieldsOf(child.memo?.fields),
      search_attributes: fieldsOf(child.searchAttributes?.indexedFields),
      headers: fieldsOf(child.header?.fields),
      priority: child.priority?.priorityKey ?? 0,
      summary: valueOf(userMetadata?.summary),
    });
  }

  private ending(event: HistoryEvent): Command | null {
    const { workflowExecutionCompletedEventAttributes: completed, workflowExecutionFailedEventAttributes: failed } = event;
    if (completed) return plain('complete', '', { result: valueOf(completed.result?.payloads?.[0]) });
    if (failed) return plain('fail', '', { failure: failureOf(failed.failure) });
    if (event.workflowExecutionCanceledEventAttributes) return plain('cancel', '');
    const next = event.workflowExecutionContinuedAsNewEventAttributes;
    if (!next) return null;
    return plain('continue', '', {
      type: next.workflowType?.name ?? '',
      input: valuesOf(next.input?.payloads),
      task_queue: this.queue(next.taskQueue),
      run_timeout_ms: msOf(next.workflowRunTimeout),
      task_timeout_ms: msOf(next.workflowTaskTimeout),
      memo: fieldsOf(next.memo?.fields),
      search_attributes: fieldsOf(next.searchAttributes?.indexedFields),
    });
  }

  private queue(queue: temporal.api.taskqueue.v1.ITaskQueue | null | undefined): string {
    const name = queue?.normalName || queue?.name || '';
    return name === this.startAttributes.taskQueue?.name ? OWN_QUEUE : name;
  }
}

const plain = (kind: Command['kind'], id: string, fields: JsonObject = {}): Command => ({ kind, id, fields });

/** History does not record it. Every build so far dispatches all but destructive calls eagerly. */
function isEager(type: string, [argument]: Json[]): boolean {
  const { call } = isJsonObject(argument) ? argument : {};
  return type !== 'runCall' || !isJsonObject(call) || call.class !== 'destructive';
}

/** Null for the search attribute in which Temporal itself records patches. */
function searchAttributes(fields: JsonObject): Command | null {
  return Object.keys(fields).join() === 'TemporalChangeVersion' ? null : plain('search_attributes', '', fields);
}

/** A `patched` marker of the SDK's core. Null: another marker, such as that of a local activity. */
function patch({ markerName, details }: temporal.api.history.v1.IMarkerRecordedEventAttributes): Command | null {
  if (markerName !== 'core_patch') return null;
  const data = valueOf(details?.['patch-data']?.payloads?.[0]);
  const { id, deprecated } = isJsonObject(data) ? data : {};
  return plain('patch', typeof id === 'string' ? id : '', { deprecated: deprecated === true });
}
