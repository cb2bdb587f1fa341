/** Temporal's runtime, one a process: its log is ours, and its metrics can be scraped. */
import { Runtime } from '@temporalio/worker';
import type pino from 'pino';
import { temporalLogger } from './temporal-log';
import { TOOL_DURATION } from './tool-metrics';

export interface RuntimeSettings {
  log: pino.Logger;
  /** Where Prometheus asks; null: nowhere. The host is an IP address. */
  metrics: { host: string; port: number } | null;
}

const BUCKETS = { [TOOL_DURATION.name]: [...TOOL_DURATION.buckets] };

/** @throws MetricsUnavailable when the address is taken, or is none of this machine */
export function installRuntime({ log, metrics }: RuntimeSettings): void {
  const bindAddress = metrics && (metrics.host.includes(':') ? `[${metrics.host}]` : metrics.host) + `:${metrics.port}`;
  const chatty = log.isLevelEnabled('debug');
  try {
    Runtime.install({
      logger: temporalLogger(log),
      telemetryOptions: {
        // A workflow task that fails is a WARN of the core; what is above it, day in, day out, is for `debug`.
        logging: { forward: {}, filter: { core: chatty ? 'DEBUG' : 'WARN', other: 'ERROR' } },
        ...(bindAddress === null ? {} : { metrics: { prometheus: { bindAddress, histogramBucketOverrides: BUCKETS } } }),
      },
      shutdownSignals: [], // whoever runs the worker decides when it stops
    });
  } catch (error) {
    if (bindAddress === null) throw error;
    throw new MetricsUnavailable(bindAddress, error);
  }
}

export class MetricsUnavailable extends Error {
  override readonly name = 'MetricsUnavailable';
  constructor(
    address: string,
    override readonly cause: unknown,
  ) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`The metrics cannot be served at ${address} (${why}). Set HOLDFAST_METRICS_PORT to a free port of this machine.`);
  }
}
