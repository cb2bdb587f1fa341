/**
 * Traces of a process by OpenTelemetry's SDK, sent by OTLP over HTTP. The packages are optional, and are loaded only if the settings
 * name a collector. If it does not answer, spans are lost, and nothing else happens.
 */
import type * as Otel from '@opentelemetry/api';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { optionalPackage } from '../../optional-package';
import { version } from '../../version';
import { activitySpans } from './activity-spans';
import { recordContent } from './api';
import { TraceIds } from './trace-ids';
import { Traces } from './traces';
import { traceSinks } from './workflow-spans';

export interface TraceSettings {
  /** Base address of the collector, without `/v1/traces`; null: the variables of OpenTelemetry name it. */
  url: string | null;
  /** Whether spans have what models read and write, and inputs and results of tools. */
  content: boolean;
}

const FEATURE = 'OpenTelemetry';
/** A killed worker loses the spans of so much time, at most; the SDK's own default is 5 s. */
const DELAY_MS = 1000;

/** The traces of a process, and what a worker needs to write the spans of its turns. */
export interface ProcessTraces {
  activities: ActivityInterceptorsFactory;
  sinks: ReturnType<typeof traceSinks>;
  /** Sends what has not been sent. */
  flush(): Promise<void>;
  /** Does so, and stops. Never throws: the collector may be gone. */
  close(): Promise<void>;
}

/**
 * Registers the SDK for this process, whose spans go to a collector.
 * @param service for example `holdfast-worker`; OTEL_SERVICE_NAME counts more
 * @throws PackageMissing
 * @example const traces = openTraces({ url: 'http://localhost:4318', content: false }, 'payments');
 */
export function openTraces(settings: TraceSettings, service: string): ProcessTraces {
  return tracesTo(batches(settings.url), settings, service);
}

/**
 * The same with another place for the spans.
 * @param processor a SpanProcessor of the SDK; no type of an optional package stands in our own types
 */
export function tracesTo(processor: object, { content }: Pick<TraceSettings, 'content'>, service: string): ProcessTraces {
  // First: if it is missing, npm installs it with the version of the API that fits.
  const { NodeTracerProvider } = sdk();
  const api = optionalPackage<typeof Otel>('@opentelemetry/api', FEATURE);
  const { resourceFromAttributes, detectResources, envDetector } = resources();
  const ids = new TraceIds();
  const own = resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const provider = new NodeTracerProvider({
    idGenerator: ids,
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [processor as SpanProcessor],
  });
  provider.register();
  recordContent(content);
  const traces = new Traces(api, provider, ids);
  return {
    activities: activitySpans(traces),
    sinks: traceSinks(traces),
    flush: () => provider.forceFlush(),
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function batches(url: string | null): SpanProcessor {
  const { BatchSpanProcessor } = sdk();
  const { OTLPTraceExporter } = optionalPackage<typeof import('@opentelemetry/exporter-trace-otlp-proto')>(
    '@opentelemetry/exporter-trace-otlp-proto',
    FEATURE,
  );
  const exporter = new OTLPTraceExporter(url === null ? {} : { url: `${url.replace(/\/+$/, '')}/v1/traces` });
  const hasOwnDelay = process.env.OTEL_BSP_SCHEDULE_DELAY !== undefined;
  return new BatchSpanProcessor(exporter, hasOwnDelay ? {} : { scheduledDelayMillis: DELAY_MS });
}

function sdk() {
  return optionalPackage<typeof import('@opentelemetry/sdk-trace-node')>('@opentelemetry/sdk-trace-node', FEATURE);
}

function resources() {
  return optionalPackage<typeof import('@opentelemetry/resources')>('@opentelemetry/resources', FEATURE);
}
