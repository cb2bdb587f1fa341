/** Fills a turn's run with junk that anybody may send, until the turn goes on in another. */
import type { HoldfastClient } from '../../src/client';
import type { TurnHandle } from '../../src/client/turn-handle';
import { eventually } from './engine';

const TOO_LONG = 'x'.repeat(60_000);
/** Temporal suggests another run from 4 MB of history on. */
const FILLS_A_RUN = 75;

export async function fillRun(client: HoldfastClient, turn: TurnHandle): Promise<void> {
  const handle = client.temporal.workflow.getHandle(turn.workflowId);
  const first = (await handle.describe()).runId;
  for (let n = 0; n < FILLS_A_RUN; n++) await handle.signal('approve', { call: 'f'.repeat(64), by: 'mallory', note: TOO_LONG });
  const now = await eventually('another run', async () => {
    const { runId, status } = await handle.describe();
    return (runId !== first || status.name !== 'RUNNING') && { another: runId !== first, status: status.name };
  });
  expect(now).toEqual({ another: true, status: 'RUNNING' });
}
