/** What traces and log records have in common on their way to a collector by OTLP over HTTP. The packages of OpenTelemetry are optional. */
import { optionalPackage } from '../optional-package';
import { version } from '../version';

export const FEATURE = 'OpenTelemetry';
/** A killed process loses the spans and log records of so much time, at most; for spans the SDK's own default is 5 s. */
export const EXPORT_DELAY_MS = 1000;

export function hasOwnDelay(variable: 'OTEL_BSP_SCHEDULE_DELAY' | 'OTEL_BLRP_SCHEDULE_DELAY'): boolean {
  return process.env[variable] !== undefined;
}

/** Settings of an exporter. @param url base address of the collector; null: the variables of OpenTelemetry name it */
export function signalUrl(url: string | null, signal: 'traces' | 'logs'): { url?: string } {
  return url === null ? {} : { url: `${url.replace(/\/+$/, '')}/v1/${signal}` };
}

/** A Resource of the SDK: which service this is, with what OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say. */
export function resourceOf(service: string): object {
  const { resourceFromAttributes, detectResources, envDetector } = optionalPackage<typeof import('@opentelemetry/resources')>(
    '@opentelemetry/resources',
    FEATURE,
  );
  const own = resourceFromAttributes({ 'service.name': service, 'service.version': version });
  return own.merge(detectResources({ detectors: [envDetector] }));
}
