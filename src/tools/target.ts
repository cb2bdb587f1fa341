/** What a tool acts on besides its input: as its definition says. */
import { canonical } from '../shared/canonical';
import { callError, type CallError } from '../shared/errors';
import { isJsonObject, type Json, type JsonObject } from '../shared/json';
import { hashJson } from './digests';
import { taken } from './taken';
import type { Tool } from './tool';

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
