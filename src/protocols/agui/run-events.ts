/**
 * Converts the events of a turn to those of AG-UI. Messages and calls have ids that follow from the turn, so that a run that is told
 * again has the same ones. A run goes from one rest of its turn to the next.
 */
import { optional } from '../../shared/json/optional';
import { positionText, type Position } from '../../client/events/position';
import type { WatchedEvent } from '../../client/events/feed';
import type { TurnEvent } from '../../shapes/turn-event';
import type { CallDetails } from '../turns/call-details';
import type { Rest } from '../turns/follow-turn';
import { StepText } from '../turns/step-text';
import { interruptsOf, toolCallId } from './interrupts';
import { sdk, type AGUIEvent, type Message } from './sdk';

interface RunOfTurn {
  threadId: string;
  runId: string;
  turnId: string;
  /** What the client has, without messages of this turn that are told again. */
  messages: Message[];
  /** Where the client's last run ended. */
  after: Position | null;
}

/** Events that a front end may show as they are. */
const CUSTOM_EVENTS = new Set<TurnEvent['type']>([
  'tool_progress',
  'tool_retrying',
  'model_waiting',
  'approval_requested',
  'approval_decided',
  'question_asked',
  'question_answered',
  'call_pending',
  'call_completed',
  'turn_reset',
]);

export class RunEvents {
  private readonly text = new StepText();
  private readonly kind = sdk.core().EventType;
  private position: Position | null;
  private step: string | null = null;
  /** Calls that have a result. */
  private readonly results = new Set<string>();

  constructor(
    private readonly run: RunOfTurn,
    private readonly details: CallDetails,
  ) {
    this.position = run.after;
  }

  async of({ event, position }: WatchedEvent): Promise<AGUIEvent[]> {
    if (position !== null) this.position = position;
    // Calls may run again after a reset, and have another result.
    if (event.type === 'turn_reset') {
      this.results.clear();
      this.details.forget();
    }
    if (CUSTOM_EVENTS.has(event.type))
      return [{ type: this.kind.CUSTOM, name: `holdfast.${event.type}`, value: event }, ...this.humanResult(event)];
    switch (event.type) {
      case 'step_started':
        return [...this.endOfStep(), ...this.beginStep(event.step)];
      case 'text_delta':
        return this.piece(event);
      case 'step_completed':
        return [...this.endOfText(event), ...(await this.callsOf(event))];
      case 'tool_result':
        return this.result(event.call, (await this.details.result(event.call)) ?? event.summary);
      case 'tool_error':
        if (event.effect === 'in_doubt') return [{ type: this.kind.CUSTOM, name: 'holdfast.in_doubt', value: event }];
        return this.result(event.call, JSON.stringify({ success: false, error: event.error }));
      default:
        return [];
    }
  }

  /** The last events of the run. */
  end(rest: Rest): AGUIEvent[] {
    const { run_id: _, ...turn } = rest.view;
    const position = this.position === null ? null : positionText(this.position);
    const state: AGUIEvent = { type: this.kind.STATE_SNAPSHOT, snapshot: { turn, position } };
    return [...this.openText(), ...this.endOfStep(), state, this.outcome(rest)];
  }

  private outcome({ view, questions, unread, hasEnded }: Rest): AGUIEvent {
    const { threadId, runId, turnId } = this.run;
    const finished = { type: this.kind.RUN_FINISHED, threadId, runId } satisfies AGUIEvent;
    if (!hasEnded && questions.length > 0)
      return { ...finished, outcome: { type: 'interrupt', interrupts: interruptsOf(turnId, questions) } };
    if (!hasEnded) return this.error('card_unreadable', unread.map(({ why }) => why).join(' '));
    if (view.state === 'failed' || view.state === 'limit')
      return this.error(view.state, view.reason ?? 'The turn did not come to its end.');
    const result = { turn_id: turnId, state: view.state, text: view.text, ...optional({ data: view.result }) };
    return { ...finished, result, outcome: { type: view.state === 'cancelled' ? 'cancelled' : 'success' } };
  }

  private error(code: string, message: string): AGUIEvent {
    return { type: this.kind.RUN_ERROR, code, message };
  }

  private beginStep(step: number): AGUIEvent[] {
    this.step = `step ${step}`;
    return [{ type: this.kind.STEP_STARTED, stepName: this.step }];
  }

  private endOfStep(): AGUIEvent[] {
    const stepName = this.step;
    this.step = null;
    return stepName === null ? [] : [{ type: this.kind.STEP_FINISHED, stepName }];
  }

