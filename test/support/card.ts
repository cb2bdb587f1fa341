import type { HoldfastClient } from '../../src/client';
import type { TurnHandle } from '../../src/client/turns/turn-handle';

/** The cards of a turn, as a person reads them in the Web UI. */
export async function shownCard(client: HoldfastClient, turn: TurnHandle): Promise<string> {
  const metadata = await client.temporal.workflow
    .getHandle(turn.workflowId)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails;
}
