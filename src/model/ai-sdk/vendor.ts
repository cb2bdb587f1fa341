/**
 * The vendors behind the AI SDK, by the package's name of itself: its errors as `classifyFailure` sees them, found by their names since
 * each package may have its own copy of them, and the subset of schemas that the vendor takes.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { anthropicThinking } from '../anthropic/vendor';
import { saysTooLong } from '../context/too-long';
import type { ApiFault, Vendor } from '../failure';
import { openAiEffort } from '../openai/vendor';
import type { ModelRequest, ModelTool } from '../provider';
import type { SchemaSubset } from '../schemas/strict';
import { ANTHROPIC_SUBSET, looseTools, OPENAI_SUBSET, schemaFaults, type SchemaVendor } from '../schemas/subsets';
import { ANTHROPIC_FILES, BEDROCK_FILES, GOOGLE_FILES, OPENAI_FILES, XAI_FILES, type TakenFiles } from '../taken-files';
import { budgetOf, mergeFields, type Thinking, type ThinkingModel, type VendorThinking } from '../thinking';
import type { AiSdkLanguageModel } from './types';

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

// Files.

/** @param vendorName as the package names itself: `google.generative-ai` */
export function filesTakenBy(vendorName: string): TakenFiles {
  if (/\banthropic\b/.test(vendorName)) return ANTHROPIC_FILES;
  if (/^amazon-bedrock\b/.test(vendorName)) return BEDROCK_FILES;
  if (/^google\b/.test(vendorName)) return GOOGLE_FILES;
  return /^xai\b/.test(vendorName) ? XAI_FILES : OPENAI_FILES;
}

/** What is left out, in turn, if a package says that it cannot send a file. */
export function fewerFiles(files: TakenFiles): TakenFiles[] {
  return [files, { ...files, pdf: 0 }, { image: 0, pdf: 0 }];
}

/** Whether the package sends files in the result of a call. Others would write their base64 as text. */
export function resultsTakeFiles(vendorName: string): boolean {
  return /^(openai|azure|xai)\b.*\bresponses$|\banthropic\b|^google\b|^amazon-bedrock\b/.test(vendorName);
}

// Thinking. Version 4 of the interface has a field for efforts; before it, and for budgets, each vendor has fields of its own in
// `providerOptions`.

export type NamedModel = Pick<AiSdkLanguageModel, 'provider' | 'modelId' | 'specificationVersion'>;

export function aiSdkThinking(thinking: Thinking, named: NamedModel, maxTokens: number): VendorThinking {
  const { provider, modelId: model, specificationVersion } = named;
  if (specificationVersion === 'v4' && typeof thinking === 'string')
    return { fields: { reasoning: thinking === 'off' ? 'none' : thinking } };
  const of = { model, maxTokens };
  if (/^(openai|azure)\b/.test(provider)) return ofOpenAi(thinking, model);
  if (/\banthropic\b/.test(provider)) return ofAnthropic(thinking, of);
  if (/^google\b/.test(provider)) return ofGoogle(thinking, of);
  if (/^amazon-bedrock\b/.test(provider)) return ofBedrock(thinking, of);
  return {
    fault: `the package ${provider} has no setting for it that is known: put its own field into \`options.providerOptions\` of the model`,
  };
}

function ofOpenAi(thinking: Thinking, model: string): VendorThinking {
  const result = openAiEffort(thinking, model);
  if ('fault' in result) return result;
  return result.effort === null ? { fields: {} } : forVendor('openai', { reasoningEffort: result.effort });
}

function ofAnthropic(thinking: Thinking, of: ThinkingModel): VendorThinking {
  const result = anthropicThinking(thinking, of);
  if ('fault' in result) return result;
  const { thinking: how, output_config: output } = result.fields as { thinking?: JsonObject; output_config?: JsonObject };
  if (how === undefined) return { fields: {} };
  const { type, budget_tokens: budgetTokens } = how;
  return forVendor('anthropic', {
    thinking: { type: type!, ...(budgetTokens === undefined ? {} : { budgetTokens }) },
    ...output,
  });
}

/** Models since Gemini 3 know levels, those before budgets; the larger ones always think. */
function ofGoogle(thinking: Thinking, of: ThinkingModel): VendorThinking {
  const { model } = of;
  const knowsLevels = /gemini-([3-9]|[1-9]\d)/.test(model);
  if (!/gemini-(2\.5|[3-9]|[1-9]\d)/.test(model))
    return thinking === 'off' ? { fields: {} } : { fault: `the model ${model} does not think, as far as is known` };
  if (thinking === 'off') {
    if (knowsLevels || model.includes('pro')) return { fault: `the model ${model} always thinks: say "low"` };
    return forVendor('google', { thinkingConfig: { thinkingBudget: 0 } });
  }
  if (knowsLevels && typeof thinking === 'string') return forVendor('google', { thinkingConfig: { thinkingLevel: thinking } });
  const budget = budgetOf(thinking, of.maxTokens);
  return 'fault' in budget ? budget : forVendor('google', { thinkingConfig: { thinkingBudget: budget.budget } });
}

/** Bedrock has the models of many vendors; only those of Anthropic have these fields. */
function ofBedrock(thinking: Thinking, of: ThinkingModel): VendorThinking {
  if (!of.model.includes('anthropic')) return { fault: `no setting for it is known of the model ${of.model} of Bedrock` };
  const result = anthropicThinking(thinking, of);
  if ('fault' in result) return result;
  const { thinking: how, output_config: output } = result.fields as { thinking?: JsonObject; output_config?: JsonObject };
  if (how === undefined) return { fields: {} };
  const { type, budget_tokens: budgetTokens } = how;
  const effort = output?.effort;
  return forVendor('bedrock', {
    reasoningConfig: {
      type: type!,
      ...(budgetTokens === undefined ? {} : { budgetTokens }),
      ...(effort === undefined ? {} : { maxReasoningEffort: effort }),
    },
  });
}

function forVendor(vendor: string, fields: JsonObject): VendorThinking {
  return { fields: { providerOptions: { [vendor]: fields } } };
}

/** The request's options with its thinking. What the options say themselves counts more. */
export function withThinking({ thinking, options, maxTokens }: ModelRequest, named: NamedModel): JsonObject {
  const result = thinking === undefined ? { fields: {} } : aiSdkThinking(thinking, named, maxTokens);
  return 'fault' in result ? options : mergeFields(result.fields, options);
}
