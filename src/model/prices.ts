/**
 * Computes what a request cost. The table of prices is data with a date: an audit records it with the turn. A model that is not in
 * it counts as costing nothing *and is flagged*; its price is never guessed.
 */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { isServerUse, type ModelUsage, type TokenCounts } from './provider';

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  /** Cache with the five-minute lifetime, the only kind that holdfast asks for. */
  cacheWrite: number;
}

interface ListPrice extends Price {
  /** For requests with a prompt of more than `over` tokens: the prices of the whole request. */
  long?: Price & { over: number };
}

/** Prices that an app sets, by the name that its agents use. */
export type OwnPrices = Readonly<Record<string, { prices?: Price }>>;

/** Day on which the table was last compared with published figures. Later changes are not in it. */
export const PRICES_AS_OF = '2026-10-24';
export const PRICES_SOURCE =
  "Anthropic's published pricing of the Claude API (standard tier and speed, any region, five-minute cache), as known on the date given";
/** US dollars for one search of the vendor's tool; fetching pages, and code beside a search, cost only tokens. */
export const SEARCH_PRICE = 0.01;

const OPUS_FIRST: Price = { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 };
const OPUS: Price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const SONNET: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const FABLE: Price = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 };
const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** By model, without the date that ends a model id. */
export const PRICES: Readonly<Record<string, ListPrice>> = {
  'claude-fable-5-1': { ...FABLE, cacheRead: 0.25 },
  'claude-mythos-5-1': { ...FABLE, cacheRead: 0.25 },
  'claude-fable-5': FABLE,
  'claude-mythos-5': FABLE,
  'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  'claude-opus-5': OPUS,
  'claude-opus-4-8': OPUS,
  'claude-opus-4-7': OPUS,
  'claude-opus-4-6': OPUS,
  'claude-opus-4-5': OPUS,
  'claude-opus-4-1': OPUS_FIRST,
  'claude-opus-4': OPUS_FIRST,
  'claude-3-opus': OPUS_FIRST,
  'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  'claude-sonnet-5': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  'claude-sonnet-4-6': SONNET,
  'claude-sonnet-4-5': SONNET,
  'claude-sonnet-4': SONNET,
  'claude-3-7-sonnet': SONNET,
  'claude-3-5-sonnet': SONNET,
  'claude-haiku-5-5': {
    ...{ input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
    long: { over: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
  },
  'claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  'claude-3-5-haiku': { input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 },
  'claude-3-haiku': { input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3 },
  'rehearsal-1': FREE,
};

/** What may follow a model's name without changing its price: a date, `-latest`, `-0`, a platform's version. */
const SUFFIX = /^([-@]\d{8}|-latest|-0)?(-v\d+(:\d+)?)?$/;
const PLATFORM = /^([a-z]{2,6}\.)?anthropic\./;

/**
 * The price of a model, or undefined. A name that only begins alike (`claude-opus-4-9`) has none.
 * @param own prices that the app sets, which override the table
 */
export function priceOf(model: string, own: OwnPrices = {}): ListPrice | undefined {
  const ownPrice = Object.hasOwn(own, model) ? own[model]!.prices : undefined;
  if (ownPrice !== undefined) return ownPrice;
  const name = model.replace(PLATFORM, '');
  const key = Object.keys(PRICES).find((prefix) => name.startsWith(prefix) && SUFFIX.test(name.slice(prefix.length)));
  return key === undefined ? undefined : PRICES[key];
}

export interface Cost {
  /** US dollars; 0 when the model has no known price. */
  usd: number;
  /** False: the model's price is not known, and 0 does not mean free. */
  priced: boolean;
  /** Tokens of models without a known price. */
  unpricedTokens: number;
}

export interface AskedModel {
  /** The name that the agent gives it. */
  asked: string;
  /** The vendor's id, if that is another. */
  id?: string;
  /** As the answer names it: vendors answer with a dated name, a user's own server with another. */
  answered: string;
}

/**
 * Cost of one request, US dollars, to a millionth of a cent.
 */
export function costUsd(model: AskedModel, usage: ModelUsage, own: OwnPrices = {}): Cost {
  const parts = usage.billed ?? [{ model: model.answered, ...usage }];
  let micro = (usage.web_searches ?? 0) * SEARCH_PRICE * 1e6;
  let unpricedTokens = 0;
  for (const part of parts) {
    const ownPrice = part.model === model.answered && Object.hasOwn(own, model.asked) ? own[model.asked]!.prices : undefined;
    const price = ownPrice ?? priceOf(part.model, own) ?? (part.model === model.answered ? askedPrice(model, own) : undefined);
    if (price === undefined) unpricedTokens += sumOf(part);
    else micro += microOf(price, part);
  }
  return { usd: Math.round(micro * 100) / 1e8, priced: unpricedTokens === 0, unpricedTokens };
}

/** The price of a model of an agent; undefined: none is known. */
export function askedPrice({ asked, id }: Omit<AskedModel, 'answered'>, own: OwnPrices = {}): ListPrice | undefined {
  return priceOf(asked, own) ?? (id === undefined ? undefined : priceOf(id, own));
}

function microOf(listPrice: ListPrice, counts: TokenCounts): number {
  const { long } = listPrice;
  const price = long && sumOf({ ...counts, output_tokens: 0 }) > long.over ? long : listPrice;
  return (
    counts.input_tokens * price.input +
    counts.output_tokens * price.output +
    counts.cache_read_tokens * price.cacheRead +
    counts.cache_creation_tokens * price.cacheWrite
  );
}

// Counts what a request took. The tokens that are billed and those that the conversation takes of the model's window are two
// figures: if the vendor's own tools ran, the model was asked several times for one answer, and the totals count the conversation
// each time.

/** Characters of JSON for a token: few, so that the count is never too low. */
const CHARACTERS = 3;

export const NO_TOKENS: Readonly<TokenCounts> = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
};

/**
 * @param first figures at the beginning of the stream: of the conversation as it was sent
 * @param last figures at its end: of all that the answer took
 * @param model of the answer
 */
export function usageOf(first: JsonObject, last: JsonObject, content: readonly JsonObject[], model: string): ModelUsage {
  const total = tokensOf(last);
  const iterations = (Array.isArray(last.iterations) ? last.iterations : []).filter(isJsonObject).map((one) => ({
    // Iterations of the vendor's own: it made room, or asked another model. Totals leave these out.
    beside: one.type === 'compaction' || one.type === 'advisor_message',
    model: typeof one.model === 'string' ? one.model : model,
    ...tokensOf(one),
  }));
  const beside = iterations.filter((one) => one.beside);
  const own = iterations.filter((one) => !one.beside);
  const all = addTokenCounts([total, ...beside]);
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

/** All tokens of a request and its answer. */
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

/** The tokens of the last iteration; without iterations, what was sent and what the answer adds to it. */
function contextOf(
  iteration: TokenCounts | undefined,
  first: TokenCounts,
  total: TokenCounts,
  content: readonly JsonObject[],
): number {
  if (iteration !== undefined) return sumOf(iteration);
  if (!content.some(isServerUse)) return sumOf(total);
  const inputTokens = sumOf({ ...first, output_tokens: 0 });
  return Math.min(sumOf(total), inputTokens + Math.ceil(JSON.stringify(content).length / CHARACTERS));
}

function covers(own: readonly TokenCounts[], total: TokenCounts): boolean {
  return own.length > 0 && sumOf(addTokenCounts(own)) === sumOf(total);
}

function addTokenCounts(all: readonly TokenCounts[]): TokenCounts {
  const sum = { ...NO_TOKENS };
  for (const counts of all) for (const key of Object.keys(sum) as (keyof TokenCounts)[]) sum[key] += counts[key];
  return sum;
}

function tokensIn({ input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }: TokenCounts): TokenCounts {
  return { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens };
}
