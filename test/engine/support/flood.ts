/** Thousands of signals at once, and a look at the turn that waits until it answers again. */
import { NoWorker } from '../../../src/client/errors';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { eventually } from './engine';

/**
 * So many at once that the workflow cannot complete a task: more than 100 signals come while a task of it is under way, and the
 * server takes the task away, each time.
 */
const STORM = 50;
/** So few that no task is taken away, however slow the machine: fewer than those hundred, and then a look (`afterFlood`). */
export const STEADY = 80;
/** A busy machine takes minutes for this; an idle one takes half a minute. */
export const FLOOD_MS = 900_000;

/**
 * Sent in parallel: one after the other would take minutes. A signal that Temporal refuses is sent again, as a stubborn sender would.
 * A long storm is slow without need: each task that was taken away begins with the whole history again, and after many the
 * server waits for minutes before the next. Send few, and look (`afterFlood`) before you send more.
 */
export async function flood(send: (n: number) => Promise<void>, count: number, senders = STORM): Promise<void> {
  const sender = async (first: number) => {
    for (let n = first; n < count; n += senders) {
      while (!(await send(n).then(() => true, bounced))) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await Promise.all(Array.from({ length: senders }, (_, first) => sender(first)));
}

function bounced(error: unknown): false {
  if (/exceeded|limit|RESOURCE/i.test(String((error as Error).cause ?? error))) return false;
  throw error;
}

/** The view once it is as wanted; a query that a flooded worker does not answer is sent again. */
export function afterFlood(turn: TurnHandle, wanted: (view: TurnView) => boolean): Promise<TurnView> {
  const look = async () => {
    const view = await turn.status().catch((error: unknown) => {
      if (error instanceof NoWorker) return null;
      throw error;
    });
    return view !== null && wanted(view) && view;
  };
  return eventually('the flood is over', look, FLOOD_MS / 2);
}
