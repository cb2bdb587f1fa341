/**
 * Puts a streamed response together: each item counts as the event of its end has it, and the last event has usage and status.
 * What the vendor's own tools did is in the raw form only.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { brokenStream, unknownStopReason } from '../failure';
import type { ModelResponse, ModelUsage, RawToolInput, StopReason } from '../provider';
import { toolUseBlock } from '../provider';

const ENDS: ReadonlySet<Json> = new Set(['response.completed', 'response.incomplete']);

export class ResponsesAccumulator {
  private readonly items = new Map<number, JsonObject>();
  private response: JsonObject | null = null;

  /** Takes one event; returns the text that it added, if any. */
  push(event: JsonObject): string | undefined {
    if (event.type === 'response.output_item.done' && isJsonObject(event.item ?? null))
      this.items.set(Number(event.output_index), event.item as JsonObject);
    if (ENDS.has(event.type ?? null) && isJsonObject(event.response ?? null)) this.response = event.response as JsonObject;
    return event.type === 'response.output_text.delta' && typeof event.delta === 'string' ? event.delta : undefined;
  }

  finish(requestId: string | null, requestedModel: string): ModelResponse {
    const { response } = this;
    if (response === null) throw brokenStream('it ended without response.completed');
    const items = this.itemsInOrder(response);
    const rawToolInputs: RawToolInput[] = [];
    const content: JsonObject[] = [];
    for (const item of items) {
      if (item.type === 'function_call') rawToolInputs.push({ block: content.length, json: String(item.arguments ?? '') });
      content.push(...blocksOf(item));
    }
    const refusal = items.flatMap(partsOf).find(({ type }) => type === 'refusal');
    return {
      id: String(response.id ?? ''),
      requestId,
      model: typeof response.model === 'string' ? response.model : requestedModel,
      stopReason: stopReasonOf(response, rawToolInputs.length > 0, refusal !== undefined),
      ...(refusal === undefined ? {} : { stopDetails: { refusal: refusal.refusal ?? '' } }),
      content,
      rawToolInputs,
      raw: items,
      usage: usageOf(response.usage),
    };
  }

  /** The last event has all items as well; some servers leave it empty there. */
  private itemsInOrder({ output }: JsonObject): JsonObject[] {
    const whole = Array.isArray(output) ? output.filter(isJsonObject) : [];
    return whole.length > 0 ? whole : [...this.items.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
  }
}

function blocksOf(item: JsonObject): JsonObject[] {
  if (item.type === 'function_call')
    return [toolUseBlock(String(item.call_id ?? item.id ?? ''), String(item.name ?? ''), String(item.arguments ?? ''))];
  if (item.type === 'reasoning') {
    const thinking = listOf(item.summary)
      .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
      .join('\n\n');
    return thinking === '' ? [] : [{ type: 'thinking', thinking, signature: '' }];
  }
  return partsOf(item).flatMap((part) => (part.type === 'output_text' ? [{ type: 'text', text: part.text ?? '' }] : []));
}

function partsOf(item: JsonObject): JsonObject[] {
  return item.type === 'message' ? listOf(item.content) : [];
}

function stopReasonOf({ status, incomplete_details }: JsonObject, hasCalls: boolean, isRefusal: boolean): StopReason {
  if (status === 'incomplete') {
    const reason = isJsonObject(incomplete_details ?? null) ? (incomplete_details as JsonObject).reason : null;
    if (reason === 'max_output_tokens') return 'max_tokens';
    if (reason === 'content_filter') return 'refusal';
    throw unknownStopReason(reason ?? null);
  }
  if (status !== 'completed') throw unknownStopReason(status ?? null);
  if (hasCalls) return 'tool_use';
  return isRefusal ? 'refusal' : 'end_turn';
}

function usageOf(usage: Json | undefined): ModelUsage {
  const { input_tokens, output_tokens, input_tokens_details } = isJsonObject(usage ?? null) ? (usage as JsonObject) : {};
  const details = isJsonObject(input_tokens_details ?? null) ? (input_tokens_details as JsonObject) : {};
  const cached = Math.min(count(details.cached_tokens), count(input_tokens));
  return {
    input_tokens: count(input_tokens) - cached,
    output_tokens: count(output_tokens),
    cache_read_tokens: cached,
    cache_creation_tokens: 0,
  };
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
