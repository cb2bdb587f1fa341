/** What model requests took, added up. */
import { z } from 'zod';

export const usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_creation_tokens: z.number().optional().describe('Absent in older turns.'),
  cost_usd: z.number(),
});
export type TurnUsage = z.infer<typeof usage>;
