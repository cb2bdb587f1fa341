/**
 * What a request cost. The table is data with a date: an audit records it with the turn, and a model
 * that is not in it is counted as costing nothing *and flagged*, never priced by a guess.
 */
import type { ModelUsage } from './provider';

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  /** Cache with the five-minute lifetime, the only kind that holdfast asks for. */
  cacheWrite: number;
}

/** Day on which the table was last compared with published figures. Later changes are not in it. */
export const PRICES_AS_OF = '2026-03-21';
export const PRICES_SOURCE =
  "Anthropic's published pricing of the Claude API (standard tier, prompts up to 200,000 tokens, five-minute cache), as known on the date given";

const OPUS_FIRST: Price = { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 };
const OPUS: Price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const SONNET: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** By model, without the date that ends a model id. */
export const PRICES: Readonly<Record<string, Price>> = {
  'claude-opus-4-6': OPUS,
  'claude-opus-4-5': OPUS,
  'claude-opus-4-1': OPUS_FIRST,
  'claude-opus-4': OPUS_FIRST,
  'claude-3-opus': OPUS_FIRST,
  'claude-sonnet-4-6': SONNET,
  'claude-sonnet-4-5': SONNET,
  'claude-sonnet-4': SONNET,
  'claude-3-7-sonnet': SONNET,
  'claude-3-5-sonnet': SONNET,
  'claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  'claude-3-5-haiku': { input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 },
  'claude-3-haiku': { input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3 },
  'rehearsal-1': FREE,
};

/** What may follow a model's name and leave its price alone: a date, `-latest`, `-0`, a platform's version. */
const SUFFIX = /^([-@]\d{8}|-latest|-0)?(-v\d+(:\d+)?)?$/;
const PLATFORM = /^([a-z]{2,6}\.)?anthropic\./;

/** The price of a model, or undefined. A name that merely begins alike (`claude-opus-4-9`) has none. */
export function priceOf(model: string): Price | undefined {
  const name = model.replace(PLATFORM, '');
  const key = Object.keys(PRICES).find((known) => name.startsWith(known) && SUFFIX.test(name.slice(known.length)));
  return key === undefined ? undefined : PRICES[key];
}

export interface Cost {
  /** US dollars; 0 when the model has no known price. */
  usd: number;
  /** False: the model is not in the table, and 0 does not mean free. */
  priced: boolean;
}

/** Cost of one request, US dollars, to a millionth of a cent. */
export function costUsd(model: string, usage: ModelUsage): Cost {
  const price = priceOf(model);
  if (price === undefined) return { usd: 0, priced: false };
  const micro =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    usage.cache_read_tokens * price.cacheRead +
    usage.cache_creation_tokens * price.cacheWrite;
  return { usd: Math.round(micro * 100) / 1e8, priced: true };
}
