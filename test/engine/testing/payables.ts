/** The agent of the tests of `testAgent`. */
import { z } from 'zod';
import { defineAgent, defineTool, type Tool } from '../../../src/index';
import { ask, testAgent, type AgentTest, type AgentTestOptions } from '../../../src/testing';

/** ms */
export const DAY = 24 * 3600 * 1000;

const lookUp = defineTool({
  name: 'look_up',
  version: '1.0.0',
  class: 'read',
  description: 'Looks an invoice up.',
  input: z.object({ invoice: z.string() }),
  run: async () => {
    throw new Error('the real ledger is not to be asked in a test');
  },
});

export function paying(paid: string[]): Tool<{ invoice: string }> {
  return defineTool({
    name: 'pay_invoice',
    version: '1.0.0',
    class: 'destructive',
    description: 'Pays an invoice.',
    input: z.object({ invoice: z.string() }),
    run: async ({ invoice }) => {
      paid.push(invoice);
      return { paid: invoice };
    },
  });
}

export const payables = (paid: string[]) =>
  defineAgent({ name: 'payables', prompt: 'You pay invoices.', tools: [lookUp, paying(paid)], approvalExpiryMs: 2 * DAY });
export const PAY = ask(['pay_invoice', { invoice: 'INV-7' }]);

/** Closes the test in any case. */
export async function during(
  subject: Parameters<typeof testAgent>[0],
  options: AgentTestOptions,
  body: (test: AgentTest) => Promise<void>,
) {
  const test = await testAgent(subject, options);
  try {
    await body(test);
  } finally {
    await test.close();
  }
}
