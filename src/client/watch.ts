/** Watches a turn through its feed. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { TurnNotFound } from './errors';
import type { Watched } from './feed';
import type { Feeds } from './feeds';
import type { Position } from './position';

export interface WatchOptions {
  /** Ends the watch; nothing is thrown. */
  signal?: AbortSignal;
  /** Only what comes after it. Default: from the turn's beginning. */
  after?: Position | null;
}

/**
 * Yields the events of a turn to its end, over continue-as-new and resets; results in the order of their calls.
 * @throws TurnNotFound
 */
export async function* watchTurn(
  feeds: Feeds,
  turnId: string,
  workflowId: string,
  { signal = new AbortController().signal, after = null }: WatchOptions,
): AsyncGenerator<Watched> {
  if (signal.aborted) return;
  try {
    yield* feeds.of(turnId, workflowId).watch(after, signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof WorkflowNotFoundError ? new TurnNotFound(turnId) : error;
  }
}
