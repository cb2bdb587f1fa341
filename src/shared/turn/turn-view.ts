/**
 * The view of a turn for clients (query `status`, the workflow's result, `holdfast show`), and its shortened form. Types only:
 * workflows load no zod.
 */
import type { CallError } from '../wire/errors';
import type { CallView } from '../../shapes/turn-view';
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
