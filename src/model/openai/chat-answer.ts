/**
 * Puts a streamed chat completion together, as neutral blocks and in its own form. The input of a call stays text as well, since
 * parsing loses what admission must see: duplicate keys, and JSON that was cut off.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { brokenStream, unknownStopReason } from '../failure';
import { estimatedUsage } from '../context/tokens';
import { isTruncated, type ModelResponse, type RawToolInput, type StopReason } from '../provider';
import { toolUseBlock } from '../provider';
import { usageOf } from './vendor';

const COUNTS = { input: 'prompt_tokens', output: 'completion_tokens' };

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

interface OpenCall {
  id: string;
  name: string;
  json: string;
}

export class ChatAccumulator {
  private id = '';
  private model = '';
  private text = '';
  private thinking = '';
  private refusal = '';
  private finishReason: Json = null;
  private usage: JsonObject | null = null;
  private readonly calls = new Map<number, OpenCall>();
  /** Where the pieces of an index go, if that is not the call of this index. */
  private readonly places = new Map<number, number>();
  /** Fields of the answer that are none of ours, such as `reasoning_details`. */
  private readonly others: JsonObject = {};
  private hasBegun = false;

  /** Takes one chunk; returns the text that it added, if any. */
  push(chunk: JsonObject): string | undefined {
    this.hasBegun = true;
    if (typeof chunk.id === 'string' && chunk.id !== '') this.id = chunk.id;
    if (typeof chunk.model === 'string' && chunk.model !== '') this.model = chunk.model;
    if (isJsonObject(chunk.usage ?? null)) this.usage = chunk.usage as JsonObject;
    const choice = Array.isArray(chunk.choices) ? chunk.choices.find(isFirst) : undefined;
    if (!isJsonObject(choice)) return undefined;
    if ((choice.finish_reason ?? null) !== null) this.finishReason = choice.finish_reason!;
    return isJsonObject(choice.delta) ? this.delta(choice.delta) : undefined;
  }

  /** @param sent characters of the request, to estimate what a server that counts nothing does not say */
  finish(requestId: string | null, requestedModel: string, sent: number): ModelResponse {
    if (!this.hasBegun) throw brokenStream('it held no message');
    if (this.finishReason === null) throw brokenStream('it ended without finish_reason');
    const stopReason = this.stopReason();
    const cutOff = isTruncated(stopReason);
    const calls = [...this.calls.entries()].sort(([a], [b]) => a - b).map(([, call]) => call);
    const before: JsonObject[] = [
      ...(this.thinking === '' ? [] : [{ type: 'thinking', thinking: this.thinking, signature: '' }]),
      ...(this.text === '' ? [] : [{ type: 'text', text: this.text }]),
    ];
    const rawToolInputs: RawToolInput[] = calls.map(({ json }, index) => ({
      block: before.length + index,
      json: inputText(json, cutOff),
    }));
    return {
      id: this.id,
      requestId,
      model: this.model || requestedModel,
      stopReason,
      ...(this.refusal === '' ? {} : { stopDetails: { refusal: this.refusal } }),
      content: [...before, ...calls.map((call) => toolUseBlock(call.id, call.name, inputText(call.json, cutOff)))],
      rawToolInputs,
      raw: this.ownForm(calls),
      usage: this.usage === null ? estimatedUsage(sent, this.text.length + this.thinking.length) : usageOf(this.usage, COUNTS),
    };
  }

  private delta(delta: JsonObject): string | undefined {
    const { content, refusal, tool_calls, function_call, role: _, ...others } = delta;
    const thought = others.reasoning_content ?? others.reasoning;
    if (typeof thought === 'string') this.thinking += thought;
    if (typeof refusal === 'string') this.refusal += refusal;
    for (const [position, call] of list(tool_calls).entries()) this.addCall(call, position);
    if (isJsonObject(function_call ?? null)) this.addCall({ index: 0, function: function_call! }, 0);
    for (const [key, value] of Object.entries(others)) this.addOther(key, value);
    if (typeof content !== 'string' || content === '') return undefined;
    this.text += content;
    return content;
  }

  /** Servers that send each call whole may leave out its index. */
  private addCall(call: Json, position: number): void {
    if (!isJsonObject(call)) return;
    const called = isJsonObject(call.function ?? null) ? (call.function as JsonObject) : {};
    const index = typeof call.index === 'number' ? this.placeOf(call.index, call.id, called) : this.indexFor(call.id, position);
    const open = this.calls.get(index) ?? { id: '', name: '', json: '' };
    if (typeof call.id === 'string' && call.id !== '') open.id = call.id;
    if (typeof called.name === 'string' && open.name === '') open.name = called.name;
    if (typeof called.arguments === 'string') open.json += called.arguments;
    else if (isJsonObject(called.arguments ?? null)) open.json = JSON.stringify(called.arguments);
    this.calls.set(index, open);
  }

  /** Some servers give all calls the index 0: a name under another id begins another call. Later pieces without an id are of that one. */
  private placeOf(index: number, id: Json | undefined, { name }: JsonObject): number {
    const place = this.places.get(index) ?? index;
    const before = this.calls.get(place)?.id;
    if (!before || !id || !name || id === before) return place;
    const other = this.indexFor(id, index);
    this.places.set(index, other);
    return other;
  }

  private indexFor(id: Json | undefined, position: number): number {
    const known = [...this.calls.entries()].find(([, call]) => typeof id === 'string' && call.id === id);
    if (known !== undefined) return known[0];
    return typeof id === 'string' ? Math.max(-1, ...this.calls.keys()) + 1 : position;
  }

  private addOther(key: string, value: Json): void {
    if (key === '__proto__' || value === null) return;
    const before = this.others[key];
    if (typeof value === 'string' && typeof before === 'string') this.others[key] = before + value;
    else if (Array.isArray(value) && Array.isArray(before)) this.others[key] = [...before, ...value];
    else this.others[key] = value;
  }

  private stopReason(): StopReason {
    const name = this.finishReason;
    const reason = typeof name === 'string' && Object.hasOwn(STOP_REASONS, name) ? STOP_REASONS[name]! : undefined;
    if (reason === undefined) throw unknownStopReason(name);
    if (this.refusal !== '' && this.calls.size === 0) return 'refusal';
    // Some servers say "stop" beside calls.
    return reason === 'end_turn' && this.calls.size > 0 ? 'tool_use' : reason;
  }

  private ownForm(calls: readonly OpenCall[]): JsonObject {
    const toolCalls = calls.map(({ id, name, json }) => ({ id, type: 'function', function: { name, arguments: json } }));
    return {
      ...this.others,
      role: 'assistant',
      content: this.text === '' ? null : this.text,
      ...(this.refusal === '' ? {} : { refusal: this.refusal }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    };
  }
}

/** A call without inputs may stream no text. If the answer was cut off, the text may only not have begun yet. */
function inputText(json: string, cutOff: boolean): string {
  return json === '' && !cutOff ? '{}' : json;
}

function isFirst(choice: Json): boolean {
  return isJsonObject(choice) && (choice.index ?? 0) === 0;
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
