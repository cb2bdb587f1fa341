/**
 * Reads the last answer of an agent with a result as the call that gives it. So a result has one form, whether the vendor enforced a
 * schema on the answer, or a model wrote its JSON as text although it should have made the call; and an answer in words is a result
 * that does not fit, which the model is told.
 */
import type { ModelResponse } from '../../model/provider';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { GIVE_RESULT } from '../../shared/turn/result';

/** Reasons for which an answer is the last of its turn, if it calls no tool. */
const LAST: ReadonlySet<ModelResponse['stopReason']> = new Set(['end_turn', 'stop_sequence', 'tool_use']);
/** JSON that a model wrote as a block of code. */
const FENCED = /^```(?:json)?\s*\n([\s\S]*)\n\s*```$/;

/** Text that is no JSON stays beside the call. The vendor's own form of the answer has no such call, and is left out. */
export function withResultCall(response: ModelResponse): ModelResponse {
  if (!LAST.has(response.stopReason) || response.content.some(({ type }) => type === 'tool_use')) return response;
  const { raw: _, ...rest } = response;
  const json = written(response.content);
  const others = isObject(json) ? response.content.filter(({ type }) => type !== 'text') : response.content;
  const call: JsonObject = { type: 'tool_use', id: '', name: GIVE_RESULT, input: {} };
  return { ...rest, content: [...others, call], rawToolInputs: [{ block: others.length, json }] };
}

function written(content: readonly JsonObject[]): string {
  const text = content
    .flatMap((block) => (block.type === 'text' ? [String(block.text)] : []))
    .join('')
    .trim();
  return FENCED.exec(text)?.[1]?.trim() ?? text;
}

function isObject(json: string): boolean {
  try {
    return isJsonObject(parseJson(json));
  } catch {
    return false;
  }
}
