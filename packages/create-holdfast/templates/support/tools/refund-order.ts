import { defineTool, ToolError } from 'holdfast/app';
import { z } from 'zod';
import { allRefunds, orderNumber, orderOf, sendRefund } from '../shop.js';

export const refundOrder = defineTool({
  name: 'refund_order',
  version: '1.0.0',
  class: 'destructive',
  description: 'Gives the customer money back for one order. It cannot be taken back.',
  input: z.object({
    order: orderNumber,
    cents: z.number().int().positive().describe('How much, in cents: at most what the order cost'),
  }),
  output: z.object({ refunded: z.number() }),

  async preview({ order, cents }, { principal }) {
    const { item, cents: price } = await orderOf(principal, order);
    if (cents > price)
      throw new ToolError(
        'INVALID_PARAMS',
        'too_much',
        `${order} cost ${price} cents, less than the ${cents} that are to be refunded.`,
      );
    return `Refund ${(cents / 100).toFixed(2)} of ${(price / 100).toFixed(2)} EUR to ${principal} for ${order}, ${item}`;
  },

  async run({ order, cents }, ctx) {
    await sendRefund({ key: ctx.idempotencyKey, order, cents });
    return { refunded: cents };
  },

  // If a worker dies during `run`, the shop is asked whether it has the refund.
  async reconcile(_, ctx) {
    const refund = (await allRefunds()).find(({ key }) => key === ctx.idempotencyKey);
    if (!refund) return { outcome: 'not_applied', evidence: 'The shop has no refund with this key.' };
    return { outcome: 'applied', evidence: 'The shop has the refund.', data: { refunded: refund.cents } };
  },
});
