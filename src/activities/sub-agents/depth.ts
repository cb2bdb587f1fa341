import type { TurnContext } from '../../shared/activity-io';
import type { PreparedAgent } from '../../tools/registry';

/** How many turns of sub-agents may stand below this turn: the first agent says, and no agent below it allows more. */
export function depthLeft({ parent }: Pick<TurnContext, 'parent'>, { agent }: PreparedAgent): number {
  return Math.min(agent.maxDepth, parent?.depth_left ?? agent.maxDepth);
}
