/**
 * The log: one JSON line an event, on standard error (standard output belongs to the commands). A line that
 * belongs to a turn has its `trace_id`; no line has a secret, an input, an output, a prompt or a mail's text.
 */
import { format } from 'node:util';
import pino from 'pino';
import { redacted, redactedText, redactedValue } from './redact';
import { turnFields } from './turn-scope';

const STANDARD_ERROR = 2;

/** @param level the least that is written: `trace` … `fatal`, or `silent` */
export function createLog(level: string, to: pino.DestinationStream = pino.destination(STANDARD_ERROR)): pino.Logger {
  const log = pino(
    {
      level,
      base: null,
      timestamp: false, // each line brings its own: Temporal's arrive a little later than they happened
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (copy: unknown) => copy }, // redact.ts has made it already
      hooks: {
        logMethod(args: unknown[], method) {
          method.call(this, ...lineOf(args));
        },
      },
    },
    to,
  );
  const { child } = log;
  log.child = function (this: pino.Logger, fields, options) {
    return child.call(this, redacted(fields), options) as never; // pino hands a child's fields to no hook
  };
  return log;
}

/** What a caller may pass: fields and a message, an error alone or with a message, a message alone. */
function lineOf([first, ...rest]: unknown[]): [object, string | undefined] {
  const words = typeof first === 'object' && first !== null ? rest : [first, ...rest];
  const fields = words === rest ? (first instanceof Error ? { err: first } : (first as object)) : {};
  const message = words.length === 0 ? undefined : redactedText(format(...words.map(redactedValue)));
  return [{ time: new Date().toISOString(), ...turnFields(), ...redacted(fields) }, message];
}
