/** Threads that jobs and isolated tools run in: begun when the first task comes, ended when idle, with a limit of memory each. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { ToolError } from '../define/errors';
import { compiled, type Answer, type Order } from './job';
import { Turns } from './turns';

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
    filename: compiled(join(__dirname, 'job')),
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
