/**
 * Finds out why no answer came: whether a worker polls, so that a caller knows to wait or to start one. Also reads a turn's
 * senders.
 */
import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { MissingAnswer } from '../../temporal/send-update';
import { readFact } from '../../record/history';
import { timeOf, type RunEvent } from '../../temporal/history/read-history';
import { NoWorker } from '../errors';

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
/** The server lists a worker for minutes after it died; a live worker polls at least once a minute. */
const POLLS_WITHIN_MS = 75_000;
const LOOK_WITHIN_MS = 3000;

/**
 * @param of the workflow that was asked, or its task queue
 * @param fate fate of the request; absent: nothing was sent
 */
export async function noWorkerError(
  client: Client,
  of: { workflowId: string } | { taskQueue: string },
  what: string,
  fate?: MissingAnswer,
): Promise<NoWorker> {
  try {
    return await client.connection.withDeadline(Date.now() + LOOK_WITHIN_MS, async () => {
      const name = 'taskQueue' in of ? of.taskQueue : (await client.workflow.getHandle(of.workflowId).describe()).taskQueue;
      const ago = Date.now() - ((await lastPoll(client, name)) ?? 0);
      return new NoWorker(what, ago < POLLS_WITHIN_MS ? Math.max(0, ago) : null, fate);
    });
  } catch {
    return new NoWorker(what, null, fate); // the server does not answer this request either
  }
}

/** When a worker last polled a queue for workflow tasks, Unix time, ms; null: the server remembers no poll. */
export async function lastPoll(client: Client, taskQueue: string): Promise<number | null> {
  const queue = { namespace: client.options.namespace, taskQueue: { name: taskQueue }, taskQueueType: TASK_QUEUE_TYPE_WORKFLOW };
  const { pollers } = await client.workflowService.describeTaskQueue(queue);
  const times = (pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000);
  return times.length === 0 ? null : Math.max(...times);
}

/** Time limit for several workers that may all be gone: while any of them answers, the others may still answer. */
export class IdleTimeout {
  private readonly giveUp = new AbortController();
  private timer: NodeJS.Timeout;

  /** @param forMs time without any answer, after which the signal aborts */
  constructor(private readonly forMs: number) {
    setMaxListeners(0, this.signal); // one for each request that waits
    this.timer = this.begin();
  }

  get signal(): AbortSignal {
    return this.giveUp.signal;
  }

  /** An answer came. */
  broken(): void {
    clearTimeout(this.timer);
    this.timer = this.begin();
  }

  /** No answer is awaited any more. */
  over(): void {
    clearTimeout(this.timer);
  }

  private begin(): NodeJS.Timeout {
    return setTimeout(() => this.giveUp.abort(), this.forMs);
  }
}

// The sender of each request to a turn, as Temporal recorded it with the event.

export interface Sent {
  run_id: string;
  event_id: string;
  /** ISO 8601, the server's clock. */
  at: string;
  kind: 'start' | 'signal' | 'update' | 'cancel' | 'terminate';
  /** Name of the signal or the update; else empty. */
  name: string;
  /** What the sender's client claims to be. */
  identity: string;
  /**
   * The sender as the server authenticated it, `<type>/<name>`; no client can choose it. Null if the server records none:
   * Temporal 1.32 and later do, with `frontend.enablePrincipalPropagation` and an authorizer.
   */
  principal: string | null;
}

/** Null: the event has no sender. The start of a run that continues another has none either. */
export function sentOf({ runId, event }: Pick<RunEvent, 'runId' | 'event'>): Sent | null {
  const sender = senderOf(event);
  if (sender === null) return null;
  const { type, name } = event.principal ?? {};
  const principal = name ? `${type ?? ''}/${name}` : null;
  return { run_id: runId, event_id: String(event.eventId), at: timeOf(event), ...sender, principal };
}

function senderOf(event: RunEvent['event']): Pick<Sent, 'kind' | 'name' | 'identity'> | null {
  const fact = readFact(event);
  switch (fact?.kind) {
    case 'run_started':
      return fact.continued_run === null ? { kind: 'start', name: '', identity: fact.identity } : null;
    case 'signal':
      return { kind: 'signal', name: fact.name, identity: fact.identity };
    case 'update_accepted':
      return { kind: 'update', name: fact.name, identity: fact.identity };
    case 'cancel_requested':
      return { kind: 'cancel', name: '', identity: fact.identity };
    case 'run_ended':
      return fact.how === 'terminated' ? { kind: 'terminate', name: '', identity: fact.identity } : null;
    default:
      return null;
  }
}
