/** A tool's log that is also told to the MCP client that made the call: without secrets and stacks, short, and not without end. */
import { redacted, redactedText } from '../../telemetry/redact';
import type { ToolLogger } from '../../tools/define/tool';

export interface LogLine {
  level: 'debug' | 'info' | 'warning' | 'error';
  /** JSON: a text, or the fields with the text as `message`. */
  text: string;
}

/** Lines of one run. */
const MOST_LINES = 500;
/** Bytes of one line: PostgreSQL carries 8,000 in one message. */
const MOST_BYTES = 3000;
/** Characters of what is left of a line that is longer. */
const MOST_MESSAGE = 500;

/** @param tell is told of each line, after it was logged; never throws */
export function clientLog(log: ToolLogger, tell: (line: LogLine) => void): ToolLogger {
  let left = MOST_LINES;
  const teller =
    (method: keyof ToolLogger, level: LogLine['level']) =>
    (fields: object, message?: string): void => {
      log[method](fields, message);
      if (left-- <= 0) return;
      tell({ level, text: textOf(fields, message) });
    };
  return {
    debug: teller('debug', 'debug'),
    info: teller('info', 'info'),
    warn: teller('warn', 'warning'),
    error: teller('error', 'error'),
  };
}

function textOf(fields: unknown, message: unknown): string {
  try {
    return lineOf(fields, message);
  } catch {
    return '"[unreadable]"'; // what a tool logs must not cost the call
  }
}

/** A tool may log anything: also a text, or an error, in the place of the fields. */
function lineOf(given: unknown, said: unknown): string {
  const first = typeof given === 'string' ? given : undefined;
  const message = [first, said].filter((text) => text !== undefined).map((text) => redactedText(String(text)).toWellFormed());
  const fields = given instanceof Error ? { err: given } : typeof given === 'object' && given !== null ? given : {};
  const text = message.join(' ');
  const copy = redacted(fields);
  const data = Object.keys(copy).length === 0 ? text : { ...copy, ...(text === '' ? {} : { message: text }) };
  const json = JSON.stringify(data, (name, value: unknown) => (name === 'stack' ? undefined : value));
  if (Buffer.byteLength(JSON.stringify(json)) <= MOST_BYTES) return json;
  return JSON.stringify({ message: text.slice(0, MOST_MESSAGE).toWellFormed(), cut: true });
}
