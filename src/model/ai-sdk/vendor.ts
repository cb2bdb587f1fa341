/**
 * The vendors behind the AI SDK, by the package's name of itself: its errors as `classifyFailure` sees them, found by their names since
 * each package may have its own copy of them, and the subset of schemas that the vendor takes.
 */
import { isJsonObject } from '../../shared/json/json';
import { saysTooLong } from '../context/too-long';
import type { ApiFault, Vendor } from '../failure';
import type { ModelTool } from '../provider';
import type { SchemaSubset } from '../schemas/strict';
import { ANTHROPIC_SUBSET, looseTools, OPENAI_SUBSET, schemaFaults, type SchemaVendor } from '../schemas/subsets';

/** @param provider as the AI SDK names it: `google.generative-ai` */
export function aiSdkVendor(provider: string): Vendor {
  return {
    api: `the API of ${provider}`,
    advice: {
      key: `Give the AI SDK's provider ${provider} a valid key and restart the worker.`,
      access: 'Use a key that may use this model, or name another model.',
      model: `Check the model name, and the address that the provider ${provider} was made with.`,
      network: `Check the network, and the address that the provider ${provider} was made with.`,
      address: `Check the address that the provider ${provider} was made with.`,
    },
    errorTypes: {},
    faultOf,
    isTimeout: (error) => nameOf(error) === 'TimeoutError',
  };
}

/** Errors that another attempt would meet again, and the status that says so. */
const FOR_GOOD: Readonly<Record<string, number>> = {
  AI_LoadAPIKeyError: 401,
  AI_LoadSettingError: 401,
  AI_NoSuchModelError: 404,
  AI_InvalidPromptError: 400,
  AI_InvalidArgumentError: 400,
  AI_UnsupportedFunctionalityError: 400,
};

function faultOf(error: unknown): ApiFault | null {
  const name = nameOf(error);
  const { message = '', statusCode, responseHeaders, responseBody } = (error ?? {}) as CallError;
  const plain = { type: undefined, requestId: undefined };
  if (name !== undefined && Object.hasOwn(FOR_GOOD, name))
    return { ...plain, status: FOR_GOOD[name]!, message, headers: undefined };
  // Errors inside a stream have no status, and none but this one needs another treatment than a broken connection.
  if (error instanceof StreamError && saysTooLong(message)) return { ...plain, status: 413, message, headers: undefined };
  // A status of success: the connection broke afterwards.
  if (name !== 'AI_APICallError' || typeof statusCode !== 'number' || statusCode < 400) return null;
  const headers = new Headers(responseHeaders);
  return {
    type: typeIn(responseBody),
    requestId: headers.get('x-request-id') ?? undefined,
    status: statusCode,
    message,
    headers,
  };
}

/** A stream's error part, which holds a text or the vendor's own object. */
export class StreamError extends Error {}

interface CallError {
  message?: string;
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
}

function typeIn(body: string | undefined): string | undefined {
  try {
    const value = JSON.parse(body ?? '') as unknown;
    const error = isJsonObject(value) && isJsonObject(value.error ?? null) ? value.error : null;
    const word = isJsonObject(error) ? (error.code ?? error.status ?? error.type) : undefined;
    return typeof word === 'string' ? word.slice(0, 100) : undefined;
  } catch {
    return undefined;
  }
}

export function nameOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? String((error as { name?: unknown }).name) : undefined;
}

/** @param name such as `openai.responses`, `azure.chat`, `google.generative-ai`, `google.vertex.chat`, `anthropic.messages` */
function schemaVendorOf(name: string): SchemaVendor | null {
  if (/^(openai|azure)\b/.test(name)) return 'openai';
  if (/\banthropic\b/.test(name)) return 'anthropic';
  return /^google\b/.test(name) ? 'google' : null;
}

/** The subset of strict schemas. Null: the vendor has none, or nobody knows it; schemas go as they are. */
export function subsetOf(name: string): SchemaSubset | null {
  const vendor = schemaVendorOf(name);
  if (vendor === null || vendor === 'google') return null;
  return vendor === 'openai' ? OPENAI_SUBSET : ANTHROPIC_SUBSET;
}

/** What of these tools the vendor cannot be told, for `faultsOf`. */
export function toolFaults(name: string, tools: readonly ModelTool[]): string[] {
  const vendor = schemaVendorOf(name);
  if (vendor === null) return [];
  if (vendor !== 'google') return looseTools(vendor, tools);
  return tools.flatMap((tool) => schemaFaults(vendor, tool.input_schema).map((fault) => `the tool ${tool.name}: ${fault}`));
}
