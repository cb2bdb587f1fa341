import { financeTools, SmtpMailer, snapshotData } from '@holdfast/finance';
import { creditAnalyst } from '@holdfast/showcase';
import { defineApp } from 'holdfast/app';

const DAY_MS = 86_400_000;

// `holdfast dev` catches mail, and sets the first two.
const mailer = new SmtpMailer({
  host: process.env.HOLDFAST_SMTP_HOST ?? '127.0.0.1',
  port: Number(process.env.HOLDFAST_SMTP_PORT ?? 25),
  from: 'analyst@bank.example',
});

export default defineApp({
  agents: [creditAnalyst(financeTools({ ...snapshotData(), mailer }))],
  schedules: [
    {
      name: 'nightly',
      cron: '30 2 * * 2-6',
      timezone: 'Europe/Berlin',
      agent: 'credit-analyst',
      message: 'Prepare a credit memo on AAPL and send it to committee@bank.example.',
      // No turn begins once those of a day have cost 5 dollars; at most one memo is sent in a day.
      budget: { windowMs: DAY_MS, costUsd: 5, calls: { tools: ['send_credit_memo'], measure: 'count', cap: 1 } },
    },
  ],
});
