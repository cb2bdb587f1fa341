/** Loaded into a process before its own program: tells its memory to whoever asks, after a collection of what nobody holds. */
export type Memory = Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed' | 'external'>;

process.on('message', (message) => {
  if (message !== 'memory') return;
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, heapUsed, external } satisfies Memory);
});
process.channel?.unref();
