/**
 * Waits that a model asks for (the tool `wait_until`): until when, for how long at most, and what ends one. Plain data and pure
 * functions: workflow, activities and clients use them.
 */
import { durationMs } from '../approval/person-question';
import type { Json } from '../json/json';

/** The tool. No other tool may have this name. */
export const WAIT_UNTIL = 'wait_until';

/** Characters of the reason. A longer input might not travel beside its call. */
export const LONGEST_REASON = 300;

/** The input of `wait_until`, once admission has checked it. */
export interface WaitInput {
  /** ISO 8601 with an offset. Either this or `after`. */
  at?: string;
  /** Such as `30m` or `3 days`, from the moment at which the wait begins. */
  after?: string;
  reason: string;
}

/**
 * What ended a wait: its time; a message to the turn; the answer to a question of the same step; or a message of its session, whose turn
 * comes after this one.
 */
export const WAKERS = ['time', 'message', 'answer', 'session'] as const;
export type Waker = (typeof WAKERS)[number];

/** How a wait ended, for the activity that makes the call's result. */
export interface WaitEnd {
  woke_by: Waker;
  /** ISO 8601: when it began, and until when it was to last. */
  since: string;
  until: string;
}

export interface WaitFault {
  reason: string;
  message: string;
  hint?: string;
}

/** What is wrong with an input at any time. */
export function inputFault({ at, after, reason }: WaitInput, longestMs: number): WaitFault | undefined {
  if (reason.trim() === '') return { reason: 'empty_reason', message: 'reason is empty.' };
  if ((at === undefined) === (after === undefined))
    return { reason: 'at_or_after', message: 'Give either at or after: a time, or how long to wait.' };
  if (at !== undefined && instantMs(at) === null)
    return {
      reason: 'bad_at',
      message: `at is ${JSON.stringify(at)}; give a time with its offset, such as "2026-12-03T09:00:00+01:00".`,
    };
  if (after === undefined) return undefined;
  const ms = durationMs(after);
  if (ms === null)
    return { reason: 'bad_after', message: `after is ${JSON.stringify(after)}; give a text such as "30m", "2h" or "3 days".` };
  return ms > longestMs ? tooLong('after', after, longestMs) : undefined;
}

/** What is wrong with an input now: its time is over, or too far away. @param now ms since 1970 */
export function timeFault({ at }: Pick<WaitInput, 'at'>, longestMs: number, now: number): WaitFault | undefined {
  const time = at === undefined ? null : instantMs(at);
  if (time === null) return undefined;
  if (time <= now)
    return {
      reason: NOT_IN_FUTURE,
      message: `at is ${at}, and it is ${iso(now)} now.`,
      hint: 'Go on, if that is the time that you waited for; else give a later one.',
    };
  return time - now > longestMs ? tooLong('at', `${at}, and it is ${iso(now)} now`, longestMs) : undefined;
}

/** Reasons for which the workflow refuses a wait, by its own clock. */
export const NOT_IN_FUTURE = 'not_in_future';
export const WAIT_TOO_LONG = 'wait_too_long';

function tooLong(field: string, value: string, longestMs: number): WaitFault {
  return {
    reason: WAIT_TOO_LONG,
    message: `${field} is ${value}; a wait lasts ${durationText(longestMs)} at most.`,
    hint: 'Wait for less, and then again if need be; or end the turn, and say what is to be done later.',
  };
}

/**
 * When a wait ends, ms since 1970: never before now, and never after the longest wait, whatever the input is. A hook, or a person who
 * approves, may have changed it since it was checked.
 * @param input null: it is not known
 */
export function wakeTime(input: Readonly<Record<string, Json>> | null, longestMs: number, now: number): number {
  const { at, after } = input ?? {};
  const length = typeof after === 'string' ? durationMs(after) : null;
  const end = typeof at === 'string' ? instantMs(at) : length === null ? null : now + length;
  return Math.min(Math.max(end ?? now, now), now + longestMs);
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time of ISO 8601 with its offset, ms since 1970; null: it is none. */
export function instantMs(text: string): number | null {
  const [, year, month, day] = INSTANT.exec(text) ?? [];
  const ms = year === undefined ? Number.NaN : Date.parse(text);
  if (Number.isNaN(ms)) return null;
  // Date.parse takes the 30th of February for a day in March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCDate() === Number(day) ? ms : null;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

/** `3 days`, by the largest unit of which it is a multiple. */
export function durationText(ms: number): string {
  const [length, name] = UNITS.find(([length]) => ms % length === 0) ?? [1, 'millisecond'];
  const count = ms / length;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
