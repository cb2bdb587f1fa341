/** The invoices: a file here, and in your service a query of your own system. */
import { readFile } from 'node:fs/promises';
import { ToolError } from 'holdfast/app';
import { z } from 'zod';

const FILE = new URL('./data/invoices.json', import.meta.url);

export const invoiceNumber = z
  .string()
  .regex(/^INV-\d{1,9}$/)
  .describe('Number of the invoice, such as INV-7');

export const invoiceSchema = z.object({
  supplier: z.string(),
  iban: z.string(),
  cents: z.number().int().positive(),
  due: z.iso.date(),
});
export type Invoice = z.infer<typeof invoiceSchema>;

/** @throws ToolError, which the model reads */
export async function findInvoice(number: string): Promise<Invoice> {
  const invoices = z.record(invoiceNumber, invoiceSchema).parse(JSON.parse(await readFile(FILE, 'utf8')));
  const invoice = invoices[number];
  if (!invoice) throw new ToolError('RESOURCE_NOT_FOUND', 'no_such_invoice', `There is no invoice ${number}.`);
  return invoice;
}
