/** Schema of the entry of a list of approval rules that applies to a call. */
import { z } from 'zod';

export const policyEntry = z
  .object({
    index: z.number().int().nullable().describe('From 1. Null: no entry fits, and the common rule applies.'),
    when: z.string().nullable().describe('Its condition. Null: it has none.'),
    result: z
      .enum(['matched', 'failed', 'none'])
      .describe('`failed`: the condition could not be evaluated, and what the strictest entry requires applies.'),
  })
  .describe("The entry of the agent's approval rules that applies. Absent: the rules of this tool are no list.");
