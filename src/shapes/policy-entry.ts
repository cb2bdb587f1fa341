/** Schemas of what an approval requires, and of the entry of a list of approval rules that applies to a call. */
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

/** What the approval of a call requires, as an agent and a worker define it. */
export const approvalRequirement = z.object({
  channel: z.enum(['any', 'attested']),
  quorum: z.number().int(),
  roles: z.array(z.string()).describe('Empty: anybody may approve.'),
  four_eyes: z.boolean(),
  remind_ms: z.array(z.number()),
  notify: z.boolean(),
  escalate: z
    .array(z.object({ after_ms: z.number(), roles: z.array(z.string()) }))
    .optional()
    .describe('Who may approve as well, once people have been asked for this long. Absent: nobody.'),
  entry: policyEntry.optional(),
});

export type ApprovalRequirement = z.infer<typeof approvalRequirement>;
