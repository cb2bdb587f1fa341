/** Fills a turn's run with junk that anybody may send. */
import { WorkflowNotFoundError } from '@temporalio/client';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turn-handle';
import { eventually } from './engine';

const TOO_LONG = 'x'.repeat(60_000);
/** Temporal suggests another run from 4 MB of history on. */
const FILLS_A_RUN = 75;
/** A busy machine takes minutes for what takes seconds alone. */
export const FILLED_MS = 240_000;

/** The run is full: the turn goes on in another as soon as it can, and may end there before all has been sent. */
export async function sendJunk(client: HoldfastClient, { workflowId }: TurnHandle): Promise<void> {
  const handle = client.temporal.workflow.getHandle(workflowId);
  const junk = { call: 'f'.repeat(64), by: 'mallory', note: TOO_LONG };
  for (let n = 0; n < FILLS_A_RUN; n++) {
    try {
      await handle.signal('approve', junk);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return;
      throw error;
    }
  }
}

export async function fillRun(client: HoldfastClient, turn: TurnHandle): Promise<void> {
  const handle = client.temporal.workflow.getHandle(turn.workflowId);
  const first = (await handle.describe()).runId;
  await sendJunk(client, turn);
  const look = async () => {
    const { runId, status } = await handle.describe();
    return (runId !== first || status.name !== 'RUNNING') && { another: runId !== first, status: status.name };
  };
  const now = await eventually('another run', look, FILLED_MS);
  expect(now).toEqual({ another: true, status: 'RUNNING' });
}
