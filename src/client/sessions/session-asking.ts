/** How a session is asked: looks and queries are tried again, and so is an update, under one name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type WorkflowHandle, type Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { cameTooLate, fateOf, mayBeTaken, Sending, takenIn, type Unanswered } from '../../temporal/send-update';
import { waitForPendingWorkflowTask } from '../../temporal/executions';
import { DecisionNotAccepted, type NoWorker, SessionNotFound } from '../errors';
import { isUnanswered, type TurnHandle } from '../turns/turn-handle';
import { unanswered } from '../turns/unanswered';

const ANSWER_WITHIN = 15_000;
/** A run of the session that ends may leave an update without an answer: it is asked again, and happens once. */
const TRIES = 4;
const TRY_WITHIN = 5000;
const PAUSE = 200;

export class SessionAsking {
  readonly handle: WorkflowHandle;

  /** @param opens its first message opens it, where it is not there */
  constructor(
    private readonly parts: SessionParts,
    private readonly id: string,
    private readonly workflowId: string,
    private readonly opens: boolean,
    private readonly name: string | null,
  ) {
    this.handle = parts.temporal.workflow.getHandle(workflowId);
  }

  async asked<R>(what: string, ask: () => Promise<R>, fate?: Unanswered): Promise<R> {
    for (let tried = 1; ; tried++) {
      try {
        const within = tried < TRIES ? TRY_WITHIN : ANSWER_WITHIN;
        return await this.parts.temporal.connection.withDeadline(Date.now() + within, ask);
      } catch (error) {
        const fault = await this.faultOf(error);
        if (fault !== null) throw fault;
        if (tried >= TRIES) throw isUnanswered(error) ? await this.unanswered(what, fate) : error;
        await sleep(PAUSE * tried);
      }
    }
  }

  /** What an error means that another try does not change; null: one may. */
  private async faultOf(error: unknown): Promise<Error | null> {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return this.closed();
    if (error instanceof WorkflowUpdateFailedError) return isRunOver(error) ? null : notAccepted(error);
    if (!(error instanceof WorkflowNotFoundError)) return isUnanswered(error) ? null : (error as Error);
    const name = await this.stands();
    if (name === null) return new SessionNotFound(this.id);
    return name === 'RUNNING' ? null : this.closed();
  }

  /**
   * Of the queue, not of the workflow: it may not have begun.
   * @param fate of what was sent; absent: nothing was
   */
  private unanswered(what: string, fate?: Unanswered): Promise<NoWorker> {
    return unanswered(this.parts.temporal, { taskQueue: this.parts.taskQueue }, what, fate);
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

  /**
   * An update, once nothing is under way that it could come in between. It goes out several times under one name: a run that
   * ends may leave it without an answer.
   */
  async sent<R>(what: string, ask: (sending: Sending) => Promise<R>): Promise<R> {
    const runs: string[] = [];
    let sending: Sending | null = null;
    for (let tried = 1; ; tried++) {
      const settled = await this.waitForPendingWorkflowTask(runs).catch((error: unknown) => {
        if (sending === null) throw error;
        return false; // it was sent: what became of it is looked for
      });
      if (!settled && sending === null) throw await this.unanswered(what);
      const sent = (sending ??= new Sending(this.name ?? undefined));
      if (!settled || Date.now() >= sent.until) return this.answerOf(what, sent, runs);
      const isLast = Date.now() + TRY_WITHIN >= sent.until;
      try {
        const within = isLast ? sent.deadline : Date.now() + TRY_WITHIN;
        return await this.parts.temporal.connection.withDeadline(within, () => ask(sent));
      } catch (error) {
        // An earlier one of its name, whose sender no longer waits, may have been refused in its place.
        const another = (cameTooLate(error) && this.name !== null) || mayBeTaken(error);
        const fault = another ? null : await this.faultOf(error);
        if (fault !== null && tried === 1) throw fault;
        if (fault !== null) return this.answerOf(what, sent, runs, fault);
        if (isLast) return this.answerOf(what, sent, runs);
        await sleep(PAUSE * tried);
      }
    }
  }

  /** Whether an update may go out. @param runs to which the present run is added */
  private waitForPendingWorkflowTask(runs: string[]): Promise<boolean> {
    const describe = async () => {
      const description = await this.asked('describe', () => this.handle.describe());
      if (!runs.includes(description.runId)) runs.push(description.runId);
      return description;
    };
    return waitForPendingWorkflowTask(describe).catch((error: unknown) => {
      if (error instanceof SessionNotFound && this.opens) return true; // it begins with this message
      throw error;
    });
  }

  /**
   * Of an update without an answer: what became of it, once that can be said.
   * @param fault why it is certain that it is not taken, where it has not been
   * @throws fault; NoWorker
   */
  private async answerOf<R>(what: string, sending: Sending, runs: string[], fault?: Error): Promise<R> {
    const { temporal } = this.parts;
    const look = (fault ? takenIn : fateOf)<R>(temporal, this.workflowId, runs, sending);
    const fate = await look.catch((error: unknown) => {
      throw error instanceof WorkflowUpdateFailedError ? notAccepted(error) : error;
    });
    if (fate.taken === 'answered') return fate.answer;
    throw fate.taken === 'no' && fault ? fault : await this.unanswered(what, fate);
  }
}

function notAccepted({ cause, message }: WorkflowUpdateFailedError): DecisionNotAccepted {
  return new DecisionNotAccepted(`Not accepted: ${cause?.message ?? message}.`);
}

/** The run that had taken the update ended without an answer, in another one. */
function isRunOver(error: WorkflowUpdateFailedError): boolean {
  return /acceptedUpdateCompletedWorkflow|workflow (execution )?(already )?(completed|closed)/i.test(
    `${(error.cause as { type?: string } | undefined)?.type ?? ''} ${error.cause?.message ?? ''}`,
  );
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
