/** What a tool acts on besides its input: as its definition says. */
import { canonical } from '../../shared/json/canonical';
import { callError, type CallError } from '../../shared/wire/errors';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { hashJson } from '../../store/core/seal';
import { intentHash } from '../../shared/intent';
import { exceptionText } from '../../shared/text/exception-text';
import { taken, FOR_THE_OWNER } from '../schema/input-output';
import type { Tool } from '../define/tool';

/** It is read on a card. */
const MOST_BYTES = 4000;

export type Target = { ok: true; target: JsonObject | null } | { ok: false; error: CallError };

/** Null where the tool declares none. */
export function targetOf(tool: Tool, input: JsonObject): Target {
  if (tool.target === undefined) return { ok: true, target: null };
  try {
    const given: Json = typeof tool.target === 'function' ? tool.target(taken(tool, input)) : tool.target;
    const text = canonical(given);
    if (!isJsonObject(given)) return fault(tool, 'it must be an object');
    if (Buffer.byteLength(text) > MOST_BYTES) return fault(tool, `it has more than ${MOST_BYTES} bytes`);
    return { ok: true, target: JSON.parse(text) as JsonObject };
  } catch (error) {
    return fault(tool, String(error instanceof Error ? error.message : error).slice(0, 300));
  }
}

export function targetHash(target: JsonObject | null): string | null {
  return target === null ? null : hashJson(target);
}

function fault({ name, version }: Tool, why: string): Target {
  const message = `${name}@${version} does not say what it acts on: its target failed: ${why}`;
  return { ok: false, error: callError('EXECUTION_ERROR', 'target_failed', message.toWellFormed()) };
}

// Which act a call stands for, by its tool's own word.

/** `intent` is null for a tool that does not say, or an input for which it answers null. */
export function intentOf(tool: Tool, input: JsonObject): { ok: true; intent: string | null } | { ok: false; error: CallError } {
  if (!tool.intentKey) return { ok: true, intent: null };
  try {
    const key = tool.intentKey(taken(tool, input)) as Json;
    return { ok: true, intent: key === null ? null : intentHash(tool.name, key) };
  } catch (error) {
    const why = exceptionText(error).slice(0, 300);
    const message = `${tool.name} was not run: its intentKey failed for this input: ${why}`;
    return { ok: false, error: callError('EXECUTION_ERROR', 'intent_key_failed', message, { hint: FOR_THE_OWNER }) };
  }
}
