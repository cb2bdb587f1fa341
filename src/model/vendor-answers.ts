/**
 * What an answer keeps when it goes back to the vendor that made it, and when it goes to another. Thoughts, signatures, encrypted reasoning, containers and tools
 * that ran at the vendor mean something only to the vendor that made them; text and calls mean the same to all.
 */
import type { Json, JsonObject } from '../shared/json/json';
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

/**
 * Finds the vendor's own form of answers in a conversation that was repaired for sending: repair may merge or shorten messages, so
 * an answer is found by what it says. An answer that repair changed has no own form any more, and goes as neutral blocks.
 */
export class OwnAnswers {
  private readonly raws: ReadonlyMap<string, Json>;

  /** @param provider the name of the provider that made the answers, and gets them back */
  constructor(messages: readonly ModelMessage[], provider: string) {
    const own = messages.filter((message) => message.role === 'assistant' && providerOf(message) === provider);
    this.raws = new Map(own.flatMap(({ content, origin }) => (origin?.raw === undefined ? [] : [[keyOf(content), origin.raw]])));
  }

  /** Undefined: none of the answers says exactly this. */
  rawOf(content: readonly JsonObject[]): Json | undefined {
    return this.raws.get(keyOf(content));
  }
}

function keyOf(content: readonly JsonObject[]): string {
  const words = content.flatMap(({ type, text, id, name, input }): Json[] => {
    if (type === 'text' && String(text).trim() !== '') return [String(text).trimEnd()];
    return type === 'tool_use' ? [[id ?? '', name ?? '', input ?? {}]] : [];
  });
  return JSON.stringify(words);
}
