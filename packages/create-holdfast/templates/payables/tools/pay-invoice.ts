import { defineTool, ToolError } from 'holdfast/app';
import { z } from 'zod';
import { findTransfer, sendTransfer } from '../bank.js';
import { findInvoice, invoiceNumber, type Invoice } from '../invoices.js';

const input = z.object({
  invoice: invoiceNumber,
  cents: z.number().int().positive().describe('What the invoice says, in cents'),
});

export const payInvoice = defineTool({
  name: 'pay_invoice',
  version: '1.0.0',
  class: 'destructive', // a person is asked first, and nothing is repeated on a guess
  description: 'Pays one supplier invoice from the company account. It cannot be taken back.',
  input,
  output: z.object({ paid: z.string() }),
  // Two payments of one invoice are the same act: about the second one a person is told so.
  intentKey: ({ invoice }) => invoice,
  intentWindowMs: 31 * 86_400_000, // for how long: the longest there is

  // What people approve. It is made again right before the payment, and if it has changed, they are asked again.
  async preview(order) {
    const { supplier, iban } = await invoiceToPay(order);
    return `Pay ${(order.cents / 100).toFixed(2)} EUR to ${supplier}, ${iban}, for ${order.invoice}`;
  },

  async run(order, ctx) {
    const { iban } = await invoiceToPay(order);
    await sendTransfer({ key: ctx.idempotencyKey, iban, cents: order.cents, reference: order.invoice });
    return { paid: order.invoice };
  },

  // The probe. If a worker dies during `run`, it finds out whether the payment was made.
  async reconcile({ invoice }, ctx) {
    const transfer = await findTransfer(ctx.idempotencyKey);
    if (!transfer) return { outcome: 'not_applied', evidence: 'The ledger has no transfer with this key.' };
    return {
      outcome: 'applied',
      evidence: `The ledger has ${transfer.cents} cents to ${transfer.iban}.`,
      data: { paid: invoice },
    };
  },
});

/** @throws ToolError if the amount is not that of the invoice: then nobody is asked */
async function invoiceToPay({ invoice, cents }: z.infer<typeof input>): Promise<Invoice> {
  const found = await findInvoice(invoice);
  if (found.cents === cents) return found;
  throw new ToolError('INVALID_PARAMS', 'wrong_amount', `${invoice} is for ${found.cents} cents, not for ${cents}.`);
}
