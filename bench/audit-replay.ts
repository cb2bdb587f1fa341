/** Measures replays of histories in one run: the SDK's own, and `audit replay` with one process and with one for each processor. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { replayCode } from '../src/audit/replay/code';
import { replayAll } from '../src/audit/replay/replay';
import type { JsonObject } from '../src/shared/json/json';
import { workflowBundlePath } from '../src/worker/workflow-bundle';

export interface ReplaySpeed {
  histories: number;
  events: number;
  /** Histories per minute, including the start of the processes. */
  plain: number;
  one: number;
  each: number;
  /** The number of processes of `each`. */
  processes: number;
}

interface Sample {
  workflow_id: string;
  message: temporal.api.history.v1.IHistory;
  encoded: string;
}

const FOLDER = join(__dirname, '..', 'test', 'histories');

export async function auditReplay(count: number, say: (line: string) => void): Promise<ReplaySpeed> {
  const samples = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map(sample);
  const all = Array.from({ length: count }, (_, index) => samples[index % samples.length]!);
  const { path: code } = await replayCode(undefined);
  const processes = availableParallelism();
  const perMinute = async (name: string, run: () => Promise<number>) => {
    const began = performance.now();
    const replayed = await run();
    const rate = (replayed * 60_000) / (performance.now() - began);
    say(`  ${name}: ${rate.toFixed(0)} a minute`);
    return rate;
  };
  const plain = await perMinute('the SDK alone', () => byTheSdk(all));
  const one = await perMinute('audit replay, one process', () => byUs(all, code, 1));
  const each = await perMinute(`audit replay, ${processes} processes`, () => byUs(all, code, processes));
  const events = all.reduce((sum, { message }) => sum + (message.events?.length ?? 0), 0);
  return { histories: count, events, plain, one, each, processes };
}

function sample(name: string): Sample {
  const json = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as { events: JsonObject[] };
  const message = historyFromJSON(json);
  const workflow_id = String(message.events![0]!.workflowExecutionStartedEventAttributes?.workflowId);
  return {
    workflow_id,
    message,
    encoded: Buffer.from(temporal.api.history.v1.History.encode(message).finish()).toString('base64'),
  };
}

async function byTheSdk(all: Sample[]): Promise<number> {
  const histories = all.map(({ workflow_id, message }) => ({ workflowId: workflow_id, history: message }));
  let count = 0;
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: { codePath: workflowBundlePath() } }, histories)) {
    if (error) throw error;
    count += 1;
  }
  return count;
}

async function byUs(all: Sample[], code: string, processes: number): Promise<number> {
  const histories = all.map(({ workflow_id, encoded }) => ({ workflow_id, run_id: null, history: encoded }));
  let count = 0;
  for await (const { outcome, workflow_id } of replayAll(histories, { code, processes })) {
    if (outcome !== 'same') throw new Error(`${workflow_id}: ${outcome}`);
    count += 1;
  }
  return count;
}
