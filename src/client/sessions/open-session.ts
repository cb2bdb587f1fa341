/** Opens a session's workflow: its options, their checks, and the comparison with a session of the same id. */
import { randomBytes } from 'node:crypto';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { TypedSearchAttributes, type Workflow } from '@temporalio/common';
import { waitForPendingWorkflowTask } from '../../temporal/executions';
import { hashJson } from '../../shared/json/digests';
import { isSessionId, LOCAL_PRINCIPAL, newTurnId, sessionWorkflowId, turnIdFromKey } from '../../shared/ids';
import { MAX_TITLE, type OpenedAnswer, type SessionInput } from '../../shared/turn/session';
import type { SessionSummary } from '../../shapes/session';
import { inlineCode } from '../../shared/text/visible';
import { keyword, keywordOf } from '../../shared/search-attributes';
import { MEMO_REQUEST, MEMO_REQUESTER, MEMO_TITLE, SESSION_UPDATES, SESSION_WORKFLOW } from '../../workflows/contract';
import { optional } from '../../shared/json/optional';
import { IdempotencyConflict, InvalidRequest } from '../errors';
import { noWorkerError } from '../turns/missing-answer';

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
  const sessionId = turnIdFromKey(requester, id);
  if (!isSessionId(sessionId))
    throw new InvalidRequest(`session: "id" ${JSON.stringify(id.slice(0, 130))} must have at most 110 characters.`);
  return sessionId;
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

/**
 * Opens the session, or finds it open already.
 * @param ask true: waits until a worker has accepted or refused the fork, and returns its answer; false: returns null
 * @throws IdempotencyConflict if the id was used for another agent, requester or fork; NoWorker
 */
export async function openSession(
  { temporal, taskQueue }: { temporal: Client; taskQueue: string },
  { options, ...input }: Opening,
  ask: boolean,
): Promise<OpenedAnswer | null> {
  const workflowId = sessionWorkflowId(input.session_id);
  const fingerprint = hashJson({ agent: input.agent, requester: input.requester, fork: input.fork?.block ?? null });
  const start = {
    ...options,
    memo: { ...options.memo, [MEMO_REQUEST]: fingerprint },
    workflowId,
    taskQueue,
    args: [input] as [SessionInput],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' as const,
  };
  let answer: OpenedAnswer | null = null;
  const handle = temporal.workflow.getHandle(workflowId);
  try {
    if (ask) {
      if ((await waitForPendingWorkflowTask(() => handle.describe()).catch(ignoreNotFound)) === false)
        throw await noWorkerError(temporal, { taskQueue }, 'open the session');
      const startWorkflowOperation = new WithStartWorkflowOperation<Workflow>(SESSION_WORKFLOW, start);
      const update = { args: [{}] as [object], startWorkflowOperation };
      answer = await temporal.workflow.executeUpdateWithStart<Workflow, OpenedAnswer, [object]>(SESSION_UPDATES.opened, update);
    } else await temporal.workflow.start(SESSION_WORKFLOW, start);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  const there = await handle.describe();
  const { agent, requester } = sessionSummary(there, null);
  // Without a fork in this request, only agent and requester must match, even if the session began as a fork.
  const same = input.fork ? there.memo?.[MEMO_REQUEST] === fingerprint : agent === input.agent && requester === input.requester;
  if (!same) throw new IdempotencyConflict(workflowId);
  return answer;
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
