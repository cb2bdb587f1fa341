/** What is the vendor's own: its SDK, the errors of its APIs as `classifyFailure` sees them, its fields for reasoning, its key of caches. */
import type { APIError } from 'openai';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { sha256Hex } from '../../shared/json/sha256';
import { optionalPackage } from '../../optional-package';
import type { ApiFault, Vendor } from '../failure';
import type { ModelRequest, ModelUsage } from '../provider';
import { mergeFields, type Thinking, type VendorThinking } from '../thinking';
import type { Api } from './content-parts';

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

// Servers that speak OpenAI's protocol may send an error without its envelope, as older vLLM and servers of FastAPI do. The SDK would drop
// such a body, and nobody would learn why the request was refused.

type Fetch = typeof fetch;

/** The same network; each error that is a JSON object has `error`. */
export function withEnvelopes(network: Fetch = (address, init) => fetch(address, init)): Fetch {
  return async (address, init) => {
    const response = await network(address, init);
    if (response.status < 400 || response.status > 599) return response;
    const text = await response.text();
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding']) headers.delete(name); // of the body as it came
    return new Response(withEnvelope(text), { status, statusText, headers });
  };
}

function withEnvelope(text: string): string {
  const body = parseJson(text);
  if (!isJsonObject(body)) return /^\s*(<|$)/.test(text) ? text : JSON.stringify({ error: { message: text } });
  if ('error' in body) return text;
  const { message, detail, type, code } = body;
  const words = [message, detail].find((one) => typeof one === 'string') ?? text;
  const error: JsonObject = { message: words };
  for (const [name, value] of Object.entries({ type, code })) if (typeof value === 'string') error[name] = value;
  return JSON.stringify({ error });
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

// OpenAI's models know efforts of reasoning, and no budgets.

const WITHOUT_REASONING = /^(gpt-[34]|chatgpt-4|text-|davinci)/;
/** These think always; the first of them know an effort that comes close to none. */
const MINIMAL = /^gpt-5(-(mini|nano))?(-\d{4}-\d{2}-\d{2})?$/;
const ALWAYS = /^o\d/;

/** @returns the effort in the vendor's word; null: nothing is sent */
export function openAiEffort(thinking: Thinking, model: string): { effort: string | null } | { fault: string } {
  if (typeof thinking === 'object') return { fault: 'models of OpenAI take no budget in tokens: say "low", "medium" or "high"' };
  if (WITHOUT_REASONING.test(model))
    return thinking === 'off' ? { effort: null } : { fault: `the model ${model} does not reason` };
  if (thinking !== 'off') return { effort: thinking };
  if (ALWAYS.test(model)) return { fault: `the model ${model} always reasons: say "low"` };
  return { effort: MINIMAL.test(model) ? 'minimal' : 'none' };
}

export function openAiThinking(thinking: Thinking, model: string, api: Api): VendorThinking {
  const result = openAiEffort(thinking, model);
  if ('fault' in result) return result;
  if (result.effort === null) return { fields: {} };
  return { fields: api === 'chat' ? { reasoning_effort: result.effort } : { reasoning: { effort: result.effort } } };
}

/** The request's options with its thinking. What the options say themselves counts more. */
export function withThinking({ thinking, model, options }: ModelRequest, api: Api): JsonObject {
  const result = thinking === undefined ? { fields: {} } : openAiThinking(thinking, model, api);
  return 'fault' in result ? options : mergeFields(result.fields, options);
}

// OpenAI caches prefixes by itself. Its requests go to one of many machines by the beginning of the prompt, and by a key: the same for all
// steps of a conversation, so that they find the cache that the step before has filled.

/** Only OpenAI itself: other servers of its protocol may refuse a field that they do not know. */
export const OPENAI = 'openai';

/** A hash of how the conversation begins, which is all that its steps have in common. */
export function cacheKeyOf({ system, messages }: ModelRequest, provider: string): JsonObject {
  if (provider !== OPENAI) return {};
  const beginning = JSON.stringify([system, messages[0]?.content ?? null]).toWellFormed();
  return { prompt_cache_key: `holdfast_${sha256Hex(beginning).slice(0, 32)}` };
}

/** @param names of both counts in this API; the cached part of the input stands in the details of the input */
export function usageOf(usage: Json | undefined, names: { input: string; output: string }): ModelUsage {
  const counts = isJsonObject(usage ?? null) ? (usage as JsonObject) : {};
  const { [names.input]: input, [names.output]: output, [`${names.input}_details`]: told } = counts;
  const details = isJsonObject(told ?? null) ? (told as JsonObject) : {};
  const cached = Math.min(count(details.cached_tokens), count(input));
  return {
    input_tokens: count(input) - cached,
    output_tokens: count(output),
    cache_read_tokens: cached,
    cache_creation_tokens: 0,
  };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
