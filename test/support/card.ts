import type { HoldfastClient } from '../../src/client';
import type { TurnHandle } from '../../src/client/turns/turn-handle';

/** What whoever decides reads in the Web UI: the cards of a turn. */
export async function shownCard(client: HoldfastClient, turn: TurnHandle): Promise<string> {
  const metadata = await client.temporal.workflow
    .getHandle(turn.workflowId)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails;
}
