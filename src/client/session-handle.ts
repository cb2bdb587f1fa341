import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation, WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { settledDown } from '../entities/under-way';
import { isTurnId, sessionWorkflowId } from '../shared/ids';
import { MAX_MESSAGE, readSend, type SendAnswer, type SendBody, type SessionInput, type SessionView } from '../shared/session';
import { SESSION_UPDATES, SESSION_WORKFLOW, STATUS_QUERY, type DecideAnswer } from '../workflows/contract';
import { doneBefore, type Act, type DoneBefore } from './done-before';
import { DecisionNotAccepted, InvalidRequest, type NoWorker, SessionNotFound, TurnNotFound } from './errors';
import { sessionSummary, type SessionSummary } from './open-session';
import { isUnanswered, type TurnHandle } from './turn-handle';
import { unanswered } from './unanswered';

export interface SendMessage {
  /** Idempotency key: the same message again under it gives the same turn; for the last 1,000 messages of the session. */
  id?: string;
  /** Part of the store with where to tell of the turn's questions and of its end (notify/callback.ts). */
  callbackRef?: string;
}

export interface SentMessage extends SendAnswer {
  turn: TurnHandle;
}

/** What a handle needs of the client that made it. */
export interface SessionParts {
  temporal: Client;
  taskQueue: string;
  uiUrl: string | null;
  turn(id: string): TurnHandle;
  /** Signs a message to the session; gives nothing where the client has no key. */
  sign(session: { session_id: string; agent: string; requester: string }, message: string): Promise<{ attestation?: string }>;
  signs: boolean;
}

const ANSWER_WITHIN = 15_000;
/** A run of the session that ends may leave an update without an answer: it is asked again, and happens once. */
const TRIES = 4;
const TRY_WITHIN = 5000;
const PAUSE = 200;
/** How often it is looked for a turn that has not begun, ms: ever more seldom, since each look asks the worker. */
const POLL_FIRST = 200;
const POLL_LAST = 3000;
export const RESUME_TEXT = 'Go on.';

/** One conversation: say something, see how it stands, stop it, go on. */
export class SessionHandle {
  readonly workflowId: string;
  /** They never change. */
  private known: Promise<Pick<SessionSummary, 'agent' | 'requester'>> | null = null;

  /** @param opening what it is started with by the first message; null: it is there already */
  constructor(
    private readonly parts: SessionParts,
    /** The session's id, without `session/`. */
    readonly id: string,
    private readonly opening: (SessionInput & { options: object }) | null,
    /** What is done through this handle happens once under this name. */
    private readonly name: string | null = null,
  ) {
    this.workflowId = sessionWorkflowId(id);
  }

  /** The same session, for whoever does one thing under a name: however often it is sent under it, it happens once in a run. */
  named(name: string): SessionHandle {
    return new SessionHandle(this.parts, this.id, this.opening, name);
  }

  /** What was done to it under a name. @throws SessionNotFound; NoWorker while what was sent has no answer yet */
  doneBefore(act: Act): Promise<DoneBefore> {
    return this.asked('answer what was sent before', () => doneBefore(this.parts.temporal, this.workflowId, act));
  }

  /** The session in the Web UI; null when no UI is known. */
  get uiUrl(): string | null {
    return this.parts.uiUrl;
  }

  /**
   * Says something: a turn of its own, after those that wait. Answers at once.
   * @param message 1 to 100,000 characters
   * @throws InvalidRequest; DecisionNotAccepted with the reason (closed, full, the id used for another message); SessionNotFound, NoWorker
   */
  send(message: string, more: SendMessage = {}): Promise<SentMessage> {
    return this.deliver(message, more);
  }

  /**
   * Goes on after a turn that was interrupted, failed or reached a limit, before whatever waits.
   * @throws DecisionNotAccepted when a turn runs, or the last one came to its end
   */
  resume(message: string = RESUME_TEXT, more: SendMessage = {}): Promise<SentMessage> {
    return this.deliver(message, more, true);
  }

