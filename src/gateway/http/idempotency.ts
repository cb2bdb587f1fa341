/**
 * Implements `Idempotency-Key`: a principal's key with the same body is the same operation. What an operation creates (turns,
 * calls, messages) is named after principal and key, so that Temporal creates it once; this file binds the key to one body. For
 * an operation that creates nothing with a name (a decision, a steer), the answer is stored and sent again. If it could not be
 * stored, it is found in the history of the turn or session.
 */
import type { FastifyInstance } from 'fastify';
import { type Act, nameOf, NO_EARLIER_ACT, type ActRecord, type DoneBefore } from '../../client/turns/start-turn';
import { hashJson } from '../../shared/json/digests';
import type { Json } from '../../shared/json/json';
import { sha256Hex } from '../../shared/json/sha256';
import type { Store } from '../../store/store';
import { DecisionNotAccepted } from '../../client/errors';
import type { SendAnswer } from '../../shared/turn/session';
import type { StartLimit } from './before-routes';
import { Refusal } from './errors';
import { optional } from '../../shared/json/optional';

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation of the request's key: the same for the same principal and key, and for no other. Null: it has no key. */
    operation: Operation | null;
  }
  interface FastifyContextConfig {
    /** With a key, the answer of an accepted request is sent again, and the request is not executed again. */
    keepsAnswer?: boolean;
    /** Makes new work for workers, and is refused while they cannot keep up. */
    startsWork?: boolean;
  }
}

export interface Operation {
  /** The key as it was sent. */
  key: string;
  /** `op_` and 40 hex, from principal and key. */
  id: string;
  /** Of exactly this request, and of no other principal's. */
  act: Act;
  /** The request was sent before, and no answer was stored: it may be in progress, or done. */
  isRepetition: boolean;
  /** A request of it has passed its checks, by `pass` or `agreeOn`, and may have been carried out: they may fail now. */
  hasPassed: boolean;
  /** Notes that the request has passed its checks, before anything is done. */
  pass(): Promise<void>;
  /** The turn that it acts on, if that changes with time, once one of its requests has chosen it. */
  target?: string;
  /** Chooses it, before anything is done. @returns the first choice */
  agreeOn(target: string): Promise<string>;
}

interface IdempotencyRecord {
  body: string;
  /** When it was first sent, ms since 1970. Absent in older ones. */
  at?: number;
  /** A request has passed its checks. */
  pass?: true;
  target?: string;
  answer?: { status: number; payload: string };
}

const KEY = /^[\x21-\x7e]{1,255}$/;

export function holdKeysToBodies(app: FastifyInstance, store: Store, starts: StartLimit): void {
  app.decorateRequest('operation', null);
  // Runs once the body has been read and validated, so that a refused request uses up no key.
  app.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key'];
    const { roles, startsWork = false } = request.routeOptions.config;
    if (request.method !== 'POST' || key === undefined || roles === 'public') {
      if (startsWork) await starts.check();
      return;
    }
    if (typeof key !== 'string' || !KEY.test(key))
      throw new Refusal({
        code: 'INVALID_PARAMS',
        reason: 'bad_idempotency_key',
        message: 'The header Idempotency-Key must be one key of 1 to 255 visible ASCII characters.',
      });
    const path = request.url.split('?')[0]!;
    const body = Buffer.isBuffer(request.body) ? sha256Hex(request.body) : ((request.body ?? null) as Json);
    const whole = { path, body };
    const of = { principal: request.principal.name, key, request: whole };
    const { operation, answer } = await claimOperation(store, of, startsWork ? starts : null);
    if (operation === null)
      throw new Refusal({
        code: 'INVALID_PARAMS',
        reason: 'key_used',
        message: 'This Idempotency-Key has been used for another request. Use a new key, or send the same request again.',
        status: 409,
      });
    request.operation = operation;
    if (answer) return reply.code(answer.status).type(JSON_TYPE).send(answer.payload);
  });

  app.addHook('onSend', async ({ operation, routeOptions }, reply, payload) => {
    if (operation === null || !routeOptions.config.keepsAnswer || reply.statusCode >= 300 || typeof payload !== 'string') return;
    const answer = { status: reply.statusCode, payload };
    const keep = (current: Json) =>
      current === null ? { answer: null } : { value: { ...keptOf(current), answer }, answer: null };
    // The request has been executed: if its answer cannot be stored it is sent all the same, and found again in the history.
    await store.registers.update(registerOf(operation.id), keep).catch(() => undefined);
  });
}

