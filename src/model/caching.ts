/**
 * Prompt caching: three breakpoints, on the last tool, the system prompt and the end of the
 * conversation. The API matches prefixes in the order tools, system, messages, so that the first two
 * stay good for every turn of an agent, and the third makes each step read what the step before wrote.
 */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { WireBody } from './wire';

/** The API takes at most this many breakpoints in one request. */
export const MAX_BREAKPOINTS = 4;

const EPHEMERAL = { type: 'ephemeral' } as const;
const UNCACHEABLE = new Set(['thinking', 'redacted_thinking']);

/**
 * A copy of the body with its breakpoints; the input is not changed. Breakpoints are placed here and
 * nowhere else: any that stood on a tool or block before are taken off, so that there are never more
 * than {@link MAX_BREAKPOINTS}.
 */
export function withCacheBreakpoints(body: WireBody): WireBody {
  const out: WireBody = { ...body, messages: body.messages.map(bareMessage) };
  if (Array.isArray(body.tools)) out.tools = markLast(body.tools.map(bare), () => true);
  if (typeof body.system === 'string') out.system = [{ type: 'text', text: body.system, cache_control: EPHEMERAL }];
  const last = out.messages.at(-1);
  if (last !== undefined && Array.isArray(last.content)) {
    out.messages[out.messages.length - 1] = { ...last, content: markLast(last.content, cacheable) };
  }
  return out;
}

function bareMessage(message: JsonObject): JsonObject {
  return Array.isArray(message.content) ? { ...message, content: message.content.map(bare) } : message;
}

/** Takes breakpoints off a block and off the blocks inside it (a tool_result's). */
function bare(block: Json): Json {
  if (!isJsonObject(block)) return block;
  const { cache_control: _, ...rest } = block;
  return Array.isArray(rest.content) ? { ...rest, content: rest.content.map(bare) } : rest;
}

function cacheable(block: JsonObject): boolean {
  return !UNCACHEABLE.has(String(block.type)) && !(block.type === 'text' && block.text === '');
}

/** Puts a breakpoint on the last element that may carry one. */
function markLast(blocks: Json[], may: (block: JsonObject) => boolean): Json[] {
  const index = blocks.findLastIndex((block) => isJsonObject(block) && may(block));
  return blocks.map((block, i) => (i === index ? { ...(block as JsonObject), cache_control: EPHEMERAL } : block));
}
