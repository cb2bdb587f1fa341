/**
 * Puts a streamed response together: each item counts as the event of its end has it, and the last event has usage and status.
 * What the vendor's own tools returned is in the raw form only.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { brokenStream, unknownStopReason } from '../failure';
import type { ModelResponse, RawToolInput, StopReason } from '../provider';
import { toolUseBlock } from '../provider';
import { usageOf } from './vendor';

const COUNTS = { input: 'input_tokens', output: 'output_tokens' };

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
      for (const block of blocksOf(item)) content.push(block);
    }
    const searches = items.filter(isSearch).length;
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
      usage: { ...usageOf(response.usage, COUNTS), ...(searches > 0 ? { web_searches: searches } : {}) },
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
  const serverTool = SERVER_TOOL.exec(String(item.type))?.[0];
  if (serverTool !== undefined) return [serverUseBlock(serverTool, item)];
  return partsOf(item).flatMap((part) => (part.type === 'output_text' ? [{ type: 'text', text: part.text ?? '' }] : []));
}

/** The name of the tool in the type of its item: `web_search_call`, `mcp_list_tools`. */
const SERVER_TOOL = /^(mcp(?=_)|\w+(?=_call$))/;

function serverUseBlock(tool: string, item: JsonObject): JsonObject {
  const { id = '', action, queries, code, server_label, name, arguments: json } = item;
  const input = optional({ action, queries, code, server_label, name, arguments: json });
  return { type: 'server_tool_use', id, name: tool, input };
}

/** The vendor bills searches; opening a page that was found, and looking into it, cost tokens only. Older answers have no `action`. */
function isSearch({ type, action = null }: JsonObject): boolean {
  return type === 'web_search_call' && (!isJsonObject(action) || action.type === 'search');
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

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
