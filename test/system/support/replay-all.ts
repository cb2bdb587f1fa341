import { Client, Connection } from '@temporalio/client';
import { dataConverter } from '../../../src/temporal/data-converter';
import { TURNS_AND_CALLS } from '../../../src/workflows/contract';
import { keepForReplay } from '../../engine/support/replays';

/** Replays every turn and direct call of a server, in any state. Returns how many there are. */
export async function replayAll(address: string): Promise<number> {
  const connection = await Connection.connect({ address });
  let count = 0;
  try {
    const client = new Client({ connection, dataConverter });
    for await (const { workflowId } of client.workflow.list({ query: TURNS_AND_CALLS })) {
      await keepForReplay(client, { workflowId });
      count += 1;
    }
    return count;
  } finally {
    await connection.close();
  }
}
