import { defineTool } from 'holdfast/app';
import { z } from 'zod';
import { findInvoice, invoiceNumber, invoiceSchema } from '../invoices.js';

export const lookUpInvoice = defineTool({
  name: 'look_up_invoice',
  version: '1.0.0',
  class: 'read',
  description: 'Looks up one supplier invoice by its number: who is to be paid, how much, and until when.',
  input: z.object({ invoice: invoiceNumber }),
  output: invoiceSchema,
  run: ({ invoice }) => findInvoice(invoice),
});
