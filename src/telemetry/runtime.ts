/** Installs Temporal's runtime, one per process: its log goes into ours, and its metrics can be scraped. */
import type pino from 'pino';
import { Runtime, type LogLevel, type Logger } from '@temporalio/worker';
import { SdkComponent } from '@temporalio/common';
import type { OtlpSettings } from '../config';
import { optional } from '../shared/json/optional';
import type { Site } from '../shared/wire/cross-site-check';
import { secretAddress, startGuardedProxy, type HostPort } from './guarded-proxy';
import { TOOL_DURATION } from './tool-metrics';
import { outsideTurns } from './log';
import { MetricsUnavailable } from './unavailable';

export interface RuntimeSettings {
  log: pino.Logger;
  /** Address for Prometheus, which counts more than a collector; null: none. */
  metrics: HostPort | null;
  /** The collector; null: none. */
  otlp: OtlpSettings | null;
  /** The sites whose requests are answered there. */
  site: Site;
}

/** ms */
const EXPORT_EVERY = 10_000;
const BUCKETS = { [TOOL_DURATION.name]: [...TOOL_DURATION.buckets] };

/**
 * The core's own metrics port does not check Host: it listens where no page finds it, behind a proxy of ours that does.
 * @returns a function that closes the proxy
 * @throws MetricsUnavailable if the address is in use, or is not one of this machine
 */
export async function installRuntime({ log, metrics, otlp, site }: RuntimeSettings): Promise<() => Promise<void>> {
  const core = metrics && (await secretAddress());
  const chatty = log.isLevelEnabled('debug');
  const prometheus = core && { bindAddress: `${core.host}:${core.port}`, histogramBucketOverrides: BUCKETS };
  Runtime.install({
    logger: temporalLogger(log),
    telemetryOptions: {
      // A failed workflow task is a WARN of the core; its routine lines are only for `debug`.
      logging: { forward: {}, filter: { core: chatty ? 'DEBUG' : 'WARN', other: 'ERROR' } },
      ...(prometheus ? { metrics: { prometheus } } : optional({ metrics: collectorOf(otlp) })),
    },
    shutdownSignals: [], // the process that runs the worker decides when it stops
  });
  if (metrics === null || core === null) return async () => undefined;
  try {
    return (await startGuardedProxy(metrics, core, site)).close;
  } catch (error) {
    throw new MetricsUnavailable(`${metrics.host}:${metrics.port}`, error);
  }
}

/** Temporal's core sends metrics by itself, ours among them: it has no other exporter then. */
function collectorOf(otlp: OtlpSettings | null) {
  if (!otlp?.signals.includes('metrics')) return undefined;
  const headers = parseHeaders(process.env.OTEL_EXPORTER_OTLP_HEADERS);
  return {
    otel: { url: otlp.metricsUrl, http: true, headers, metricsExportInterval: EXPORT_EVERY, histogramBucketOverrides: BUCKETS },
  };
}

/** `name=value,…` with percent-encoded values, by OpenTelemetry's specification. */
function parseHeaders(text = ''): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s));
  return Object.fromEntries(
    pairs.filter(([name, value]) => name && value).map(([name, value]) => [name!.trim(), decode(value!.trim())]),
  );
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

// Temporal's own entries, of the SDK and of its core, as lines of our log: same shape, same levels, same names.

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
type Meta = Record<string | symbol, unknown>;

/** The SDK keeps the moment of an entry under this symbol, in nanoseconds since 1970. */
const LOG_TIMESTAMP = Symbol.for('log_timestamp');
const NANOSECONDS_PER_MS = 1_000_000n;

/** Temporal's fields → our names. A field that is not listed is left out: task tokens, namespaces, payloads. */
const FIELDS: Readonly<Record<string, string>> = {
  sdkComponent: 'temporal',
  target: 'target',
  workflowId: 'workflow_id',
  workflow_id: 'workflow_id',
  runId: 'run_id',
  run_id: 'run_id',
  workflowRunId: 'run_id',
  activityId: 'activity_id',
  activityType: 'activity',
  taskQueue: 'task_queue',
  attempt: 'attempt',
  durationMs: 'took_ms',
  error: 'err',
  failure: 'failure',
  trace_id: 'trace_id',
  turn_id: 'turn_id',
  call_id: 'call_id',
  tool: 'tool',
  digest: 'digest',
  todo: 'todo',
};

/** Entries that deserve another level than Temporal gives them. */
const RULES: readonly { when: RegExp; level: Level; todo?: string }[] = [
  // activity-log.ts logs each failed attempt, with its code, and the end of each failed turn.
  { when: /^Activity failed$/, level: 'debug' },
  { when: /^Workflow failed$/, level: 'debug' },
  {
    when: /^Failing workflow task$|^Failed to process Workflow Activation$/,
    level: 'error',
    todo: 'The turn is blocked until this is fixed, and then continues by itself. After a deployment, check that the workflow code is compatible with running turns (replay). Otherwise look at the failure here, and at the turn in the Web UI.',
  },
  {
    when: /unexpected error occurred while processing Workflow Activation|^Core reported failure|^Worker failed$/,
    level: 'error',
    todo: 'This worker stops. Start it again; nothing is lost. If it comes again, report the failure.',
  },
  {
    when: /^OTLP metric export failed/,
    level: 'warn',
    todo: 'Is the collector up, and does it take metrics? HOLDFAST_OTLP_SIGNALS says what is sent there.',
  },
  {
    when: /^Error while (processing|offloading) Activity/i,
    level: 'error',
    todo: 'The activity is tried again. If it comes again: do worker and client have the same version of holdfast?',
  },
];

/** For `Runtime.install({ logger })`. */
export function temporalLogger(log: pino.Logger): Logger {
  const write = (sdkLevel: LogLevel, message: string, meta: Meta = {}) => {
    const rule = RULES.find(({ when }) => when.test(message));
    const level = rule?.level ?? levelOf(sdkLevel, meta);
    // The SDK passes entries on from a buffer, at any time: they do not belong to the turn of that moment.
    outsideTurns(() => log[level]({ ...fieldsOf(meta), ...(rule?.todo === undefined ? {} : { todo: rule.todo }) }, message));
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}

/** Temporal's own INFO lines (states, pollers) are for `debug`: we log the important ones ourselves. */
function levelOf(sdkLevel: LogLevel, { sdkComponent }: Meta): Level {
  const ours = sdkComponent === SdkComponent.workflow || sdkComponent === SdkComponent.activity;
  return sdkLevel === 'INFO' && !ours ? 'debug' : (sdkLevel.toLowerCase() as Level);
}

function fieldsOf(meta: Meta): object {
  const entries = Object.entries(meta).flatMap(([name, value]) => (Object.hasOwn(FIELDS, name) ? [[FIELDS[name]!, value]] : []));
  const fields: Record<string, unknown> = { temporal: SdkComponent.worker, ...Object.fromEntries(entries) };
  return { ...timeOf(meta[LOG_TIMESTAMP]), ...turnOf(fields), ...fields };
}

function timeOf(nanoseconds: unknown): object {
  return typeof nanoseconds === 'bigint' ? { time: new Date(Number(nanoseconds / NANOSECONDS_PER_MS)).toISOString() } : {};
}

/** The turn id from the workflow id, also if no activity is there that knows the trace id. */
function turnOf({ workflow_id }: { workflow_id?: unknown }): object {
  return typeof workflow_id === 'string' && workflow_id.startsWith('turn/') ? { turn_id: workflow_id.slice('turn/'.length) } : {};
}
