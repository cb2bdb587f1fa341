/**
 * What a request took. What is billed and what the conversation takes of the model's window are two figures: where the
 * vendor's own tools ran, the model was asked several times for one answer, and the totals count the conversation each time.
 */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { ModelUsage, TokenCounts } from './provider';

/** Of JSON, for a token: few, so that too little is never counted. */
const CHARACTERS = 3;

export const NO_TOKENS: Readonly<TokenCounts> = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
};

/**
 * @param first the figures with which the stream began: of the conversation as it was sent
 * @param last those with which it ended: of all that the answer took
 * @param model of the answer
 */
export function usageOf(first: JsonObject, last: JsonObject, content: readonly JsonObject[], model: string): ModelUsage {
  const total = tokensOf(last);
  const iterations = (Array.isArray(last.iterations) ? last.iterations : []).filter(isJsonObject).map((one) => ({
    // Of its own making: how the vendor made room, or asked another model. Totals leave these out.
    beside: one.type === 'compaction' || one.type === 'advisor_message',
    model: typeof one.model === 'string' ? one.model : model,
    ...tokensOf(one),
  }));
  const beside = iterations.filter((one) => one.beside);
  const own = iterations.filter((one) => !one.beside);
  const all = added([total, ...beside]);
  const others = iterations.some((one) => one.model !== model);
  const billed = [...(covers(own, total) ? own : [{ model, ...total }]), ...beside].map(({ model, ...counts }) => ({
    model,
    ...tokensIn(counts),
  }));
  const searches = count(
    isJsonObject(last.server_tool_use ?? null) ? (last.server_tool_use as JsonObject).web_search_requests : 0,
  );
  const context = contextOf(own.at(-1), tokensOf(first), total, content);
  return {
    ...all,
    ...(context === sumOf(all) ? {} : { context_tokens: context }),
    ...(others ? { billed } : {}),
    ...(searches > 0 ? { web_searches: searches } : {}),
  };
}

/** What goes into a request and comes out of it. */
export function sumOf({ input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }: TokenCounts): number {
  return input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens;
}

function tokensOf(figures: JsonObject): TokenCounts {
  return {
    input_tokens: count(figures.input_tokens),
    output_tokens: count(figures.output_tokens),
    cache_read_tokens: count(figures.cache_read_input_tokens),
    cache_creation_tokens: count(figures.cache_creation_input_tokens),
  };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** The last time that the model was asked tells; else what was sent, and what the answer adds to it. */
function contextOf(
  iteration: TokenCounts | undefined,
  first: TokenCounts,
  total: TokenCounts,
  content: readonly JsonObject[],
): number {
  if (iteration !== undefined) return sumOf(iteration);
  if (!content.some(({ type }) => type === 'server_tool_use' || type === 'mcp_tool_use')) return sumOf(total);
  const sent = sumOf({ ...first, output_tokens: 0 });
  return Math.min(sumOf(total), sent + Math.ceil(JSON.stringify(content).length / CHARACTERS));
}

function covers(own: readonly TokenCounts[], total: TokenCounts): boolean {
  return own.length > 0 && sumOf(added(own)) === sumOf(total);
}

function added(all: readonly TokenCounts[]): TokenCounts {
  const sum = { ...NO_TOKENS };
  for (const counts of all) for (const key of Object.keys(sum) as (keyof TokenCounts)[]) sum[key] += counts[key];
  return sum;
}

function tokensIn({ input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }: TokenCounts): TokenCounts {
  return { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens };
}
