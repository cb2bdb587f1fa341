/** Turns an answer into the events of the Messages API, in their order. */
import type { JsonObject } from '../../shared/json/json';
import type { Answer } from './message';

/** Characters in one delta. */
const PIECE = 24;

/** The message as a body, as the API returns it without `stream`; for a stream, its start. */
export function messageBody(answer: Answer, head: { id: string; model: string; usage: JsonObject }): JsonObject {
  return {
    id: head.id,
    type: 'message',
    role: 'assistant',
    model: head.model,
    content: answer.content,
    stop_reason: answer.stopReason,
    stop_sequence: answer.stopReason === 'stop_sequence' ? 'STOP' : null,
    stop_details: answer.stopDetails ?? null,
    usage: head.usage,
  };
}

export function* eventsOf(answer: Answer, head: { id: string; model: string; usage: JsonObject }): Generator<JsonObject> {
  const message = messageBody(answer, head);
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: { ...head.usage, output_tokens: 1 } };
  yield { type: 'message_start', message: start };
  yield { type: 'ping' };
  for (const [index, block] of answer.content.entries()) {
    yield { type: 'content_block_start', index, content_block: toStartBlock(block) };
    for (const delta of deltas(block, answer.rawInputs.get(index))) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const { stop_reason, stop_sequence, stop_details } = message;
  const delta = { stop_reason, stop_sequence, stop_details, container: answer.container ?? null } as JsonObject;
  yield { type: 'message_delta', delta, usage: answer.usage ?? head.usage };
  yield { type: 'message_stop' };
}

/** One event in the format of server-sent events. */
export function frame(event: JsonObject): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}

function toStartBlock(block: JsonObject): JsonObject {
  switch (block.type) {
    case 'text':
      return { ...block, text: '', ...(Array.isArray(block.citations) ? { citations: [] } : {}) };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, input: {} };
    default:
      return block;
  }
}

function* deltas(block: JsonObject, raw: string | undefined): Generator<JsonObject> {
  if (block.type === 'text') {
    for (const text of pieces(String(block.text))) yield { type: 'text_delta', text };
    for (const citation of Array.isArray(block.citations) ? block.citations : []) yield { type: 'citations_delta', citation };
  } else if (block.type === 'thinking') {
    for (const thinking of pieces(String(block.thinking))) yield { type: 'thinking_delta', thinking };
    yield { type: 'signature_delta', signature: block.signature ?? '' };
  } else if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    const json = raw ?? JSON.stringify(block.input ?? {});
    // As the API does: an empty delta first, and nothing more for an empty input.
    yield { type: 'input_json_delta', partial_json: '' };
    if (raw !== undefined || json !== '{}')
      for (const partial_json of pieces(json)) yield { type: 'input_json_delta', partial_json };
  }
}

function* pieces(text: string): Generator<string> {
  const characters = Array.from(text); // by code point: a delta never splits a surrogate pair
  for (let at = 0; at < characters.length; at += PIECE) yield characters.slice(at, at + PIECE).join('');
}
