/**
 * Classifies the failures of model requests, once, at the boundary. It takes whatever a vendor's SDK, `fetch` or the stream threw,
 * and makes a {@link ModelFailure} whose message says what to do, and never contains a key. An abort is not a failure: callers must
 * check their signal first. What differs between vendors is in {@link Vendor}.
 */
import { shortWithoutSecrets, withoutSecrets } from '../shared/text/secrets';
import { isTooLong, saysTooLong } from './context/too-long';
import { usedUpMs, type HeaderReader } from './limits/vendor-room';
import { ModelFailure } from './provider';
import { optional } from '../shared/json/optional';

/** An error of the API, as its SDK read it. */
export interface ApiFault {
  /** HTTP status; null: an error event in a stream that had begun. */
  status: number | null;
  /** The vendor's own word for the error, if it sent one. */
  type: string | undefined;
  message: string | undefined;
  requestId: string | undefined;
  headers: HeaderReader | undefined;
}

/** What a message about a failure must say for one vendor. */
export interface Vendor {
  /** `the Messages API` */
  api: string;
  /** What a person does about a refused key, a key without access, an unknown model, a wrong address. */
  advice: { key: string; access: string; model: string; network: string; address: string };
  /** Error types inside a stream (its HTTP status was 200) and the status that each stands for. */
  errorTypes: Readonly<Record<string, number>>;
  /** Null: the API did not answer with this error. */
  faultOf(error: unknown): ApiFault | null;
  /** The SDK's own error for a request that took too long. */
  isTimeout(error: unknown): boolean;
}

/** Longest quotation of the API's text, characters. */
const MAX_QUOTE = 500;

export interface FailureContext {
  vendor: Vendor;
  /** The requested model; named in the message. */
  model: string;
  /** Where the request went; only its origin is shown. */
  baseUrl?: string;
  /** Literal secrets to remove, besides what looks like one. */
  secrets?: readonly (string | undefined)[];
  /** Milliseconds since the epoch, for Retry-After dates. Default: now. */
  now?: number;
}

/** Classifies anything that a model request threw. */
export function classifyFailure(error: unknown, context: FailureContext): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const fault = context.vendor.faultOf(error);
  if (fault !== null) return apiFailure(fault, context);
  if (isUnusableKey(error)) return fail(401, undefined, undefined, context, {});
  if (isErrorLike(error) && error.code === 'ERR_INVALID_URL') return fail(404, 'the address is no URL', undefined, context, {});
  return networkFailure(error, context);
}

/** A stream that ended before the answer did, or contained something that is no event. None of it can be used. */
export function brokenStream(what: string): ModelFailure {
  return new ModelFailure(`The answer of the model API broke off: ${what}. The request will be made again.`, {
    type: 'model.network',
    retryable: true,
    status: null,
  });
}

/** The server speaks another protocol: another request would get the same answer. */
export function foreignAnswer(what: string, { baseUrl, secrets, vendor }: Omit<FailureContext, 'model'>): ModelFailure {
  const quote = shortWithoutSecrets(what, MAX_QUOTE, secrets);
  return new ModelFailure(`What answers${origin(baseUrl)} does not speak ${vendor.api}: ${quote}. ${vendor.advice.address}`, {
    type: 'model.protocol',
    retryable: false,
    status: null,
  });
}

/** A stop reason that this version cannot act upon. A guess could run half an answer. */
export function unknownStopReason(reason: unknown): ModelFailure {
  const name = shortWithoutSecrets(JSON.stringify(reason) ?? 'none', 100);
  return new ModelFailure(
    `The model stopped with reason ${name}, which this version of holdfast does not know. Update holdfast or use another model.`,
    { type: 'model.stop_reason', retryable: false, status: null, details: { stop_reason: name } },
  );
}

/** An `error` event in a stream has no status of its own, so its type gives the real one. */
function apiFailure({ status, type, message, requestId, headers }: ApiFault, context: FailureContext): ModelFailure {
  const facts = { ...(requestId ? { request_id: requestId } : {}), ...(type ? { error_type: type } : {}) };
  // A code is more exact than words, which may be in any language.
  if (status === 400 && type !== undefined && saysTooLong(type)) return fail(413, message, headers, context, facts, status);
  if (status !== null) return fail(status, message, headers, context, facts);
  const { errorTypes } = context.vendor;
  const name = type ?? 'unknown';
  const standsFor = Object.hasOwn(errorTypes, name) ? errorTypes[name]! : 500;
  return fail(standsFor, `${name}: ${message ?? 'no message'}`, undefined, context, { ...facts, in_stream: true });
}

