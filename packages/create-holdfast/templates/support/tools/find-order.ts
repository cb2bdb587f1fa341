import { defineTool } from 'holdfast/app';
import { z } from 'zod';
import { orderNumber, orderOf, orderSchema } from '../shop.js';

export const findOrder = defineTool({
  name: 'find_order',
  version: '1.0.0',
  class: 'read',
  description: 'Looks up one order of the customer: what it is, what it cost, and where it is.',
  input: z.object({ order: orderNumber }),
  output: orderSchema,
  // The requester of the turn is the customer. The model cannot name another one.
  run: ({ order }, { principal }) => orderOf(principal, order),
});
