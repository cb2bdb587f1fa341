/**
 * CPU-bound work runs in threads of this pool: the worker's own thread holds the heartbeats of all calls, and whatever
 * blocks it for ten seconds has them taken for dead. A job over its limit of time or memory ends with its thread, and is
 * an error of that one call (decision 0023). Threads begin when the first job comes, hold no process, and end when idle.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { ToolError } from '../define/errors';
import type { Job, Order } from './job';
import { areOpen, isOutOfMemory, openThreads, valueOf, type Threads } from './threads';

/** Threads of one lane: as many as there are cores, two at least so that one owner's job leaves one to the others. */
const THREADS = Math.min(8, Math.max(2, availableParallelism()));
/** Of a thread's heap, MB. A report of a thousand pages takes some 300. */
const HEAP_MB = 512;
/** A thread without work ends after this long, ms. */
const IDLE_MS = 60_000;

/** Admission is asked before every call, and never waits for the work of calls. Documents are kept in the thread that has read them. */
const LANES = {
  admission: { threads: THREADS, heapMb: HEAP_MB, idleMs: IDLE_MS },
  calls: { threads: THREADS, heapMb: HEAP_MB, idleMs: IDLE_MS },
  documents: { threads: 1, heapMb: 2 * HEAP_MB, idleMs: 60 * IDLE_MS },
} as const;

export type Lane = keyof typeof LANES;

const lanes = new Map<Lane, Threads>();

export interface JobOptions<M> {
  /** Default: `calls`. */
  lane?: Lane | Threads;
  /** Whose it is (a principal): tenants take turns, and in each its principals. */
  owner: string;
  /** Ends the job, and its thread; the reason is thrown. */
  signal?: AbortSignal;
  /** Takes what the job tells while it works. */
  told?(message: M): void;
}

/**
 * Runs the job in a thread.
 * @throws ToolError what the job threw; INVALID_PARAMS with the job's own word when it took too long, or
 * `too_much_memory`: the same input would do it again, so that a retry is of no use
 */
export async function inThread<I, O, M = never>(job: Job<I, O, M>, input: I, options: JobOptions<M>): Promise<O> {
  const { owner, signal, lane = 'calls' } = options;
  const { pool, turns, heapMb } = typeof lane === 'string' ? threadsOf(lane) : lane;
  await turns.enter(owner, signal);
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), job.limits.ms);
  const channel = options.told && new MessageChannel();
  channel?.port1.on('message', (message: M) => options.told!(message)).unref();
  try {
    const { module, name } = job;
    const ends = signal ? AbortSignal.any([time.signal, signal]) : time.signal;
    const order: Order = { module, name, input, ...(channel ? { port: channel.port2 } : {}) };
    const answer = await pool.run(order, { signal: ends, transferList: channel ? [channel.port2] : [] });
    for (let late = channel && receiveMessageOnPort(channel.port1); late; late = receiveMessageOnPort(channel!.port1))
      options.told!(late.message as M);
    return valueOf(answer) as O;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (time.signal.aborted) throw tooSlow(job);
    throw isOutOfMemory(error) ? tooLarge(job, heapMb) : error;
  } finally {
    clearTimeout(timer);
    channel?.port1.close();
    turns.leave(owner);
  }
}

function threadsOf(lane: Lane): Threads {
  const known = lanes.get(lane);
  if (areOpen(known)) return known;
  const made = openThreads(LANES[lane]);
  lanes.set(lane, made);
  return made;
}

type Told = Pick<Job<unknown, unknown>, 'what' | 'limits'>;

function tooSlow({ what, limits }: Told): ToolError {
  const message = `${what} was stopped after ${limits.ms / 1000} seconds of computing.`;
  return new ToolError('INVALID_PARAMS', limits.reason, message, { hint: limits.hint });
}

function tooLarge({ what, limits }: Told, heapMb: number): ToolError {
  const message = `${what} was stopped: it took more than ${heapMb} MB of memory.`;
  return new ToolError('INVALID_PARAMS', 'too_much_memory', message, { hint: limits.hint });
}
