/** A collector for tests: takes traces by OTLP over HTTP, in protobuf, and shows them as trees. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { parse, type Type } from 'protobufjs';

/** The part of opentelemetry-proto (trace/v1, common/v1) that is read here, with its field numbers. */
const { root } = parse(`syntax = "proto3";
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
  }
  message ArrayValue { repeated AnyValue values = 1; }`);
const TRACES: Type = root.lookupType('Traces');

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

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** All bytes that came, as text: to look for what must not be there. */
  raw(): string;
  close(): Promise<void>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body);
      spans.push(...spansIn(body));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, spans, raw: () => Buffer.concat(bodies).toString('latin1'), close };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
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
