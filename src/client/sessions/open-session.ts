/** What a session is opened with, checked, and what a list says of it. */
import { randomBytes } from 'node:crypto';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { isSessionId, LOCAL_PRINCIPAL, newTurnId, turnIdFromKey } from '../../shared/ids';
import { MAX_TITLE, type SessionInput } from '../../shared/turn/session';
import type { SessionSummary } from '../../shapes/session';
import { inlineCode } from '../../shared/text/visible';
import { keyword, keywordOf } from '../../shared/search-attributes';
import { MEMO_REQUESTER, MEMO_TITLE } from '../../workflows/contract';
import { InvalidRequest } from '../errors';

export interface OpenSession {
  agent: string;
  /** Idempotency key, and the session's id where it is a valid one. Default: an id that sorts by time. */
  id?: string;
  /** Whose it is. Default `local`. */
  requester?: string;
  title?: string;
}

export interface ForkSession extends Omit<OpenSession, 'agent'> {
  /** The last block that the new session has, 64 hex. */
  from: string;
  /** Default: that of the turn which the block is of. */
  agent?: string;
  /** Whose turn the block must be of. Default: the requester; null: whoever asks was checked already. */
  of?: string | null;
}

/** With what Temporal is told of it. */
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
      memo: { [MEMO_REQUESTER]: requester, ...(title === undefined ? {} : { [MEMO_TITLE]: title }) },
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