  private piece(event: Extract<TurnEvent, { type: 'text_delta' }>): AGUIEvent[] {
    const isFirst = this.text.open !== event.step;
    const delta = this.text.piece(event);
    if (delta === null) return [];
    const messageId = this.messageId(event.step);
    const content: AGUIEvent = { type: this.kind.TEXT_MESSAGE_CONTENT, messageId, delta };
    return isFirst ? [{ type: this.kind.TEXT_MESSAGE_START, messageId, role: 'assistant' }, content] : [content];
  }

  /** A run may end within a step: then its text is closed, and told again by the run that follows. */
  private openText(): AGUIEvent[] {
    const step = this.text.open;
    return step === null ? [] : [{ type: this.kind.TEXT_MESSAGE_END, messageId: this.messageId(step) }];
  }

  private endOfText({ step, text }: Extract<TurnEvent, { type: 'step_completed' }>): AGUIEvent[] {
    const messageId = this.messageId(step);
    const isOpen = this.text.open === step;
    const end = this.text.complete(step, text);
    const start: AGUIEvent[] = isOpen ? [] : [{ type: this.kind.TEXT_MESSAGE_START, messageId, role: 'assistant' }];
    const close: AGUIEvent = { type: this.kind.TEXT_MESSAGE_END, messageId };
    if (text !== '') this.run.messages.push({ id: messageId, role: 'assistant', content: text });
    // What was sent is void: the model has begun its answer anew, or a piece was lost.
    if ('instead' in end) return [close, this.snapshot()];
    if (!isOpen && end.rest === '') return [];
    const content: AGUIEvent[] = end.rest === '' ? [] : [{ type: this.kind.TEXT_MESSAGE_CONTENT, messageId, delta: end.rest }];
    return [...start, ...content, close];
  }

  private async callsOf({ step, calls }: Extract<TurnEvent, { type: 'step_completed' }>): Promise<AGUIEvent[]> {
    const events: AGUIEvent[] = [];
    for (const { id, tool } of calls) {
      const toolCallId = this.callId(id);
      const args = JSON.stringify((await this.details.input(id)) ?? {});
      this.remember(step, { id: toolCallId, type: 'function', function: { name: tool, arguments: args } });
      events.push(
        { type: this.kind.TOOL_CALL_START, toolCallId, toolCallName: tool, parentMessageId: this.messageId(step) },
        { type: this.kind.TOOL_CALL_ARGS, toolCallId, delta: args },
        { type: this.kind.TOOL_CALL_END, toolCallId },
      );
    }
    return events;
  }

  private remember(step: number, call: NonNullable<Extract<Message, { role: 'assistant' }>['toolCalls']>[number]): void {
    const id = this.messageId(step);
    const { messages } = this.run;
    const own = messages.find((message) => message.id === id);
    if (own?.role === 'assistant') own.toolCalls = [...(own.toolCalls ?? []), call];
    else messages.push({ id, role: 'assistant', toolCalls: [call] });
  }

  /** A call that people denied or answered, or about which nobody decided in time, has no result of its own. */
  private humanResult(event: TurnEvent): AGUIEvent[] {
    if (event.type === 'question_answered') {
      const { by, value, note, expired } = event;
      return this.result(event.call, JSON.stringify({ success: !expired, answer: { by, value, note } }));
    }
    if (event.type !== 'approval_decided' || !['deny', 'expired'].includes(event.decision)) return [];
    const { decision, by, note } = event;
    return this.result(event.call, JSON.stringify({ success: false, declined: { decision, by, note } }));
  }

  private result(call: string, content: string): AGUIEvent[] {
    if (this.results.has(call)) return [];
    this.results.add(call);
    const toolCallId = this.callId(call);
    const messageId = `${toolCallId}/result`;
    this.run.messages.push({ id: messageId, role: 'tool', toolCallId, content });
    return [{ type: this.kind.TOOL_CALL_RESULT, toolCallId, messageId, content, role: 'tool' }];
  }

  /** All messages of the thread that the client has sent or was told. */
  private snapshot(): AGUIEvent {
    return { type: this.kind.MESSAGES_SNAPSHOT, messages: this.run.messages };
  }

  private messageId(step: number): string {
    // After a reset the steps are counted on from an earlier one: they are others, of another run of the workflow.
    const run = this.position?.run ?? 1;
    return `${this.run.turnId}/${run === 1 ? '' : `run-${run}/`}step-${step}`;
  }

  private callId(call: string): string {
    return toolCallId(this.run.turnId, call);
  }
}

/** Of what the client has, everything but the messages of a turn. */
export function withoutTurn(messages: readonly Message[], turnId: string): Message[] {
  return messages.filter(({ id }) => !id.startsWith(`${turnId}/`));
}
