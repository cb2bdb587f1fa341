/** Schemas of a turn's transcript for readers: its blocks in order, in words, without the hashes' evidence that a bundle has. */
import { z } from 'zod';
import { json } from './envelope';
import { fileOfMessage } from './message';
import { passedModel } from './turn-view';

const ofBlock = { block: z.string().describe('64 hex.'), at: z.string() };
const text = z.string();
const textOrNull = z.string().nullable().describe('Null: an older build did not record it.');
const call = z.string().nullable().describe('`<step>.<index>`. Null: it never became a call, or is not recorded.');

export const transcriptEntry = z.discriminatedUnion('kind', [
  z.object({
    ...ofBlock,
    kind: z.literal('start'),
    requester: textOrNull,
    agent: textOrNull,
    session_id: textOrNull,
    parent_turn_id: textOrNull,
  }),
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
    files: z.array(fileOfMessage).describe('Of the message, and of results that show files to the model.'),
    other: z.array(z.string()).describe('Types of content that is not shown here, such as `thinking`.'),
    cut: z.boolean().describe('Long texts or inputs are cut: the bundle of the turn has them.'),
  }),
  z.object({
    ...ofBlock,
    kind: z.literal('admission'),
    model: textOrNull,
    asked: z
      .string()
      .nullable()
      .describe('The name that the agent gives the model. Null: no model was asked, or an older build.'),
    provider: z.string().nullable().describe('Who answered. Null: as of `asked`.'),
    passed: z.array(passedModel).describe('Models before it in the chain that did not take the step.'),
    calls: z.array(z.object({ call, tool: textOrNull, version: textOrNull, class: textOrNull, verdict: textOrNull })),
  }),
  z.object({
    ...ofBlock,
    kind: z.literal('decision'),
    call,
    tool: textOrNull,
    digest: textOrNull,
    decision: textOrNull,
    by: textOrNull,
    note: textOrNull,
  }),
  z.object({ ...ofBlock, kind: z.literal('dispatch'), call, tool: textOrNull, digest: textOrNull }),
  z.object({ ...ofBlock, kind: z.literal('effect'), call, tool: textOrNull, digest: textOrNull, effect: textOrNull }),
  z.object({
    ...ofBlock,
    kind: z.literal('settlement'),
    call,
    tool: textOrNull,
    digest: textOrNull,
    outcome: textOrNull,
    by: textOrNull,
    note: textOrNull,
  }),
  z.object({
    ...ofBlock,
    kind: z.literal('summary'),
    text: textOrNull.describe('Of the conversation so far, in the place of earlier blocks.'),
  }),
  z.object({ ...ofBlock, kind: z.literal('end'), state: textOrNull, reason: textOrNull }),
  z.object({ ...ofBlock, kind: z.literal('unreadable') }),
]);

export const transcriptPage = z.object({
  entries: z.array(transcriptEntry).describe('The oldest first.'),
  next_cursor: z.string().nullable().describe('Null: these are the last blocks until now.'),
});

export type TranscriptEntry = z.infer<typeof transcriptEntry>;
export type TranscriptPage = z.infer<typeof transcriptPage>;
