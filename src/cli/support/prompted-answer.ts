/** Reads what a person types as the answer to a question of the model. */
import type { Card } from '../../shapes/card';
import { isJsonObject, type Json } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';

/** The prompt for a question, by what it takes. */
export function answerPrompt({ choices, schema }: Pick<Card, 'choices' | 'schema'>): string {
  const what = choices ? 'one of the choices, or its number' : takesText(schema) ? 'your answer' : 'your answer, as JSON';
  return `    ${what} / enter: answer elsewhere  `;
}

/** Undefined: nothing was typed. Text that is no JSON is sent as it is: the turn says what does not fit. */
export function readAnswer({ choices, schema }: Pick<Card, 'choices' | 'schema'>, text: string): Json | undefined {
  if (text === '') return undefined;
  if (choices) return choices.includes(text) ? text : (choices[Number(text) - 1] ?? text);
  if (takesText(schema)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function takesText(schema: Json | undefined): boolean {
  return schema === undefined || (isJsonObject(schema) && schema.type === 'string');
}
