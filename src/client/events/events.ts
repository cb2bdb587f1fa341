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
  type CompleteCallInput,
  type CompleteCallOutput,
  type InspectEffectOutput,
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
import { ASK_PERSON } from '../../shared/approval/person-question';
import { cutBytes } from '../../shared/text/utf8';
import type { CallError } from '../../shared/wire/errors';
import type { Json } from '../../shared/json/json';
import { decodePayload } from '../../shared/wire/payload';
import { messageText } from '../../shared/turn/message';
import type { TurnView } from '../../shared/turn/turn-view';
import { DECIDE_UPDATE } from '../../workflows/contract';
import { readFact, type EventFact } from '../../record/history';
import { timeOf, type HistoryEvent } from '../../temporal/history/read-history';
import { Questions, type DecisionEvent } from './questions';
import type { TurnEvent } from '../../shapes/turn-event';
import { optional } from '../../shared/json/optional';

/** Events to report once a workflow task has processed them: `at` is when that task began. */
type Later = (at: string) => TurnEvent[];

export type Decode = (payloads: Payload[] | null | undefined) => Promise<unknown[]>;

/** Converts history events to turn events; remembers each scheduled activity for its completion. */
export class EventReader {
  private readonly activities = new Map<string, { type: string; input: unknown }>();
  private readonly questions = new Questions();
  private readonly errors = new Map<string, CallError>();
  private requester = '';
  private taskStartedAt = '';
  /** Questions that the workflow opens in its next task: it ignores an earlier decision on them. */
  private asks: Later[] = [];
  /** Calls in doubt that the workflow opens for settlement in its next task. A reset withdraws none of them. */
  private doubts: Later[] = [];

  constructor(private readonly decode: Decode) {}

  async read(event: HistoryEvent): Promise<TurnEvent[]> {
    const at = timeOf(event);
    const fact = readFact(event);
    switch (fact?.kind) {
      case 'run_started': {
        const [input] = await this.decode(fact.input);
        this.requester = (input as TurnInput).requester;
        return startEvents(at, input as TurnInput | CallInput);
      }
      case 'activity_scheduled': {
        const [input] = await this.decode(fact.input);
        this.activities.set(fact.event_id, { type: fact.type, input });
        return this.scheduledActivityEvents(at, fact.type, input);
      }
      case 'activity_completed': {
        const activity = this.activities.get(fact.scheduled);
        this.activities.delete(fact.scheduled);
        const [output] = await this.decode(fact.result);
        return activity ? this.completedActivityEvents(at, activity, output) : [];
      }
      case 'signal': {
        const payload = decodePayload(fact.input[0]);
        if (payload.ok && fact.input.length === 1) this.questions.onSignal(fact.name, payload.value);
        return [];
      }
      case 'update_accepted': {
        const [body] = fact.name === DECIDE_UPDATE ? await this.decode(fact.input) : [];
        this.questions.onUpdateAcceptance(fact.event_id, body as Json | undefined);
        return [];
      }
      case 'update_completed': {
        const [answer] = await this.decode(fact.answer);
        return this.questions.onUpdateAnswer(at, fact.accepted, answer);
      }
      case 'timer_fired':
        this.questions.timer();
        return [];
      case 'task_started':
        this.taskStartedAt = at;
        return [];
      case 'task_completed':
        return [
          ...this.questions.onTaskCompletion(this.taskStartedAt).map((event) => ofQuestion(event)),
          ...this.deferredEvents(this.taskStartedAt),
        ];
      case 'task_failed':
        return fact.new_run === null ? [] : this.resetEvents(at, fact.failure?.message ?? null);
      case 'run_ended':
        return this.endEvents(at, fact);
      default:
        return [];
    }
  }