function fail(
  status: number,
  message: string | undefined,
  headers: HeaderReader | undefined,
  context: FailureContext,
  details: Record<string, string | boolean>,
  /** As the API sent it. */
  apiStatus = status,
): ModelFailure {
  const rule = ruleFor(exactStatus(status, message));
  const wait = waitOf(status, headers, context.now ?? Date.now());
  const quote = message ? ` It said: ${shortWithoutSecrets(message, MAX_QUOTE, context.secrets)}` : '';
  const words = adviceFor(rule, context.vendor);
  const advice = words === undefined ? '' : ` ${words}`;
  const model = withoutSecrets(context.model, context.secrets);
  return new ModelFailure(`${rule.what} (${apiStatus}, model ${model}).${advice}${quote}`, {
    type: rule.type,
    retryable: shouldRetry(headers) ?? rule.retryable,
    status: apiStatus,
    ...optional({ retryAfterMs: wait }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  });
}

function networkFailure(error: unknown, context: FailureContext): ModelFailure {
  const timedOut = context.vendor.isTimeout(error) || (isErrorLike(error) && error.name === 'TimeoutError');
  const rule = timedOut ? STATUS_RULES[408]! : { type: 'model.network', what: 'The connection to the model API failed' };
  const reason = shortWithoutSecrets(reasons(error), MAX_QUOTE, context.secrets);
  return new ModelFailure(`${rule.what}${origin(context.baseUrl)}: ${reason}. ${context.vendor.advice.network}`, {
    type: rule.type,
    retryable: true,
    status: null,
  });
}

/** Message and system code of an error and its causes; `fetch failed` alone is of no use. */
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

// What each status means: one row a status. All else about failures is derived from it.

export interface FailureRule {
  /** Dotted error type for Temporal. */
  type: string;
  retryable: boolean;
  /** What happened, in words. */
  what: string;
  /** What a person can do: these words, or the vendor's; absent if only waiting helps. */
  advice?: string | { of: keyof Vendor['advice'] };
}

function adviceFor({ advice }: FailureRule, vendor: Vendor): string | undefined {
  return typeof advice === 'object' ? vendor.advice[advice.of] : advice;
}

export const STATUS_RULES: Readonly<Record<number, FailureRule>> = {
  400: { type: 'model.bad_request', retryable: false, what: 'The model API refused the request as malformed' },
  401: {
    type: 'model.auth',
    retryable: false,
    what: 'The model API did not accept the key',
    advice: { of: 'key' },
  },
  402: {
    type: 'model.billing',
    retryable: false,
    what: 'The model API refused for billing reasons',
    advice: "Check the balance and payment details of the key's organisation.",
  },
  403: {
    type: 'model.permission',
    retryable: false,
    what: 'The key lacks access',
    advice: { of: 'access' },
  },
  404: {
    type: 'model.not_found',
    retryable: false,
    what: 'The model API does not know this model or address',
    advice: { of: 'model' },
  },
  408: { type: 'model.timeout', retryable: true, what: 'The model API timed out' },
  409: { type: 'model.conflict', retryable: true, what: 'The model API reported a conflict' },
  413: {
    type: 'model.too_large',
    retryable: false,
    what: 'The request is too large for the model API',
    advice: 'Continue in a shorter conversation: start a new session, or let tools return less.',
  },
  422: { type: 'model.bad_request', retryable: false, what: 'The model API could not process the request' },
  429: { type: 'model.rate_limited', retryable: true, what: 'The model API limits the rate of requests' },
  500: { type: 'model.server_error', retryable: true, what: 'The model API failed' },
  504: { type: 'model.timeout', retryable: true, what: 'The model API timed out' },
  529: { type: 'model.overloaded', retryable: true, what: 'The model API is overloaded' },
};

const BILLING = /credit balance is too low|purchase credits|exceeded your current quota|insufficient_quota/i;

/** The status that counts: APIs report some failures under a less exact one. */
export function exactStatus(status: number, message = ''): number {
  if ((status === 400 || status === 403) && BILLING.test(message)) return 402;
  return isTooLong(status, message) ? 413 : status;
}

/** The rule of a status; one without a row is judged by its class (4xx or 5xx). */
export function ruleFor(status: number): FailureRule {
  const rule = STATUS_RULES[status];
  if (rule !== undefined) return rule;
  return status >= 500 ? STATUS_RULES[500]! : { ...STATUS_RULES[400]!, what: 'The model API refused the request' };
}

/** Reads from response headers how long the vendor asks to wait. */

/** Without `Retry-After`, a refusal for the rate lasts until the limit that is used up is whole again. */
function waitOf(status: number, headers: HeaderReader | undefined, now: number): number | undefined {
  const wait = retryAfterMs(headers, now);
  return wait === undefined && status === 429 && headers !== undefined ? usedUpMs(headers, now) : wait;
}

/** Longest wait that is accepted, ms: a wrong date must not stop a turn for a year. */
const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * Milliseconds to wait, from `retry-after-ms` or else `Retry-After` (seconds, or an HTTP date; RFC 9110, section 10.2.3). Undefined
 * when there is none, or an invalid one.
 */
export function retryAfterMs(headers: HeaderReader | undefined, now: number): number | undefined {
  const exact = number(headers?.get('retry-after-ms'));
  if (exact !== undefined) return Math.min(Math.ceil(exact), MAX_WAIT_MS);
  const text = headers?.get('retry-after')?.trim();
  if (!text) return undefined;
  const seconds = number(text);
  if (seconds !== undefined) return Math.min(Math.ceil(seconds * 1000), MAX_WAIT_MS);
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), MAX_WAIT_MS);
}

/** `x-should-retry`: the vendor's instruction, which overrides the table. */
export function shouldRetry(headers: HeaderReader | undefined): boolean | undefined {
  const word = headers?.get('x-should-retry')?.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

function number(text: string | null | undefined): number | undefined {
  return text && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
