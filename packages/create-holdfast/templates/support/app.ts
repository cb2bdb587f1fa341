import { askPerson, defineAgent, defineApp, waitUntil } from 'holdfast/app';
import { findOrder } from './tools/find-order.js';
import { refundOrder } from './tools/refund-order.js';

const DAY_MS = 86_400_000;

export const support = defineAgent({
  name: 'support',
  prompt: `You answer customers of a shop. Look an order up before you speak about it.
Refund what arrived broken or not at all. Ask a person (ask_person) about everything that is a matter of goodwill.
If a parcel is still on its way, wait until it should have arrived (wait_until), and look the order up again.`,
  tools: [findOrder, refundOrder, askPerson({ expiresMs: DAY_MS }), waitUntil({ longestMs: 7 * DAY_MS })],
  // Up to 20.00 the first refund of an order runs without a person (`intentKey` in refund-order.ts); the first entry that holds decides.
  approvals: { tools: { refund_order: [{ when: 'input.cents > 2000' }, { allow: true }] } },
  // What one customer gets back in a month without a person, in cents.
  budgets: [
    {
      name: 'refunds',
      tools: ['refund_order'],
      per: 'principal',
      windowMs: 30 * DAY_MS,
      measure: 'input.cents',
      cap: 5000,
      exhausted: 'ask',
    },
  ],
});

export default defineApp({ agents: [support] });
