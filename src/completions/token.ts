/**
 * The token with which a call is completed later (`ctx.later`): an HMAC of the call's idempotency key under a secret, so that it is the
 * same in every attempt. The secret is that of the store, and of the key ring where the store is encrypted. The store and the history
 * have its hash only; a register of the store says which call it completes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LaterCompletion } from '../shared/io/activities';
import { canonical } from '../shared/json/canonical';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { sha256Hex } from '../shared/json/sha256';
import type { Store } from '../store/store';

/** 32 bytes, base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The call that a token completes. */
export type PendingCall = {
  turn_id: string;
  workflow_id: string;
  /** First execution run id of its turn. */
  scope: string;
  call_id: string;
  tool: string;
  /** ISO 8601. */
  expires_at: string;
};

export interface LaterRequest extends Omit<PendingCall, 'expires_at'> {
  idempotency_key: string;
  expires_ms: number;
  /** First pause before the tool's `poll` is asked. Absent: it is not asked. */
  poll_ms?: number;
}

export interface IssuedToken {
  token: string;
  later: LaterCompletion;
}

const TOKENS = 'completion-token';

type CompletionStore = Pick<Store, 'derivedKey' | 'registers' | 'putPart' | 'getPart'>;

/** Makes the token, and records which call it completes. A later attempt of the call gets the same, with the first one's expiry. */
export async function issueToken(store: CompletionStore, request: LaterRequest): Promise<IssuedToken> {
  const { idempotency_key, expires_ms, poll_ms, ...call } = request;
  const token = await tokenOf(store, idempotency_key);
  const token_hash = hashOf(token);
  // By the worker's clock, as the deadlines of effect records: the store's is not the one that the workflow goes by.
  const ownExpiry = new Date(Date.now() + expires_ms).toISOString();
  const expires_at = await store.registers.update<string>(nameOf(token_hash), (value) => {
    const before = pendingCall(value);
    if (before !== null) return { answer: before.expires_at };
    return { value: { ...call, expires_at: ownExpiry }, answer: ownExpiry };
  });
  return { token, later: { token_hash, expires_at, ...optional({ poll_ms }) } };
}

/** An attempt of the call that ran before the store was encrypted may have handed its token on: then the call keeps that one. */
async function tokenOf(store: CompletionStore, idempotencyKey: string): Promise<string> {
  const of = (key: Buffer) => createHmac('sha256', key).update(idempotencyKey).digest('base64url');
  const [token, before] = [of(store.derivedKey(TOKENS)), of(store.derivedKey(TOKENS, 'store'))];
  return token !== before && (await findByToken(store, before)) !== null ? before : token;
}

/** The call that a token completes, and the token's hash. Null: there is none. */
export async function findByToken(
  store: CompletionStore,
  token: string,
): Promise<{ call: PendingCall; token_hash: string } | null> {
  if (!TOKEN.test(token)) return null;
  const token_hash = hashOf(token);
  const call = pendingCall((await store.registers.read(nameOf(token_hash))).value);
  return call && { call, token_hash };
}

/** In a register that is kept: a call may be completed after months, and a late completion is to learn that it is late. */
function nameOf(tokenHash: string): string {
  return `kept/later/${tokenHash}`;
}

function hashOf(token: string): string {
  return sha256Hex(token);
}

function pendingCall(value: Json): PendingCall | null {
  return isJsonObject(value) && typeof value.workflow_id === 'string' ? (value as PendingCall) : null;
}

// What a call is completed with. It travels to the turn's workflow by its reference, so that history has no more than a hash. Everybody who
// can reach Temporal can send a workflow a reference, so the part has a signature of the store's secret. It is that of the store alone:
// a gateway signs it and a worker checks it, also while only one of them has read that the ring writes.

/** An error says that nothing was done. */
export type CompletionOutcome = { result: Json } | { error: string };

/** Levels of a result. JSON of the record has 200, and its parts have some of their own around a result. */
const MOST_LEVELS = 190;
export const TOO_DEEP = `the result is nested deeper than ${MOST_LEVELS} levels`;

export function isTooDeep(outcome: CompletionOutcome): boolean {
  return 'result' in outcome && hasMoreLevels(outcome.result, MOST_LEVELS);
}

function hasMoreLevels(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => hasMoreLevels(one, levels - 1));
}

/** @returns the part's hash */
export async function putCompletion(
  store: CompletionStore,
  { call, token_hash }: { call: PendingCall; token_hash: string },
  outcome: CompletionOutcome,
): Promise<string> {
  const body = { token_hash, outcome };
  return store.putPart(call.scope, { completion: body, signature: signatureOf(store, body) });
}

/** Null: it is no completion of this call. @throws StoreError */
export async function getCompletion(store: CompletionStore, ref: string, tokenHash: string): Promise<CompletionOutcome | null> {
  const part = await store.getPart(ref);
  if (!isJsonObject(part) || !isJsonObject(part.completion ?? null) || typeof part.signature !== 'string') return null;
  const { completion, signature } = part as { completion: JsonObject; signature: string };
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(store, completion))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected) || completion.token_hash !== tokenHash) return null;
  return completion.outcome as CompletionOutcome;
}

function signatureOf(store: CompletionStore, body: Json): string {
  return createHmac('sha256', store.derivedKey('completion', 'store')).update(canonical(body)).digest('hex');
}
