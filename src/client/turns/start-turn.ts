/** Starts a turn or direct call once under its key, and finds what was started or done before under a key or a name. */
import { TypedSearchAttributes } from '@temporalio/common';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { directCallId, isOneTimeKey, isTurnId, idsFromKey, LOCAL_PRINCIPAL, mayBeKey, workflowId } from '../../shared/ids';
import { keyword } from '../../shared/search-attributes';
import { workflowExists } from '../../temporal/executions';
import { visibilityText } from '../../shared/text/visible';
import { MAX_MESSAGE } from '../../shared/turn/message';
import type { MessageInput } from '../../shapes/message';
import { MEMO_KEY, MEMO_REQUEST, MEMO_TRACE, TURNS_AND_CALLS } from '../../workflows/contract';
import { decodeArrayFromPayloads } from '../../temporal/sdk-private';
import { readFact } from '../../record/history';
import { readRun, timeOf, type HistoryEvent } from '../../temporal/history/read-history';
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import type { MissingAnswer } from '../../temporal/send-update';
import { isJsonObject, type Json } from '../../shared/json/json';
import { IdempotencyConflict, InvalidRequest } from '../errors';

export interface StartTurn {
  agent: string;
  /** A text of at most 100,000 characters, or parts: texts, and files by reference (`client.files.put`) or as base64. */
  message: MessageInput;
  /** Idempotency key: the same key starts one turn, for as long as the namespace retains it. */
  id?: string;
  sessionId?: string;
  /** Who asks. Default `local`. */
  requester?: string;
  /** A part of the store that says where to report questions and the end (notify/webhook.ts). */
  callbackRef?: string;
}

/** @throws InvalidRequest */
export function checkStartTurn({ agent, message, id, sessionId }: StartTurn, requester: string): void {
  if (typeof agent !== 'string' || agent === '')
    throw new InvalidRequest('start: "agent" is missing: name one of the agents that the worker serves.');
  if (!Array.isArray(message) && (typeof message !== 'string' || message.trim() === ''))
    throw new InvalidRequest('start: "message" is empty.');
  if (typeof message === 'string' && message.length > MAX_MESSAGE)
    throw new InvalidRequest(`start: "message" has ${message.length} characters; ${MAX_MESSAGE} are allowed.`);
  if (typeof requester !== 'string' || requester === '' || requester.length > 200)
    throw new InvalidRequest('start: "requester" must be 1 to 200 characters.');
  // An empty key is a caller's bug: every request would be the same one.
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    throw new InvalidRequest('start: "id" must be a text that is not empty, or absent.');
  for (const [name, text] of Object.entries({ agent, message, id, requester }))
    if (typeof text === 'string' && !text.isWellFormed())
      throw new InvalidRequest(`start: "${name}" is not well-formed Unicode (it has half a character).`);
  if (sessionId !== undefined && !isTurnId(sessionId))
    throw new InvalidRequest(`start: "sessionId" ${JSON.stringify(sessionId)} must match [A-Za-z0-9._~-]{1,128}.`);
}

/** The input that the workflows of turns and direct calls share. */
export interface TurnStart {
  turn_id: string;
  /** Null: the worker chooses the agent, and writes the search attribute itself. */
  agent: string | null;
  requester: string;
  trace_id: string;
  session_id?: string | null;
}

/**
 * Starts the workflow of a turn or direct call, or finds that the same request started it before.
 * @param start.fingerprint hash of what makes the request the same
 * @param start.key the caller's idempotency key; absent: the id is new
 * @throws IdempotencyConflict if the id was used for another request
 */
