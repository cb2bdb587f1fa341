/**
 * Puts a streamed message together. Blocks are kept as they will have to be sent back: thinking and its signature unchanged,
 * citations on their text, unknown blocks and deltas as far as their shape allows. A tool call's input is also kept as its original
 * text, since parsing loses what admission must see: duplicate keys, and JSON that was cut off.
 */
import { isJsonObject, objectIn, type Json, type JsonObject } from '../../shared/json/json';
import { brokenStream, unknownStopReason } from '../failure';
import { isTruncated, type Container, type ModelResponse, type RawToolInput, type StopReason } from '../provider';
import { usageOf } from '../prices';

const STOP_REASONS: Readonly<Record<StopReason, true>> = {
  end_turn: true,
  tool_use: true,
  max_tokens: true,
  stop_sequence: true,
  pause_turn: true,
  refusal: true,
  model_context_window_exceeded: true,
};

const CONTAINER_ID = /^[\x21-\x7e]{1,300}$/;

interface OpenBlock {
  block: JsonObject;
  /** Text of the input's JSON so far; undefined for blocks without any. */
  json: string | undefined;
}

export class MessageAccumulator {
  private message: JsonObject | undefined;
  private readonly blocks = new Map<number, OpenBlock>();
  private usage: JsonObject = {};
  private stop: JsonObject = {};
  private hasEnded = false;

  /** Takes one event; returns the text that it added, if any. @throws ModelFailure for an event out of order */
  push(event: JsonObject): string | undefined {
    switch (event.type) {
      case 'message_start':
        this.message = object(event.message);
        this.usage = object(this.message.usage);
        return undefined;
      case 'content_block_start':
        this.blocks.set(Number(event.index), { block: structuredClone(object(event.content_block)), json: undefined });
        return undefined;
      case 'content_block_delta':
        return this.delta(Number(event.index), object(event.delta));
      case 'message_delta':
        this.stop = { ...this.stop, ...object(event.delta) };
        this.usage = { ...this.usage, ...omitNulls(object(event.usage)) };
        return undefined;
      case 'message_stop':
        this.hasEnded = true;
        return undefined;
      default:
        return undefined; // content_block_stop adds nothing; later event types must not fail
    }
  }

  /** @throws ModelFailure when the message is not whole, or its stop reason is unknown */
  finish(requestId: string | null): ModelResponse {
    if (this.message === undefined) throw brokenStream('it held no message');
    if (!this.hasEnded) throw brokenStream('it ended without message_stop');
    const reason = this.stop.stop_reason ?? this.message.stop_reason ?? null;
    if (!isStopReason(reason)) throw unknownStopReason(reason);
    const details = this.stop.stop_details ?? null;
    const rawToolInputs: RawToolInput[] = [];
    const content = [...this.blocks.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, open], position) => this.close(open, position, isTruncated(reason), rawToolInputs));
    const container = containerOf(this.stop.container ?? null) ?? containerOf(this.message.container ?? null);
    const model = String(this.message.model ?? '');
    return {
      id: String(this.message.id ?? ''),
      requestId,
      model,
      stopReason: reason,
      ...(details === null ? {} : { stopDetails: details }),
      content,
      rawToolInputs,
      usage: usageOf(object(this.message.usage), this.usage, content, model),
      ...(container === null ? {} : { container }),
    };
  }

  private delta(index: number, delta: JsonObject): string | undefined {
    const open = this.blocks.get(index);
    if (open === undefined) throw brokenStream(`it continued block ${index}, which never began`);
    if (delta.type === 'input_json_delta') {
      open.json = (open.json ?? '') + String(delta.partial_json ?? '');
      return undefined;
    }
    if (delta.type === 'signature_delta') {
      open.block.signature = delta.signature ?? '';
      return undefined;
    }
    if (delta.type === 'citations_delta') {
      open.block.citations = [...array(open.block.citations), delta.citation ?? null];
      return undefined;
    }
    merge(open.block, delta);
    return delta.type === 'text_delta' && typeof delta.text === 'string' ? delta.text : undefined;
  }

  private close({ block, json }: OpenBlock, position: number, cutOff: boolean, raw: RawToolInput[]): JsonObject {
    if (json === undefined && block.type !== 'tool_use') return block;
    // A tool without inputs streams no JSON. If the answer was cut off, the JSON may only not have begun yet.
    const text = json !== undefined && json !== '' ? json : cutOff ? '' : JSON.stringify(block.input ?? {});
    if (block.type === 'tool_use') raw.push({ block: position, json: text });
    return { ...block, input: objectIn(text) };
  }
}

/** A delta of an unknown kind: text is appended, lists are extended, anything else replaces. */
function merge(block: JsonObject, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'type' || key === '__proto__') continue;
    const before = Object.hasOwn(block, key) ? block[key] : undefined;
    if (typeof value === 'string' && typeof before === 'string') block[key] = before + value;
    else if (Array.isArray(value) && Array.isArray(before)) block[key] = [...before, ...value];
    else if (value !== null || before === undefined) block[key] = value;
  }
}

/** Later usage figures replace earlier ones; null means "not repeated". */
function omitNulls(figures: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== null));
}

/** Both the first event and the last may contain it. */
function containerOf(json: Json): Container | null {
  if (!isJsonObject(json) || typeof json.id !== 'string' || !CONTAINER_ID.test(json.id)) return null;
  return { id: json.id, expires_at: typeof json.expires_at === 'string' ? json.expires_at.slice(0, 100).toWellFormed() : null };
}

function isStopReason(reason: Json): reason is StopReason {
  return typeof reason === 'string' && Object.hasOwn(STOP_REASONS, reason);
}

function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function array(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
