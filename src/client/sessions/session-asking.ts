/** Sends requests to a session's workflow and retries them, an update under one id. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type WorkflowHandle, type Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { cameTooLate, fateOf, mayBeTaken, Sending, takenIn, type MissingAnswer } from '../../temporal/send-update';
import { waitForPendingWorkflowTask } from '../../temporal/executions';
import type { MessageInput } from '../../shapes/message';
import type { Message } from '../../shared/turn/message';
import { DecisionNotAccepted, type NoWorker, SessionNotFound } from '../errors';
import { isUnanswered, type TurnHandle } from '../turns/turn-handle';
import { noWorkerError } from '../turns/missing-answer';

const ANSWER_WITHIN = 15_000;
/** A run that ends may leave an update unanswered. It is then sent again, and takes effect once. */
const TRIES = 4;
const TRY_WITHIN = 5000;
const PAUSE = 200;

export class SessionAsking {
  readonly handle: WorkflowHandle;

  /** @param opens the first message starts the session if it does not exist */
  constructor(
    private readonly parts: SessionParts,
    private readonly id: string,
    private readonly workflowId: string,
    private readonly opens: boolean,
    private readonly name: string | null,
  ) {
    this.handle = parts.temporal.workflow.getHandle(workflowId);
  }

  async askWithRetries<R>(what: string, ask: () => Promise<R>, fate?: MissingAnswer): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        const within = attempt < TRIES ? TRY_WITHIN : ANSWER_WITHIN;
        return await this.parts.temporal.connection.withDeadline(Date.now() + within, ask);
      } catch (error) {
        const fault = await this.faultOf(error);
        if (fault !== null) throw fault;
        if (attempt >= TRIES) throw isUnanswered(error) ? await this.noAnswerError(what, fate) : error;
        await sleep(PAUSE * attempt);
      }
    }
  }

  /** The client's error for a failure that a retry does not fix; null: a retry may. */
  private async faultOf(error: unknown): Promise<Error | null> {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return this.closedSessionError();
    if (error instanceof WorkflowUpdateFailedError) return isRunOver(error) ? null : notAccepted(error);
    if (!(error instanceof WorkflowNotFoundError)) return isUnanswered(error) ? null : (error as Error);
    const name = await this.stands();
    if (name === null) return new SessionNotFound(this.id);
    return name === 'RUNNING' ? null : this.closedSessionError();
  }

  /**
   * Looks at the task queue, not at the workflow, which may not have begun.
   * @param fate fate of the request; absent: nothing was sent
   */
  private noAnswerError(what: string, fate?: MissingAnswer): Promise<NoWorker> {
    return noWorkerError(this.parts.temporal, { taskQueue: this.parts.taskQueue }, what, fate);
  }

  private closedSessionError(): DecisionNotAccepted {
    return new DecisionNotAccepted(`Not accepted: session ${this.id} is closed.`);
  }

  private stands(): Promise<string | null> {
    return this.handle.describe().then(
      ({ status }) => status.name,
      () => null,
    );
  }

  /**
   * Sends an update, once no workflow task is pending. It is sent several times under one id: a run that ends may leave it
   * unanswered.
   */
  async sendUpdate<R>(what: string, ask: (sending: Sending) => Promise<R>): Promise<R> {
    const runs: string[] = [];
    let sending: Sending | null = null;
    for (let attempt = 1; ; attempt++) {
      const isIdle = await this.waitForPendingWorkflowTask(runs).catch((error: unknown) => {
        if (sending === null) throw error;
        return false; // it was sent: its fate is found out
      });
      if (!isIdle && sending === null) throw await this.noAnswerError(what);
      const current = (sending ??= new Sending(this.name ?? undefined));
      if (!isIdle || Date.now() >= current.until) return this.answerOf(what, current, runs);
      const isLast = Date.now() + TRY_WITHIN >= current.until;
      try {
        const within = isLast ? current.deadline : Date.now() + TRY_WITHIN;
        return await this.parts.temporal.connection.withDeadline(within, () => ask(current));
      } catch (error) {
        // The refusal may be that of an earlier update of this name, whose sender no longer waits.
        const another = (cameTooLate(error) && this.name !== null) || mayBeTaken(error);
        const fault = another ? null : await this.faultOf(error);
        if (fault !== null && attempt === 1) throw fault;
        if (fault !== null) return this.answerOf(what, current, runs, fault);
        if (isLast) return this.answerOf(what, current, runs);
        await sleep(PAUSE * attempt);
      }
    }
  }

  /** Whether an update may be sent. @param runs the present run is added to it */
  private waitForPendingWorkflowTask(runs: string[]): Promise<boolean> {
    const describe = async () => {
      const description = await this.askWithRetries('describe', () => this.handle.describe());
      if (!runs.includes(description.runId)) runs.push(description.runId);
      return description;
    };
    return waitForPendingWorkflowTask(describe).catch((error: unknown) => {
      if (error instanceof SessionNotFound && this.opens) return true; // this message starts it
      throw error;
    });
  }

  /**
   * Finds out the fate of an update without an answer, and waits until it is certain.
   * @param fault proves that the update will not be taken later; thrown if it was not taken before
   * @throws fault; NoWorker
   */
  private async answerOf<R>(what: string, sending: Sending, runs: string[], fault?: Error): Promise<R> {
    const { temporal } = this.parts;
    const look = (fault ? takenIn : fateOf)<R>(temporal, this.workflowId, runs, sending);
    const fate = await look.catch((error: unknown) => {
      throw error instanceof WorkflowUpdateFailedError ? notAccepted(error) : error;
    });
    if (fate.taken === 'answered') return fate.answer;
    throw fate.taken === 'no' && fault ? fault : await this.noAnswerError(what, fate);
  }
}

function notAccepted({ cause, message }: WorkflowUpdateFailedError): DecisionNotAccepted {
  return new DecisionNotAccepted(`Not accepted: ${cause?.message ?? message}.`);
}

/** The run that had taken the update ended without answering it. */
function isRunOver(error: WorkflowUpdateFailedError): boolean {
  return /acceptedUpdateCompletedWorkflow|workflow (execution )?(already )?(completed|closed)/i.test(
    `${(error.cause as { type?: string } | undefined)?.type ?? ''} ${error.cause?.message ?? ''}`,
  );
}

/** What a handle needs from the client that made it. */
export interface SessionParts {
  temporal: Client;
  taskQueue: string;
  uiUrl: string | null;
  turn(id: string): TurnHandle;
  /** The message to send: files in it go into the store. @throws InvalidRequest */
  message(requester: string, message: MessageInput): Promise<Message>;
  /** Signs a message to the session; empty if the client has no key. */
  sign(session: { session_id: string; agent: string; requester: string }, message: Message): Promise<{ attestation?: string }>;
  signs: boolean;
}