export async function startOnce(
  temporal: Client,
  type: string,
  input: TurnStart,
  start: { taskQueue: string; eager: boolean; fingerprint: string; summary: string; key: string | undefined },
): Promise<void> {
  const { fingerprint, key } = start;
  const isKey = key !== undefined && !isOneTimeKey(key) && ![key, directCallId(key)].includes(input.turn_id);
  try {
    await temporal.workflow.start(type, {
      workflowId: workflowId(input.turn_id),
      taskQueue: start.taskQueue,
      args: [input],
      requestEagerStart: start.eager,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      // Starting a workflow that runs already is an error too: a start that succeeds is this request, and needs no comparison.
      workflowIdConflictPolicy: 'FAIL',
      typedSearchAttributes: searchAttributes(input),
      memo: { [MEMO_REQUEST]: fingerprint, [MEMO_TRACE]: input.trace_id, ...(isKey ? { [MEMO_KEY]: key } : {}) },
      staticSummary: start.summary,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (key === undefined) return;
    const { memo } = await temporal.workflow.getHandle(workflowId(input.turn_id)).describe();
    if (memo?.[MEMO_REQUEST] !== fingerprint) throw new IdempotencyConflict(input.turn_id);
  }
}

function searchAttributes({ agent, requester, session_id = null }: TurnStart): TypedSearchAttributes {
  return new TypedSearchAttributes([
    ...(agent === null ? [] : [keyword('agent', agent)]),
    keyword('state', 'running'),
    keyword('requester', requester),
    ...(session_id === null ? [] : [keyword('session', session_id)]),
  ]);
}

// Finds turns and direct calls by an idempotency key. Their id may be a hash of the key and the requester (shared/ids.ts). So the
// requesters are listed from Temporal, and the id that each would have made of the key is looked up.

/** Limit for the requesters that are tried. */
const MOST_PRINCIPALS = 200;

export interface FoundByKey {
  /** Id of the turn or direct call. */
  id: string;
  requester: string;
}

export async function foundByKey(temporal: Client, key: string): Promise<FoundByKey[]> {
  const matches: FoundByKey[] = [];
  if (!mayBeKey(key)) return matches;
  for await (const requester of requesters(temporal))
    for (const id of idsFromKey(requester, key))
      if (await workflowExists(temporal, workflowId(id))) matches.push({ id, requester });
  return matches;
}

/** Each once: `local`, then the newest first. */
async function* requesters(temporal: Client): AsyncGenerator<string> {
  const names = [LOCAL_PRINCIPAL];
  yield LOCAL_PRINCIPAL;
  while (names.length < MOST_PRINCIPALS) {
    const others = `${TURNS_AND_CALLS} AND HoldfastRequester NOT IN (${names.map((name) => visibilityText(name)).join(', ')})`;
    const next = await first(temporal.workflow.list({ query: others, pageSize: 1 }));
    const requester = next?.searchAttributes.HoldfastRequester?.[0];
    if (typeof requester !== 'string') return;
    names.push(requester);
    yield requester;
  }
}

async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

// Finds acts on a workflow by their name, in its history. The name is the update's id, or a cancellation's reason. So Temporal
// takes an act once in a run, and any process that asks again finds that it was taken.

/** An accepted act: what was sent, and the answer. Both are null for a cancellation. */
export interface ActRecord {
  sent: Json;
  answer: Json;
}

export interface DoneBefore {
  /** Null: nothing was accepted under this name. */
  accepted: ActRecord | null;
  /** How many attempts were refused. Each has a name of its own, so that the next one is decided anew. */
  refused: number;
}

interface Run {
  workflowId: string;
  runId: string;
}

/** The fate while `doneBefore` waits: something was taken. */
export const SENT_BEFORE: MissingAnswer = { taken: 'no answer yet' };

export const NO_EARLIER_ACT: DoneBefore = { accepted: null, refused: 0 };

/** The name of the next attempt, after this many refusals. */
export function nameOf({ name }: Act, { refused }: DoneBefore): string {
  return `${name}.${refused}`;
}

/** An act: its name, and the time before which it was not sent (ms). */
export interface Act {
  name: string;
  since: number;
}

/** Searches from the newest run back to the run at `since`. Waits for the answer of an update that was taken and has none yet. */
export async function doneBefore(client: Client, workflowId: string, { name, since }: Act): Promise<DoneBefore> {
  const names = (id: string | null): boolean => id?.startsWith(`${name}.`) === true;
  const decode = async (payloads: Parameters<typeof decodeArrayFromPayloads>[1]) =>
    ((await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads ?? []))[0] ?? null) as Json;
  let refusals = 0;
  let next: string | null = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (next !== null) {
    const run: Run = { workflowId, runId: next };
    const bodies = new Map<string, Json>();
    const answers = new Map<string, Json | undefined>();
    next = null;
    for await (const event of events(client, run)) {
      const fact = readFact(event);
      if (fact?.kind === 'run_started' && fact.continued_run !== null && Date.parse(timeOf(event)) + CLOCKS_MS > since)
        next = fact.continued_run;
      if (fact?.kind === 'cancel_requested' && names(fact.cause))
        return { accepted: { sent: null, answer: null }, refused: refusals };
      if (fact?.kind === 'update_accepted' && names(fact.update_id)) bodies.set(fact.update_id, await decode(fact.input));
      if (fact?.kind === 'update_completed' && names(fact.update_id))
        answers.set(fact.update_id, fact.answer === null ? undefined : await decode(fact.answer));
    }
    for (const [id, body] of bodies) {
      const answer = answers.has(id) ? answers.get(id) : await answerOf(client, run, id);
      if (answer !== undefined && !isRefusal(answer)) return { accepted: { sent: body, answer }, refused: refusals };
      refusals += 1;
    }
  }
  return { accepted: null, refused: refusals };
}

/** Undefined: the run ended without an answer, or the update was refused. */
async function answerOf(client: Client, { workflowId, runId }: Run, id: string) {
  try {
    return await client.workflow.getHandle(workflowId, runId).getUpdateHandle<Json>(id, { workflowRunId: runId }).result();
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Empty for a run that the namespace no longer retains. */
async function* events(client: Client, run: Run): AsyncGenerator<HistoryEvent> {
  try {
    yield* readRun(client, run, { follow: false });
  } catch (error) {
    if ((error as { code?: number }).code !== NOT_FOUND) throw error;
  }
}

const NOT_FOUND = 5;

function isRefusal(answer: Json): boolean {
  return isJsonObject(answer) && answer.accepted === false;
}
