/** Sends requests to a session's workflow and retries them, an update under one id; checks what a session is opened with. */
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowHandle,
  type Client,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError, TypedSearchAttributes } from '@temporalio/common';
import { cameTooLate, fateOf, mayBeTaken, Sending, takenIn, type MissingAnswer } from '../../temporal/send-update';
import { waitForPendingWorkflowTask } from '../../temporal/executions';
import { isSessionId, LOCAL_PRINCIPAL, newTurnId, turnIdFromKey } from '../../shared/ids';
import { MAX_TITLE, type SessionInput } from '../../shared/turn/session';
import type { SessionSummary } from '../../shapes/session';
import { inlineCode } from '../../shared/text/visible';
import { keyword, keywordOf } from '../../shared/search-attributes';
import { MEMO_REQUESTER, MEMO_TITLE } from '../../workflows/contract';
import { DecisionNotAccepted, type NoWorker, SessionNotFound, InvalidRequest } from '../errors';
import { isUnanswered, type TurnHandle } from '../turns/turn-handle';
import { noWorkerError } from '../turns/unanswered';
import { optional } from '../../shared/json/optional';

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
    for (let tried = 1; ; tried++) {
      try {
        const within = tried < TRIES ? TRY_WITHIN : ANSWER_WITHIN;
        return await this.parts.temporal.connection.withDeadline(Date.now() + within, ask);
      } catch (error) {
        const fault = await this.faultOf(error);
        if (fault !== null) throw fault;
        if (tried >= TRIES) throw isUnanswered(error) ? await this.noAnswerError(what, fate) : error;
        await sleep(PAUSE * tried);
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
    for (let tried = 1; ; tried++) {
      const settled = await this.waitForPendingWorkflowTask(runs).catch((error: unknown) => {
        if (sending === null) throw error;
        return false; // it was sent: its fate is found out
      });
      if (!settled && sending === null) throw await this.noAnswerError(what);
      const sent = (sending ??= new Sending(this.name ?? undefined));
      if (!settled || Date.now() >= sent.until) return this.answerOf(what, sent, runs);
      const isLast = Date.now() + TRY_WITHIN >= sent.until;
      try {
        const within = isLast ? sent.deadline : Date.now() + TRY_WITHIN;
        return await this.parts.temporal.connection.withDeadline(within, () => ask(sent));
      } catch (error) {
        // The refusal may be that of an earlier update of this name, whose sender no longer waits.
        const another = (cameTooLate(error) && this.name !== null) || mayBeTaken(error);
        const fault = another ? null : await this.faultOf(error);
        if (fault !== null && tried === 1) throw fault;
        if (fault !== null) return this.answerOf(what, sent, runs, fault);
        if (isLast) return this.answerOf(what, sent, runs);
        await sleep(PAUSE * tried);
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
  /** Signs a message to the session; empty if the client has no key. */
  sign(session: { session_id: string; agent: string; requester: string }, message: string): Promise<{ attestation?: string }>;
  signs: boolean;
}

// Opening a session: its options, their checks, and the summary in a list.

export interface OpenSession {
  agent: string;
  /** Idempotency key, and the session's id where it is a valid one. Default: an id that sorts by time. */
  id?: string;
  /** The principal that owns it. Default `local`. */
  requester?: string;
  title?: string;
}

export interface ForkSession extends Omit<OpenSession, 'agent'> {
  /** The last block that the new session keeps, 64 hex. */
  from: string;
  /** Default: the agent of the block's turn. */
  agent?: string;
  /** The principal that the block's turn must belong to. Default: the requester; null: the caller has checked it. */
  of?: string | null;
}

/** With the options for Temporal. */
export type Opening = SessionInput & {
  options: { typedSearchAttributes: TypedSearchAttributes; memo: Record<string, unknown>; staticSummary: string };
};

/** @throws InvalidRequest */
export function sessionIdOf({ id, requester = LOCAL_PRINCIPAL }: Pick<OpenSession, 'id' | 'requester'>): string {
  if (id === undefined) return newTurnId(Date.now(), randomBytes(6).toString('hex'));
  if (typeof id !== 'string' || id === '' || !id.isWellFormed())
    throw new InvalidRequest('session: "id" must be a text that is not empty, or absent.');
  const made = turnIdFromKey(requester, id);
  if (!isSessionId(made))
    throw new InvalidRequest(`session: "id" ${JSON.stringify(id.slice(0, 130))} must have at most 110 characters.`);
  return made;
}

/** @throws InvalidRequest */
export function openingOf(session_id: string, { agent, requester = LOCAL_PRINCIPAL, title }: Partial<OpenSession>): Opening {
  const text = (name: string, value: unknown, longest: number) => {
    if (typeof value === 'string' && value.trim() !== '' && value.length <= longest && value.isWellFormed()) return;
    throw new InvalidRequest(`session: "${name}" must be 1 to ${longest} characters of well-formed Unicode.`);
  };
  if (agent !== undefined) text('agent', agent, 64);
  text('requester', requester, 200);
  if (title !== undefined) text('title', title, MAX_TITLE);
  return {
    session_id,
    agent: agent ?? null,
    requester,
    title: title ?? null,
    options: {
      typedSearchAttributes: new TypedSearchAttributes([
        keyword('session', session_id),
        keyword('requester', requester),
        ...(agent === undefined ? [] : [keyword('agent', agent)]),
      ]),
      memo: { [MEMO_REQUESTER]: requester, ...optional({ [MEMO_TITLE]: title }) },
      staticSummary: `session ${inlineCode(title ?? session_id)}`,
    },
  };
}

export function sessionSummary(info: Omit<WorkflowExecutionInfo, 'raw'>, ui_url: string | null): SessionSummary {
  const { [MEMO_TITLE]: title, [MEMO_REQUESTER]: requester } = info.memo ?? {};
  return {
    session_id: info.workflowId.replace(/^session\//, ''),
    workflow_id: info.workflowId,
    agent: keywordOf(info.searchAttributes, 'agent'),
    requester: typeof requester === 'string' ? requester : keywordOf(info.searchAttributes, 'requester'),
    title: typeof title === 'string' ? title : null,
    state: info.status.name === 'RUNNING' ? 'open' : 'closed',
    started_at: info.startTime.toISOString(),
    ended_at: info.closeTime?.toISOString() ?? null,
    ui_url,
  };
}
