/**
 * Traces of a process by OpenTelemetry's SDK, sent by OTLP over HTTP. The packages are optional, and are loaded only if the settings
 * name a collector. If it does not answer, spans are lost, and nothing else happens.
 */
import type * as Otel from '@opentelemetry/api';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Resource } from '@opentelemetry/resources';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { optionalPackage } from '../../optional-package';
import { EXPORT_DELAY_MS, FEATURE, hasOwnDelay, resourceOf, signalUrl } from '../otlp';
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
  const ids = new TraceIds();
  const provider = new NodeTracerProvider({
    idGenerator: ids,
    resource: resourceOf(service) as Resource,
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
  const exporter = new OTLPTraceExporter(signalUrl(url, 'traces'));
  return new BatchSpanProcessor(
    exporter,
    hasOwnDelay('OTEL_BSP_SCHEDULE_DELAY') ? {} : { scheduledDelayMillis: EXPORT_DELAY_MS },
  );
}

function sdk() {
  return optionalPackage<typeof import('@opentelemetry/sdk-trace-node')>('@opentelemetry/sdk-trace-node', FEATURE);
}