  private resetEvents(at: string, reason: string | null): TurnEvent[] {
    this.questions.reset();
    this.asks = [];
    return [{ at, type: 'turn_reset', reason }];
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
    const decisions = approvalsOf(input as RunCallInput).flatMap(({ digest, decision, by, on_behalf_of, note, value }) => {
      const vote = { by, ...optional({ on_behalf_of }), note };
      const event = { at, type: 'approval_decided' as const, call: call.id, tool: call.tool, digest, decision, ...vote };
      return this.questions.certain(event).map((one) => ofQuestion(one, value));
    });
    return [...decisions, ...this.again(at, call), { at, type: 'tool_started', call: call.id, tool: call.tool }];
  }

  /** A destructive call that did nothing is dispatched again. History records this, unlike the retries of other calls. */
  private again(at: string, { id, dispatch }: RunCallInput['call']): TurnEvent[] {
    if (!(dispatch > 1)) return [];
    const { code = null, message = 'The attempt was lost before it began.' } = this.errors.get(id) ?? {};
    const retry = { call: id, attempt: dispatch, max_retries: null, code, error: message, next_attempt_at: null };
    return [{ at, type: 'tool_retrying', ...retry }];
  }

  /** Calls that never ran: refused by a person, expired, or rejected in admission. */
  private refusals(at: string, { call_id, tool, decision, error, effect, result_ref }: CallOutcome): TurnEvent[] {
    if (decision) {
      const { digest, by, note } = decision;
      const fields = { call: call_id, tool, digest, decision: decision.decision, by, note };
      return this.questions.certain({ at, type: 'approval_decided', ...fields }).map((one) => ofQuestion(one, decision.value));
    }
    return result_ref === null ? [{ at, type: 'tool_error', call: call_id, tool, error, effect }] : [];
  }

  private completedActivityEvents(at: string, activity: { type: string; input: unknown }, output: unknown): TurnEvent[] {
    switch (activity.type) {
      case 'takeStep': {
        const { text, calls, usage, origin, passed } = output as TakeStepOutput;
        const by = optional({ model: origin?.model, passed });
        return stepEvents(at, { step: (activity.input as TakeStepInput).step, text, usage, ...by }, calls);
      }
      case 'admitDirect':
        return stepEvents(at, { step: 1, text: '' }, [(output as AdmitDirectOutput).call]);
      case 'admitCall':
        return this.admissionEvents(at, activity.input as AdmitCallInput, output as AdmitCallOutput);
      case 'checkDecision':
        this.questions.onSignatureCheck(activity.input as CheckDecisionInput, output as CheckDecisionOutput);
        return [];
      case 'openSubTurn': {
        const subTurn = output as OpenSubTurnOutput;
        return subTurn.open ? [] : this.outcomeEvents(at, (activity.input as RunCallInput).call, subTurn.refused);
      }
      case 'runCall':
      case 'closeSubTurn':
      case 'settleEffect':
        return this.outcomeEvents(at, (activity.input as RunCallInput).call, output as RunCallOutput);
      case 'completeCall':
        return this.completionEvents(at, activity.input as CompleteCallInput, output as CompleteCallOutput);
      case 'inspectEffect':
        return this.inspectionEvents(at, activity.input as RunCallInput, output as InspectEffectOutput);
      default:
        return [];
    }
  }

  private completionEvents(at: string, { call, cause }: CompleteCallInput, { settled }: CompleteCallOutput): TurnEvent[] {
    if (settled === null) return [];
    const { id, tool } = call;
    return [{ at, type: 'call_completed', call: id, tool, by: cause.by }, ...this.outcomeEvents(at, call, settled)];
  }

  /** A lost attempt had made its call pending. */
  private inspectionEvents(at: string, { call }: RunCallInput, inspection: InspectEffectOutput): TurnEvent[] {
    return inspection.found === 'outcome' && inspection.outcome.later ? this.outcomeEvents(at, call, inspection.outcome) : [];
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
    const kind = tool === ASK_PERSON ? 'question' : 'approval';
    const asks = output.decided?.verdict !== 'allow' || (input.held ?? []).length > 0;
    if (expires_at === null || !asks) return [];
    const { digest } = output;
    const edits = edit && before ? this.questions.onEdit(at, before, edit) : [];
    const makers = [this.requester, ...(call.makers ?? [])];
    const policy = output.renewed?.approval ?? input.approval ?? PLAIN_POLICY;
    this.questions.ask({ kind, call: id, tool, digest, policy, makers, expires_at });
    const type = kind === 'question' ? 'question_asked' : 'approval_requested';
    return [...edits, { at, type, call: id, tool, digest, expires_at }];
  }

