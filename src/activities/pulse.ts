/**
 * The heartbeat of an activity, by timer, so that a silent tool does not look dead. Its details carry
 * progress to whoever watches, and the retry counts to the next attempt.
 */
import { Context } from '@temporalio/activity';
import type { Json } from '../shared/json';

export interface PulseDetails {
  [key: string]: Json;
}

/** Changes the details, and sends them at once. */
export type Show = (details: PulseDetails) => void;

const INTERVAL = 1000;

/** What each activity that runs has shown last: a pulse inside of another one sends the same. */
const shown = new WeakMap<Context, PulseDetails>();

/** Runs `work` with a heartbeat every second, and at once when the details change. */
export async function withPulse<R>(work: (show: Show) => Promise<R>): Promise<R> {
  const context = Context.current();
  const details = () => shown.get(context) ?? detailsBefore();
  const timer = setInterval(() => context.heartbeat(details()), INTERVAL);
  try {
    return await work((change) => {
      shown.set(context, { ...details(), ...change });
      context.heartbeat(details());
    });
  } finally {
    clearInterval(timer);
  }
}

/** Heartbeat details of the attempt before, or `{}`. */
export function detailsBefore(): PulseDetails {
  const before: unknown = Context.current().info.heartbeatDetails;
  return typeof before === 'object' && before !== null ? (before as PulseDetails) : {};
}
