/** Is loaded into a process before its program. When asked, it collects garbage and reports the memory of the process. */
export type Memory = Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed' | 'external'>;

process.on('message', (message) => {
  if (message !== 'memory') return;
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, heapUsed, external } satisfies Memory);
});
process.channel?.unref();
