/**
 * CPU-bound work runs in threads of this pool: the worker's own thread holds the heartbeats of all calls, and whatever
 * blocks it for ten seconds has them taken for dead. A job over its limit of time or memory ends with its thread, and is
 * an error of that one call (decision 0023). Threads begin when the first job comes, hold no process, and end when idle.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ToolError } from '../define/errors';
import { type Job, type Order, compiledPath, type Answer } from './job';
import { Turns } from './turns';

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

type JobDescription = Pick<Job<unknown, unknown>, 'what' | 'limits'>;

function tooSlow({ what, limits }: JobDescription): ToolError {
  const message = `${what} was stopped after ${limits.ms / 1000} seconds of computing.`;
  return new ToolError('INVALID_PARAMS', limits.reason, message, { hint: limits.hint });
}

function tooLarge({ what, limits }: JobDescription, heapMb: number): ToolError {
  const message = `${what} was stopped: it took more than ${heapMb} MB of memory.`;
  return new ToolError('INVALID_PARAMS', 'too_much_memory', message, { hint: limits.hint });
}

// Threads that jobs and isolated tools run in: begun when the first task comes, ended when idle, with a limit of memory each.

export interface Size {
  /** How many at most. */
  threads: number;
  /** Of each one's heap, MB; memory outside of it (buffers) does not count. */
  heapMb: number;
  /** A thread without work ends after this long, ms. */
  idleMs: number;
}

/** What of piscina is used here: its own declarations do not pass in a project that checks those of its libraries. */
interface Pool {
  run(order: Order, options: { signal: AbortSignal; transferList: MessagePort[] }): Promise<Answer>;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

export interface Threads {
  pool: Pool;
  turns: Turns;
  heapMb: number;
}

const open = new Set<Threads>();

export function openThreads({ threads, heapMb, idleMs }: Size): Threads {
  const { Piscina } = createRequire(__filename)('piscina') as typeof import('piscina'); // not before it is needed
  const pool = new Piscina<Order, Answer>({
    filename: compiledPath(join(__dirname, 'job')),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    execArgv: [],
    atomics: 'disabled', // a thread that waits goes on with its own input and output
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  pool.on('error', () => undefined); // of a thread that dies while it has no task: the next task gets another
  const made = { pool, turns: new Turns(threads), heapMb };
  open.add(made);
  return made;
}

export function areOpen(threads: Threads | undefined): threads is Threads {
  return threads !== undefined && open.has(threads);
}

/** Lets what runs in them end, and ends them then. */
export function retire(threads: Threads): void {
  if (open.delete(threads)) void threads.pool.close().catch(() => undefined);
}

let users = 0;

/**
 * Whoever uses threads for a while says so, and ends that by what is returned: with the last one all threads end.
 * Several workers of one process share them.
 */
export function useThreads(): () => Promise<void> {
  users += 1;
  let used = true;
  return async () => {
    if (used) users -= 1;
    used = false;
    if (users === 0) await endThreads();
  };
}

/** Ends all threads, and what runs in them; a task that comes later gets new ones. */
export async function endThreads(): Promise<void> {
  const ending = [...open];
  open.clear();
  await Promise.all(ending.map(({ pool }) => pool.destroy()));
}

/** What a thread has answered. @throws ToolError as it was thrown there; Error for any other failure */
export function valueOf(answer: Answer): unknown {
  if ('value' in answer) return answer.value;
  if ('failed' in answer) throw new Error(answer.failed);
  const { code, reason, message, hint, retry_after_ms: retryAfterMs } = answer.refused;
  const { nothingHappened } = answer;
  throw new ToolError(code, reason, message, {
    nothingHappened,
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

export function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
