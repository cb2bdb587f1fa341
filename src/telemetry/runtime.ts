/** Temporal's runtime, one a process: its log is ours, and its metrics can be scraped. */
import { Runtime } from '@temporalio/worker';
import type pino from 'pino';
import type { Site } from '../shared/wire/same-site';
import { secretPlace, startGuardedProxy, type Place } from './guarded-proxy';
import { temporalLogger } from './temporal-log';
import { TOOL_DURATION } from './tool-metrics';

export interface RuntimeSettings {
  log: pino.Logger;
  /** Where Prometheus asks; null: nowhere. */
  metrics: Place | null;
  /** Whose requests are answered there. */
  site: Site;
}

const BUCKETS = { [TOOL_DURATION.name]: [...TOOL_DURATION.buckets] };

/**
 * The core's own port looks at no Host: it stands where no page finds it, behind one of ours that does.
 * @returns closes that one
 * @throws MetricsUnavailable when the address is taken, or is none of this machine
 */
export async function installRuntime({ log, metrics, site }: RuntimeSettings): Promise<() => Promise<void>> {
  const core = metrics && (await secretPlace());
  const chatty = log.isLevelEnabled('debug');
  const prometheus = core && { bindAddress: `${core.host}:${core.port}`, histogramBucketOverrides: BUCKETS };
  Runtime.install({
    logger: temporalLogger(log),
    telemetryOptions: {
      // A workflow task that fails is a WARN of the core; what is above it, day in, day out, is for `debug`.
      logging: { forward: {}, filter: { core: chatty ? 'DEBUG' : 'WARN', other: 'ERROR' } },
      ...(prometheus && { metrics: { prometheus } }),
    },
    shutdownSignals: [], // whoever runs the worker decides when it stops
  });
  if (metrics === null || core === null) return async () => undefined;
  try {
    return (await startGuardedProxy(metrics, core, site)).close;
  } catch (error) {
    throw new MetricsUnavailable(`${metrics.host}:${metrics.port}`, error);
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
