import { randomBytes } from 'node:crypto';
import type { HoldfastClient } from '../../src/client';
import type { RunCallInput, RunCallOutput } from '../../src/shared/activity-io';

/** Schedules `runCall` from a workflow of the attacker's own, on the worker's task queue. */
export async function runForged(client: HoldfastClient, taskQueue: string, input: RunCallInput): Promise<RunCallOutput> {
  const { bundleWorkflowCode, NativeConnection, Worker } = await import('@temporalio/worker');
  const address = process.env.HOLDFAST_TEST_ADDRESS!;
  const connection = await NativeConnection.connect({ address });
  const queue = `forge-${randomBytes(6).toString('hex')}`;
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./forge-workflow'), logger: quiet as never });
  const worker = await Worker.create({ connection, taskQueue: queue, workflowBundle });
  try {
    return await worker.runUntil(
      client.temporal.workflow.execute('forge', {
        taskQueue: queue,
        workflowId: `${queue}`,
        args: [taskQueue, input],
      }) as Promise<RunCallOutput>,
    );
  } finally {
    await connection.close();
  }
}

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
