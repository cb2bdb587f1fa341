/**
 * Metrics of tools, and their names: the same through the SDK's meter (the worker's own `/metrics`) and through prom-client
 * (prom-tool-metrics.ts). Tools are labelled by their registered name, never by a name that a model wrote.
 */
import type { MetricMeter } from '@temporalio/common';
import type { ErrorCode } from '../shared/wire/error-codes';

export interface ToolMetrics {
  /** A call has ended: `code` null for a success; `ms` since it was scheduled, all attempts and the waits between them included. */
  ended(tool: string, code: ErrorCode | null, ms: number): void;
  /** An attempt has failed, and the call is tried again. */
  retried(tool: string): void;
  /** A result came from the cache, or from an identical call that ran at that moment. */
  cacheHit(tool: string): void;
  /** A call was postponed by a limit of its tool or of its upstream. */
  waited(tool: string): void;
}

export const TOOL_COUNTERS = {
  calls: { name: 'holdfast_tool_calls_total', help: 'Calls of a tool that have ended', labels: ['tool'] },
  successes: { name: 'holdfast_tool_successes_total', help: 'Calls of a tool that succeeded', labels: ['tool'] },
  errors: { name: 'holdfast_tool_errors_total', help: 'Calls of a tool that failed, by error code', labels: ['tool', 'code'] },
  retries: { name: 'holdfast_tool_retries_total', help: 'Attempts that failed and were followed by another', labels: ['tool'] },
  cacheHits: { name: 'holdfast_tool_cache_hits_total', help: 'Results served without running the tool', labels: ['tool'] },
  waits: { name: 'holdfast_tool_waits_total', help: 'Calls put off by a limit of the tool or of its upstream', labels: ['tool'] },
} as const;

export const TOOL_DURATION = {
  name: 'holdfast_tool_duration_milliseconds',
  help: 'From the moment a call is scheduled to its end, all attempts and the waits between them included, milliseconds',
  labels: ['tool'],
  /** 500 and 2000 are the thresholds of the alerts. */
  buckets: [10, 25, 50, 100, 250, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000],
} as const;

type Labels = Record<string, string>;

/** Receives the numbers. */
export interface Instruments {
  count(counter: keyof typeof TOOL_COUNTERS, labels: Labels): void;
  duration(ms: number, labels: Labels): void;
}

export function toolMetrics({ count, duration }: Instruments): ToolMetrics {
  return {
    ended(tool, code, ms) {
      count('calls', { tool });
      if (code === null) count('successes', { tool });
      else count('errors', { tool, code });
      duration(ms, { tool });
    },
    retried: (tool) => count('retries', { tool }),
    cacheHit: (tool) => count('cacheHits', { tool }),
    waited: (tool) => count('waits', { tool }),
  };
}

/** Through the SDK: names as above, without prefix or unit suffix. */
export function sdkToolMetrics(meter: MetricMeter): ToolMetrics {
  const counters = mapValues(TOOL_COUNTERS, ({ name, help }) => meter.createCounter(name, '', help));
  const histogram = meter.createHistogram(TOOL_DURATION.name, 'int', '', TOOL_DURATION.help);
  return toolMetrics({
    count: (counter, labels) => counters[counter].add(1, labels),
    duration: (ms, labels) => histogram.record(Math.max(0, Math.round(ms)), labels),
  });
}

export function mapValues<K extends string, A, B>(record: Readonly<Record<K, A>>, map: (value: A) => B): Record<K, B> {
  return Object.fromEntries(Object.entries<A>(record).map(([key, value]) => [key, map(value)])) as Record<K, B>;
}
