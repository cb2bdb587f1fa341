/**
 * Figures of all turns that have not ended, for monitoring: how many are in each state, and how long nothing has happened in the one
 * that has been idle for longest. A turn that waits for a person is idle because nobody decides; one that runs is stuck. No worker is
 * asked: the time of the last event of a history tells it, also while no worker runs.
 */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { OPEN_STATES } from '../../shared/turn/turn-states';
import { timeOf } from '../../temporal/history/read-history';
import { turnQuery } from './listing';

export type OpenState = (typeof OPEN_STATES)[number];

export interface OpenTurnFigures {
  /** How many turns are in each state. */
  turns: Record<OpenState, number>;
  /** Of each state, how long the turn that is idle for longest has had no event, ms. 0: there is no turn. Null: not known yet. */
  idleMs: Record<OpenState, number | null>;
  /** Turns that run, and had no event for `STUCK_MS`. */
  stuck: number;
}

/** A run that Temporal lists. */
export interface ListedRun {
  workflowId: string;
  runId: string;
  startedAt: number;
}

export interface OpenTurnSource {
  /** @throws if Temporal does not answer */
  list(state: OpenState): AsyncIterable<ListedRun>;
  /** When the last event of the run was written, Unix time, ms; null: Temporal does not know the run any more. */
  lastEventAt(run: ListedRun): Promise<number | null>;
}

/** Nothing that the engine does by itself takes so long without an event, unless a tool or a model does. */
export const STUCK_MS = 15 * 60_000;
/** Figures of so long ago are read again. */
const FRESH_MS = 15_000;
/** Figures of so long ago are not shown, and who asks waits so long for new ones. */
const STALE_MS = 5 * 60_000;
const WAITS_MS = 3000;
const AT_ONCE = 8;
/** Histories that are asked for their last event in one reading, for each state; the next reading goes on. */
const READS = 200;
const MOST_TURNS = 100_000;

export class OpenTurns {
  /** By run: a time before which its last event was not. Events only become later, so an old time is still such a limit. */
  private limits: ReadonlyMap<string, number> = new Map();
  private last: { at: number; figures: OpenTurnFigures } | null = null;
  private reading: Promise<void> | null = null;

  constructor(private readonly source: OpenTurnSource) {}

  /** Null: Temporal does not answer, or not in time. */
  async figures(): Promise<OpenTurnFigures | null> {
    const isFresh = this.last !== null && Date.now() - this.last.at < FRESH_MS;
    if (!isFresh) {
      this.reading ??= this.read()
        .catch(() => undefined)
        .finally(() => (this.reading = null));
      await inTime(this.reading);
    }
    return this.last !== null && Date.now() - this.last.at < STALE_MS ? this.last.figures : null;
  }

  private async read(): Promise<void> {
    const at = Date.now();
    const limits = new Map<string, number>();
    const turns = { ...ZERO };
    const idleMs: OpenTurnFigures['idleMs'] = { ...ZERO };
    let stuck = 0;
    for (const state of OPEN_STATES) {
      const runs = await this.runsOf(state);
      const lastEvents = new LastEvents(this.source, runs, this.limits);
      const isDone = await lastEvents.readOldest((limit) => state === 'running' && at - limit >= STUCK_MS);
      turns[state] = runs.length;
      idleMs[state] = isDone ? Math.max(0, at - lastEvents.oldest()) : null;
      if (state === 'running') stuck = lastEvents.countBefore(at - STUCK_MS);
      for (const [key, limit] of lastEvents.limits) limits.set(key, limit);
    }
    this.limits = limits;
    this.last = { at, figures: { turns, idleMs, stuck } };
  }

  private async runsOf(state: OpenState): Promise<ListedRun[]> {
    const runs: ListedRun[] = [];
    for await (const run of this.source.list(state)) {
      if (runs.length >= MOST_TURNS) break;
      runs.push(run);
    }
    return runs;
  }
}

const ZERO: Readonly<Record<OpenState, number>> = {
  running: 0,
  sleeping: 0,
  awaiting_completion: 0,
  awaiting_approval: 0,
  awaiting_answer: 0,
  in_doubt: 0,
};

/** The last events of the runs of one state, of which as few are read as tell the oldest. */
class LastEvents {
  readonly limits = new Map<string, number>();
  /** Those that were read. */
  private readonly times = new Map<string, number>();
  private readonly runs = new Map<string, ListedRun>();

  constructor(
    private readonly source: OpenTurnSource,
    runs: readonly ListedRun[],
    earlier: ReadonlyMap<string, number>,
  ) {
    for (const run of runs) {
      this.runs.set(keyOf(run), run);
      this.limits.set(keyOf(run), earlier.get(keyOf(run)) ?? run.startedAt);
    }
  }

  /** Infinity: there is none. */
  oldest(): number {
    let oldest = Infinity;
    for (const time of this.times.values()) oldest = Math.min(oldest, time);
    return oldest;
  }

  countBefore(time: number): number {
    return [...this.times.values()].filter((at) => at <= time).length;
  }

  /**
   * Reads the runs in the order of their limits, until no other can have an older event.
   * @param alsoRead whether a run with this limit is to be read in any case
   * @returns false if there was not room for all
   */
  async readOldest(alsoRead: (limit: number) => boolean): Promise<boolean> {
    const order = [...this.limits].sort(([, a], [, b]) => a - b);
    for (let place = 0; place < order.length; place += AT_ONCE) {
      const [, limit] = order[place]!;
      if (limit >= this.oldest() && !alsoRead(limit)) return true;
      if (place >= READS) return false;
      await Promise.all(order.slice(place, place + AT_ONCE).map(([key]) => this.readOne(key)));
    }
    return true;
  }

  private async readOne(key: string): Promise<void> {
    const at = await this.source.lastEventAt(this.runs.get(key)!);
    if (at === null) return void this.limits.delete(key);
    this.limits.set(key, at);
    this.times.set(key, at);
  }
}

function keyOf({ workflowId, runId }: ListedRun): string {
  return `${runId} ${workflowId}`;
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAITS_MS)));
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** gRPC code. */
const NOT_FOUND = 5;
const PAGE = 1000;

/** Reads raw answers: neither memo nor search attributes are decoded for it. */
export function openTurnSource(client: () => Promise<Client>): OpenTurnSource {
  return {
    async *list(state) {
      const { workflowService, options } = await client();
      const request = { namespace: options.namespace, query: turnQuery({ state }), pageSize: PAGE };
      let nextPageToken: Uint8Array | null = null;
      do {
        const answer: ListAnswer = await workflowService.listWorkflowExecutions({ ...request, nextPageToken });
        for (const { execution, startTime } of answer.executions ?? []) {
          const startedAt = Date.parse(timeOf({ eventTime: startTime }));
          yield { workflowId: execution?.workflowId ?? '', runId: execution?.runId ?? '', startedAt };
        }
        nextPageToken = answer.nextPageToken?.length ? answer.nextPageToken : null;
      } while (nextPageToken !== null);
    },
    async lastEventAt(execution) {
      const { workflowService, options } = await client();
      const { workflowId, runId } = execution;
      const request = { namespace: options.namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
      const answer = await workflowService.getWorkflowExecutionHistoryReverse(request).catch((error: unknown) => {
        if (isGrpcServiceError(error) && error.code === NOT_FOUND) return null;
        throw error;
      });
      const [event] = answer?.history?.events ?? [];
      return event ? Date.parse(timeOf(event)) : null;
    },
  };
}

type ListAnswer = temporal.api.workflowservice.v1.IListWorkflowExecutionsResponse;
