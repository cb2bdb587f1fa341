/** The engine's side: what agents may do. `npx holdfast dev --app app.ts` runs it. */
import { appendFile } from 'node:fs/promises';
import { defineAgent, defineApp, defineTool } from 'holdfast';
import { z } from 'zod';

/** A person must approve it. */
const pay = defineTool({
  name: 'pay_invoice',
  version: '1.0.0',
  class: 'destructive',
  description: 'Pays one supplier invoice.',
  input: z.object({ invoice: z.string(), cents: z.number().int().positive() }),
  preview: (input) => `Pay ${input.cents} cents for ${input.invoice}`,
  run: async (input, ctx) => {
    await appendFile('payments.jsonl', `${JSON.stringify({ ...input, key: ctx.idempotencyKey })}\n`);
    return { paid: true };
  },
});

/** It ends when the supplier has answered: whoever has the token says so. */
const ask = defineTool({
  name: 'ask_supplier',
  version: '1.0.0',
  class: 'write',
  description: 'Asks a supplier when an invoice will be credited.',
  input: z.object({ invoice: z.string() }),
  output: z.object({ credited_on: z.iso.date() }),
  run: async (input, ctx) => {
    const later = await ctx.later({ expiresMs: 86_400_000 });
    await appendFile('questions.jsonl', `${JSON.stringify({ ...input, token: later.token })}\n`, { mode: 0o600 });
    return later;
  },
});

export default defineApp({
  agents: [
    defineAgent({ name: 'payables', prompt: 'Pay due invoices.', tools: [pay] }),
    defineAgent({ name: 'clerk', prompt: 'Ask suppliers about credits.', tools: [ask] }),
  ],
});
