/** Keeps the feeds of a client: all watchers of a turn share one feed. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { LiveBus } from '../../live/bus';
import { watchPendingActivities } from '../../temporal/pending-activities';
import { TurnNotFound } from '../errors';
import { Feed, type FeedOptions, type WatchedEvent } from './feed';
import { readTurn } from './turn-log';
import type { Position } from './position';

export class Feeds {
  private readonly open = new Map<string, Feed>();

  /** @param live null: progress and retries are read from the Temporal server, and text comes only with its finished step */
  constructor(
    private readonly client: Client,
    private readonly live: () => LiveBus | null = () => null,
    private readonly options: Omit<FeedOptions, 'onOver'> = {},
  ) {}

  of(turnId: string, workflowId: string): Feed {
    const openFeed = this.open.get(turnId);
    if (openFeed) return openFeed;
    const bus = this.live();
    const feed: Feed = new Feed(
      {
        read: (reading) => readTurn(this.client, workflowId, reading),
        listen: (listener) => (bus ? bus.subscribe(turnId, listener) : watchPendingActivities(this.client, workflowId, listener)),
      },
      { ...this.options, onOver: () => void (this.open.get(turnId) === feed && this.open.delete(turnId)) },
    );
    this.open.set(turnId, feed);
    return feed;
  }

  /** How many turns are being read. */
  get size(): number {
    return this.open.size;
  }

  close(): void {
    for (const feed of [...this.open.values()]) feed.close();
  }
}

// Watches a turn through its feed.

export interface WatchOptions {
  /** Ends the watch without an error. */
  signal?: AbortSignal;
  /** Only events after this position. Default: from the turn's beginning. */
  after?: Position | null;
}

/**
 * Yields the events of a turn until it ends, across continue-as-new and resets; results are in the order of their calls.
 * @throws TurnNotFound
 */
export async function* watchTurn(
  feeds: Feeds,
  turnId: string,
  workflowId: string,
  { signal = new AbortController().signal, after = null }: WatchOptions,
): AsyncGenerator<WatchedEvent> {
  if (signal.aborted) return;
  try {
    yield* feeds.of(turnId, workflowId).watch(after, signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof WorkflowNotFoundError ? new TurnNotFound(turnId) : error;
  }
}
