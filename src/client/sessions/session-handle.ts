/** The client's handle on one session: sends messages to it, reads its state, and steers, interrupts, resumes or closes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { Sending } from '../../temporal/send-update';
import { isTurnId, sessionWorkflowId } from '../../shared/ids';
import {
  MAX_MESSAGE,
  readSend,
  type SendAnswer,
  type SendBody,
  type SessionInput,
  type SessionView,
} from '../../shared/turn/session';
import type { Waits } from '../../shared/wire/waits';
import { SESSION_UPDATES, SESSION_WORKFLOW, STATUS_QUERY, type DecideAnswer } from '../../workflows/contract';
import { doneBefore, SENT_BEFORE, type Act, type DoneBefore } from '../turns/start-turn';
import { DecisionNotAccepted, InvalidRequest, TurnNotFound } from '../errors';
import { sessionSummary } from './open-session';
import { SessionAsking, type SessionParts } from './session-asking';
import type { MessageInput } from '../../shapes/message';
import type { SessionSummary } from '../../shapes/session';
import type { TurnHandle } from '../turns/turn-handle';
import { asJson } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';

export interface SendMessage {
  /** Idempotency key: the same message under it gives the same turn. It is remembered for the session's last 1,000 messages. */
  id?: string;
  /** A part of the store that says where to report the turn's questions and its end (notify/webhook.ts). */
  callbackRef?: string;
}

export interface SentMessage extends SendAnswer {
  turn: TurnHandle;
}

/** Interval of the checks for a turn that has not begun, ms. It grows, since each check costs the worker a query. */
const POLL_FIRST = 200;
const POLL_LAST = 3000;
export const RESUME_TEXT = 'Go on.';

/** One session: send messages, read its state, interrupt it, resume it. */
export class SessionHandle {
  readonly workflowId: string;
  private readonly ask: SessionAsking;
  /** Read once: they never change. */
  private identity: Promise<Pick<SessionSummary, 'agent' | 'requester'>> | null = null;

  /** @param opening what the first message starts it with; null: the session exists */
  constructor(
    private readonly parts: SessionParts,
    /** The session's id, without `session/`. */
    readonly id: string,
    private readonly opening: (SessionInput & { options: object }) | null,
    /** An act through this handle takes effect once under this name. */
    name: string | null = null,
  ) {
    this.workflowId = sessionWorkflowId(id);
    this.ask = new SessionAsking(parts, id, this.workflowId, opening !== null, name);
  }

  /** The same session, for one act under a name: however often it is sent under that name, it takes effect once in a run. */
  named(name: string): SessionHandle {
    return new SessionHandle(this.parts, this.id, this.opening, name);
  }

  /** What was done to it under a name. @throws SessionNotFound; NoWorker while an earlier request has no answer yet */
  doneBefore(act: Act): Promise<DoneBefore> {
    return this.ask.askWithRetries(
      'answer what was sent before',
      () => doneBefore(this.parts.temporal, this.workflowId, act),
      SENT_BEFORE,
    );
  }

  /** The session in the Web UI; null when no UI is known. */
  get uiUrl(): string | null {
    return this.parts.uiUrl;
  }

  /**
   * Sends a message: it becomes a turn of its own, after those that wait. Returns at once.
   * @param message a text of 1 to 100,000 characters, or parts: texts and files
   * @throws InvalidRequest; DecisionNotAccepted with the reason (closed, full, the id used for another message); SessionNotFound,
   *   NoWorker
   */
  send(message: MessageInput, more: SendMessage = {}): Promise<SentMessage> {
    return this.deliver(message, more);
  }

  /**
   * Goes on after a turn that was interrupted, failed or reached a limit, before any waiting message.
   * @throws DecisionNotAccepted when a turn runs, or the last one completed
   */
  resume(message: MessageInput = RESUME_TEXT, more: SendMessage = {}): Promise<SentMessage> {
    return this.deliver(message, more, true);
  }

  /** The session as Temporal lists it; asks no worker. @throws SessionNotFound */
  async find(): Promise<SessionSummary> {
    return sessionSummary(await this.ask.askWithRetries('describe', () => this.ask.handle.describe()), this.uiUrl);
  }

  /** @throws SessionNotFound, NoWorker */
  async status(): Promise<SessionView> {
    // Described first: a session that has ended by then gives its final view.
    const { status, closeTime } = await this.ask.askWithRetries('describe', () => this.ask.handle.describe());
    const view = await this.ask.askWithRetries('report the state of the session', () =>
      this.ask.handle.query<SessionView>(STATUS_QUERY),
    );
    if (status.name === 'RUNNING') return { ...view, ui_url: this.uiUrl };
    return { ...view, state: 'closed', ended_at: closeTime?.toISOString() ?? null, ui_url: this.uiUrl };
  }

