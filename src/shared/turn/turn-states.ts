/** The states of turns and calls, and what a turn waits for. Plain data and pure functions. */
import { isJsonObject, type Json } from '../json/json';

export const TURN_STATES = [
  'running',
  'awaiting_approval',
  'awaiting_answer',
  'in_doubt',
  'awaiting_completion',
  'sleeping',
  'completed',
  'refused',
  'cancelled',
  'failed',
  'limit',
] as const;
export type TurnState = (typeof TURN_STATES)[number];
/** The states in which a turn has ended. */
export type EndState = Exclude<TurnState, (typeof OPEN_STATES)[number]>;
/** The states of a turn that goes on. The last three wait for a person. */
export const OPEN_STATES = [
  'running',
  'sleeping',
  'awaiting_completion',
  'awaiting_approval',
  'awaiting_answer',
  'in_doubt',
] as const satisfies TurnState[];

export function isEnd(state: TurnState): state is EndState {
  return !OPEN_STATES.some((open) => open === state);
}

export const CALL_STATES = [
  'proposed', 'rejected', 'ready', 'waiting', 'approved', 'denied', 'expired', 'superseded', 'cancelled',
  'running', 'pending', 'succeeded', 'failed', 'in_doubt',
] as const; // oxfmt-ignore
export type CallState = (typeof CALL_STATES)[number];

/** What a destructive call did. */
export const EFFECTS = ['applied', 'not_applied', 'refused', 'in_doubt'] as const;
export type Effect = (typeof EFFECTS)[number];

// What a turn waits for before a model is asked, as activities report it by heartbeat and clients show it.

export const WAIT_REASONS = ['requests', 'tokens', 'concurrent', 'vendor', 'failure'] as const;

export interface ModelWait {
  /** Its name in the app. */
  model: string;
  why: (typeof WAIT_REASONS)[number];
  /** Requests that will be served first. */
  before: number;
}

/** Type of the failure by which a step that waits gives its slot back. It counts as no attempt. */
export const MODEL_WAITS = 'model.waits';

// A call that waits for the end of a freeze (docs/operations.md, "Stop switch").

/** Reason in the output of a call that was not dispatched since it is frozen. */
export const FREEZE = 'frozen';
/** Type of the failure by which the activity of a call that waits gives its slot back. */
export const FREEZE_WAITS = 'holdfast.frozen';

const WORDS: Record<ModelWait['why'], (model: string) => string> = {
  requests: (model) => `a free request of model ${model}`,
  tokens: (model) => `free tokens of model ${model}`,
  concurrent: (model) => `a running request of model ${model} to end`,
  vendor: (model) => `the vendor of model ${model}, which has asked for a pause`,
  failure: (model) => `the next try of model ${model}, which did not answer`,
};

/** `waits for a free request of model opus, 12 before it` */
export function modelWaitText({ model, why, before }: ModelWait): string {
  return `waits for ${WORDS[why](model)}${before > 0 ? `, ${before} before it` : ''}`;
}

/** Null: it is no such report. */
export function readModelWait(value: unknown): ModelWait | null {
  if (!isJsonObject(value as Json)) return null;
  const { model, why, before } = value as Partial<ModelWait>;
  const isWait = typeof model === 'string' && WAIT_REASONS.some((one) => one === why) && Number.isSafeInteger(before);
  return isWait ? { model, why: why!, before: before! } : null;
}

// Waits that a model asks for (the tool `wait_until`): until when, for how long at most, and what ends one.

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

/** What ended a wait: its time; a message to the turn; or the answer to a question of the same step. */
export const WAKERS = ['time', 'message', 'answer'] as const;
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

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^([1-9][0-9]{0,8}) ?(?:([smhd])|(second|minute|hour|day)s?)$/;

/** A number of ms, or a text such as `2h` or `2 hours`, in ms; null: it is no duration. */
export function durationMs(duration: number | string): number | null {
  if (typeof duration === 'number') return Number.isSafeInteger(duration) && duration > 0 ? duration : null;
  const [, count, letter, word] = DURATION.exec(duration) ?? [];
  return count === undefined ? null : Number(count) * UNIT_MS[letter ?? word!.charAt(0)]!;
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
