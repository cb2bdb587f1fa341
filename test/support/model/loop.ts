/** The smallest agent loop: asks, answers tool calls from a table of fakes, and goes on until the model ends. */
import type { JsonObject } from '../../../src/shared/json/json';
import type { ModelMessage, ModelRequest } from '../../../src/model/provider';
import type { Stage } from './model';

/** Returns the envelope, or a promise of it. */
export type Fake = (input: any) => unknown;

export interface Played {
  text: string;
  /** Calls by step. */
  steps: { name: string; input: any }[][];
  messages: ModelMessage[];
}

export const ok = (data: unknown) => ({ success: true, status: 'success', data, metadata: {} });
export const failed = (code: string, kind: string, reason: string, message: string, hint = '') => ({
  success: false,
  status: 'error',
  error: { code, kind, reason, message, hint, retryable: false },
});

export async function play(
  stage: Stage,
  message: string,
  tools: ModelRequest['tools'],
  fakes: Record<string, Fake>,
): Promise<Played> {
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: message }] }];
  const steps: Played['steps'] = [];
  for (let step = 0; step < 40; step++) {
    const response = await stage.ask({ messages, tools });
    messages.push({ role: 'assistant', content: response.content });
    if (response.stopReason === 'pause_turn') continue;
    const calls = response.content.filter((block) => block.type === 'tool_use') as {
      id: string;
      name: string;
      input: JsonObject;
    }[];
    if (calls.length === 0) return { text: response.streamed, steps, messages };
    steps.push(calls.map(({ name, input }) => ({ name, input })));
    const content: JsonObject[] = [];
    for (const call of calls) content.push(await result(call, fakes));
    messages.push({ role: 'user', content });
  }
  throw new Error('the model did not come to an end in 40 steps');
}

async function result(call: { id: string; name: string; input: JsonObject }, fakes: Record<string, Fake>): Promise<JsonObject> {
  const fake = Object.hasOwn(fakes, call.name) ? fakes[call.name]! : undefined;
  const envelope: any = fake
    ? await fake(call.input)
    : failed('TOOL_NOT_FOUND', 'USER_INPUT_ERROR', 'tool_not_found', `no tool ${call.name}`);
  return { type: 'tool_result', tool_use_id: call.id, content: JSON.stringify(envelope), is_error: envelope.success === false };
}
