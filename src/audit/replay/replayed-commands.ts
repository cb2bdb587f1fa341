/** Turns the commands that workflow code gives during a replay into a form that can be compared with history. */
import { temporal, type coresdk } from '@temporalio/proto';
import { isEnd, type ReplayedCommand, type Command } from './command';
import type { Activation, WorkflowCommand } from './recording';
import { failureOf, fieldsOf, msOf, outcomeOf, retryOf, valueOf, valuesOf, type Json, type JsonObject } from './values';

const { ParentClosePolicy, WorkflowIdReusePolicy } = temporal.api.enums.v1;
/** Prefix of the replay's task queue. `OWN_QUEUE` stands for the queue on which the workflow itself ran. */
export const REPLAY_NAME = 'holdfast_replay';
export const OWN_QUEUE = 'its own';

/** Limits of the run that the server applies to its activities; ms, 0: none. */
export interface RunLimits {
  runTimeout: number;
}

/** Collects the activations of one history in order, and returns the commands that would have reached Temporal. */
export class ReplayedCommands {
  private readonly all: ReplayedCommand[] = [];
  /** Ids of activities and children by sequence number: a cancellation has only this number. */
  private readonly ids = new Map<string, string>();
  private readonly acceptedUpdates = new Set<string>();

  constructor(private readonly limits: RunLimits) {}

  add({ task, commands }: Activation): void {
    const newCommands = commands.flatMap((command) => this.read(command)).map((command) => ({ ...command, task }));
    // In Temporal's order: the command that ends the run comes last, and only once.
    const [end] = newCommands.filter(isEnd);
    this.all.push(...newCommands.filter((command) => !isEnd(command)), ...(end ? [end] : []));
  }

  /** The commands, without those that were cancelled in the workflow task that gave them. */
  get effectiveCommands(): ReplayedCommand[] {
    const withdrawn = new Set<ReplayedCommand>();
    for (const cancel of this.all) {
      const kind = WITHDRAWS[cancel.kind];
      const start = kind && this.all.find((one) => one.kind === kind && one.id === cancel.id && one.task === cancel.task);
      if (start) withdrawn.add(start).add(cancel);
    }
    return this.all.filter((command) => !withdrawn.has(command));
  }

  private read(command: WorkflowCommand): Command[] {
    const summary = valueOf(command.userMetadata?.summary);
    if (command.scheduleActivity) return [withSummary(this.activity(command.scheduleActivity), summary)];
    if (command.requestCancelActivity)
      return [plain('activity_cancel', this.nameOf('activity', command.requestCancelActivity.seq))];
    if (command.startTimer)
      return [plain('timer', String(command.startTimer.seq), { duration_ms: msOf(command.startTimer.startToFireTimeout) })];
    if (command.cancelTimer) return [plain('timer_cancel', String(command.cancelTimer.seq))];
    if (command.startChildWorkflowExecution) return [withSummary(this.child(command.startChildWorkflowExecution), summary)];
    if (command.cancelChildWorkflowExecution)
      return [plain('external_cancel', this.nameOf('child', command.cancelChildWorkflowExecution.childWorkflowSeq))];
    if (command.requestCancelExternalWorkflowExecution)
      return [plain('external_cancel', command.requestCancelExternalWorkflowExecution.workflowExecution?.workflowId ?? '')];
    if (command.signalExternalWorkflowExecution) return [signal(command.signalExternalWorkflowExecution)];
    if (command.upsertWorkflowSearchAttributes)
      return [plain('search_attributes', '', fieldsOf(command.upsertWorkflowSearchAttributes.searchAttributes?.indexedFields))];
    if (command.modifyWorkflowProperties)
      return [plain('memo', '', fieldsOf(command.modifyWorkflowProperties.upsertedMemo?.fields))];
    if (command.setPatchMarker)
      return [plain('patch', command.setPatchMarker.patchId ?? '', { deprecated: command.setPatchMarker.deprecated ?? false })];
    if (command.updateResponse) return this.update(command.updateResponse);
    return ending(command);
  }

  private activity(command: coresdk.workflow_commands.IScheduleActivity): Command {
    const id = command.activityId ?? '';
    this.ids.set(`activity ${command.seq}`, id);
    return {
      kind: 'activity',
      id,
      fields: {
        type: command.activityType ?? '',
        input: valuesOf(command.arguments),
        task_queue: queue(command.taskQueue),
        ...asServerFills(command, this.limits),
        retry: retryOf(command.retryPolicy),
        headers: fieldsOf(command.headers),
        priority: command.priority?.priorityKey ?? 0,
        eager: command.doNotEagerlyExecute !== true,
      },
    };
  }

