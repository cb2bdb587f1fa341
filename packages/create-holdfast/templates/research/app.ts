import { defineAgent, defineApp } from 'holdfast/app';
import { z } from 'zod';
import { listSources } from './tools/list-sources.js';
import { readSource } from './tools/read-source.js';

const DAY_MS = 86_400_000;

/** What a turn gives: data, which your service reads, and not prose. */
export const brief = z.object({
  title: z.string().min(1).max(120),
  findings: z
    .array(z.object({ claim: z.string().min(1).max(400), source: z.string().describe('The file that says so') }))
    .min(1)
    .max(10),
  open_questions: z.array(z.string()).max(5),
});

export const researcher = defineAgent({
  name: 'researcher',
  prompt:
    'You write briefs. Read the sources first. Each finding names the file that says so; what no file says is an open question.',
  tools: [listSources, readSource],
  result: brief,
});

export default defineApp({
  agents: [researcher],
  schedules: [
    {
      name: 'morning',
      cron: '0 7 * * 1-5',
      timezone: 'Europe/Berlin',
      agent: 'researcher',
      message: 'Write the brief of today: what is new, and what does it mean for us?',
      // No turn begins while those of the last day have cost so much together, in US dollars.
      budget: { windowMs: DAY_MS, costUsd: 2 },
    },
  ],
});
