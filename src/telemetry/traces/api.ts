/**
 * Spans of the work that runs now, by the API of OpenTelemetry. It is loaded only if this process has registered an SDK: ours
 * (`openTraces`), or one of a program that embeds the engine. Without one, everything here does nothing.
 */
import type * as Otel from '@opentelemetry/api';
import { findPackage } from '../../optional-package';
import { redactedValue } from '../log';

type Attributes = Otel.Attributes;

/** The API keeps what is registered under this symbol, in all its versions. */
const API_KEY = Symbol.for('opentelemetry.js.api.1');
/** Name of our spans' scope. */
export const SCOPE = 'holdfast';

let knownApi: typeof Otel | null | undefined;

/** Null: this process has no SDK. */
export function api(): typeof Otel | null {
  if (!Object.hasOwn(globalThis, API_KEY)) return null;
  return (knownApi ??= findPackage<typeof Otel>('@opentelemetry/api'));
}

const TRACE_FIELDS = ['traceparent', 'tracestate'] as const;
export type TraceFields = { -readonly [F in (typeof TRACE_FIELDS)[number]]?: string };

/** The trace context of the work that runs now, as W3C headers; empty: there is none. Never baggage, which may have content. */
export function traceFields(): TraceFields {
  const otel = api();
  if (otel === null) return {};
  const carrier: Record<string, string> = {};
  otel.propagation.inject(otel.context.active(), carrier);
  return onlyTraceFields(carrier);
}

/** Of untrusted headers. */
export function onlyTraceFields(carrier: Readonly<Record<string, unknown>>): TraceFields {
  const entries = TRACE_FIELDS.map((field) => [field, carrier[field]] as const);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value.length <= LONGEST_FIELD));
}

const LONGEST_FIELD = 512;

export interface SpanOptions {
  kind?: 'client' | 'producer';
  attributes?: Attributes;
}

/** Adds what is known at the end. */
export type AddAttributes = (attributes: Attributes) => void;

/** Runs work in a span. A failure is recorded by its code alone, since messages may quote inputs. */
export async function inSpan<T>(
  name: string,
  { kind, attributes = {} }: SpanOptions,
  work: (add: AddAttributes) => Promise<T>,
): Promise<T> {
  const otel = api();
  if (otel === null) return work(() => undefined);
  const { trace, SpanKind } = otel;
  const kinds = { client: SpanKind.CLIENT, producer: SpanKind.PRODUCER };
  const options = { kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind], attributes };
  return trace.getTracer(SCOPE).startActiveSpan(name, options, async (span) => {
    try {
      return await work((more) => void span.setAttributes(more));
    } catch (error) {
      fail(span, codeOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

export function fail(span: Otel.Span, code: string): void {
  span.setStatus({ code: api()!.SpanStatusCode.ERROR, message: code });
  span.setAttribute('error.type', code);
}

/** Type of a failure, or name of an error. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { type, facts } = error as { type?: unknown; facts?: { type?: unknown } };
  const codes = [type, facts?.type].filter((code) => typeof code === 'string' && code !== '');
  return (codes[0] as string | undefined) ?? error.name;
}

// Content: what a model reads and writes, inputs and results of tools. Spans have it only if the settings ask for it.

let content = false;

export function recordContent(isOn: boolean): void {
  content = isOn;
}

/** Attributes whose values are content, as redacted JSON; empty if no content is wanted. */
export function contentAttributes(values: () => Record<string, unknown>): Attributes {
  if (!content || api() === null) return {};
  return Object.fromEntries(Object.entries(values()).map(([name, value]) => [name, JSON.stringify(redactedValue(value)) ?? '']));
}
