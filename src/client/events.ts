/** What happens in a turn, read from its history: the same whether it is watched live or years later. */
import type { Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type {
  AdmitCallInput,
  AdmitCallOutput,
  CallOutcome,
  RunCallInput,
  RunCallOutput,
  TakeStepInput,
  TakeStepOutput,
} from '../shared/activity-io';
import type { CallError } from '../shared/errors';
import type { TurnView } from '../shared/turn-view';

export type TurnEvent = { at: string } & (
  | { type: 'turn_started'; turn_id: string; agent: string; message: string }
  | { type: 'step_started'; step: number }
  | { type: 'step_completed'; step: number; text: string; calls: { id: string; tool: string; verdict: string }[] }
  | { type: 'tool_started'; call: string; tool: string }
  | { type: 'tool_progress'; call: string; message: string; fraction: number | null }
  | { type: 'tool_retrying'; call: string; attempt: number; error: string; next_attempt_at: string | null }
  | { type: 'tool_result'; call: string; tool: string; summary: string; effect: string | null }
  | { type: 'tool_error'; call: string; tool: string; error: CallError | null; effect: string | null }
  | { type: 'approval_requested'; call: string; tool: string; digest: string; expires_at: string | null }
  | { type: 'approval_decided'; call: string; tool: string; digest: string; decision: string; by: string; note: string | null }
  | { type: 'turn_completed'; state: string; reason: string | null; text: string }
);

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
export type Decode = (payloads: Payload[] | null | undefined) => Promise<unknown[]>;

/** Turns history events into turn events; keeps what it needs of the scheduled activities between them. */
export class EventReader {
  private readonly scheduled = new Map<string, { type: string; input: unknown }>();

  constructor(private readonly decode: Decode) {}

  async read(event: HistoryEvent): Promise<TurnEvent[]> {
    const at = timeOf(event);
    if (event.workflowExecutionStartedEventAttributes) {
      const [input] = await this.decode(event.workflowExecutionStartedEventAttributes.input?.payloads);
      const { turn_id, agent, message } = input as { turn_id: string; agent: string; message: string };
      return message === '' ? [] : [{ at, type: 'turn_started', turn_id, agent, message }];
    }
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const [input] = await this.decode(scheduled.input?.payloads);
      const type = scheduled.activityType?.name ?? '';
      this.scheduled.set(String(event.eventId), { type, input });
      return onScheduled(at, type, input);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) {
      const activity = this.scheduled.get(String(completed.scheduledEventId));
      const [output] = await this.decode(completed.result?.payloads);
      return activity ? onCompleted(at, activity, output) : [];
    }
    return this.ending(event, at);
  }

  private async ending(event: HistoryEvent, at: string): Promise<TurnEvent[]> {
    const done = event.workflowExecutionCompletedEventAttributes;
    if (done) {
      const [view] = (await this.decode(done.result?.payloads)) as [TurnView];
      return [{ at, type: 'turn_completed', state: view.state, reason: view.reason, text: view.text }];
    }
    const failed = event.workflowExecutionFailedEventAttributes;
    if (failed) return [{ at, type: 'turn_completed', state: 'failed', reason: failed.failure?.message ?? null, text: '' }];
    if (event.workflowExecutionCanceledEventAttributes)
      return [{ at, type: 'turn_completed', state: 'cancelled', reason: null, text: '' }];
    if (event.workflowExecutionTerminatedEventAttributes)
      return [{ at, type: 'turn_completed', state: 'failed', reason: 'The workflow was terminated.', text: '' }];
    if (event.workflowExecutionTimedOutEventAttributes)
      return [{ at, type: 'turn_completed', state: 'failed', reason: 'The workflow timed out.', text: '' }];
    return [];
  }
}

function onScheduled(at: string, type: string, input: unknown): TurnEvent[] {
  if (type === 'takeStep') {
    const step = input as TakeStepInput;
    return [...step.outcomes.flatMap((outcome) => refusals(at, outcome)), { at, type: 'step_started', step: step.step }];
  }
  if (type === 'endTurn') return (input as { outcomes: CallOutcome[] }).outcomes.flatMap((outcome) => refusals(at, outcome));
  if (type !== 'runCall') return [];
  const { call, approval } = input as RunCallInput;
  const started: TurnEvent = { at, type: 'tool_started', call: call.id, tool: call.tool };
  if (!approval) return [started];
  const { digest, decision, by, note } = approval;
  return [{ at, type: 'approval_decided', call: call.id, tool: call.tool, digest, decision, by, note }, started];
}

/** Calls that never ran: refused by a person, by the clock, or in admission. */
function refusals(at: string, { call_id, tool, decision, error, effect, result_ref }: CallOutcome): TurnEvent[] {
  if (decision) {
    const { digest, by, note } = decision;
    return [{ at, type: 'approval_decided', call: call_id, tool, digest, decision: decision.decision, by, note }];
  }
  return result_ref === null ? [{ at, type: 'tool_error', call: call_id, tool, error, effect }] : [];
}

function onCompleted(at: string, activity: { type: string; input: unknown }, output: unknown): TurnEvent[] {
  if (activity.type === 'takeStep') {
    const { text, calls } = output as TakeStepOutput;
    const { step } = activity.input as TakeStepInput;
    return [{ at, type: 'step_completed', step, text, calls: calls.map(({ id, tool, verdict }) => ({ id, tool, verdict })) }];
  }
  if (activity.type === 'admitCall') {
    const { call, expires_at } = activity.input as AdmitCallInput;
    const admitted = output as AdmitCallOutput;
    return admitted.ok && expires_at !== null
      ? [{ at, type: 'approval_requested', call: call.id, tool: call.tool, digest: admitted.digest, expires_at }]
      : [];
  }
  if (activity.type !== 'runCall' && activity.type !== 'settleEffect') return [];
  const { call } = activity.input as RunCallInput;
  const { state, summary, error, effect } = output as RunCallOutput;
  return state === 'succeeded'
    ? [{ at, type: 'tool_result', call: call.id, tool: call.tool, summary, effect }]
    : [{ at, type: 'tool_error', call: call.id, tool: call.tool, error, effect }];
}

function timeOf(event: HistoryEvent): string {
  const seconds = Number(event.eventTime?.seconds ?? 0);
  return new Date(seconds * 1000 + Math.floor((event.eventTime?.nanos ?? 0) / 1e6)).toISOString();
}
