/** The app of the fleet's workers: each turn reads, notes, and pays once, all in the ledger. */
import { z } from 'zod';
import { defineAgent, defineApp, defineTool } from 'holdfast';

const ledger = process.env.FLEET_LEDGER!;
const input = z.object({ turn: z.number().int() });

async function write(tool: string, turn: number, key: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${ledger}/effects`, { method: 'POST', body: JSON.stringify({ key, tool, turn }), signal });
  await response.arrayBuffer();
}

async function countOf(key: string): Promise<number> {
  return ((await (await fetch(`${ledger}/effects?key=${key}`)).json()) as { count: number }).count;
}

const lookUp = defineTool({
  name: 'look_up',
  version: '1.0.0',
  class: 'read',
  description: 'Reads the balance of an account.',
  input,
  run: async ({ turn }) => ({ turn, notes: await countOf(`turn-${turn}`) }),
});

const note = defineTool({
  name: 'note',
  version: '1.0.0',
  class: 'write',
  description: 'Notes that a bill is being paid.',
  input,
  timeoutMs: 10_000,
  run: async ({ turn }, { idempotencyKey, signal }) => (await write('note', turn, idempotencyKey, signal), { noted: true }),
});

/** In doubt, a person settles it. */
const pay = defineTool({
  name: 'pay',
  version: '1.0.0',
  class: 'destructive',
  description: 'Pays one bill in cash.',
  input,
  timeoutMs: 10_000,
  run: async ({ turn }, { idempotencyKey, signal }) => (await write('pay', turn, idempotencyKey, signal), { paid: true }),
});

/** In doubt, its probe asks the ledger. */
const transfer = defineTool({
  name: 'transfer',
  version: '1.0.0',
  class: 'destructive',
  description: 'Pays one bill by a transfer.',
  input,
  timeoutMs: 10_000,
  run: async ({ turn }, { idempotencyKey, signal }) => (await write('transfer', turn, idempotencyKey, signal), { paid: true }),
  reconcile: async (_input, { idempotencyKey }) => {
    const count = await countOf(idempotencyKey);
    return count > 0
      ? { outcome: 'applied', evidence: `the ledger has it ${count} times`, data: { paid: true } }
      : { outcome: 'not_applied', evidence: 'the ledger does not have it' };
  },
});

export default defineApp({
  agents: [defineAgent({ name: 'clerk', prompt: 'Read, note, pay.', tools: [lookUp, note, pay, transfer] })],
});
