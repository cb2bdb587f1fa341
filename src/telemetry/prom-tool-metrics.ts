/** Tool metrics in a `prom-client` registry, for a service that runs its worker in its own process and has a `/metrics` already. */
import type * as Prom from 'prom-client';
import { optionalPackage } from '../optional-package';
import { mapValues, TOOL_COUNTERS, TOOL_DURATION, toolMetrics, type ToolMetrics } from './tool-metrics';

/** A `Registry` of prom-client. Its type is not named, since the package may not be installed. */
export interface PromRegistry {
  getSingleMetric(name: string): unknown;
  registerMetric(metric: never): void;
}

/**
 * Several workers of one process may share a registry: an existing metric is reused.
 * @example createWorker({ …, metrics: promToolMetrics(register) })
 */
export function promToolMetrics(register: PromRegistry): ToolMetrics {
  const { Counter, Histogram } = optionalPackage<typeof Prom>('prom-client', 'promToolMetrics');
  const registry = register as Prom.Registry;
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
