/** Ids of turns, calls, activities, workflows and traces. */
import { hashJson } from './json/digests';
import { isHash } from './json/sha256';

/** The principal of the command line, and of a library user that names none. */
export const LOCAL_PRINCIPAL = 'local';

const TURN_ID = /^[A-Za-z0-9._~-]{1,128}$/;
const HASHED_KEY = /^k_[0-9a-f]{40}$/;
const RANDOM = /^[0-9a-f]{12,}$/;

/**
 * Valid as the id of a turn or of a session: `[A-Za-z0-9._~-]{1,128}`, except `.` and `..`, because every HTTP client would resolve
 * these in `/v1/turns/:id`.
 */
export function isTurnId(id: string): boolean {
  return TURN_ID.test(id) && id !== '.' && id !== '..';
}

/**
 * A default id that sorts by time: `20260131T095959123Z-<12 hex>` (UTC).
 * @param nowMs milliseconds since the epoch
 * @param randomHex 12 or more lower-case hex characters; the first 12 are used
 * @throws RangeError for bad arguments
 */
export function newTurnId(nowMs: number, randomHex: string): string {
  return `${new Date(nowMs).toISOString().replace(/[-:.]/g, '')}-${random12(randomHex)}`;
}

/**
 * The turn id for a caller's idempotency key, so that Temporal itself starts the turn once. A local key that is a valid id is the
 * id. Any other key gives `k_` and 40 hex of the hash of `{v:"holdfast.key/1",principal,key}`: two principals never share a key's
 * turn, and a key may hold any text. A local key that looks like such a hash is hashed too, so that it cannot name another
 * principal's turn.
 * @throws CanonicalError for a key or principal with a lone surrogate
 */
export function turnIdFromKey(principal: string, key: string): string {
  if (principal === LOCAL_PRINCIPAL && isTurnId(key) && !HASHED_KEY.test(key)) return key;
  return `k_${hashJson({ v: 'holdfast.key/1', principal, key }).slice(0, 40)}`;
}

const ONE_TIME = 'once_';

/** A key for a request that came without one. No caller knows it, and no list shows it. */
export function oneTimeKey(randomHex: string): string {
  return `${ONE_TIME}${randomHex}`;
}

export function isOneTimeKey(key: string): boolean {
  return key.startsWith(ONE_TIME);
}

/**
 * `<step>.<index>`, both from 1.
 * @throws RangeError if either is not an integer from 1
 */
export function callId(step: number, index: number): string {
  return `${fromOne('step', step)}.${fromOne('index', index)}`;
}

/**
 * `<step>.<index>:<tool>:<first 16 of the digest>`, and `:<dispatch>` from the second dispatch on: unique in the run, readable in
 * the Web UI, and checked by Temporal's replay.
 * @throws RangeError for a digest that is not 64 hex, or a dispatch below 1
 */
export function activityId(call: string, tool: string, digest: string, dispatch = 1): string {
  if (!isHash(digest)) throw new RangeError(`A digest is 64 lower-case hex characters, not ${JSON.stringify(digest)}`);
  const id = `${call}:${tool}:${digest.slice(0, 16)}`;
  return fromOne('dispatch', dispatch) === 1 ? id : `${id}:${dispatch}`;
}

const CALL_PREFIX = 'call/';

/** `call/<id>`: the turn id of a direct call, and its workflow id too. It is accepted wherever a turn id is. */
export function directCallId(id: string): string {
  return `${CALL_PREFIX}${id}`;
}

const LONGEST_KEY = 1000;

/** False for a text that no caller can have given as an idempotency key. */
export function mayBeKey(key: string): boolean {
  return key !== '' && key.length <= LONGEST_KEY && key.isWellFormed();
}

/** The ids of the turn and of the direct call that a principal would have started under a key; none for an invalid key. */
export function idsFromKey(principal: string, key: string): string[] {
  if (!mayBeKey(key)) return [];
  const id = turnIdFromKey(principal, key);
  return [id, directCallId(id)];
}

/** An id that may be copied from a link, where the slash of a direct call is written `%2F`. */
export function asTurnId(text: string): string {
  return text.replace(/^call%2F/i, CALL_PREFIX);
}

/** True for the id of a direct call: `call/` and a valid turn id. */
export function isDirectCallId(id: string): boolean {
  return id.startsWith(CALL_PREFIX) && isTurnId(id.slice(CALL_PREFIX.length));
}

/** `turn/<id>`; for a direct call, the id itself. */
export function workflowId(turnId: string): string {
  return isDirectCallId(turnId) ? turnId : `turn/${turnId}`;
}

/** The turn or direct call of a workflow that `workflowId` names. */
export function turnIdOf(workflow: string): string {
  return workflow.replace(/^turn\//, '');
}

/** The id of a session's turn is the session's id and a number; both together have to be a valid turn id. */
const LONGEST_SESSION_ID = 110;

/** Valid as the id of a session: a valid turn id of at most 110 characters. */
export function isSessionId(id: string): boolean {
  return isTurnId(id) && id.length <= LONGEST_SESSION_ID;
}

/** `session/<id>` */
export function sessionWorkflowId(sessionId: string): string {
  return `session/${sessionId}`;
}

/**
 * `<session>.<n>`, n from 1; `<session>.<n>-<series>` in a session that was opened again under the same id. Ids of the two forms
 * never collide: after the last dot, the first form has a number, and the second one does not.
 * @throws RangeError
 */
export function sessionTurnId(sessionId: string, number: number, series = ''): string {
  return `${sessionId}.${fromOne('number', number)}${series === '' ? '' : `-${series}`}`;
}

/** @returns the session of the turn with this id; null: the id is not of a session's turn */
export function sessionOfTurn(turnId: string): string | null {
  return /^(.+)\.[1-9][0-9]{0,14}(?:-[0-9a-f]{8})?$/.exec(turnId)?.[1] ?? null;
}

/** Eight hex: they separate the turns of sessions that were opened one after the other under one id. */
export function sessionSeries(firstExecutionRunId: string): string {
  return hashJson({ v: 'holdfast.series/1', run: firstExecutionRunId }).slice(0, 8);
}

/**
 * `trace_YYYYMMDD_<12 hex>` (UTC), one per turn.
 * @param randomHex 12 or more lower-case hex characters; the first 12 are used
 * @throws RangeError for bad arguments
 */
export function traceId(nowMs: number, randomHex: string): string {
  return `trace_${new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '')}_${random12(randomHex)}`;
}

function random12(hex: string): string {
  if (!RANDOM.test(hex))
    throw new RangeError(`Needs 12 or more lower-case hex characters of randomness, not ${JSON.stringify(hex)}`);
  return hex.slice(0, 12);
}

function fromOne(what: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${what} is an integer from 1, not ${value}`);
  return value;
}

// Triggers: webhooks from outside that start turns. Their requesters are a tenant of their own, which no person has.

export const TRIGGER_PREFIX = 'trigger/';

/** Of the turns that a trigger starts. Their message is outsiders' text. */
export function triggerRequester(path: string): string {
  return `${TRIGGER_PREFIX}${path}`;
}

/** @param requester as recorded at the start of a turn; null: it cannot be read */
export function isTriggerRequester(requester: string | null): boolean {
  return requester?.startsWith(TRIGGER_PREFIX) === true;
}

/** The tenant of a name `tenant/name`; null: the name has no slash, and is the operator's own. */
export function tenantOf(name: string): string | null {
  const slash = name.indexOf('/');
  return slash < 0 ? null : name.slice(0, slash);
}
