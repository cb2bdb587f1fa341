/**
 * What one vendor's answers keep when they go to another vendor. Thoughts, signatures, encrypted reasoning, containers and tools
 * that ran at the vendor mean something only to the vendor that made them; text and calls mean the same to all.
 */
import type { JsonObject } from '../shared/json/json';
import { ANTHROPIC_PROVIDER, type ModelMessage } from './provider';

/**
 * @param provider the name of the provider that the conversation goes to
 * @param old who made the answers without an origin
 */
export function withoutForeignBlocks(
  messages: readonly ModelMessage[],
  provider: string,
  old: string = ANTHROPIC_PROVIDER,
): ModelMessage[] {
  return messages.map((message) =>
    message.role === 'user' || (message.origin?.provider ?? old) === provider
      ? message
      : { role: message.role, content: message.content.flatMap(neutralBlock) },
  );
}

/** The provider that made an answer. Answers without an origin are from the time when there was one vendor. */
export function providerOf({ origin }: ModelMessage): string {
  return origin?.provider ?? ANTHROPIC_PROVIDER;
}

function neutralBlock({ type, text, id, name, input }: JsonObject): JsonObject[] {
  if (type === 'text') return [{ type, text: text ?? '' }];
  return type === 'tool_use' ? [{ type, id: id ?? '', name: name ?? '', input: input ?? {} }] : [];
}
