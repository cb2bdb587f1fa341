/** The shop: orders and refunds in files here, and in your service the API of your own shop. */
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from 'holdfast/app';
import { z } from 'zod';

const ORDERS = new URL('./data/orders.json', import.meta.url);
const refunds = () => join(process.env.STATE_DIR ?? '.', 'refunds.jsonl');

export const orderNumber = z
  .string()
  .regex(/^A-\d{4}$/)
  .describe('Number of the order, such as A-1042');

export const orderSchema = z.object({
  customer: z.string(),
  item: z.string(),
  cents: z.number().int(),
  state: z.enum(['on its way', 'delivered']),
  arrives: z.iso.date(),
});
export type Order = z.infer<typeof orderSchema>;

export interface Refund {
  key: string;
  order: string;
  cents: number;
}

/** @throws ToolError also for another customer's order: who asks learns nothing of it */
export async function orderOf(customer: string, number: string): Promise<Order> {
  const orders = z.record(orderNumber, orderSchema).parse(JSON.parse(await readFile(ORDERS, 'utf8')));
  const order = orders[number];
  if (order?.customer === customer) return order;
  throw new ToolError('RESOURCE_NOT_FOUND', 'no_such_order', `The customer has no order ${number}.`);
}

export async function sendRefund(refund: Refund): Promise<void> {
  await appendFile(refunds(), `${JSON.stringify(refund)}\n`);
}

/** What the order has given back so far, in cents. */
export async function refundedOf(order: string): Promise<number> {
  const refunds = (await allRefunds()).filter((refund) => refund.order === order);
  return refunds.reduce((sum, { cents }) => sum + cents, 0);
}

export async function allRefunds(): Promise<Refund[]> {
  if (!existsSync(refunds())) return [];
  const lines = (await readFile(refunds(), 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Refund);
}
