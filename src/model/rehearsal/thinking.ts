/**
 * Rehearsed thinking. Its signature is computed from its text, so that the server can check, without any memory, whether a block
 * came back unchanged: the real API refuses changed blocks, and so does this.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { blocks, objects } from './conversation';
import { before } from './misbehave';
import { sha256Hex } from '../../shared/json/sha256';
import type { Answer } from './message';

/** Puts a thinking block and a redacted one before the answer. */
export function withThinking(answer: Answer): Answer {
  const thinking = `The conversation calls for: ${answer.content.map((block) => String(block.name ?? block.type)).join(', ')}.`;
  const data = `rehearsal-${sha256Hex(thinking).slice(0, 24)}`;
  return before(answer, [
    { type: 'thinking', thinking, signature: signature(thinking) },
    { type: 'redacted_thinking', data: `${data}.${signature(data)}` },
  ]);
}

/** Does the request ask for thinking? */
export function wantsThinking(body: JsonObject): boolean {
  return isJsonObject(body.thinking) && (body.thinking.type === 'enabled' || body.thinking.type === 'adaptive');
}

/** The fault of the thinking blocks that came back, or undefined. */
export function thinkingFault(body: JsonObject): string | undefined {
  for (const [m, message] of objects(body.messages).entries()) {
    if (message.role !== 'assistant') continue;
    const content = blocks(message.content);
    const changedIndex = content.findIndex((block) => !intact(block));
    if (changedIndex >= 0)
      return `messages.${m}.content.${changedIndex}: a \`${content[changedIndex]!.type}\` block came back changed; send it as it was`;
    const hadThinking = content.some((block) => block.type === 'tool_use' && String(block.id).startsWith('toolu_rehearsal_t'));
    if (hadThinking && content[0]?.type !== 'thinking')
      return `messages.${m}.content.0: the thinking block before its tool calls is missing`;
  }
  return undefined;
}

function intact(block: JsonObject): boolean {
  if (block.type === 'thinking') return block.signature === signature(String(block.thinking));
  if (block.type !== 'redacted_thinking') return true;
  const [data, mark] = String(block.data).split('.');
  return mark === signature(data ?? '');
}

function signature(text: string): string {
  return Buffer.from(sha256Hex(`rehearsal thinking ${text}`), 'hex').toString('base64url');
}
