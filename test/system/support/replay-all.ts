import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { dataConverter } from '../../../src/data-converter';
import { TURNS_AND_CALLS } from '../../../src/workflows/contract';
import { workflowBundlePath } from '../../../src/worker';
import { recomputeDigests } from '../../support/recompute-digests';

/** Replays every turn and direct call of a server, whatever its state, and recomputes its digests. Returns how many there were. */
export async function replayAll(address: string): Promise<number> {
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address }); // holds the SDK's runtime between two replays
  let count = 0;
  try {
    const client = new Client({ connection, dataConverter });
    for await (const { workflowId } of client.workflow.list({ query: TURNS_AND_CALLS })) {
      const history = await client.workflow.getHandle(workflowId).fetchHistory();
      await Worker.runReplayHistory({ workflowBundle: { codePath: workflowBundlePath() }, dataConverter }, history, workflowId);
      recomputeDigests(history);
      count += 1;
    }
    return count;
  } finally {
    await connection.close();
    await native.close();
  }
}
