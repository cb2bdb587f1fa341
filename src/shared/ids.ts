/** Ids of turns, calls, activities, workflows and traces (contract.md, "Hashes, blocks, ids, states"). */
import { hashJson } from './json/digests';

/** The principal of the command line and of a library user who names none. */
export const LOCAL_PRINCIPAL = 'local';

const TURN_ID = /^[A-Za-z0-9._~-]{1,128}$/;
const HASHED_KEY = /^k_[0-9a-f]{40}$/;
const RANDOM = /^[0-9a-f]{12,}$/;

/**
 * Valid as the id of a turn or of a session: `[A-Za-z0-9._~-]{1,128}`. `.` and `..` are not: every
 * HTTP client would resolve them away in `/v1/turns/:id`.
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
 * The turn id that a backend's idempotency key stands for, so that Temporal itself starts it once. A
 * local key that is a valid id is the id. Any other is `k_` and 40 hex of the hash of
 * `{v:"holdfast.key/1",principal,key}`: two principals never meet under one key, and a key may hold
 * any text. A local key that looks like such a hash is hashed too, so that nobody can name another
 * principal's turn through it.
 * @throws CanonicalError for a key or principal with a lone surrogate
 */
export function turnIdFromKey(principal: string, key: string): string {
  if (principal === LOCAL_PRINCIPAL && isTurnId(key) && !HASHED_KEY.test(key)) return key;
  return `k_${hashJson({ v: 'holdfast.key/1', principal, key }).slice(0, 40)}`;
}

const ONE_TIME = 'once_';

/** A key for a request that came without one: nobody knows it, and no list shows it. */
export function oneTimeKey(randomHex: string): string {
  return `${ONE_TIME}${randomHex}`;
}

export function isOneTimeKey(key: string): boolean {
  return key.startsWith(ONE_TIME);
}

/**
 * `<step>.<index>`, both from 1.
 * @throws RangeError if either is not
 */
export function callId(step: number, index: number): string {
  return `${fromOne('step', step)}.${fromOne('index', index)}`;
}

/**
 * `<step>.<index>:<tool>:<first 16 of the digest>`, and `:<dispatch>` from the second dispatch on:
 * unique in the run, readable in the Web UI, and compared by Temporal's replay.
 * @throws RangeError for a digest that is not 64 hex, or a dispatch below 1
 */
export function activityId(call: string, tool: string, digest: string, dispatch = 1): string {
  if (!/^[0-9a-f]{64}$/.test(digest))
    throw new RangeError(`A digest is 64 lower-case hex characters, not ${JSON.stringify(digest)}`);
  const id = `${call}:${tool}:${digest.slice(0, 16)}`;
  return fromOne('dispatch', dispatch) === 1 ? id : `${id}:${dispatch}`;
}

const CALL_PREFIX = 'call/';

/** `call/<id>`: the turn id of a direct call, which is its workflow id too. So it goes wherever a turn id goes. */
export function directCallId(id: string): string {
  return `${CALL_PREFIX}${id}`;
}

const LONGEST_KEY = 1000;

/** False for what nobody can have given as an idempotency key. */
export function mayBeKey(key: string): boolean {
  return key !== '' && key.length <= LONGEST_KEY && key.isWellFormed();
}

/** The turn and the direct call that a principal would have started under a key; none for what is no key. */
export function idsFromKey(principal: string, key: string): string[] {
  if (!mayBeKey(key)) return [];
  const id = turnIdFromKey(principal, key);
  return [id, directCallId(id)];
}

/** An id as somebody may have copied it out of a link, where the slash of a direct call is written `%2F`. */
export function asTurnId(text: string): string {
  return text.replace(/^call%2F/i, CALL_PREFIX);
}

/** True for the id of a direct call: `call/` and what would be the id of a turn. */
export function isDirectCallId(id: string): boolean {
  return id.startsWith(CALL_PREFIX) && isTurnId(id.slice(CALL_PREFIX.length));
}

/** `turn/<id>`; a direct call's id is its workflow id. */
export function workflowId(turnId: string): string {
  return isDirectCallId(turnId) ? turnId : `turn/${turnId}`;
}

/** A session's turns have its id and a number: both together are the id of a turn. */
const LONGEST_SESSION_ID = 110;

/** Valid as the id of a session: as that of a turn, and at most 110 characters. */
export function isSessionId(id: string): boolean {
  return isTurnId(id) && id.length <= LONGEST_SESSION_ID;
}

/** `session/<id>` */
export function sessionWorkflowId(sessionId: string): string {
  return `session/${sessionId}`;
}

/**
 * `<session>.<n>`, n from 1; `<session>.<n>-<series>` in a session that was opened anew under its id. No session's turn has the
 * id of another's: what follows the last dot is a number in the one, and none in the other. @throws RangeError
 */
export function sessionTurnId(sessionId: string, number: number, series = ''): string {
  return `${sessionId}.${fromOne('number', number)}${series === '' ? '' : `-${series}`}`;
}

/** @returns the session whose turn has such an id; null: the id is none of a session's turn */
export function sessionOfTurn(turnId: string): string | null {
  return /^(.+)\.[1-9][0-9]{0,14}(?:-[0-9a-f]{8})?$/.exec(turnId)?.[1] ?? null;
}

/** Eight hex: tells the turns of one life of a session from those of the others. */
export function sessionSeries(firstExecutionRunId: string): string {
  return hashJson({ v: 'holdfast.series/1', run: firstExecutionRunId }).slice(0, 8);
}

/**
 * `trace_YYYYMMDD_<12 hex>` (UTC), one a turn.
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

/** Whose a name is: `tenant/name`; null: it has no slash, and is the operator's own. */
export function tenantOf(name: string): string | null {
  const slash = name.indexOf('/');
  return slash < 0 ? null : name.slice(0, slash);
}
