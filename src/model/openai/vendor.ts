/** OpenAI's APIs as `classifyFailure` sees them: the errors of the SDK, their types, and the names of the settings. */
import type { APIError } from 'openai';
import { isJsonObject, type Json } from '../../shared/json/json';
import { optionalPackage } from '../../optional-package';
import type { ApiFault, Vendor } from '../failure';

/** The official SDK of OpenAI, an optional package: loaded when a provider is made. */
export const sdk = () => optionalPackage<typeof import('openai')>('openai', 'A model of OpenAI, or one that speaks its API,');

/** Types and codes of errors inside a stream, and the status that each stands for. */
const ERROR_TYPES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 413,
  authentication_error: 401,
  invalid_api_key: 401,
  insufficient_quota: 402,
  permission_error: 403,
  model_not_found: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  tokens: 429,
  requests: 429,
  server_error: 500,
  service_unavailable: 529,
};

/** @param api `the chat completions API` */
export function openAiVendor(api: string): Vendor {
  return {
    api,
    advice: {
      key: 'Set OPENAI_API_KEY (or `apiKey` of the model) to a valid key and restart the worker.',
      access: 'Use a key whose project may use this model, or name another model.',
      model: 'Check the model name, and OPENAI_BASE_URL or `baseUrl` of the model, if set.',
      network: 'Check the network and OPENAI_BASE_URL (or `baseUrl` of the model).',
      address: `Check OPENAI_BASE_URL, or \`baseUrl\` of the model: it must be the address of that API, which usually ends in /v1.`,
    },
    errorTypes: ERROR_TYPES,
    faultOf,
    isTimeout: (error) => error instanceof sdk().APIConnectionTimeoutError,
  };
}

function faultOf(error: unknown): ApiFault | null {
  if (!isApiError(error) || error instanceof sdk().APIConnectionError || error instanceof sdk().APIUserAbortError) return null;
  const { status, requestID, headers } = error;
  const body = error.error as Json | undefined;
  const about = { type: wordOf(error), requestId: requestID ?? undefined, message: messageOf(body) };
  if (typeof status === 'number') return { ...about, status: exactStatus(status, error), headers };
  return isJsonObject(body) ? { ...about, status: null, headers: undefined } : null;
}

/** The code is more exact than the type where both are sent. */
function wordOf({ code, type }: APIError): string | undefined {
  return code ? String(code) : type ? String(type) : undefined;
}

/** A used-up quota is sent as 429: waiting does not help. */
function exactStatus(status: number, { code, type }: APIError): number {
  return status === 429 && (code === 'insufficient_quota' || type === 'insufficient_quota') ? 402 : status;
}

function messageOf(body: Json | undefined): string | undefined {
  if (isJsonObject(body)) return typeof body.message === 'string' ? body.message : JSON.stringify(body);
  return typeof body === 'string' ? body : undefined;
}

function isApiError(error: unknown): error is APIError {
  return error instanceof sdk().APIError;
}