  /**
   * Sends a text to the model of the running turn, which reads it before its next step.
   * @throws DecisionNotAccepted when no turn runs
   */
  async steer(text: string, by: Parameters<TurnHandle['steer']>[1]): Promise<TurnHandle> {
    const { running } = await this.status();
    if (!running) throw new DecisionNotAccepted('Not accepted: no turn runs; send a message instead.');
    const turn = this.parts.turn(running.turn_id);
    await turn.steer(text, by);
    return turn;
  }

  /** Ends the running turn before its next step. Waiting messages are held. @throws DecisionNotAccepted when no turn runs */
  interrupt(by: { by: string }): Promise<void> {
    return this.change(SESSION_UPDATES.interrupt, { by: by.by });
  }

  /** @param title 1 to 200 characters. @throws DecisionNotAccepted */
  rename(title: string): Promise<void> {
    return this.change(SESSION_UPDATES.rename, { title });
  }

  /** Accepts no more messages. Those accepted before still run, unless they are held. @throws DecisionNotAccepted */
  close(by: { by: string }): Promise<void> {
    return this.change(SESSION_UPDATES.close, { by: by.by });
  }

  /** Waits for a turn of this session to begin, after those before it. @throws TurnNotFound when the session is over without it */
  async started(turnId: string, { signal }: { signal?: AbortSignal } = {}): Promise<TurnHandle> {
    if (!isTurnId(turnId)) throw new TurnNotFound(turnId);
    const turn = this.parts.turn(turnId);
    for (let wait = POLL_FIRST; ; wait = Math.min(POLL_LAST, wait * 1.5)) {
      signal?.throwIfAborted();
      if (await turn.exists()) return turn;
      const view = await this.status();
      const waits = view.running?.turn_id === turnId || view.queue.some((turn) => turn.turn_id === turnId);
      if (!waits && !(await turn.exists())) throw new TurnNotFound(turnId);
      await sleep(wait, undefined, signal ? { signal } : {});
    }
  }

  private async deliver(input: MessageInput, { id, callbackRef }: SendMessage, resume = false): Promise<SentMessage> {
    if (!Array.isArray(input) && (typeof input !== 'string' || input.length > MAX_MESSAGE || input.trim() === ''))
      throw new InvalidRequest(`send: the message must be 1 to ${MAX_MESSAGE} characters.`);
    const opening = this.opening;
    const { agent, requester } = await this.facts(resume);
    const message = await this.parts.message(requester, input);
    const signature = this.parts.signs ? await this.parts.sign({ session_id: this.id, agent, requester }, message) : {};
    const of = opening?.agent ? { agent: opening.agent } : {};
    const body: SendBody = {
      message_id: id ?? randomUUID(),
      message,
      requester,
      ...of,
      ...(resume ? { resume } : {}),
      ...optional({ callback_ref: callbackRef }),
      ...signature,
    };
    const read = readSend(asJson(body));
    if (!read.ok) throw new InvalidRequest(`send: ${read.reason}.`);
    const send =
      opening && !resume
        ? (sending: Sending) => this.startWith(opening, body, sending)
        : (sending: Sending) => this.update<SendAnswer>(SESSION_UPDATES.send, body, sending);
    const answer = await this.ask.sendUpdate('take the message', send);
    return { ...answer, turn: this.parts.turn(answer.turn_id) };
  }

  /** Without a query: a query answered right before an update could make the session impossible to replay. */
  private facts(resume: boolean): Promise<Pick<SessionSummary, 'agent' | 'requester'>> {
    const { opening } = this;
    if (opening?.agent && !resume) return Promise.resolve({ agent: opening.agent, requester: opening.requester });
    this.identity ??= this.find().catch((error: unknown) => {
      this.identity = null;
      throw error;
    });
    return this.identity;
  }

  private startWith(
    { options, ...input }: SessionInput & { options: object },
    body: SendBody,
    { id, waits }: Sending,
  ): Promise<SendAnswer> {
    const startWorkflowOperation = new WithStartWorkflowOperation<Workflow>(SESSION_WORKFLOW, {
      ...options,
      workflowId: this.workflowId,
      taskQueue: this.parts.taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
    const args: [SendBody, Waits] = [body, waits];
    return this.parts.temporal.workflow.executeUpdateWithStart<Workflow, SendAnswer, [SendBody, Waits]>(SESSION_UPDATES.send, {
      args,
      updateId: id,
      startWorkflowOperation,
    });
  }

  private update<R>(name: string, body: object, { id, waits }: Sending): Promise<R> {
    return this.ask.handle.executeUpdate<R, [object, Waits]>(name, { args: [body, waits], updateId: id });
  }

  private async change(name: string, body: object): Promise<void> {
    const answer = await this.ask.sendUpdate(`take "${name}"`, (sending) => this.update<DecideAnswer>(name, body, sending));
    if (!answer.accepted) throw new DecisionNotAccepted(`Not accepted: ${answer.reason}.`);
  }
}
