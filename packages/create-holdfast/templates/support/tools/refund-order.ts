import { defineTool, ToolError } from 'holdfast/app';
import { z } from 'zod';
import { allRefunds, orderNumber, orderOf, refundedOf, sendRefund } from '../shop.js';

const input = z.object({
  order: orderNumber,
  cents: z.number().int().positive().describe('How much, in cents: with earlier refunds at most what the order cost'),
});

export const refundOrder = defineTool({
  name: 'refund_order',
  version: '1.0.0',
  class: 'destructive',
  description: 'Gives the customer money back for one order. It cannot be taken back.',
  input,
  output: z.object({ refunded: z.number() }),

  // Two refunds of one order are the same act, whatever their amounts: about the second one a person is asked, who sees the first.
  // With the amount in it, an order could be given back in small parts with nobody asked, and by two turns at once beyond its price.
  intentKey: ({ order }) => order,
  intentWindowMs: 31 * 86_400_000, // the longest there is

  // It is made again right before the refund, and if it has changed, people are asked again.
  async preview(refund, { principal }) {
    const { item, price, before } = await refundable(principal, refund);
    const earlier = before > 0 ? `; ${euros(before)} EUR were refunded before` : '';
    return `Refund ${euros(refund.cents)} of ${euros(price)} EUR to ${principal} for ${refund.order}, ${item}${earlier}`;
  },

  async run(refund, ctx) {
    await refundable(ctx.principal, refund);
    await sendRefund({ key: ctx.idempotencyKey, ...refund });
    return { refunded: refund.cents };
  },

  // If a worker dies during `run`, the shop is asked whether it has the refund.
  async reconcile(_, ctx) {
    const refund = (await allRefunds()).find(({ key }) => key === ctx.idempotencyKey);
    if (!refund) return { outcome: 'not_applied', evidence: 'The shop has no refund with this key.' };
    return { outcome: 'applied', evidence: 'The shop has the refund.', data: { refunded: refund.cents } };
  },
});

/** @throws ToolError if more would be refunded than the order cost: then nobody is asked */
async function refundable(customer: string, { order, cents }: z.infer<typeof input>) {
  const { item, cents: price } = await orderOf(customer, order);
  const before = await refundedOf(order);
  if (before + cents <= price) return { item, price, before };
  const why = `${order} cost ${price} cents, of which ${before} were refunded before: ${cents} more are too much.`;
  throw new ToolError('INVALID_PARAMS', 'too_much', why);
}

const euros = (cents: number) => (cents / 100).toFixed(2);
