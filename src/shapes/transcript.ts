/** Schemas of a turn's transcript for readers: its blocks in order, in words, without the hashes' evidence that a bundle has. */
import { z } from 'zod';
import { json } from './envelope';

const ofBlock = { block: z.string().describe('64 hex.'), at: z.string() };
const text = z.string();
const known = z.string().nullable().describe('Null: an older build did not record it.');
const call = z.string().nullable().describe('`<step>.<index>`. Null: it never became a call, or is not recorded.');

export const transcriptEntry = z.discriminatedUnion('kind', [
  z.object({ ...ofBlock, kind: z.literal('start'), requester: known, agent: known, session_id: known, parent_turn_id: known }),
  z.object({
    ...ofBlock,
    kind: z.literal('message'),
    from: z
      .enum(['requester', 'steering', 'parent', 'model', 'tools'])
      .describe('`parent`: the task that the agent above gave. `tools`: results of calls.'),
    by: z.string().nullable().describe('The person, or the name of the agent. Null: tools.'),
    text,
    calls: z.array(z.object({ call, tool: text, input: json })),
    results: z.array(z.object({ call, text, is_error: z.boolean() })),
    other: z.array(z.string()).describe('Types of content that is not shown here, such as `thinking`.'),
    cut: z.boolean().describe('Long texts or inputs are cut: the bundle of the turn has them.'),
  }),
  z.object({
    ...ofBlock,
    kind: z.literal('admission'),
    model: known,
    calls: z.array(z.object({ call, tool: known, version: known, class: known, verdict: known })),
  }),
  z.object({
    ...ofBlock,
    kind: z.literal('decision'),
    call,
    tool: known,
    digest: known,
    decision: known,
    by: known,
    note: known,
  }),
  z.object({ ...ofBlock, kind: z.literal('dispatch'), call, tool: known, digest: known }),
  z.object({ ...ofBlock, kind: z.literal('effect'), call, tool: known, digest: known, effect: known }),
  z.object({
    ...ofBlock,
    kind: z.literal('settlement'),
    call,
    tool: known,
    digest: known,
    outcome: known,
    by: known,
    note: known,
  }),
  z.object({
    ...ofBlock,
    kind: z.literal('summary'),
    text: known.describe('Of the conversation so far, in the place of earlier blocks.'),
  }),
  z.object({ ...ofBlock, kind: z.literal('end'), state: known, reason: known }),
  z.object({ ...ofBlock, kind: z.literal('unreadable') }),
]);

export const transcriptPage = z.object({
  entries: z.array(transcriptEntry).describe('The oldest first.'),
  next_cursor: z.string().nullable().describe('Null: these are the last blocks until now.'),
});

export type TranscriptEntry = z.infer<typeof transcriptEntry>;
export type TranscriptPage = z.infer<typeof transcriptPage>;
