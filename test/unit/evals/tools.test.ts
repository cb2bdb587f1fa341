import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { EvalCase } from '../../../src/evals/case';
import { withToolsOf } from '../../../src/evals/tools';
import { defineTool } from '../../../src/tools/define/define';

it('a fake takes the place of all functions of its tool that ask the other side', async () => {
  const asked: string[] = [];
  const transfer = defineTool({
    ...{ name: 'transfer', version: '1.0.0', class: 'destructive', description: 'Transfers money.' },
    input: z.object({}),
    run: (_input, ctx) => (asked.push('run'), ctx.later({ expiresMs: 1000, poll: true })),
    poll: () => (asked.push('poll'), 'pending'),
    reconcile: () => (asked.push('reconcile'), 'unknown'),
  });
  const app = defineApp({ agents: [defineAgent({ name: 'payables', prompt: 'Pay.', tools: [transfer] })] });
  const one = { name: 'paid', tools: { transfer: [{ result: { done: true } }] } } as unknown as EvalCase;
  const { app: faked } = await withToolsOf(one, app);
  const [tool] = faked.agents[0]!.tools;
  expect([tool!.poll, tool!.reconcile]).toEqual([undefined, undefined]);
  expect(await tool!.run({}, {} as never)).toEqual({ done: true });
  expect(asked).toEqual([]);
});
