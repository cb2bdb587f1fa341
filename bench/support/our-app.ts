/** The workload as an app of ours: an agent with two tools, and a model that plays the script. */
import { z } from 'zod';
import { defineAgent, defineApp, type App } from '../../src/agents/define';
import type { ModelProvider, ModelRequest, ModelResponse } from '../../src/model/provider';
import { waitUntil } from '../../src/agents/wait-until';
import { defineTool } from '../../src/tools/define/define';
import { answer, textOf, type Script } from './workload';

export const AGENT = 'bench';

/** @param onPay called when a destructive tool runs, with its call's key, or with the token that completes it later */
export function benchApp({ resultTokens, tool: asks }: Script, onPay: (key: string) => void = () => {}): App {
  const lookUp = defineTool({
    name: 'look_up',
    version: '1.0.0',
    class: 'read',
    description: 'Looks one key up.',
    // Everything goes into the transcript, as in the naive loop, and nothing is replaced by a reference.
    maxInlineBytes: 'unlimited',
    input: z.object({ key: z.string().max(100) }),
    run: (input) => Promise.resolve({ value: textOf(resultTokens, `result ${input.key}`) }),
  });
  const pay = defineTool({
    name: 'pay',
    version: '1.0.0',
    class: 'destructive',
    description: 'Pays one bill.',
    input: z.object({ key: z.string().max(100) }),
    run: (_input, context) => {
      onPay(context.idempotencyKey);
      return Promise.resolve({ paid: true });
    },
  });
  const order = defineTool({
    name: 'order',
    version: '1.0.0',
    class: 'destructive',
    description: 'Orders one thing, which comes later.',
    input: z.object({ key: z.string().max(100) }),
    run: async (_input, { later: endLater }) => {
      const later = await endLater({ expiresMs: 300 * 86_400_000 });
      onPay(later.token);
      return later;
    },
  });
  // What other benchmarks show the model stays as it was.
  const more = { order: [order], wait_until: [waitUntil({ longestMs: 365 * 86_400_000 })], pay: [], look_up: [] }[asks];
  const permissions = asks === 'order' ? { permissions: { allow: ['order'] } } : {};
  const limits = { steps: 1000, tokens: 1_000_000_000 };
  return defineApp({
    agents: [defineAgent({ name: AGENT, prompt: 'Look up.', tools: [lookUp, pay, ...more], limits, ...permissions })],
  });
}

export class BenchModel implements ModelProvider {
  readonly name = 'bench';

  constructor(
    private readonly script: Script,
    private readonly onRequest = () => {},
  ) {}

  request({ messages }: ModelRequest): Promise<ModelResponse> {
    this.onRequest();
    const request = messages.filter((message) => message.role === 'assistant').length;
    const { content, toolUses } = answer(this.script, request);
    return Promise.resolve({
      id: `msg_${request + 1}`,
      requestId: null,
      model: 'bench',
      stopReason: toolUses.length > 0 ? 'tool_use' : 'end_turn',
      content,
      rawToolInputs: content.flatMap(({ type, input }, block) =>
        type === 'tool_use' ? [{ block, json: JSON.stringify(input) }] : [],
      ),
      usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_creation_tokens: 0 },
    });
  }
}