  /** How Temporal has it: no worker is asked. @throws SessionNotFound */
  async find(): Promise<SessionSummary> {
    return sessionSummary(await this.asked('describe', () => this.handle.describe()), this.uiUrl);
  }

  /** @throws SessionNotFound, NoWorker */
  async status(): Promise<SessionView> {
    const view = await this.asked('tell how the session stands', () => this.handle.query<SessionView>(STATUS_QUERY));
    const { name } = (await this.asked('describe', () => this.handle.describe())).status;
    if (name === 'RUNNING') return { ...view, ui_url: this.uiUrl };
    const ended_at = (await this.handle.describe()).closeTime?.toISOString() ?? null;
    return { ...view, state: 'closed', ended_at, ui_url: this.uiUrl };
  }

  /**
   * Says something to the model of the running turn, which reads it before its next step.
   * @throws DecisionNotAccepted when no turn runs
   */
  async steer(text: string, by: Parameters<TurnHandle['steer']>[1]): Promise<TurnHandle> {
    const { running } = await this.status();
    if (!running) throw new DecisionNotAccepted('Not accepted: no turn runs; send a message instead.');
    const turn = this.parts.turn(running.turn_id);
    await turn.steer(text, by);
    return turn;
  }

  /** Ends the running turn before its next step. What waits is held. @throws DecisionNotAccepted when no turn runs */
  interrupt(by: { by: string }): Promise<void> {
    return this.change(SESSION_UPDATES.interrupt, { by: by.by });
  }

  /** @param title 1 to 200 characters. @throws DecisionNotAccepted */
  rename(title: string): Promise<void> {
    return this.change(SESSION_UPDATES.rename, { title });
  }

  /** Takes no more messages; what was taken is run, unless it is held. @throws DecisionNotAccepted */
  close(by: { by: string }): Promise<void> {
    return this.change(SESSION_UPDATES.close, { by: by.by });
  }

  /** Waits for a turn of this session to begin: those before it come first. @throws TurnNotFound when the session is over without it */
  async started(turnId: string, { signal }: { signal?: AbortSignal } = {}): Promise<TurnHandle> {
    if (!isTurnId(turnId)) throw new TurnNotFound(turnId);
    const turn = this.parts.turn(turnId);
    for (let wait = POLL_FIRST; ; wait = Math.min(POLL_LAST, wait * 1.5)) {
      signal?.throwIfAborted();
      if (await turn.exists()) return turn;
      const view = await this.status();
      const waits = view.running?.turn_id === turnId || view.queue.some((queued) => queued.turn_id === turnId);
      if (!waits && !(await turn.exists())) throw new TurnNotFound(turnId);
      await sleep(wait, undefined, signal ? { signal } : {});
    }
  }

  private get handle() {
    return this.parts.temporal.workflow.getHandle(this.workflowId);
  }

  private async deliver(message: string, { id, callbackRef }: SendMessage, resume = false): Promise<SentMessage> {
    if (typeof message !== 'string' || message.length > MAX_MESSAGE || message.trim() === '')
      throw new InvalidRequest(`send: the message must be 1 to ${MAX_MESSAGE} characters.`);
    const opening = this.opening;
    const { agent, requester } = await this.facts(resume);
    const signed = this.parts.signs ? await this.parts.sign({ session_id: this.id, agent, requester }, message) : {};
    const of = opening?.agent ? { agent: opening.agent } : {};
    const body: SendBody = {
      message_id: id ?? randomUUID(),
      message,
      requester,
      ...of,
      ...(resume ? { resume } : {}),
      ...(callbackRef === undefined ? {} : { callback_ref: callbackRef }),
      ...signed,
    };
    const read = readSend({ ...body });
    if (!read.ok) throw new InvalidRequest(`send: ${read.reason}.`);
    const send =
      opening && !resume ? () => this.startWith(opening, body) : () => this.update<SendAnswer>(SESSION_UPDATES.send, body);
    const answer = await this.settled('take the message', send);
    return { ...answer, turn: this.parts.turn(answer.turn_id) };
  }

