/** Converts a turn's history events to turn events. The result is the same during the turn and years later. */
import type { Payload } from '@temporalio/common';
import {
  approvalsOf,
  type AdmitCallInput,
  type AdmitCallOutput,
  type AdmitDirectOutput,
  type AdmittedCall,
  type CallInput,
  type CallOutcome,
  type OpenSubTurnOutput,
  type CheckDecisionInput,
  type CheckDecisionOutput,
  type RunCallInput,
  type RunCallOutput,
  type TakeStepInput,
  type TakeStepOutput,
  type TurnInput,
} from '../../shared/io/activities';
import { PLAIN_POLICY } from '../../shared/approval/approval';
import { cutBytes } from '../../shared/text/utf8';
import type { CallError } from '../../shared/wire/errors';
import type { Json } from '../../shared/json/json';
import { decodePayload } from '../../shared/wire/payload';
import type { TurnView } from '../../shared/turn/turn-view';
import { DECIDE_UPDATE } from '../../workflows/contract';
import { timeOf, type HistoryEvent } from '../../temporal/history';
import { Questions } from './questions';
import type { TurnEvent } from '../../shapes/turn-event';

/** Events to report once a workflow task has processed them: `at` is when that task began. */
type Later = (at: string) => TurnEvent[];

export type Decode = (payloads: Payload[] | null | undefined) => Promise<unknown[]>;

/** Converts history events to turn events; remembers each scheduled activity for its completion. */
export class EventReader {
  private readonly scheduled = new Map<string, { type: string; input: unknown }>();
  private readonly questions = new Questions();
  private readonly failed = new Map<string, CallError>();
  private requester = '';
  private taskStartedAt = '';
  /** Questions that the workflow opens in its next task: it ignores an earlier decision on them. */
  private asks: Later[] = [];
  /** Calls in doubt that the workflow opens for settlement in its next task. A reset withdraws none of them. */
  private doubts: Later[] = [];

  constructor(private readonly decode: Decode) {}

