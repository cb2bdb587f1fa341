/** Which act a call stands for, by its tool's own word. */
import { callError, type CallError } from '../shared/errors';
import { intentHash } from '../shared/intent';
import type { Json, JsonObject } from '../shared/json';
import { FOR_THE_OWNER } from './output';
import { exceptionText } from '../shared/exception-text';
import { taken } from './taken';
import type { Tool } from './tool';

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
