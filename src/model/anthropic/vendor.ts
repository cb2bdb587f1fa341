/** The Messages API as `classifyFailure` sees it: the errors of its SDK, its error types, and the names of its settings. */
import type { APIError } from '@anthropic-ai/sdk';
import { isJsonObject } from '../../shared/json/json';
import type { ApiFault, Vendor } from '../failure';
import { sdk } from './sdk';

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
