/**
 * Calls of a step become batches: neighbours that are safe beside each other together, an unsafe one
 * alone, batches in order. Safety is what the tool says of these inputs, not the same as read-only.
 */

/** What a call touches; `*` stands for everything. */
export interface Resources {
  reads: string[];
  writes: string[];
}

/** `true`: runs beside any; `false`: beside none; else beside what touches something else. */
export type Safety = boolean | Resources;

export function batches<T extends { parallel: Safety }>(calls: readonly T[]): T[][] {
  const out: T[][] = [];
  for (const call of calls) {
    const last = out.at(-1);
    if (last?.every((other) => compatible(call.parallel, other.parallel))) last.push(call);
    else out.push([call]);
  }
  return out;
}

function compatible(a: Safety, b: Safety): boolean {
  if (a === false || b === false) return false;
  if (a === true || b === true) return true;
  return !meet(a.writes, b.writes) && !meet(a.writes, b.reads) && !meet(a.reads, b.writes);
}

function meet(some: string[], others: string[]): boolean {
  if (some.length === 0 || others.length === 0) return false;
  return some.includes('*') || others.includes('*') || some.some((name) => others.includes(name));
}

/**
 * Runs `work` over all items, at most `cap` at once. After an error nothing new begins, what runs is
 * awaited, and then the first error is thrown: whoever catches it knows that nothing runs any more.
 */
export async function forEachCapped<T>(items: readonly T[], cap: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const errors: unknown[] = [];
  const lane = async () => {
    while (waiting.length > 0 && errors.length === 0) {
      try {
        await work(waiting.shift()!);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(cap, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
}