  /** Without a query: one that is answered right before an update could keep the session from ever being replayed. */
  private facts(resume: boolean): Promise<Pick<SessionSummary, 'agent' | 'requester'>> {
    const { opening } = this;
    if (opening?.agent && !resume) return Promise.resolve({ agent: opening.agent, requester: opening.requester });
    this.known ??= this.find().catch((error: unknown) => {
      this.known = null;
      throw error;
    });
    return this.known;
  }

  /** An update, once nothing is under way that it could come in between. */
  private settled<R>(what: string, ask: () => Promise<R>): Promise<R> {
    const describe = () => this.asked('describe', () => this.handle.describe());
    return this.asked(what, ask, async () => {
      const settled = await settledDown(describe).catch((error: unknown) => {
        if (error instanceof SessionNotFound && this.opening) return true; // it begins with this message
        throw error;
      });
      if (!settled) throw await this.unanswered(what);
    });
  }

  private startWith({ options, ...input }: SessionInput & { options: object }, body: SendBody): Promise<SendAnswer> {
    const startWorkflowOperation = new WithStartWorkflowOperation<any>(SESSION_WORKFLOW, {
      ...options,
      workflowId: this.workflowId,
      taskQueue: this.parts.taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
    const args: [SendBody] = [body];
    return this.parts.temporal.workflow.executeUpdateWithStart<any, SendAnswer, [SendBody]>(SESSION_UPDATES.send, {
      args,
      ...this.underName,
      startWorkflowOperation,
    });
  }

  private update<R>(name: string, body: object): Promise<R> {
    return this.handle.executeUpdate<R, [object]>(name, { args: [body], ...this.underName });
  }

  private get underName(): { updateId?: string } {
    return this.name === null ? {} : { updateId: this.name };
  }

  private async change(name: string, body: object): Promise<void> {
    const answer = await this.settled(`take "${name}"`, () => this.update<DecideAnswer>(name, body));
    if (!answer.accepted) throw new DecisionNotAccepted(`Not accepted: ${answer.reason}.`);
  }

  private async asked<R>(what: string, ask: () => Promise<R>, before: () => Promise<void> = async () => {}): Promise<R> {
    for (let tried = 1; ; tried++) {
      await before();
      try {
        const within = tried < TRIES ? TRY_WITHIN : ANSWER_WITHIN;
        return await this.parts.temporal.connection.withDeadline(Date.now() + within, ask);
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError && !isRunOver(error))
          throw new DecisionNotAccepted(`Not accepted: ${error.cause?.message ?? error.message}.`);
        if (error instanceof WorkflowExecutionAlreadyStartedError) throw this.closed();
        if (error instanceof WorkflowNotFoundError) {
          const name = await this.stands();
          if (name === null) throw new SessionNotFound(this.id);
          if (name !== 'RUNNING') throw this.closed();
        } else if (!isUnanswered(error) && !(error instanceof WorkflowUpdateFailedError)) throw error;
        if (tried >= TRIES) throw isUnanswered(error) ? await this.unanswered(what) : error;
        await sleep(PAUSE * tried);
      }
    }
  }

  /** Of the queue, not of the workflow: it may not have begun. */
  private unanswered(what: string): Promise<NoWorker> {
    return unanswered(this.parts.temporal, { taskQueue: this.parts.taskQueue }, what);
  }

  private closed(): DecisionNotAccepted {
    return new DecisionNotAccepted(`Not accepted: session ${this.id} is closed.`);
  }

  private stands(): Promise<string | null> {
    return this.handle.describe().then(
      ({ status }) => status.name,
      () => null,
    );
  }
}

/** The run that had taken the update ended without an answer, in another one. */
function isRunOver(error: WorkflowUpdateFailedError): boolean {
  return /acceptedUpdateCompletedWorkflow|workflow (execution )?(already )?(completed|closed)/i.test(
    `${(error.cause as { type?: string } | undefined)?.type ?? ''} ${error.cause?.message ?? ''}`,
  );
}
