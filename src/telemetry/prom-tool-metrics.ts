/** The same metrics in a `prom-client` registry, for a service that runs its worker in its own process and has a `/metrics` already. */
import { createRequire } from 'node:module';
import type * as Prom from 'prom-client';
import { mapValues, TOOL_COUNTERS, TOOL_DURATION, toolMetrics, type ToolMetrics } from './tool-metrics';

const load = createRequire(__filename);

/**
 * Several workers of one process may share a registry: a metric that is there already is used.
 * @example createWorker({ …, metrics: promToolMetrics(register) })
 */
export function promToolMetrics(registry: Prom.Registry): ToolMetrics {
  const { Counter, Histogram } = load('prom-client') as typeof Prom; // here: whoever has no registry need not wait for it
  const registers = [registry];
  const counters = mapValues<keyof typeof TOOL_COUNTERS, (typeof TOOL_COUNTERS)[keyof typeof TOOL_COUNTERS], Prom.Counter>(
    TOOL_COUNTERS,
    ({ name, help, labels }) =>
      (registry.getSingleMetric(name) as Prom.Counter | undefined) ??
      new Counter({ name, help, labelNames: [...labels], registers }),
  );
  const { name, help, labels, buckets } = TOOL_DURATION;
  const histogram =
    (registry.getSingleMetric(name) as Prom.Histogram | undefined) ??
    new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers });
  return toolMetrics({
    count: (counter, values) => counters[counter].inc(values),
    duration: (ms, values) => histogram.observe(values, Math.max(0, ms)),
  });
}
