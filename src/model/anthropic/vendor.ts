/** What is the vendor's own: its SDK, the errors of its API as `classifyFailure` sees them, and its fields for thinking. */
import type { APIError } from '@anthropic-ai/sdk';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import type { ApiFault, Vendor } from '../failure';
import type { ModelRequest } from '../provider';
import { budgetOf, mergeFields, type Thinking, type ThinkingModel, type VendorThinking } from '../thinking';

// The vendor's SDK is loaded when a provider is made: a program with a model of its own, or one that only throws `ModelFailure`, does not
// pay for it.

// oxlint-disable-next-line typescript/no-require-imports -- a provider is made without waiting
export const sdk = () => require('@anthropic-ai/sdk') as typeof import('@anthropic-ai/sdk');

export const sdkStreaming = () =>
  // oxlint-disable-next-line typescript/no-require-imports -- as above
  require('@anthropic-ai/sdk/core/streaming') as typeof import('@anthropic-ai/sdk/core/streaming');

/** Error types of the API and the status that each stands for. */
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

export const ANTHROPIC: Vendor = {
  api: 'the Messages API',
  advice: {
    key: 'Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) to a valid key and restart the worker.',
    access: 'Use a key whose workspace may use this model, or name another model in ANTHROPIC_MODEL.',
    model: 'Check the model name: ANTHROPIC_MODEL, or `model` of the agent (and ANTHROPIC_BASE_URL, if set).',
    network: 'Check the network and ANTHROPIC_BASE_URL.',
    address: 'Check ANTHROPIC_BASE_URL: it must be the address of that API, without /v1/messages.',
  },
  errorTypes: ERROR_TYPE_STATUS,
  faultOf,
  isTimeout: (error) => error instanceof sdk().APIConnectionTimeoutError,
};

function faultOf(error: unknown): ApiFault | null {
  if (!isApiError(error)) return null;
  const type = error.type ? String(error.type) : undefined;
  const about = { type, requestId: error.requestID ?? undefined };
  if (error.status !== undefined)
    return { ...about, status: error.status, message: error.apiMessage ?? bodyText(error), headers: error.headers };
  return isJsonObject(error.error)
    ? { ...about, status: null, message: error.apiMessage ?? undefined, headers: undefined }
    : null;
}

function isApiError(error: unknown): error is APIError {
  return error instanceof sdk().APIError;
}

function bodyText({ error }: APIError): string | undefined {
  return error === undefined || error === null ? undefined : JSON.stringify(error);
}

// Thinking, by the vendor's page on each model's behaviour.

/** Ids on Bedrock and Vertex AI have more around the name. */
const WITHOUT_THINKING = /claude-(3-5|3-haiku|3-opus|3-sonnet|2|instant)/;
/** The model decides how much it thinks; an effort guides it. */
const ADAPTIVE = /claude-([a-z]+-4-[6-9]|[a-z]+-([5-9]|[1-9]\d)\b)/;
/** Adaptive models that take a budget all the same. */
const ADAPTIVE_WITH_BUDGET = /claude-[a-z]+-4-6/;

export function anthropicThinking(thinking: Thinking, { model, maxTokens }: ThinkingModel): VendorThinking {
  if (WITHOUT_THINKING.test(model)) return thinking === 'off' ? { fields: {} } : { fault: `the model ${model} does not think` };
  if (thinking === 'off') return { fields: { thinking: { type: 'disabled' } } };
  const isAdaptive = ADAPTIVE.test(model);
  if (isAdaptive && typeof thinking === 'string')
    return { fields: { thinking: { type: 'adaptive' }, output_config: { effort: thinking } } };
  if (isAdaptive && !ADAPTIVE_WITH_BUDGET.test(model))
    return { fault: `the model ${model} takes no budget in tokens: say "low", "medium" or "high"` };
  const budget = budgetOf(thinking, maxTokens);
  return 'fault' in budget ? budget : { fields: { thinking: { type: 'enabled', budget_tokens: budget.budget } } };
}

/** The request's options with its thinking. What the options say themselves counts more. */
export function withThinking({ thinking, model, maxTokens, options }: ModelRequest): JsonObject {
  const result = thinking === undefined ? { fields: {} } : anthropicThinking(thinking, { model, maxTokens });
  return 'fault' in result ? options : mergeFields(result.fields, options);
}