/**
 * Binds a principal's key to one request.
 * @param starts for a request that makes new work: if it is refused, its key stays free. One whose key was bound before has passed
 * @returns the operation, and its stored answer; null: the key was used for something else
 * @throws Refusal 429 of `starts`
 */
export async function claimOperation(
  store: Store,
  { principal, key, request }: { principal: string; key: string; request: Json },
  starts: StartLimit | null = null,
): Promise<{ operation: Operation | null; answer?: IdempotencyRecord['answer'] }> {
  const id = operationId(principal, key);
  const body = hashJson(request);
  await starts?.check(async () => (await store.registers.read(registerOf(id))).value !== null);
  const { first, repeated: isRepetition } = await store.registers.update(registerOf(id), (current, now) => {
    const value = { body, at: now };
    return current === null
      ? { value, answer: { first: value as IdempotencyRecord, repeated: false } }
      : { answer: { first: keptOf(current), repeated: true } };
  });
  if (first.body !== body) return { operation: null };
  const agreeOn = (target: string) =>
    store.registers.update(registerOf(id), (current) => {
      const record = current === null ? { body } : keptOf(current);
      return record.target === undefined ? { value: { ...record, target }, answer: target } : { answer: record.target };
    });
  const pass = () =>
    store.registers.update(registerOf(id), (current) => ({
      value: { ...(current === null ? { body } : keptOf(current)), pass: true },
      answer: undefined,
    }));
  const hasPassed = first.pass === true || first.target !== undefined;
  const act = { name: `act_${hashJson({ v: 'holdfast.act/1', id, body }).slice(0, 40)}`, since: first.at ?? 0 };
  const operation = { key, id, act, isRepetition, hasPassed, pass, agreeOn, ...optional({ target: first.target }) };
  return { operation, ...optional({ answer: first.answer }) };
}

export function operationId(principal: string, key: string): string {
  return `op_${hashJson({ v: 'holdfast.operation/1', principal, key }).slice(0, 40)}`;
}

const JSON_TYPE = 'application/json; charset=utf-8';

function registerOf(id: string): string {
  return `idempotency/${id}`;
}

function keptOf(value: Json): IdempotencyRecord {
  return value as unknown as IdempotencyRecord;
}

// A change to a turn or a session happens once for all requests of its operation: those that overlap, and those that come after a
// lost answer. The history of the turn or session says whether it happened.

interface Changeable<H> {
  named(name: string): H;
  doneBefore(act: Act): Promise<DoneBefore>;
}

/**
 * Without a key each request is executed.
 * @param again makes the answer from what was done before
 * @throws errors of `act`, if nothing was done before
 */
export async function once<H extends Changeable<H>, T>(
  operation: Operation | null,
  subject: H,
  act: (subject: H) => Promise<T>,
  again: (act: ActRecord) => T,
): Promise<T> {
  if (operation === null) return act(subject);
  const before = operation.isRepetition ? await subject.doneBefore(operation.act) : NO_EARLIER_ACT;
  if (before.accepted !== null) return again(before.accepted);
  try {
    return await act(subject.named(nameOf(operation.act, before)));
  } catch (error) {
    if (!(error instanceof DecisionNotAccepted)) throw error;
    const { accepted } = await subject.doneBefore(operation.act);
    if (accepted === null) throw error;
    return again(accepted);
  }
}

/** For requests whose answer is always the same. */
export const nothing = (): void => undefined;

/** For a message to a session: the session's own answer. */
export function sentBefore({ answer }: ActRecord): SendAnswer {
  return answer as unknown as SendAnswer;
}
