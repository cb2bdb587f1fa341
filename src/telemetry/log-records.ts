/**
 * The log of a process, on standard error and, by OTLP, at the collector of the settings: there each line is a log record with the same
 * fields, and with the span in which it was written.
 */
import type { LogRecordProcessor } from '@opentelemetry/sdk-logs';
import type { Resource } from '@opentelemetry/resources';
import type { Logger } from 'pino';
import type { Config } from '../config';
import { optionalPackage } from '../optional-package';
import { createLog, standardError } from './log';
import { EXPORT_DELAY_MS, FEATURE, hasOwnDelay, resourceOf, signalUrl } from './otlp';
import { SCOPE } from './traces/api';

export interface ProcessLog {
  log: Logger;
  /** Sends what has not been sent. Never throws: the collector may be gone. */
  close(): Promise<void>;
}

/** @param service for example `holdfast-worker` @throws PackageMissing */
export function openLog({ logLevel, otlp }: Pick<Config, 'logLevel' | 'otlp'>, service: string): ProcessLog {
  if (!otlp?.signals.includes('logs')) return { log: createLog(logLevel), close: async () => undefined };
  const records = new LogRecords(batches(otlp.url), service);
  const lines = standardError();
  const write = (line: string) => {
    lines.write(line);
    records.write(line);
  };
  return { log: createLog(logLevel, { write }), close: () => records.close() };
}

function batches(url: string | null): LogRecordProcessor {
  const { BatchLogRecordProcessor } = sdk();
  const { OTLPLogExporter } = optionalPackage<typeof import('@opentelemetry/exporter-logs-otlp-proto')>(
    '@opentelemetry/exporter-logs-otlp-proto',
    FEATURE,
  );
  const delay = hasOwnDelay('OTEL_BLRP_SCHEDULE_DELAY') ? {} : { scheduledDelayMillis: EXPORT_DELAY_MS };
  return new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(signalUrl(url, 'logs')), ...delay });
}

function sdk() {
  return optionalPackage<typeof import('@opentelemetry/sdk-logs')>('@opentelemetry/sdk-logs', FEATURE);
}

/** Numbers of OpenTelemetry's log data model. */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };

/** Turns lines of the log into log records. The lines have been redacted and cut (log.ts). */
export class LogRecords {
  private readonly provider;
  private readonly logger;

  /** @param processor a LogRecordProcessor of the SDK; no type of an optional package stands in our own types */
  constructor(processor: object, service: string) {
    const { LoggerProvider } = sdk();
    this.provider = new LoggerProvider({
      resource: resourceOf(service) as Resource,
      processors: [processor as LogRecordProcessor],
    });
    this.logger = this.provider.getLogger(SCOPE);
  }

  /** Takes a line in the span that is active, if there is one. */
  write(line: string): void {
    const { level, time, msg, ...fields } = JSON.parse(line) as { level: string; time: string; msg?: string };
    this.logger.emit({
      timestamp: new Date(time),
      severityNumber: SEVERITIES[level] ?? 0,
      severityText: level,
      body: msg ?? '',
      attributes: fields,
    });
  }

  close(): Promise<void> {
    return this.provider.shutdown().catch(() => undefined);
  }
}
