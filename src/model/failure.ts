/**
 * Failures are classified once, here, at the boundary. What comes in is whatever the SDK, `fetch` or
 * the stream threw; what goes out is a {@link ModelFailure} whose message says what to do, and that
 * never holds a key. An abort is not a failure: callers must look at their signal first.
 */
import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { isJsonObject } from '../shared/json/json';
import { ERROR_TYPE_STATUS, meantBy, ruleFor, STATUS_RULES } from './failure-table';
import { ModelFailure } from './provider';
import { retryAfterMs, shouldRetry, type HeaderReader } from './retry-after';
import { shortWithoutSecrets, withoutSecrets } from '../shared/text/secrets';

/** Longest quotation of what the API said, characters. */
const MAX_QUOTE = 500;

export interface FailureContext {
  /** Model that was asked for; named in the message. */
  model: string;
  /** Where the request went; only its origin is shown. */
  baseUrl?: string;
  /** Literal secrets to take out, besides what looks like one. */
  secrets?: readonly (string | undefined)[];
  /** Milliseconds since the epoch, for Retry-After dates. Default: now. */
  now?: number;
}

/** Classifies anything that a model request threw. */
export function classifyFailure(error: unknown, context: FailureContext): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (error instanceof APIError && error.status !== undefined) return httpFailure(error.status, error, context);
  if (error instanceof APIError && isJsonObject(error.error)) return streamFailure(error, context);
  if (isUnusableKey(error)) return fail(401, undefined, undefined, context, {});
  if (isErrorLike(error) && error.code === 'ERR_INVALID_URL') return fail(404, 'the address is no URL', undefined, context, {});
  return networkFailure(error, context);
}

/** A stream that ended before `message_stop`, or that carried what is no event. Nothing of it can be used. */
export function brokenStream(what: string): ModelFailure {
  return new ModelFailure(`The answer of the model API broke off: ${what}. The request will be made again.`, {
    type: 'model.network',
    retryable: true,
    status: null,
  });
}

/** What answers is no Messages API: another request would be answered in the same way. */
export function foreignAnswer(what: string, { baseUrl, secrets }: Omit<FailureContext, 'model'>): ModelFailure {
  const told = shortWithoutSecrets(what, MAX_QUOTE, secrets);
  return new ModelFailure(
    `What answers${origin(baseUrl)} does not speak the Messages API: ${told}. Check ANTHROPIC_BASE_URL: it must be the address of that API, without /v1/messages.`,
    { type: 'model.protocol', retryable: false, status: null },
  );
}

/** A stop reason that this version does not know how to act upon. Guessing one could run half an answer. */
export function unknownStopReason(reason: unknown): ModelFailure {
  const name = shortWithoutSecrets(JSON.stringify(reason) ?? 'none', 100);
  return new ModelFailure(
    `The model stopped with reason ${name}, which this version of holdfast does not know. Update holdfast or use another model.`,
    { type: 'model.stop_reason', retryable: false, status: null, details: { stop_reason: name } },
  );
}

function httpFailure(status: number, error: APIError, context: FailureContext): ModelFailure {
  return fail(status, error.apiMessage ?? bodyText(error), error.headers, context, facts(error));
}

/** An `error` event: HTTP said 200 long ago, the type says what it would have been. */
function streamFailure(error: APIError, context: FailureContext): ModelFailure {
  const type = typeof error.type === 'string' ? error.type : 'unknown';
  const status = Object.hasOwn(ERROR_TYPE_STATUS, type) ? ERROR_TYPE_STATUS[type]! : 500;
  return fail(status, `${type}: ${error.apiMessage ?? 'no message'}`, undefined, context, { ...facts(error), in_stream: true });
}

function facts(error: APIError): Record<string, string> {
  return {
    ...(error.requestID ? { request_id: error.requestID } : {}),
    ...(error.type ? { error_type: String(error.type) } : {}),
  };
}

function fail(
  status: number,
  said: string | undefined,
  headers: HeaderReader | undefined,
  context: FailureContext,
  details: Record<string, string | boolean>,
): ModelFailure {
  const rule = ruleFor(meantBy(status, said));
  const wait = retryAfterMs(headers, context.now ?? Date.now());
  const quote = said ? ` It said: ${shortWithoutSecrets(said, MAX_QUOTE, context.secrets)}` : '';
  const advice = rule.advice ? ` ${rule.advice}` : '';
  const model = withoutSecrets(context.model, context.secrets);
  return new ModelFailure(`${rule.what} (${status}, model ${model}).${advice}${quote}`, {
    type: rule.type,
    retryable: shouldRetry(headers) ?? rule.retryable,
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  });
}

function networkFailure(error: unknown, context: FailureContext): ModelFailure {
  const timedOut = error instanceof APIConnectionTimeoutError || (isErrorLike(error) && error.name === 'TimeoutError');
  const rule = timedOut ? STATUS_RULES[408]! : { type: 'model.network', what: 'The connection to the model API failed' };
  const reason = shortWithoutSecrets(reasons(error), MAX_QUOTE, context.secrets);
  return new ModelFailure(`${rule.what}${origin(context.baseUrl)}: ${reason}. Check the network and ANTHROPIC_BASE_URL.`, {
    type: rule.type,
    retryable: true,
    status: null,
  });
}

/** Message and system code of an error and its causes; `fetch failed` alone helps nobody. */
function reasons(error: unknown): string {
  const parts: string[] = [];
  for (let current = error, depth = 0; isErrorLike(current) && depth < 4; current = current.cause, depth++) {
    const { code } = current;
    parts.push(typeof code === 'string' && !current.message.includes(code) ? `${current.message} (${code})` : current.message);
  }
  const texts = parts.map((part) => part.trim().replace(/\.$/, '')).filter((part) => part !== '');
  return texts.length > 0 ? [...new Set(texts)].join(': ') : String(error);
}

/** By shape: errors of another realm (a test's, a sandbox's) are no `instanceof Error` here. */
function isErrorLike(error: unknown): error is { name?: unknown; message: string; code?: unknown; cause?: unknown } {
  return typeof error === 'object' && error !== null && typeof (error as { message?: unknown }).message === 'string';
}

function origin(baseUrl: string | undefined): string {
  return baseUrl !== undefined && URL.canParse(baseUrl) ? ` at ${new URL(baseUrl).origin}` : '';
}

/** No key at all, or one with characters that no header can carry (a line break from a file). */
function isUnusableKey(error: unknown): boolean {
  return /^Could not resolve authentication method|is an invalid header value/.test(isErrorLike(error) ? reasons(error) : '');
}

function bodyText(error: APIError): string | undefined {
  return error.error === undefined || error.error === null ? undefined : JSON.stringify(error.error);
}
