/**
 * Sends the heartbeat of an activity by timer, so that a silent tool does not look dead. Its details carry progress to clients,
 * and the retry counts to the next attempt.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { errorMessage } from '../../shared/text/error-message';
import { MODEL_WAITS } from '../../shared/turn/turn-states';

export interface HeartbeatDetails {
  [key: string]: Json;
}

/** Changes the details, and sends them at once. */
export type Show = (details: HeartbeatDetails) => void;

const INTERVAL = 1000;
const SHOW_EVERY_MS = 500;

/** The last details of each running activity; every heartbeat repeats them. */
const lastDetails = new WeakMap<Context, HeartbeatDetails>();

/** Runs `work`, an activity as a whole, with a heartbeat every second. */
export async function withHeartbeat<R>(work: () => Promise<R>): Promise<R> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(details(context)), INTERVAL);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Returns a function that changes the details of the current activity; it may be called outside of the activity, too. */
export function showing(): Show {
  const context = Context.current();
  return (change) => {
    const now = { ...details(context), ...change };
    lastDetails.set(context, now);
    context.heartbeat(now);
  };
}

/** Shows how many characters of the model's answer have come, twice a second at most: an answer comes in hundreds of texts. */
export function showingCharacters(): (text: string) => void {
  const show = showing();
  let characters = 0;
  let shownAt = Date.now();
  return (text) => {
    characters += text.length;
    if (Date.now() - shownAt < SHOW_EVERY_MS) return;
    shownAt = Date.now();
    show({ characters });
  };
}

/** Heartbeat details of the previous attempt, or `{}`. */
export function detailsBefore(context = Context.current()): HeartbeatDetails {
  const before: unknown = context.info.heartbeatDetails;
  return typeof before === 'object' && before !== null ? (before as HeartbeatDetails) : {};
}

function details(context: Context): HeartbeatDetails {
  return lastDetails.get(context) ?? detailsBefore(context);
}

// The attempts of a step that asks a model. Temporal repeats a step without a limit, since a step that waits for room within the
// limits of a model gives its slot back by failing (`model.waits`); the number of those waits travels by heartbeat. All other
// attempts, also those whose worker died, are limited here.

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;

/** How often this step has waited in attempts of their own. */
export function waitsBefore(details: HeartbeatDetails = detailsBefore()): number {
  const { waits } = details;
  return typeof waits === 'number' && Number.isSafeInteger(waits) && waits >= 0 ? waits : 0;
}

/**
 * Runs `work`, an activity as a whole, at most `most` times, not counting waits.
 * @throws ApplicationFailure of the last attempt, without a retry
 */
export async function withAttempts<R>(most: number, work: () => Promise<R>): Promise<R> {
  const { attempt } = Context.current().info;
  const waits = waitsBefore();
  const own = attempt - waits;
  if (own > most)
    throw ApplicationFailure.nonRetryable(
      `The step was begun ${most} times, and its worker was lost each time, or did not answer. See the logs of the workers.`,
      'holdfast.step_lost',
    );
  try {
    return await work();
  } catch (error) {
    if (isWait(error)) throw error;
    if (own >= most) throw withoutRetry(error);
    throw waits === 0 ? error : withDelay(error, own);
  }
}

function isWait(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === MODEL_WAITS;
}

function withoutRetry(error: unknown): unknown {
  if (Context.current().cancellationSignal.aborted) return error;
  if (error instanceof ApplicationFailure && error.nonRetryable === true) return error;
  return ApplicationFailure.create({ message: errorMessage(error), nonRetryable: true, ...optional({ type: typeOf(error) }) });
}

/** Temporal's own delay grows with every attempt: after many waits it would be a minute for the first failure. */
function withDelay(error: unknown, attempts: number): unknown {
  if (Context.current().cancellationSignal.aborted) return error;
  if (error instanceof ApplicationFailure && (error.nonRetryable === true || error.nextRetryDelay !== undefined)) return error;
  return ApplicationFailure.create({
    message: errorMessage(error),
    nonRetryable: false,
    nextRetryDelay: Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1)),
    ...optional({ type: typeOf(error) }),
  });
}

function typeOf(error: unknown): string | undefined {
  if (error instanceof ApplicationFailure) return error.type ?? undefined;
  return error instanceof Error ? error.name : undefined;
}
