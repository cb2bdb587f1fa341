/** What went wrong in a call: as it stands in an envelope and in a view, and as the model reads it. */
import { z } from 'zod';
import { ERROR_KINDS, type ErrorCode, ERROR_CODES } from '../shared/wire/error-codes';

export const callError = z.object({
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).describe('Of a small set, such as `INVALID_PARAMS`.'),
  kind: z.enum(ERROR_KINDS),
  reason: z.string().describe('snake_case, for programs: `ticker_not_found`.'),
  message: z.string(),
  retryable: z.boolean(),
  hint: z.string().optional().describe('What to do about it.'),
  retry_after_ms: z.number().optional().describe('How long the upstream asked to wait.'),
  details: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('Further facts, such as every place where an input does not fit.'),
  replacement: z.string().optional().describe('With TOOL_DEPRECATED: the tool to use instead.'),
  sunset_date: z.string().optional().describe('With TOOL_DEPRECATED: since when it is no more.'),
  migration_guide: z.string().optional().describe('With TOOL_DEPRECATED: address or text.'),
});
export type CallError = z.infer<typeof callError>;
