/**
 * Finds the vendor's own form of answers in a conversation that was repaired for sending: repair may merge or shorten messages, so
 * an answer is found by what it says. An answer that repair changed has no own form any more, and goes as neutral blocks.
 */
import type { Json, JsonObject } from '../shared/json/json';
import { providerOf } from './foreign-blocks';
import type { ModelMessage } from './provider';

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
