/** A collector for tests: takes traces, log records and metrics by OTLP over HTTP, in protobuf, and shows traces as trees. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { parse, type Type } from 'protobufjs';

/** The part of opentelemetry-proto (trace/v1, logs/v1, metrics/v1, common/v1) that is read here, with its field numbers. */
const { root } = parse(`syntax = "proto3";
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message Logs { repeated ResourceLogs resource_logs = 1; }
  message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
  message ScopeLogs { repeated LogRecord log_records = 2; }
  message LogRecord {
    fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; AnyValue body = 5; repeated KeyValue attributes = 6;
    bytes trace_id = 9; bytes span_id = 10;
  }
  message Metrics { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message Metric { string name = 1; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
  }
  message ArrayValue { repeated AnyValue values = 1; }`);
const TRACES: Type = root.lookupType('Traces');
const LOGS: Type = root.lookupType('Logs');
const METRICS: Type = root.lookupType('Metrics');

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty: the first of its trace. */
  parentId: string;
  name: string;
  service: string;
  attributes: Record<string, unknown>;
  /** Absent: no failure. */
  failure?: string;
  startMs: number;
  endMs: number;
}

export interface ReceivedRecord {
  service: string;
  timeMs: number;
  severity: string;
  severityNumber: number;
  body: string;
  attributes: Record<string, unknown>;
  /** Empty: it was written outside of all spans. */
  traceId: string;
  spanId: string;
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  records: ReceivedRecord[];
  /** Names of metrics that have come, by service. */
  metrics: Map<string, Set<string>>;
  /** All bytes that came, as text: to look for what must not be there. */
  raw(): string;
  close(): Promise<void>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const records: ReceivedRecord[] = [];
  const metrics = new Map<string, Set<string>>();
  const bodies: Buffer[] = [];
  const take: Record<string, (body: Buffer) => void> = {
    '/v1/traces': (body) => spans.push(...spansIn(body)),
    '/v1/logs': (body) => records.push(...recordsIn(body)),
    '/v1/metrics': (body) => addMetrics(metrics, body),
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body);
      const known = take[request.url!];
      if (known === undefined) return response.writeHead(404).end();
      known(body);
      return response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, spans, records, metrics, raw: () => Buffer.concat(bodies).toString('latin1'), close };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

interface RawRecord {
  timeUnixNano: string;
  severityNumber?: number;
  severityText?: string;
  body?: Record<string, unknown>;
  attributes?: KeyValue[];
  traceId?: Buffer;
  spanId?: Buffer;
}

interface RawSpan {
  traceId: Buffer;
  spanId: Buffer;
  parentSpanId: Buffer;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  status?: { message?: string; code?: number };
}
interface KeyValue {
  key: string;
  value?: Record<string, unknown>;
}

const ERROR = 2;

function spansIn(body: Buffer): ReceivedSpan[] {
  const traces = TRACES.toObject(TRACES.decode(body), { longs: String, defaults: false }) as {
    resourceSpans?: { resource?: { attributes?: KeyValue[] }; scopeSpans?: { spans?: RawSpan[] }[] }[];
  };
  return (traces.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(attributesOf(resource?.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans: some = [] }) => some.map((span) => spanOf(span, service)));
  });
}

function recordsIn(body: Buffer): ReceivedRecord[] {
  const logs = LOGS.toObject(LOGS.decode(body), { longs: String, defaults: false }) as {
    resourceLogs?: { resource?: { attributes?: KeyValue[] }; scopeLogs?: { logRecords?: RawRecord[] }[] }[];
  };
  return (logs.resourceLogs ?? []).flatMap(({ resource, scopeLogs = [] }) => {
    const service = String(attributesOf(resource?.attributes)['service.name']);
    return scopeLogs.flatMap(({ logRecords = [] }) => logRecords.map((record) => recordOf(record, service)));
  });
}

function recordOf({ timeUnixNano, severityNumber = 0, severityText = '', body, attributes, ...ids }: RawRecord, service: string) {
  return {
    service,
    timeMs: Number(BigInt(timeUnixNano) / 1_000_000n),
    severity: severityText,
    severityNumber,
    body: String(Object.values(body ?? {})[0] ?? ''),
    attributes: attributesOf(attributes),
    traceId: hex(ids.traceId),
    spanId: hex(ids.spanId),
  };
}

function addMetrics(metrics: Map<string, Set<string>>, body: Buffer): void {
  const sent = METRICS.toObject(METRICS.decode(body), { defaults: false }) as {
    resourceMetrics?: { resource?: { attributes?: KeyValue[] }; scopeMetrics?: { metrics?: { name: string }[] }[] }[];
  };
  for (const { resource, scopeMetrics = [] } of sent.resourceMetrics ?? []) {
    const service = String(attributesOf(resource?.attributes)['service.name']);
    const names = metrics.get(service) ?? new Set<string>();
    metrics.set(service, names);
    for (const { metrics: some = [] } of scopeMetrics) for (const { name } of some) names.add(name);
  }
}

function spanOf({ traceId, spanId, parentSpanId, name, attributes, status, ...times }: RawSpan, service: string): ReceivedSpan {
  return {
    traceId: hex(traceId),
    spanId: hex(spanId),
    parentId: hex(parentSpanId),
    name,
    service,
    attributes: attributesOf(attributes),
    ...(status?.code === ERROR ? { failure: status.message ?? '' } : {}),
    startMs: Number(BigInt(times.startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(times.endTimeUnixNano) / 1_000_000n),
  };
}

function attributesOf(attributes: KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value = {} }) => [key, Object.values(value)[0]]));
}

function hex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('hex');
}

/** Each line a span, below its parent, in the order of their starts, the longest first. Spans whose parent is missing begin with `?`. */
export function treeOf(spans: readonly ReceivedSpan[], show = ({ name }: ReceivedSpan): string => name): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const sorted = spans.toSorted((one, other) => one.startMs - other.startMs || other.endMs - one.endMs);
  const below = (parentId: string, depth: number): string[] =>
    sorted
      .filter((span) => span.parentId === parentId)
      .flatMap((span) => ['  '.repeat(depth) + show(span), ...below(span.spanId, depth + 1)]);
  const lost = sorted.filter(({ parentId }) => parentId !== '' && !known.has(parentId));
  return [...below('', 0), ...lost.flatMap((span) => [`? ${show(span)}`, ...below(span.spanId, 1)])];
}
