/**
 * Sends the heartbeat of an activity by timer, so that a silent tool does not look dead. Its details carry progress to clients,
 * and the retry counts to the next attempt.
 */
import { Context } from '@temporalio/activity';
import type { Json } from '../../shared/json/json';

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
