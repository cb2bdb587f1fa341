/**
 * Writes the log: one JSON line per event, on standard error (standard output belongs to the commands). A line that belongs to a
 * turn has its `trace_id`; no line has a secret, an input, an output, a prompt or a mail's text.
 */
import { format } from 'node:util';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DestinationStream, Logger } from 'pino';
import { maskSecrets } from '../shared/text/secrets';

// Who imports the worker to start it later does not wait for pino's 28 modules.
// oxlint-disable-next-line typescript/no-require-imports -- loaded on use, without a promise
const pino = () => require('pino') as typeof import('pino');
const STANDARD_ERROR = 2;

export function standardError(): DestinationStream {
  return pino().destination(STANDARD_ERROR);
}

/** @param level the lowest level that is written: `trace` … `fatal`, or `silent` */
export function createLog(level: string, to: DestinationStream = standardError()): Logger {
  const log = pino()(
    {
      level,
      base: null,
      timestamp: false, // each line has its own: Temporal's lines arrive a little late
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (copy: unknown) => copy }, // `redact` has made it already
      hooks: {
        logMethod(args: unknown[], method) {
          method.call(this, ...lineOf(args));
        },
      },
    },
    to,
  );
  const { child } = log;
  log.child = function (this: Logger, fields, options) {
    return child.call(this, redact(fields), options) as never; // pino passes a child's fields to no hook
  };
  return log;
}

/** What a caller may pass: fields and a message, an error alone or with a message, a message alone. */
function lineOf([first, ...rest]: unknown[]): [object, string | undefined] {
  const words = typeof first === 'object' && first !== null ? rest : [first, ...rest];
  const fields = words === rest ? (first instanceof Error ? { err: first } : (first as object)) : {};
  const message = words.length === 0 ? undefined : redactedText(format(...words.map(redactedValue)));
  return [{ time: new Date().toISOString(), ...turnFields(), ...redact(fields) }, message];
}

// Redaction: a bounded copy of a value, without its secrets. Two rules remove them, at any depth and inside errors: fields whose
// name says that they hold one, and text that looks like one. Values and errors from tools and upstreams are untrusted: they are
// cut, and may be large, nested or unreadable.

const REDACTION = '[redacted]';
/** Keys, tokens, passwords, headers with them; and the text of a mail, which no log needs. Compared without `-` and `_`. */
const SECRET_NAME =
  /(?:apikey|token|pass(?:word|wd|phrase)?|passwords|secrets?|authorization|cookies?|credentials?|privatekey)$|^(?:pwd|auth|body|bodymd|html)$/;

const MAX_TEXT = 4000;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;
/** Values of one line, over all depths, and characters of their texts and names. */
const MAX_VALUES = 1000;
const MAX_CHARACTERS = 64_000;

/** A text up to this length is never cut, whatever else a line has. */
const FEW_CHARACTERS = 200;

/** How much more one line may have. */
interface Budget {
  remaining: number;
  characters: number;
}

const whole = (): Budget => ({ remaining: MAX_VALUES, characters: MAX_CHARACTERS });

/** The fields of a line, bounded and without secrets. */
export function redact(fields: object): Record<string, unknown> {
  return copyOf(fields, 0, whole()) as Record<string, unknown>;
}

/** One value, likewise. */
export function redactedValue(value: unknown): unknown {
  return valueOf(value, 0, whole());
}

/** A text, cut at 4000 characters, without what looks like a key, an authorization or the password of a URL. */
export function redactedText(text: string): string {
  return shortText(text, MAX_TEXT);
}

function shortText(text: string, longest: number): string {
  return maskSecrets(text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text);
}

/** As much of a text as the line may still have. */
function textOf(text: string, budget: Budget): string {
  const longest = Math.min(MAX_TEXT, Math.max(budget.characters, FEW_CHARACTERS));
  budget.characters -= Math.min(text.length, longest);
  return shortText(text, longest);
}

function valueOf(value: unknown, depth: number, budget: Budget): unknown {
  budget.remaining -= 1;
  if (typeof value === 'string') return textOf(value, budget);
  if (typeof value === 'bigint') return textOf(value.toString(), budget);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return textOf(value.href, budget);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH || isSpent(budget)) return '[cut]';
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((item) => valueOf(item, depth + 1, budget));
  if (value instanceof Map) return copyOf(Object.fromEntries(value) as object, depth, budget);
  // Type, message, stack and cause of an error are not enumerable fields; pino's own serializer names them.
  if (value instanceof Error) return copyOf(pino().stdSerializers.errWithCause(value), depth, budget);
  return copyOf(value, depth, budget);
}

function isSpent({ remaining, characters }: Budget): boolean {
  return remaining <= 0 || characters <= 0;
}

function copyOf(object: object, depth: number, budget: Budget): object {
  const copy: [string, unknown][] = [];
  for (const name of Object.keys(object).slice(0, MAX_ENTRIES)) {
    if (depth > 0 && isSpent(budget)) break;
    copy.push([textOf(name, budget), fieldOf(object, name, depth, budget)]);
  }
  return Object.fromEntries(copy);
}

function fieldOf(object: object, name: string, depth: number, budget: Budget): unknown {
  if (SECRET_NAME.test(name.slice(0, 100).toLowerCase().replace(/[-_]/g, ''))) return REDACTION;
  try {
    return valueOf((object as Record<string, unknown>)[name], depth + 1, budget);
  } catch {
    return '[unreadable]'; // a getter that throws must not lose the line
  }
}

// The turn that is being worked on: every line that is logged meanwhile, by any part or tool, has these fields.

export interface TurnFields {
  trace_id?: string;
  turn_id?: string;
  session_id?: string;
  call_id?: string;
  tool?: string;
}

const scope = new AsyncLocalStorage<TurnFields>();

export function withTurn<R>(fields: TurnFields, work: () => R): R {
  return scope.run(fields, work);
}

/** For lines that are written during work for a turn but do not belong to it. */
export function outsideTurns<R>(work: () => R): R {
  return scope.exit(work);
}

export function turnFields(): Partial<TurnFields> {
  return scope.getStore() ?? {};
}
