/** Measures how history grows over a hundred steps with 200,000 tokens of transcript, for our turn and for the naive loop. */
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import { median } from './support/quantile';
import type { BatchResult, ModelRequestAt } from './support/side';
import { Side } from './support/side-process';
import { LONG_TURN } from './support/workload';

export interface Growth {
  kind: 'naive' | 'ours';
  steps: number;
  totalBytes: number;
  /** Bytes of one step: the median of five steps around it. */
  bytesAtStep10: number;
  bytesAtStep100: number;
  /** Time from one model request to the next: the median of nine steps around it. */
  msAtStep10: number;
  msAtStep100: number;
  /** CPU time of the worker for one step. */
  cpuMsAtStep10: number;
  cpuMsAtStep100: number;
  /** How the turn ended, if it failed; null: it did not. */
  failure: string | null;
}

const { HistoryEvent } = temporal.api.history.v1;
const EVENTS = temporal.api.enums.v1.EventType;
const MODEL_ACTIVITIES = ['model', 'takeStep'];

export async function history(say: (line: string) => void): Promise<Growth[]> {
  const { path } = await findTemporalCli({ onProgress: say });
  const dev = await startDevServer({ cli: path, port: 0, headless: true });
  try {
    const grown: Growth[] = [];
    for (const kind of ['naive', 'ours'] as const) {
      const growth = await grow(kind, dev.address);
      say(`  ${kind}: ${growth.totalBytes} bytes after ${growth.steps} steps`);
      grown.push(growth);
    }
    return grown;
  } finally {
    await dev.stop();
  }
}

/** Runs one long turn on the server at this address, and measures its history. */
export async function grow(kind: Growth['kind'], address: string): Promise<Growth> {
  const side = await Side.start({ kind, address, script: LONG_TURN, tellRequests: true });
  // A page of the naive loop's history is larger than gRPC's default allows.
  const connection = await Connection.connect({ address, channelArgs: { 'grpc.max_receive_message_length': -1 } });
  try {
    return await growthOf(kind, side, new Client({ connection }));
  } finally {
    await connection.close();
    await side.stop();
  }
}

async function growthOf(kind: Growth['kind'], side: Side, client: Client): Promise<Growth> {
  const { requests, ids, failed } = await longTurns(side);
  const { events } = await client.workflow.getHandle(ids[0]!).fetchHistory();
  const perStep: number[] = [];
  let total = 0;
  for (const event of events ?? []) {
    const bytes = HistoryEvent.encode(event).finish().length;
    total += bytes;
    const scheduled = event.activityTaskScheduledEventAttributes?.activityType?.name ?? '';
    if (event.eventType === EVENTS.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED && MODEL_ACTIVITIES.includes(scheduled)) perStep.push(0);
    if (perStep.length > 0) perStep[perStep.length - 1]! += bytes;
  }
  const last = perStep.length - 1; // the last one contains the turn's result
  return {
    kind,
    steps: perStep.length,
    totalBytes: total,
    bytesAtStep10: median(perStep.slice(7, 12)),
    bytesAtStep100: median(perStep.slice(last - 5, last)),
    ...times(requests),
    failure: failed[0] ?? null,
  };
}

/** The second of two turns: the first one warms the worker up. */
async function longTurns(side: Side): Promise<BatchResult & { requests: ModelRequestAt[] }> {
  await side.tryRun({ count: 1, atOnce: 1 });
  const requests = side.requests();
  return { ...(await side.tryRun({ count: 1, atOnce: 1 })), requests };
}

function times(requests: ModelRequestAt[]) {
  const steps = requests
    .slice(1)
    .map(({ at, cpuMs }, index) => ({ ms: at - requests[index]!.at, cpu: cpuMs - requests[index]!.cpuMs }));
  const early = steps.slice(5, 14);
  const late = steps.slice(-9);
  return {
    msAtStep10: median(early.map(({ ms }) => ms)),
    msAtStep100: median(late.map(({ ms }) => ms)),
    cpuMsAtStep10: median(early.map(({ cpu }) => cpu)),
    cpuMsAtStep100: median(late.map(({ cpu }) => cpu)),
  };
}
