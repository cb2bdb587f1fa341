/**
 * How many workflows a worker keeps in memory. One that is kept continues at once; one that is not is replayed from its history when
 * something happens to it. A turn takes about 0.5 MB, so this decides what thousands of turns that wait for a person cost a worker.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

export interface Memory {
  /** What the process may use: the limit of its container, or the machine's memory, MB. */
  memoryMb: number;
  /** What V8 lets the heap of one thread grow to, which `--max-old-space-size` sets, MB. */
  heapMb: number;
}

/** A worker that has nothing to do, MB. */
const BASE_MB = 300;
/** With 0.5 MB each, turns that are kept take 30 % of the memory beyond the base. */
const TURNS_A_MB = 0.6;
const LEAST = 10;

export function cachedWorkflows({ memoryMb, heapMb }: Memory): number {
  return Math.max(LEAST, Math.floor(TURNS_A_MB * Math.min(memoryMb - BASE_MB, heapMb)));
}

export function memoryOfProcess(): Memory {
  const MB = 2 ** 20;
  // Without a limit this is 0 or a huge number, by system.
  const limit = process.constrainedMemory() || Infinity;
  return { memoryMb: Math.min(limit, totalmem()) / MB, heapMb: getHeapStatistics().heap_size_limit / MB };
}
