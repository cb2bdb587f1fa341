/**
 * Puts the parts of a stream together, as neutral blocks and as the parts of a prompt: metadata of the vendor (signatures, encrypted
 * reasoning) goes back with the part that had it.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { brokenStream, unknownStopReason } from '../failure';
import { estimatedUsage } from '../context/tokens';
import { isTruncated, type ModelResponse, type ModelUsage, type RawToolInput, type StopReason } from '../provider';
import { toolUseBlock } from '../provider';

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
};

type OpenPart =
  | { type: 'text' | 'reasoning'; text: string; metadata: JsonObject }
  | { type: 'tool-call'; id: string; name: string; json: string; executed: boolean; metadata: JsonObject }
  | { type: 'tool-result'; part: JsonObject };

export class AiSdkAccumulator {
  private readonly parts: OpenPart[] = [];
  private readonly byId = new Map<string, OpenPart>();
  private metadata: JsonObject = {};
  private end: JsonObject | null = null;

  /** Takes one part of the stream; returns the text that it added, if any. */
  push(part: JsonObject): string | undefined {
    const id = `${String(part.type).split('-')[0]} ${String(part.id ?? '')}`;
    switch (part.type) {
      case 'response-metadata':
        this.metadata = { ...this.metadata, ...part };
        return undefined;
      case 'text-start':
      case 'reasoning-start':
        this.open(id, { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '', metadata: {} }, part);
        return undefined;
      case 'text-delta':
      case 'reasoning-delta':
        return this.delta(id, part);
      case 'text-end':
      case 'reasoning-end':
        this.addMetadata(this.byId.get(id), part);
        return undefined;
      case 'tool-call':
        this.addCall(part);
        return undefined;
      case 'tool-result':
        this.parts.push({ type: 'tool-result', part });
        return undefined;
      case 'finish':
        this.end = part;
        return undefined;
      default:
        return undefined; // inputs come whole with `tool-call`; later kinds of parts must not fail
    }
  }

  /** @param sent characters of the request, to estimate what a server that counts nothing does not say */
  finish(requestId: string | null, requestedModel: string, sent: number): ModelResponse {
    if (this.end === null) throw brokenStream('it ended without a finish');
    const stopReason = this.stopReason(this.end.finishReason ?? null);
    const content: JsonObject[] = [];
    const rawToolInputs: RawToolInput[] = [];
    for (const part of this.parts) {
      if (part.type === 'text' && part.text !== '') content.push({ type: 'text', text: part.text });
      if (part.type === 'reasoning' && part.text !== '') content.push({ type: 'thinking', thinking: part.text, signature: '' });
      if (part.type !== 'tool-call') continue;
      if (part.executed) {
        content.push({ ...toolUseBlock(part.id, part.name, part.json), type: 'server_tool_use' });
        continue;
      }
      const json = part.json === '' && !isTruncated(stopReason) ? '{}' : part.json;
      rawToolInputs.push({ block: content.length, json });
      content.push(toolUseBlock(part.id, part.name, json));
    }
    return {
      id: String(this.metadata.id ?? ''),
      requestId,
      model: typeof this.metadata.modelId === 'string' ? this.metadata.modelId : requestedModel,
      stopReason,
      content,
      rawToolInputs,
      raw: this.parts.flatMap(promptPart),
      usage: usageOf(this.end.usage, sent, JSON.stringify(content).length),
    };
  }

  private open(id: string, openPart: OpenPart, part: JsonObject): void {
    this.byId.set(id, openPart);
    this.parts.push(openPart);
    this.addMetadata(openPart, part);
  }

  private delta(id: string, part: JsonObject): string | undefined {
    const open = this.byId.get(id);
    if (open === undefined || !('text' in open)) throw brokenStream('it continued a part that never began');
    const text = typeof part.delta === 'string' ? part.delta : '';
    open.text += text;
    this.addMetadata(open, part);
    return open.type === 'text' && text !== '' ? text : undefined;
  }

  private addCall(part: JsonObject): void {
    const call: OpenPart = {
      type: 'tool-call',
      id: String(part.toolCallId ?? ''),
      name: String(part.toolName ?? ''),
      json: typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {}),
      executed: part.providerExecuted === true,
      metadata: {},
    };
    this.parts.push(call);
    this.addMetadata(call, part);
  }

  private addMetadata(open: OpenPart | undefined, { providerMetadata }: JsonObject): void {
    if (open === undefined || !('metadata' in open) || !isJsonObject(providerMetadata ?? null)) return;
    open.metadata = { ...open.metadata, ...(providerMetadata as JsonObject) };
  }

  private stopReason(reason: Json): StopReason {
    const { unified, raw = null } = isJsonObject(reason) ? reason : { unified: reason };
    const hasCalls = this.parts.some((part) => part.type === 'tool-call' && !part.executed);
    const known = typeof unified === 'string' && Object.hasOwn(STOP_REASONS, unified) ? STOP_REASONS[unified]! : undefined;
    if (known === undefined) {
      // Without a reason of the vendor, the stream ended before the answer did.
      if (raw === null) throw brokenStream('it ended without a reason');
      throw unknownStopReason(raw);
    }
    return known === 'end_turn' && hasCalls ? 'tool_use' : known;
  }
}

function promptPart(open: OpenPart): JsonObject[] {
  if (open.type === 'tool-result') return providerResult(open.part);
  const options: JsonObject = Object.keys(open.metadata).length === 0 ? {} : { providerOptions: open.metadata };
  if (open.type !== 'tool-call') {
    const isEmpty = open.text === '' && open.type === 'text';
    return isEmpty ? [] : [{ type: open.type, text: open.text, ...options }];
  }
  const input = toolUseBlock(open.id, open.name, open.json).input!;
  const call = { type: 'tool-call', toolCallId: open.id, toolName: open.name, input };
  return [{ ...call, ...(open.executed ? { providerExecuted: true } : {}), ...options }];
}

function providerResult({ toolCallId = '', toolName = '', result = null, isError }: JsonObject): JsonObject[] {
  return [
    { type: 'tool-result', toolCallId, toolName, output: { type: isError === true ? 'error-json' : 'json', value: result } },
  ];
}

function usageOf(usage: Json | undefined, sent: number, answer: number): ModelUsage {
  const { inputTokens = null, outputTokens = null } = isJsonObject(usage ?? null) ? (usage as JsonObject) : {};
  if (!isJsonObject(inputTokens) || !isJsonObject(outputTokens)) return estimatedUsage(sent, answer);
  if (count(inputTokens.total) + count(outputTokens.total) === 0) return estimatedUsage(sent, answer);
  const [read, written] = [count(inputTokens.cacheRead), count(inputTokens.cacheWrite)];
  return {
    input_tokens: Math.max(0, count(inputTokens.total) - read - written),
    output_tokens: count(outputTokens.total),
    cache_read_tokens: read,
    cache_creation_tokens: written,
  };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
