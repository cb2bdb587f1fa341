/** How a call stands that was just decided on. */
import { z } from 'zod';
import { CALL_STATES } from '../shared/turn/turn-states';

export const decidedCall = z.object({
  digest: z.string().describe('The whole digest.'),
  state: z.enum(CALL_STATES),
  approvals: z.number().int().describe('How many have approved, of `quorum`.'),
  quorum: z.number().int(),
});
export type DecidedCall = z.infer<typeof decidedCall>;
