/**
 * The view of a turn for clients (query `status`, the workflow's result, `holdfast show`), its shortened form, and the sum of what
 * model requests used. Types only: workflows load no zod.
 */
import type { CallError } from '../wire/errors';
import type { CallView, TurnUsage } from '../../shapes/turn-view';
import { cutJson } from '../json/json';

export type {
  ApprovalView,
  CallView,
  DecisionView,
  DirectCallView,
  EarlierCalls,
  FallbackView,
  IgnoredSignal,
  SubTurnView,
  SurfacedCall,
  TurnView,
} from '../../shapes/turn-view';
export type { TurnUsage } from '../../shapes/turn-view';
export type { CallState, Effect, EndState, TurnState } from './turn-states';

// A call's view with its texts cut. What the call was, how it ended and its references into the store stay.

/** Bytes of JSON that remain of a text. */
export const SHORT = 160;

export function shortView(call: CallView): CallView {
  const { approval, error, result_summary } = call;
  const decisions = approval.decisions.map((decision) => ({
    ...decision,
    note: short(decision.note),
    identity: cutJson(decision.identity, SHORT),
  }));
  return {
    ...call,
    approval: { ...approval, note: short(approval.note), decisions },
    error: shortError(error),
    result_summary: short(result_summary),
  };
}

/**
 * Code, kind and reason say what happened; the message, cut, says it in words. The message ends with an ellipsis if anything was
 * left out.
 */
export function shortError(error: CallError | null): CallError | null {
  if (error === null) return null;
  const { details, hint, migration_guide, ...rest } = error;
  const short = { ...rest, reason: cutJson(error.reason, SHORT), message: cutJson(error.message, SHORT) };
  const whole = short.reason === error.reason && (details ?? hint ?? migration_guide) === undefined;
  return whole || isCut(short.message) ? short : { ...short, message: `${cutJson(error.message, SHORT - 3)}…` };
}

/** True for a shortened text. */
export function isCut(text: unknown): boolean {
  return typeof text === 'string' && text.endsWith('…');
}

/** Whether a text equals another, or is its shortened form. */
export function isShortOf(text: unknown, whole: unknown): boolean {
  if (!isCut(text)) return text === whole;
  return typeof whole === 'string' && whole.startsWith((text as string).replace(/…+$/, ''));
}

export function short(text: string | null): string | null {
  return text === null ? null : cutJson(text, SHORT);
}

// What model requests used, added up.

export const NO_USAGE: Readonly<TurnUsage> = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  cost_usd: 0,
};

/** Changes `sum`. A count that older steps do not report is 0. */
export function addUsage(sum: TurnUsage, more: TurnUsage): void {
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.cache_read_tokens += more.cache_read_tokens;
  sum.cache_creation_tokens = (sum.cache_creation_tokens ?? 0) + (more.cache_creation_tokens ?? 0);
  sum.cost_usd += more.cost_usd;
  addTokensWithoutPrice(sum, more);
}

/** Changes `sum`. */
export function addTokensWithoutPrice(sum: TurnUsage, { unpriced_tokens = 0 }: TurnUsage): void {
  if (unpriced_tokens > 0) sum.unpriced_tokens = (sum.unpriced_tokens ?? 0) + unpriced_tokens;
}

/** What was spent, in words: a cost that is not known is not 0. */
export function costText({ cost_usd, unpriced_tokens = 0 }: Pick<TurnUsage, 'cost_usd' | 'unpriced_tokens'>): string {
  const known = `$${cost_usd.toFixed(4)}`;
  if (unpriced_tokens === 0) return known;
  return cost_usd === 0 ? 'cost unknown' : `${known} and an unknown cost`;
}

/** The share of all tokens sent to the model that came from its prompt cache, 0 to 1; null: nothing was sent. */
export function cachedShare({ input_tokens, cache_read_tokens, cache_creation_tokens = 0 }: TurnUsage): number | null {
  const total = input_tokens + cache_read_tokens + cache_creation_tokens;
  return total === 0 ? null : cache_read_tokens / total;
}
