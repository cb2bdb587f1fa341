/** Reads the envelope of a tool result, and finds its reference if it was too large. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

export type ToolResult = { ok: true; data: Json } | { ok: false; error: ResultError };

export interface ResultError {
  code: string;
  kind: string;
  reason: string;
  message: string;
  hint: string;
  /** The whole error as text, for what no field contains. */
  text: string;
}

/** Parses a tool_result's text; text that is no envelope is the data itself. */
export function readResult(text: string, isError: boolean): ToolResult {
  const envelope = parse(text);
  if (isJsonObject(envelope) && isJsonObject(envelope.error)) return { ok: false, error: resultError(envelope.error) };
  if (isError || (isJsonObject(envelope) && envelope.success === false)) {
    return { ok: false, error: resultError({ message: text.slice(0, 500) }) };
  }
  if (isJsonObject(envelope) && 'data' in envelope) return { ok: true, data: envelope.data ?? null };
  return { ok: true, data: envelope === undefined ? text : envelope };
}

/** The reference of a result that was too large to be sent inline, or undefined. */
export function refOf(data: Json): string | undefined {
  return isJsonObject(data) && typeof data.ref === 'string' && 'bytes' in data ? data.ref : undefined;
}

/** JSON, or undefined. Accepts words before and after the object. */
export function parse(text: string): Json | undefined {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      return JSON.parse(candidate) as Json;
    } catch {
      continue;
    }
  }
  return undefined;
}

function resultError(error: JsonObject): ResultError {
  const word = (key: string) => (typeof error[key] === 'string' ? (error[key] as string) : '');
  return {
    code: word('code') || 'EXECUTION_ERROR',
    kind: word('kind') || 'FATAL_ERROR',
    reason: word('reason'),
    message: word('message') || 'no message',
    hint: word('hint'),
    text: JSON.stringify(error),
  };
}
