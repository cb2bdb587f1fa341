import { z } from 'zod';
import { READ_RESULT } from '../rules';
import { defineBuiltIn } from './define';
import { ToolError } from './errors';

/** How the model fetches the rest of a result that was too large to be given whole. Every agent has it. */
export const readResult = defineBuiltIn({
  name: READ_RESULT,
  version: '1.0.1',
  class: 'read',
  description: {
    does: 'Reads a stored tool result of this turn, piece by piece, as JSON text.',
    returns: '{ref, offset, total, text, next_offset}: total is the length in characters; next_offset is null at the end.',
    useWhen: 'a result says that it was too large and gives a ref, and its summary is not enough.',
    dontUseFor: 'files, web pages or results of other conversations.',
    example: '{"ref": "<64 hex characters from the result>", "offset": 0, "limit": 4000}',
  },
  input: z.object({
    ref: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('The ref that the result gave.'),
    offset: z.number().int().min(0).max(1_000_000_000).default(0).describe('First character.'),
    limit: z.number().int().min(1).max(8000).default(4000).describe('Characters to read.'),
  }),
  output: z.object({
    ref: z.string(),
    offset: z.number().int(),
    total: z.number().int(),
    text: z.string(),
    next_offset: z.number().int().nullable(),
  }),
  maxInlineBytes: 40_000,
  async run({ ref, offset, limit }, ctx) {
    const text = JSON.stringify(await ctx.store.readResult(ref));
    if (offset > text.length) {
      throw new ToolError(
        'INVALID_PARAMS',
        'offset_beyond_end',
        `offset ${offset} is beyond the end; the result has ${text.length} characters.`,
      );
    }
    const end = Math.min(offset + limit, text.length);
    return {
      ref,
      offset,
      total: text.length,
      text: text.slice(offset, end).toWellFormed(),
      next_offset: end < text.length ? end : null,
    };
  },
});
