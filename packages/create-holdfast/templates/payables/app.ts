import { defineAgent, defineApp } from 'holdfast/app';
import { lookUpInvoice } from './tools/look-up-invoice.js';
import { payInvoice } from './tools/pay-invoice.js';

const DAY_MS = 86_400_000;

export const payables = defineAgent({
  name: 'payables',
  prompt:
    'You pay supplier invoices. Look the invoice up first, and pay what it says, once. If it differs from what you were asked to pay, do not pay: say what differs.',
  tools: [lookUpInvoice, payInvoice],
  // What all payments of a day may be together, in cents. With `exhausted: 'ask'` a person could let one more through.
  budgets: [{ name: 'daily', tools: ['pay_invoice'], per: 'agent', windowMs: DAY_MS, measure: 'input.cents', cap: 500_000 }],
});

export default defineApp({ agents: [payables] });
