/** The planned answer, before it is sent: its blocks, and the exact text of tool inputs if it matters. */
import type { JsonObject } from '../../shared/json/json';
import { sha256Hex } from '../../shared/json/sha256';
import type { Play } from './call-ledger';
import { objects } from './conversation';

export interface Answer {
  content: JsonObject[];
  stopReason: string;
  /** Text to stream as a tool call's input instead of its JSON, by the block's index. */
  rawInputs: Map<number, string>;
  stopDetails?: JsonObject;
  container?: JsonObject;
  /** Token counts of the whole answer, if they are not to be computed. */
  usage?: JsonObject;
}

/** Makes an answer of a play: text first, then the calls. */
export function answerOf(play: Play): Answer {
  const calls = play.calls.map((call): JsonObject => ({ type: 'tool_use', id: '', name: call.name, input: call.input }));
  return {
    content: [...(play.text === '' ? [] : [{ type: 'text', text: play.text }]), ...calls],
    stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    rawInputs: new Map(),
  };
}

/**
 * Gives ids to tool calls that have none. An id is computed from the request and the call's position, so that the same request gets
 * the same ids. A `t` in it means that thinking came before (see thinking.ts).
 */
export function withIds(answer: Answer, body: JsonObject): Answer {
  const seed = sha256Hex(JSON.stringify([body.messages ?? null, objects(body.tools).map((tool) => tool.name ?? null)])).slice(
    0,
    16,
  );
  const prefix = answer.content.some((block) => block.type === 'thinking') ? 't' : 'p';
  const content = answer.content.map((block, index) =>
    block.type === 'tool_use' && !block.id
      ? { ...block, id: `toolu_rehearsal_${prefix}${seed}${String(index).padStart(2, '0')}` }
      : block,
  );
  return { ...answer, content };
}
