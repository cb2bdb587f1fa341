/** What the scripted model and the scripted tools do in a turn: the same for both sides, and without delay. */
import type { JsonObject } from '../../src/shared/json/json';

export interface Script {
  /** How many calls each answer asks for; the last asks for none. */
  calls: number[];
  tool: 'look_up' | 'pay' | 'order' | 'wait_until';
  /** Length of each answer's text, and of each tool result, tokens (four characters each). */
  answerTokens: number;
  resultTokens: number;
}

/** Three model requests, five tool calls. All other time is the engine's own. */
export const SHORT_TURN: Script = { calls: [4, 1, 0], tool: 'look_up', answerTokens: 20, resultTokens: 20 };
/** One model request. */
export const ONE_STEP: Script = { calls: [0], tool: 'look_up', answerTokens: 20, resultTokens: 20 };
/** A hundred steps, 200,000 tokens of transcript. */
export const LONG_TURN: Script = {
  calls: [...Array<number>(99).fill(2), 0],
  tool: 'look_up',
  answerTokens: 420,
  resultTokens: 800,
};
/** One destructive call, which waits for a person. */
export const WAITING_TURN: Script = { calls: [1, 0], tool: 'pay', answerTokens: 20, resultTokens: 20 };

/** One call that sleeps for most of a year. */
export const SLEEPING_TURN: Script = { calls: [1, 0], tool: 'wait_until', answerTokens: 20, resultTokens: 20 };
/** One destructive call that ends later. */
export const PENDING_TURN: Script = { calls: [1, 0], tool: 'order', answerTokens: 20, resultTokens: 20 };

export interface ScriptedAnswer {
  text: string;
  content: JsonObject[];
  toolUses: { id: string; name: string; input: JsonObject }[];
}

/** The model's answer to its nth request, from 0. */
export function answer(script: Script, request: number): ScriptedAnswer {
  const text = textOf(script.answerTokens, `answer ${request}`);
  const toolUses = Array.from({ length: script.calls[request]! }, (_, index) => ({
    id: `use_${request}_${index + 1}`,
    name: script.tool,
    input: inputOf(script, `${request}.${index + 1}`),
  }));
  const content = [{ type: 'text', text }, ...toolUses.map((use): JsonObject => ({ type: 'tool_use', ...use }))];
  return { text, content, toolUses };
}

function inputOf({ tool }: Script, key: string): JsonObject {
  return tool === 'wait_until' ? { after: '300 days', reason: 'bench' } : { key };
}

/** Text of that many tokens, different for every seed. */
export function textOf(tokens: number, seed: string): string {
  const word = `${seed} `;
  return word.repeat(Math.ceil((tokens * 4) / word.length)).slice(0, tokens * 4);
}
