/** What each answer of the Messages API means: one row a status. Everything else about failures is derived from it. */

export interface FailureRule {
  /** Dotted type for Temporal. */
  type: string;
  retryable: boolean;
  /** What happened, in words. */
  what: string;
  /** What a person can do; none where waiting is all there is. */
  advice?: string;
}

export const STATUS_RULES: Readonly<Record<number, FailureRule>> = {
  400: { type: 'model.bad_request', retryable: false, what: 'The model API refused the request as malformed' },
  401: {
    type: 'model.auth',
    retryable: false,
    what: 'The model API did not accept the key',
    advice: 'Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) to a valid key and restart the worker.',
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
    advice: 'Use a key whose workspace may use this model, or name another model in ANTHROPIC_MODEL.',
  },
  404: {
    type: 'model.not_found',
    retryable: false,
    what: 'The model API does not know this model or address',
    advice: 'Check the model name: ANTHROPIC_MODEL, or `model` of the agent (and ANTHROPIC_BASE_URL, if set).',
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

/** Error types inside a stream (HTTP status 200 is out by then) and the status that each stands for. */
export const ERROR_TYPE_STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Failures that the API reports under a status which says less: what its message says, and the status that fits. */
const SAID: readonly (readonly [words: RegExp, status: number])[] = [
  [/credit balance is too low|purchase credits/i, 402],
  [/prompt is too long|input length and `?max_tokens`? exceed context|exceeds? the (model's )?(maximum )?context/i, 413],
];

/** The status that decides; only what says that the request was wrong is looked into. */
export function meantBy(status: number, said: string | undefined): number {
  if (status !== 400 && status !== 403) return status;
  return SAID.find(([words]) => words.test(said ?? ''))?.[1] ?? status;
}

/** The rule of a status; a status without a row is judged by its hundred. */
export function ruleFor(status: number): FailureRule {
  const rule = STATUS_RULES[status];
  if (rule !== undefined) return rule;
  return status >= 500 ? STATUS_RULES[500]! : { ...STATUS_RULES[400]!, what: 'The model API refused the request' };
}
