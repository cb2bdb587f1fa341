/**
 * Histories are replayed when the tests of a file have ended, all in one replay worker: to load the workflow code takes such a
 * worker longer than to replay a history.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { traceSinks } from '../../../src/telemetry/traces/workflow-spans';
import { dataConverter } from '../../../src/temporal/data-converter';
import { fetchHistory } from '../../../src/temporal/history/read-history';
import { workflowBundlePath } from '../../../src/worker/workflow-bundle';
import { checkShapes } from '../../support/check-shapes';
import { recomputeDigests } from '../../support/recompute-digests';
import { onTestFileEnd, testName } from '../../support/test-file';
import { closeConnections } from './connections';

interface Execution {
  workflowId: string;
  /** Default: the newest that has done something. */
  runId?: string;
}

interface Recorded {
  test: string;
  workflowId: string;
  history: History;
}

let recorded: Recorded[] = [];
/**
 * Replays the present histories of these executions, recomputes the digests of their calls, and checks their views and events
 * against their shapes.
 */
export async function keepForReplay(temporal: Client, ...executions: Execution[]): Promise<void> {
  recorded.push(...(await Promise.all(executions.map((execution) => record(temporal, execution)))));
}

onTestFileEnd(async () => {
  const all = recorded;
  recorded = [];
  try {
    if (all.length > 0) await replay(all);
  } finally {
    // Not before: the SDK's runtime shuts itself down when its last user leaves, and a replay that begins at that moment fails.
    await closeConnections();
  }
});

async function record(temporal: Client, { workflowId, runId }: Execution): Promise<Recorded> {
  const history = await fetchHistory(temporal, workflowId, runId);
  const [first, second] = history.events!;
  const before = first!.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  if (!second && before) return record(temporal, { workflowId, runId: before }); // this run has only begun, so there is nothing to replay
  return { test: testName(), workflowId, history };
}

async function replay(histories: Recorded[]): Promise<void> {
  const options = { workflowBundle: { codePath: workflowBundlePath() }, dataConverter, sinks: traceSinks(null) };
  const replays = Worker.runReplayHistories(options, histories);
  let count = 0;
  for await (const { error } of replays) {
    const { test, workflowId, history } = histories[count++]!;
    if (error)
      throw new Error(`A history of "${test}" does not replay; it is kept in ${kept(workflowId, history)}`, { cause: error });
    recomputeDigests(history);
    await checkShapes(history);
  }
  if (count !== histories.length) throw new Error(`Of ${histories.length} histories only ${count} were replayed.`);
}

/** @returns the file that a history was written to */
function kept(workflowId: string, history: History): string {
  const file = join('.holdfast', 'failed-replays', `${basename(workflowId)}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, historyToJSON(history));
  return file;
}
