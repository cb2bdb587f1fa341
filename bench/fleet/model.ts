/** The fleet's model: the same calls for each turn, by the conversation alone. */
import type { ScriptedResponse } from '../../src/model/rehearsal';
import type { JsonObject } from '../../src/shared/json/json';

export const DESTRUCTIVE: readonly string[] = ['pay', 'transfer'];

export const messageOf = (turn: number): string => `Turn ${turn}.`;

export function answer(body: JsonObject): ScriptedResponse {
  const messages = body.messages as JsonObject[];
  const turn = Number(/Turn (\d+)\./.exec(JSON.stringify(messages[0]))![1]);
  const asked = messages.filter(({ role }) => role === 'assistant').length;
  const name = ['look_up', 'note', DESTRUCTIVE[turn % 2]][asked];
  if (name === undefined) return { content: [{ type: 'text', text: 'Done.' }] };
  return { content: [{ type: 'tool_use', name, input: { turn } }] };
}
