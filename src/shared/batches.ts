/**
 * Calls of a step become batches: neighbours that are safe beside each other together, an unsafe one
 * alone, batches in order. Safety is what the tool says of these inputs, not the same as read-only.
 */
export function batches<T extends { parallel: boolean }>(calls: readonly T[]): T[][] {
  const out: T[][] = [];
  for (const call of calls) {
    const last = out.at(-1);
    if (call.parallel && last?.at(-1)?.parallel) last.push(call);
    else out.push([call]);
  }
  return out;
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
