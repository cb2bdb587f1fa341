/**
 * Writes spans whose ids are known before: those of turns, steps and calls (trace-ids.ts). Also finds the trace of a turn: that of
 * the request that started it, which came in a header, or else one that follows from our own trace id.
 */
import type * as Otel from '@opentelemetry/api';
import type { Payload } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { fail, SCOPE } from './api';
import { fieldsIn } from './header';
import { type TraceIds, traceIdOf } from './trace-ids';

/** The trace of a turn. */
export interface TurnTrace {
  traceId: string;
  /** The span that started the turn; null: the turn is the first of its trace. */
  spanId: string | null;
  flags: number;
}

/** A span whose id is known before. */
export interface NamedSpan {
  trace: TurnTrace;
  spanId: string;
  /** Null: the first of its trace. */
  parentId: string | null;
  name: string;
  /** ms since 1970 */
  start: number;
  end: number;
  attributes: Otel.Attributes;
  failure?: string | undefined;
}

/** A workflow task that is repeated reports its spans again: so many are remembered. */
const MOST_SPANS = 10_000;

export class Traces {
  private readonly tracer: Otel.Tracer;
  private readonly earlier = new LRUCache<string, true>({ max: MOST_SPANS });

  constructor(
    private readonly api: typeof Otel,
    provider: Otel.TracerProvider,
    private readonly ids: TraceIds,
  ) {
    this.tracer = provider.getTracer(SCOPE);
  }

  /** @param header the payload of `TRACE_HEADER`, if there is one: untrusted @param traceId our own id */
  turnTrace(header: Payload | null | undefined, traceId: string): TurnTrace {
    const context = header ? this.contextIn(header) : undefined;
    if (context) return { traceId: context.traceId, spanId: context.spanId, flags: context.traceFlags };
    const own = traceIdOf(traceId);
    return { traceId: own, spanId: null, flags: this.flagsOfFirst(own) };
  }

  /** Writes a span, unless this process has written it before. */
  write({ trace, spanId, parentId, name, start, end, attributes, failure }: NamedSpan): void {
    const key = trace.traceId + spanId;
    if (this.earlier.has(key)) return;
    this.earlier.set(key, true);
    const within = parentId === null ? this.api.ROOT_CONTEXT : this.contextOf(trace, parentId);
    const span = this.startWithIds({ traceId: trace.traceId, spanId }, name, { startTime: start, attributes }, within);
    if (failure !== undefined) fail(span, failure);
    span.end(Math.max(start, end));
  }

  /** Runs work in a span with a parent that may not have ended yet. */
  within<T>(trace: TurnTrace, parentId: string, name: string, attributes: Otel.Attributes, work: (span: Otel.Span) => T): T {
    return this.tracer.startActiveSpan(name, { attributes }, this.contextOf(trace, parentId), work);
  }

  private contextOf({ traceId, flags }: TurnTrace, spanId: string): Otel.Context {
    const parent = { traceId, spanId, traceFlags: flags, isRemote: true };
    return this.api.trace.setSpanContext(this.api.ROOT_CONTEXT, parent);
  }

  private contextIn(header: Payload): Otel.SpanContext | undefined {
    const { trace, propagation, ROOT_CONTEXT } = this.api;
    const context = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, fieldsIn(header)));
    return context && trace.isSpanContextValid(context) ? context : undefined;
  }

  /** What the sampler says of a trace that nobody has begun: a span that is never ended is never sent. */
  private flagsOfFirst(traceId: string): number {
    const ids = { traceId, spanId: '0'.repeat(15) + '1' };
    return this.startWithIds(ids, 'turn', {}, this.api.ROOT_CONTEXT).spanContext().traceFlags;
  }

  private startWithIds(
    ids: NonNullable<TraceIds['next']>,
    name: string,
    options: Otel.SpanOptions,
    within: Otel.Context,
  ): Otel.Span {
    this.ids.next = ids;
    try {
      return this.tracer.startSpan(name, options, within);
    } finally {
      this.ids.next = null;
    }
  }
}
