/** What starting a turn takes, and what Temporal is told of it. */
import { TypedSearchAttributes } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { isTurnId, idsFromKey, LOCAL_PRINCIPAL, mayBeKey, workflowId } from '../../shared/ids';
import { keyword } from '../../shared/search-attributes';
import { workflowExists } from '../../temporal/executions';
import { visibilityText } from '../../shared/text/visibility-text';
import { TURNS_AND_CALLS } from '../../workflows/contract';
import { InvalidRequest } from '../errors';

export interface StartTurn {
  agent: string;
  /** At most 100,000 characters. */
  message: string;
  /** Idempotency key: the same key starts one turn, for as long as the namespace retains it. */
  id?: string;
  sessionId?: string;
  /** Who asks. Default `local`. */
  requester?: string;
  /** Part of the store with where to tell of questions and of the end (notify/callback.ts). */
  callbackRef?: string;
}

const MAX_MESSAGE = 100_000;

/** @throws InvalidRequest */
export function checkStartTurn({ agent, message, id, sessionId }: StartTurn, requester: string): void {
  if (typeof agent !== 'string' || agent === '')
    throw new InvalidRequest('start: "agent" is missing: name one of the agents that the worker serves.');
  if (typeof message !== 'string' || message.trim() === '') throw new InvalidRequest('start: "message" is empty.');
  if (message.length > MAX_MESSAGE)
    throw new InvalidRequest(`start: "message" has ${message.length} characters; ${MAX_MESSAGE} are allowed.`);
  if (typeof requester !== 'string' || requester === '' || requester.length > 200)
    throw new InvalidRequest('start: "requester" must be 1 to 200 characters.');
  // An empty key is a caller's bug: every request would be the same one.
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    throw new InvalidRequest('start: "id" must be a text that is not empty, or absent.');
  for (const [name, text] of Object.entries({ agent, message, id, requester }))
    if (text?.isWellFormed() === false)
      throw new InvalidRequest(`start: "${name}" is not well-formed Unicode (it has half a character).`);
  if (sessionId !== undefined && !isTurnId(sessionId))
    throw new InvalidRequest(`start: "sessionId" ${JSON.stringify(sessionId)} must match [A-Za-z0-9._~-]{1,128}.`);
}

/** What both workflows are given. */
export interface Started {
  turn_id: string;
  /** Null: the worker chooses, and writes the attribute itself. */
  agent: string | null;
  requester: string;
  trace_id: string;
  session_id?: string | null;
}

export function searchAttributes({ agent, requester, session_id = null }: Started): TypedSearchAttributes {
  return new TypedSearchAttributes([
    ...(agent === null ? [] : [keyword('agent', agent)]),
    keyword('state', 'running'),
    keyword('requester', requester),
    ...(session_id === null ? [] : [keyword('session', session_id)]),
  ]);
}

// Turns and direct calls found by the idempotency key that somebody gave: their id may be a hash of it and of who asked
// (shared/ids.ts). Temporal lists who has asked for something; what each of them would have made under the key is looked up.

/** So many principals' keys are tried. */
const MOST_PRINCIPALS = 200;

export interface FoundByKey {
  /** Of the turn or direct call. */
  id: string;
  requester: string;
}

export async function foundByKey(temporal: Client, key: string): Promise<FoundByKey[]> {
  const found: FoundByKey[] = [];
  if (!mayBeKey(key)) return found;
  for await (const requester of requesters(temporal))
    for (const id of idsFromKey(requester, key))
      if (await workflowExists(temporal, workflowId(id))) found.push({ id, requester });
  return found;
}

/** Each once; the newest first. */
async function* requesters(temporal: Client): AsyncGenerator<string> {
  const known = [LOCAL_PRINCIPAL];
  yield LOCAL_PRINCIPAL;
  while (known.length < MOST_PRINCIPALS) {
    const others = `${TURNS_AND_CALLS} AND HoldfastRequester NOT IN (${known.map((name) => visibilityText(name)).join(', ')})`;
    const next = await first(temporal.workflow.list({ query: others, pageSize: 1 }));
    const requester = next?.searchAttributes.HoldfastRequester?.[0];
    if (typeof requester !== 'string') return;
    known.push(requester);
    yield requester;
  }
}

async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