  async read(event: HistoryEvent): Promise<TurnEvent[]> {
    const at = timeOf(event);
    if (event.workflowExecutionStartedEventAttributes) {
      const [input] = await this.decode(event.workflowExecutionStartedEventAttributes.input?.payloads);
      this.requester = (input as TurnInput).requester;
      return startEvents(at, input as TurnInput | CallInput);
    }
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const [input] = await this.decode(scheduled.input?.payloads);
      const type = scheduled.activityType?.name ?? '';
      this.scheduled.set(String(event.eventId), { type, input });
      return this.scheduledActivityEvents(at, type, input);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) {
      const activity = this.scheduled.get(String(completed.scheduledEventId));
      const [output] = await this.decode(completed.result?.payloads);
      return activity ? this.completedActivityEvents(at, activity, output) : [];
    }
    return (await this.deciding(event, at)) ?? this.ending(event, at);
  }

  /** Handles the events that decisions depend on: signals, updates, timers, workflow tasks, resets. Null: another event. */
  private async deciding(event: HistoryEvent, at: string): Promise<TurnEvent[] | null> {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) {
      const payloads = signal.input?.payloads ?? [];
      const decoded = decodePayload(payloads[0]);
      if (decoded.ok && payloads.length === 1) this.questions.onSignal(signal.signalName ?? '', decoded.value);
      return [];
    }
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (accepted) {
      const { name, args } = accepted.acceptedRequest?.input ?? {};
      const [body] = name === DECIDE_UPDATE ? await this.decode(args?.payloads) : [];
      this.questions.onUpdateAcceptance(String(event.eventId), body as Json | undefined);
      return [];
    }
    const answered = event.workflowExecutionUpdateCompletedEventAttributes;
    if (answered) {
      const [answer] = await this.decode(answered.outcome?.success?.payloads);
      return this.questions.onUpdateAnswer(at, String(answered.acceptedEventId), answer);
    }
    if (event.timerFiredEventAttributes) this.questions.timer();
    if (event.workflowTaskStartedEventAttributes) this.taskStartedAt = at;
    if (event.workflowTaskCompletedEventAttributes)
      return [...this.questions.onTaskCompletion(this.taskStartedAt), ...this.deferredEvents(this.taskStartedAt)];
    const reset = event.workflowTaskFailedEventAttributes;
    if (!reset?.newRunId) return null;
    this.questions.reset();
    this.asks = [];
    return [{ at, type: 'turn_reset', reason: reset.failure?.message || null }];
  }

  private scheduledActivityEvents(at: string, type: string, input: unknown): TurnEvent[] {
    if (type === 'takeStep') {
      const step = input as TakeStepInput;
      return [...step.outcomes.flatMap((outcome) => this.refusals(at, outcome)), { at, type: 'step_started', step: step.step }];
    }
    if (type === 'endTurn')
      return (input as { outcomes: CallOutcome[] }).outcomes.flatMap((outcome) => this.refusals(at, outcome));
    if (type !== 'runCall' && type !== 'openSubTurn') return [];
    const { call } = input as RunCallInput;
    const decided = approvalsOf(input as RunCallInput).flatMap(({ digest, decision, by, note }) =>
      this.questions.certain({ at, type: 'approval_decided', call: call.id, tool: call.tool, digest, decision, by, note }),
    );
    return [...decided, ...this.again(at, call), { at, type: 'tool_started', call: call.id, tool: call.tool }];
  }

  /** A destructive call that did nothing is dispatched again. History records this, unlike the retries of other calls. */
  private again(at: string, { id, dispatch }: RunCallInput['call']): TurnEvent[] {
    if (!(dispatch > 1)) return [];
    const { code = null, message = 'The attempt was lost before it began.' } = this.failed.get(id) ?? {};
    const retry = { call: id, attempt: dispatch, max_retries: null, code, error: message, next_attempt_at: null };
    return [{ at, type: 'tool_retrying', ...retry }];
  }

  /** Calls that never ran: refused by a person, expired, or rejected in admission. */
  private refusals(at: string, { call_id, tool, decision, error, effect, result_ref }: CallOutcome): TurnEvent[] {
    if (decision) {
      const { digest, by, note } = decision;
      const decided = { call: call_id, tool, digest, decision: decision.decision, by, note };
      return this.questions.certain({ at, type: 'approval_decided', ...decided });
    }
    return result_ref === null ? [{ at, type: 'tool_error', call: call_id, tool, error, effect }] : [];
  }

  private completedActivityEvents(at: string, activity: { type: string; input: unknown }, output: unknown): TurnEvent[] {
    switch (activity.type) {
      case 'takeStep': {
        const { text, calls } = output as TakeStepOutput;
        return stepEvents(at, (activity.input as TakeStepInput).step, text, calls);
      }
      case 'admitDirect':
        return stepEvents(at, 1, '', [(output as AdmitDirectOutput).call]);
      case 'admitCall':
        return this.admissionEvents(at, activity.input as AdmitCallInput, output as AdmitCallOutput);
      case 'checkDecision':
        this.questions.onSignatureCheck(activity.input as CheckDecisionInput, output as CheckDecisionOutput);
        return [];
      case 'openSubTurn': {
        const opened = output as OpenSubTurnOutput;
        return opened.open ? [] : this.outcomeEvents(at, (activity.input as RunCallInput).call, opened.refused);
      }
      case 'runCall':
      case 'closeSubTurn':
      case 'settleEffect':
        return this.outcomeEvents(at, (activity.input as RunCallInput).call, output as RunCallOutput);
      default:
        return [];
    }
  }

  private admissionEvents(at: string, input: AdmitCallInput, output: AdmitCallOutput): TurnEvent[] {
    const { id, tool } = input.call;
    if (output.ok) this.asks.push((later) => this.approvalRequestEvents(later, input, output));
    else if (!input.edit) return [{ at, type: 'tool_error', call: id, tool, error: output.error, effect: null }];
    return [];
  }

  private approvalRequestEvents(at: string, input: AdmitCallInput, output: AdmitCallOutput & { ok: true }): TurnEvent[] {
    const { call, expires_at, edit } = input;
    const { id, tool } = call;
    const before = this.questions.openOf(id);
    if (edit && !before) return []; // it was decided meanwhile: the changed call is not asked about
    const asks = output.decided?.verdict !== 'allow' || (input.held ?? []).length > 0;
    if (expires_at === null || !asks) return [];
    const { digest } = output;
    const edited = edit && before ? this.questions.onEdit(at, before, edit) : [];
    const makers = [this.requester, ...(call.makers ?? [])];
    const policy = output.renewed?.approval ?? input.approval ?? PLAIN_POLICY;
    this.questions.ask({ call: id, tool, digest, policy, makers, expires_at });
    return [...edited, { at, type: 'approval_requested', call: id, tool, digest, expires_at }];
  }

  private deferredEvents(at: string): TurnEvent[] {
    return [...drainEvents(this.asks, at), ...drainEvents(this.doubts, at)];
  }

  private outcomeEvents(at: string, { id, tool }: RunCallInput['call'], output: RunCallOutput): TurnEvent[] {
    const { state, summary, error, effect, held } = output;
    if (held) return []; // a person is asked again
    if (error) this.failed.set(id, error);
    if (state === 'succeeded') return [{ at, type: 'tool_result', call: id, tool, summary, effect }];
    const failed = (when: string): TurnEvent[] => [{ at: when, type: 'tool_error', call: id, tool, error, effect }];
    if (effect !== 'in_doubt') return failed(at);
    this.doubts.push(failed);
    return [];
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
    const stopped = (reason: string): TurnEvent[] => [
      ...drainEvents(this.doubts, at),
      { at, type: 'turn_completed', state: 'failed', reason, text: '' },
    ];
    if (event.workflowExecutionTerminatedEventAttributes) return stopped('The workflow was terminated.');
    if (event.workflowExecutionTimedOutEventAttributes) return stopped('The workflow timed out.');
    return [];
  }
}

/** Empties the list; the events keep their order. */
function drainEvents(later: Later[], at: string): TurnEvent[] {
  return later.splice(0).flatMap((tell) => tell(at));
}

/** Empty for a run that continues another one. */
function startEvents(at: string, input: TurnInput | CallInput): TurnEvent[] {
  const { turn_id, agent } = input;
  const message = 'tool' in input ? `call ${input.tool} ${cutBytes(input.input_json, 1000)}` : input.message;
  return message === '' ? [] : [{ at, type: 'turn_started', turn_id, agent: agent ?? '', message }];
}

/** Adds the errors of calls that admission rejected. */
function stepEvents(at: string, step: number, text: string, calls: AdmittedCall[]): TurnEvent[] {
  const rejected = calls.flatMap(({ id, tool, error }): TurnEvent[] =>
    error === null ? [] : [{ at, type: 'tool_error', call: id, tool, error, effect: null }],
  );
  const asked = calls.map(({ id, tool, verdict }) => ({ id, tool, verdict }));
  return [{ at, type: 'step_completed', step, text, calls: asked }, ...rejected];
}
