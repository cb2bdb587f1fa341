/** Converts errors to the gateway's answers: the envelope of tool results, with the status of the error's code. */
import type { FastifyError, FastifyReply } from 'fastify';
import {
  DecisionNotAccepted,
  IdempotencyConflict,
  InvalidRequest,
  NoWorker,
  ServerUnreachable,
  SessionEmpty,
  ScheduleNotFound,
  SessionNotFound,
  TurnNotFound,
  UnreadableAnswer,
} from '../../client/errors';
import { StoreServerError } from '../../store/store';
import { UnsearchableText } from '../../shared/text/visible';
import { callError, type CallError } from '../../shared/wire/errors';
import { PackageMissing } from '../../optional-package';
import { ERROR_CODES, type ErrorCode } from '../../shared/wire/error-codes';
import { optional } from '../../shared/json/optional';

export interface Wrong {
  code: ErrorCode;
  /** snake_case, for programs. */
  reason: string;
  message: string;
  hint?: string;
  details?: NonNullable<CallError['details']>;
  retryAfterMs?: number;
  /** Replaces the code's own status. */
  status?: number;
}

/** Thrown for a request that cannot be fulfilled; the gateway sends it as the answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(readonly wrong: Wrong) {
    super(wrong.message);
  }
}

export function answerWith(reply: FastifyReply, wrong: Wrong): FastifyReply {
  const { code, status, retryAfterMs } = wrong;
  if (retryAfterMs !== undefined) void reply.header('retry-after', String(Math.ceil(retryAfterMs / 1000)));
  return reply
    .code(status ?? ERROR_CODES[code].httpStatus)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(wrongEnvelope(wrong, { request_id: reply.request.id }));
}

/** @param metadata metadata about the request */
export function wrongEnvelope({ code, reason, message, hint, details, retryAfterMs }: Wrong, metadata: object = {}): object {
  const more = optional({ hint, details });
  const error = callError(code, reason, message, { ...more, ...(retryAfterMs ? { retry_after_ms: retryAfterMs } : {}) });
  return { success: false, status: 'error', error, metadata: { timestamp: new Date().toISOString(), ...metadata } };
}

/** Time that a client should give to a slow worker or to a store, ms. */
const BEHIND_MS = 5000;

const SEND_AGAIN =
  'Under the same Idempotency-Key it is the same request: send it again, and it is answered as it was the first time.';

/** The answer to an error; null: a fault of the gateway, whose details the client does not get. */
export function wrongOf(error: unknown): Wrong | null {
  if (error instanceof Refusal) return error.wrong;
  const { message } = error as Error;
  if (error instanceof DecisionNotAccepted) return { code: 'CONFIRMATION_REQUIRED', reason: 'not_accepted', message };
  if (error instanceof TurnNotFound) return unknownTurn(error.turnId);
  if (error instanceof ScheduleNotFound) return { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_schedule', message };
  if (error instanceof SessionNotFound) return { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_session', message };
  if (error instanceof SessionEmpty) return { code: 'CONFIRMATION_REQUIRED', reason: 'no_turn_yet', message };
  if (error instanceof NoWorker && error.mayCount)
    return { code: 'NETWORK_ERROR', reason: 'no_answer_yet', message, retryAfterMs: BEHIND_MS, hint: SEND_AGAIN };
  if (error instanceof NoWorker && error.behind)
    return { code: 'NETWORK_ERROR', reason: 'worker_behind', message, retryAfterMs: BEHIND_MS };
  if (error instanceof NoWorker) return { code: 'NETWORK_ERROR', reason: 'no_worker', message };
  if (error instanceof ServerUnreachable)
    return { code: 'NETWORK_ERROR', reason: 'temporal_unreachable', message: 'Temporal does not answer; try again in a moment.' };
  if (error instanceof StoreServerError && error.isPassing)
    return {
      ...{ code: 'NETWORK_ERROR', reason: 'store_unreachable', retryAfterMs: BEHIND_MS, hint: SEND_AGAIN },
      message: 'The store does not answer. It is not known whether the request counted.',
    };
  if (error instanceof UnreadableAnswer) return { code: 'EXECUTION_ERROR', reason: 'unreadable_answer', message };
  if (error instanceof PackageMissing) return { code: 'EXECUTION_ERROR', reason: 'package_missing', message, status: 501 };
  if (error instanceof IdempotencyConflict) return { code: 'INVALID_PARAMS', reason: 'key_used', message, status: 409 };
  if (error instanceof InvalidRequest || error instanceof UnsearchableText)
    return { code: 'INVALID_PARAMS', reason: 'bad_request', message };
  return fastifyWrong(error as FastifyError);
}

/** The same answer for a turn that does not exist and for one that the principal may not see. */
export function unknownTurn(id: string): Wrong {
  const message = `There is no turn ${JSON.stringify(id.slice(0, 200))} that you may see.`;
  return { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_turn', message };
}

/** For errors of Fastify itself: a body that is too long, is not JSON, or does not fit the route's schema. */
function fastifyWrong({ statusCode, message, validation, validationContext }: FastifyError): Wrong | null {
  if (validation) {
    const details = validation.slice(0, 20).map((fault) => ({
      path: `${validationContext ?? ''}${fault.instancePath}`.slice(0, 200),
      message: `${fault.message ?? 'does not fit'}${extra(fault.params)}`.slice(0, 300),
    }));
    const [first] = details;
    const text = first ? `${first.path} ${first.message}` : message;
    return { code: 'INVALID_PARAMS', reason: 'bad_request', message: `The request does not fit: ${text}.`, details };
  }
  const status = statusCode ?? 500;
  return status >= 500 ? null : { code: 'INVALID_PARAMS', reason: 'bad_request', message, status };
}

/** Adds what Ajv's message lacks: the name of an extra property, or the allowed values. */
function extra(params: Record<string, unknown>): string {
  if (typeof params.additionalProperty === 'string') return `: ${JSON.stringify(params.additionalProperty.slice(0, 60))}`;
  return Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
}
