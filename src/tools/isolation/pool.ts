/**
 * Thread pools for CPU-bound jobs and isolated tools. The worker's own thread sends the heartbeats of all calls: work that blocks
 * it for ten seconds makes Temporal take those calls for dead. A job that exceeds its time or memory limit is terminated with its
 * thread, and fails only its own call (decision 0023). Threads start with the first job, keep no process alive, and end when idle.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ToolError } from '../define/errors';
import { type Job, type JobRequest, threadPath, type Answer } from './job';
import { FairScheduler } from './fair-scheduler';
import { optional } from '../../shared/json/optional';

/** Threads of one lane: one per core, at most 8, and at least two so that one owner's job leaves a thread to the others. */
const THREADS = Math.min(8, Math.max(2, availableParallelism()));
/** Heap limit of a thread, MB. A report of a thousand pages takes about 300. */
const HEAP_MB = 512;
/** A thread without work ends after this long, ms. */
const IDLE_MS = 60_000;

/** Admission comes before every call, and must not wait for the work of calls. One thread keeps the documents that it has read. */
const LANES = {
  admission: { threads: THREADS, heapMb: HEAP_MB, idleMs: IDLE_MS },
  calls: { threads: THREADS, heapMb: HEAP_MB, idleMs: IDLE_MS },
  documents: { threads: 1, heapMb: 2 * HEAP_MB, idleMs: 60 * IDLE_MS },
} as const;

/** A thread that has not started and loaded its module after this long is terminated, ms. */
export const LOADS_WITHIN_MS = 60_000;

export type Lane = keyof typeof LANES;

const lanes = new Map<Lane, Threads>();

export interface JobOptions<M> {
  /** Default: `calls`. */
  lane?: Lane | Threads;
  /** The job's principal: tenants take turns, and within a tenant its principals. */
  owner: string;
  /** Terminates the job with its thread; the signal's reason is thrown. */
  signal?: AbortSignal;
  /** Receives the messages that the job sends while it runs. */
  onMessage?(message: M): void;
}

/**
 * Runs the job in a thread.
 * @throws ToolError that the job threw; INVALID_PARAMS with the job's own reason when it took too long, or with
 * `too_much_memory`. That code is not retried: the same input would fail again.
 */
export async function inThread<I, O, M = never>(job: Job<I, O, M>, input: I, options: JobOptions<M>): Promise<O> {
  const { owner, signal, lane = 'calls' } = options;
  const { pool, turns, heapMb } = typeof lane === 'string' ? threadsOf(lane) : lane;
  await turns.enter(owner, signal);
  const time = new AbortController();
  let timer = setTimeout(() => time.abort(), LOADS_WITHIN_MS);
  let isLoaded = false;
  const hear = (message: unknown) => {
    if (isLoaded) return options.onMessage?.(message as M);
    isLoaded = true; // the first message says so
    clearTimeout(timer);
    timer = setTimeout(() => time.abort(), job.limits.ms);
  };
  const { port1, port2 } = new MessageChannel();
  port1.on('message', hear).unref();
  try {
    const { module, name } = job;
    const ends = signal ? AbortSignal.any([time.signal, signal]) : time.signal;
    const order: JobRequest = { module, name, input, port: port2, saysLoaded: true };
    const answer = await pool.run(order, { signal: ends, transferList: [port2] });
    for (let late = receiveMessageOnPort(port1); late; late = receiveMessageOnPort(port1)) hear(late.message);
    return valueOf(answer) as O;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (time.signal.aborted) throw tooSlow(job);
    throw isOutOfMemory(error) ? tooLarge(job, heapMb) : error;
  } finally {
    clearTimeout(timer);
    port1.close();
    turns.leave(owner);
  }
}

function threadsOf(lane: Lane): Threads {
  const current = lanes.get(lane);
  if (areOpen(current)) return current;
  const threads = openThreads(LANES[lane]);
  lanes.set(lane, threads);
  return threads;
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

// The threads that jobs and isolated tools run in. They start with the first task and end when idle; each has a memory limit.

export interface Size {
  /** Maximum number of threads. */
  threads: number;
  /** Heap limit of each thread, MB; memory outside of the heap (buffers) does not count. */
  heapMb: number;
  /** A thread without work ends after this long, ms. */
  idleMs: number;
}

/** The part of piscina that is used here: its own declarations fail in a project that type-checks its libraries. */
interface Pool {
  run(order: JobRequest, options: { signal: AbortSignal; transferList: MessagePort[] }): Promise<Answer>;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

export interface Threads {
  pool: Pool;
  turns: FairScheduler;
  heapMb: number;
}

const open = new Set<Threads>();

export function openThreads({ threads, heapMb, idleMs }: Size): Threads {
  const load = createRequire(__filename);
  const { Piscina } = load('piscina') as typeof import('piscina'); // loaded only when needed
  const filename = threadPath(join(__dirname, 'job'));
  const pool = new Piscina<JobRequest, Answer>({
    filename,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    execArgv: filename.endsWith('.ts') ? ['--require', load.resolve('../../../scripts/lib/source-thread.cjs')] : [],
    atomics: 'disabled', // so that a waiting thread still does its own input and output
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  pool.on('error', () => undefined); // a thread without a task died: the next task gets a new one
  const result = { pool, turns: new FairScheduler(threads), heapMb };
  open.add(result);
  return result;
}

export function areOpen(threads: Threads | undefined): threads is Threads {
  return threads !== undefined && open.has(threads);
}

/** Ends the threads when their running tasks have ended. */
export function retire(threads: Threads): void {
  if (open.delete(threads)) void threads.pool.close().catch(() => undefined);
}

let users = 0;

/**
 * Registers a user of the threads, and returns the function that ends the use. When the last user ends, all threads are
 * terminated. Several workers of one process share the threads.
 */
export function useThreads(): () => Promise<void> {
  users += 1;
  let isActive = true;
  return async () => {
    if (isActive) users -= 1;
    isActive = false;
    if (users === 0) await endThreads();
  };
}

/** Terminates all threads with their tasks; a later task gets new threads. */
export async function endThreads(): Promise<void> {
  const ending = [...open];
  open.clear();
  await Promise.all(ending.map(({ pool }) => pool.destroy()));
}

/** The value of a thread's answer. @throws ToolError as the thread threw it; Error for any other failure */
export function valueOf(answer: Answer): unknown {
  if ('value' in answer) return answer.value;
  if ('failed' in answer) throw new Error(answer.failed);
  const { code, reason, message, hint, retry_after_ms: retryAfterMs } = answer.refused;
  const { nothingHappened } = answer;
  throw new ToolError(code, reason, message, {
    nothingHappened,
    ...optional({ hint, retryAfterMs }),
  });
}

export function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
