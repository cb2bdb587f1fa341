/** The feeds of a client: those who watch one turn share one. */
import type { Client } from '@temporalio/client';
import type { LiveBus } from '../live/bus';
import { Feed, type FeedOptions } from './feed';
import { watchPendingActivities } from '../temporal/pending-activities';
import { readTurn } from './turn-log';

export class Feeds {
  private readonly open = new Map<string, Feed>();

  /** @param live null: progress and retries are asked of the Temporal server, and text comes with its finished step only */
  constructor(
    private readonly client: Client,
    private readonly live: () => LiveBus | null = () => null,
    private readonly options: Omit<FeedOptions, 'onOver'> = {},
  ) {}

  of(turnId: string, workflowId: string): Feed {
    const known = this.open.get(turnId);
    if (known) return known;
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