  private child(command: coresdk.workflow_commands.IStartChildWorkflowExecution): Command {
    const id = command.workflowId ?? '';
    this.ids.set(`child ${command.seq}`, id);
    return {
      kind: 'child',
      id,
      fields: {
        type: command.workflowType ?? '',
        input: valuesOf(command.input),
        task_queue: queue(command.taskQueue),
        execution_timeout_ms: msOf(command.workflowExecutionTimeout),
        run_timeout_ms: msOf(command.workflowRunTimeout),
        task_timeout_ms: msOf(command.workflowTaskTimeout) || DEFAULT_TASK_TIMEOUT_MS,
        parent_close_policy:
          ParentClosePolicy[command.parentClosePolicy || ParentClosePolicy.PARENT_CLOSE_POLICY_TERMINATE] ?? '',
        id_reuse_policy:
          WorkflowIdReusePolicy[
            command.workflowIdReusePolicy || WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
          ] ?? '',
        retry: command.retryPolicy ? retryOf(command.retryPolicy) : null,
        cron: command.cronSchedule ?? '',
        memo: fieldsOf(command.memo),
        search_attributes: fieldsOf(command.searchAttributes?.indexedFields),
        headers: fieldsOf(command.headers),
        priority: command.priority?.priorityKey ?? 0,
      },
    };
  }

  /** An update that is rejected before it was accepted leaves nothing in history. */
  private update(response: coresdk.workflow_commands.IUpdateResponse): Command[] {
    const id = response.protocolInstanceId ?? '';
    if (response.accepted) {
      this.acceptedUpdates.add(id);
      return [plain('update_accepted', id)];
    }
    if (!this.acceptedUpdates.has(id)) return [];
    const { rejected: rejection } = response;
    return [plain('update_completed', id, rejection ? outcomeOf({ failure: rejection }) : outcomeOf(response))];
  }

  private nameOf(kind: 'activity' | 'child', seq: number | null | undefined): string {
    return this.ids.get(`${kind} ${seq}`) ?? String(seq);
  }
}

export const DEFAULT_TASK_TIMEOUT_MS = 10_000;

/** Kind of a cancellation → kind of what it cancels. */
const WITHDRAWS: Partial<Record<Command['kind'], Command['kind']>> = {
  timer_cancel: 'timer',
  activity_cancel: 'activity',
  external_cancel: 'child',
};

const plain = (kind: Command['kind'], id: string, fields: JsonObject = {}): Command => ({ kind, id, fields });

/** Adds the summary that the Web UI shows. */
const withSummary = (command: Command, summary: Json): Command => ({ ...command, fields: { ...command.fields, summary } });

const queue = (name: string | null | undefined): Json => (name?.startsWith(`${REPLAY_NAME}-`) ? OWN_QUEUE : (name ?? ''));

function ending(command: WorkflowCommand): Command[] {
  if (command.completeWorkflowExecution)
    return [plain('complete', '', { result: valuesOf([command.completeWorkflowExecution.result ?? {}])[0] ?? null })];
  if (command.failWorkflowExecution) return [plain('fail', '', { failure: failureOf(command.failWorkflowExecution.failure) })];
  if (command.cancelWorkflowExecution) return [plain('cancel', '')];
  const next = command.continueAsNewWorkflowExecution;
  if (!next) return [];
  return [
    plain('continue', '', {
      type: next.workflowType ?? '',
      input: valuesOf(next.arguments),
      task_queue: queue(next.taskQueue),
      // An absent field is taken over from the run before, so it tells nothing about the code.
      ...(next.workflowRunTimeout ? { run_timeout_ms: msOf(next.workflowRunTimeout) } : {}),
      ...(next.workflowTaskTimeout ? { task_timeout_ms: msOf(next.workflowTaskTimeout) } : {}),
      ...(Object.keys(next.memo ?? {}).length > 0 ? { memo: fieldsOf(next.memo) } : {}),
      ...(next.searchAttributes ? { search_attributes: fieldsOf(next.searchAttributes.indexedFields) } : {}),
    }),
  ];
}

function signal(command: coresdk.workflow_commands.ISignalExternalWorkflowExecution): Command {
  const target = command.childWorkflowId || command.workflowExecution?.workflowId || '';
  return plain('signal', `${target} ${command.signalName}`, {
    run_id: command.workflowExecution?.runId ?? '',
    input: valuesOf(command.args),
    child_only: Boolean(command.childWorkflowId),
    headers: fieldsOf(command.headers),
  });
}

/** The server fills in missing timeouts, and limits each to the timeout of the run. */
function asServerFills(command: coresdk.workflow_commands.IScheduleActivity, { runTimeout }: RunLimits): JsonObject {
  const cap = (ms: number, most: number) => (most > 0 && (ms === 0 || ms > most) ? most : ms);
  const atMost = (ms: number, most: number) => (most > 0 && ms > most ? most : ms);
  const whole = msOf(command.scheduleToCloseTimeout);
  const limit = whole > 0 ? atMost(whole, runTimeout) : runTimeout;
  const begin = whole > 0 ? cap(msOf(command.startToCloseTimeout), limit) : atMost(msOf(command.startToCloseTimeout), runTimeout);
  return {
    schedule_to_close_ms: limit,
    schedule_to_start_ms: cap(msOf(command.scheduleToStartTimeout), limit),
    start_to_close_ms: begin,
    heartbeat_ms: atMost(msOf(command.heartbeatTimeout), begin),
  };
}