  private deferredEvents(at: string): TurnEvent[] {
    return [...drainEvents(this.asks, at), ...drainEvents(this.doubts, at)];
  }

  private outcomeEvents(at: string, { id, tool }: RunCallInput['call'], output: RunCallOutput): TurnEvent[] {
    const { state, summary, error, effect, held, later } = output;
    if (later) return [{ at, type: 'call_pending', call: id, tool, expires_at: later.expires_at }];
    if (held) return []; // a person is asked again
    if (error) this.errors.set(id, error);
    if (state === 'succeeded') return [{ at, type: 'tool_result', call: id, tool, summary, effect }];
    const errorEvents = (when: string): TurnEvent[] => [{ at: when, type: 'tool_error', call: id, tool, error, effect }];
    if (effect !== 'in_doubt') return errorEvents(at);
    this.doubts.push(errorEvents);
    return [];
  }

  private async endEvents(at: string, { how, result, failure }: RunEndFact): Promise<TurnEvent[]> {
    const completion = (state: string, reason: string | null): TurnEvent => ({
      at,
      type: 'turn_completed',
      state,
      reason,
      text: '',
    });
    switch (how) {
      case 'completed': {
        const [view] = (await this.decode(result)) as [TurnView];
        const { state, reason, text, result: data } = view;
        return [{ at, type: 'turn_completed', state, reason, text, ...optional({ result: data }) }];
      }
      case 'failed':
        return [completion('failed', failure?.message ?? null)];
      case 'cancelled':
        return [completion('cancelled', null)];
      case 'terminated':
        return [...drainEvents(this.doubts, at), completion('failed', 'The workflow was terminated.')];
      case 'timed_out':
        return [...drainEvents(this.doubts, at), completion('failed', 'The workflow timed out.')];
      case 'continued':
        return [];
    }
  }
}

type RunEndFact = Extract<EventFact<Payload>, { kind: 'run_ended' }>;

/** The end of a question of the model is an event of its own. @param value absent: nobody answered */
function ofQuestion(event: DecisionEvent, value: Json = null): TurnEvent {
  const { at, call, tool, digest, decision, by, note } = event;
  if (tool !== ASK_PERSON) return event;
  return { at, type: 'question_answered', call, tool, digest, by, value, note, expired: decision === 'expired' };
}

/** Empties the list; the events keep their order. */
function drainEvents(later: Later[], at: string): TurnEvent[] {
  return later.splice(0).flatMap((tell) => tell(at));
}

/** Empty for a run that continues another one. */
function startEvents(at: string, input: TurnInput | CallInput): TurnEvent[] {
  const { turn_id, agent } = input;
  const message = 'tool' in input ? `call ${input.tool} ${cutBytes(input.input_json, 1000)}` : messageText(input.message);
  return message === '' ? [] : [{ at, type: 'turn_started', turn_id, agent: agent ?? '', message }];
}

type StepFacts = Omit<Extract<TurnEvent, { type: 'step_completed' }>, 'at' | 'type' | 'calls'>;

/** Adds the errors of calls that admission rejected. */
function stepEvents(at: string, step: StepFacts, calls: AdmittedCall[]): TurnEvent[] {
  const errorEvents = calls.flatMap(({ id, tool, error }): TurnEvent[] =>
    error === null ? [] : [{ at, type: 'tool_error', call: id, tool, error, effect: null }],
  );
  const summaries = calls.map(({ id, tool, verdict }) => ({ id, tool, verdict }));
  return [{ at, type: 'step_completed', ...step, calls: summaries }, ...errorEvents];
}
