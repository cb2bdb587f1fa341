/**
 * Which turn a call of an agent has been opened for: the store knows it, since Temporal says of a child only who has started it.
 * Whoever answers the tasks of the turn above in the place of our workers starts any child of it, for a call that nobody has
 * approved, of another agent, or with words of his own; and has none of them opened.
 */
import { hashJson } from '../../shared/json/digests';
import type { Json } from '../../shared/json/json';
import type { OuterMode, ParentTurn } from '../../shared/turn/sub-turn';
import type { Store } from '../../store/store';
import type { TurnContext } from '../../shared/activity-io';
import type { PreparedAgent } from '../../tools/catalogue/registry';

type Registers = Pick<Store, 'registers'>;
type Above = Pick<ParentTurn, 'first_execution_run_id'>;

export interface NotedSubTurn {
  /** The call's digest, which was looked at as it is before it runs. */
  digest: string;
  agent: string;
  message_hash: string;
  /** As in what the turn is started with. */
  within: OuterMode[];
  depth_left: number;
}

export function noteSubTurn({ registers }: Registers, above: Above, workflowId: string, opened: NotedSubTurn): Promise<void> {
  return registers.update(nameOf(above, workflowId), () => ({ value: { ...opened }, answer: undefined }));
}

/** Whether just this turn was opened: for this call, of this agent, with this message. */
export async function isNotedSubTurn(
  { registers }: Registers,
  above: Above,
  workflowId: string,
  as: NotedSubTurn,
): Promise<boolean> {
  const { value } = await registers.read(nameOf(above, workflowId));
  return value !== null && hashJson(value) === hashJson({ ...as } as Json);
}

function nameOf({ first_execution_run_id }: Above, workflow_id: string): string {
  return `kept/opened/${hashJson({ v: 'holdfast.opened/1', first_execution_run_id, workflow_id })}`;
}

/** How many turns of sub-agents may stand below this turn: the first agent says, and no agent below it allows more. */
export function depthLeft({ parent }: Pick<TurnContext, 'parent'>, { agent }: PreparedAgent): number {
  return Math.min(agent.maxDepth, parent?.depth_left ?? agent.maxDepth);
}
