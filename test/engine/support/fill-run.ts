/** Fills a turn's run with junk that anybody may send. */
import { WorkflowNotFoundError } from '@temporalio/client';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { eventually } from './engine';

const TOO_LONG = 'x'.repeat(60_000);
/** Temporal suggests another run from 4 MB of history on. */
const FILLS_A_RUN = 75;
/** For a server that suggests another run from 1 MB on. */
export const FILLS_A_SHORT_RUN = 20;
const SHORT_RUN = { 'limit.historySize.suggestContinueAsNew': 1024 * 1024 };
/** A busy machine takes minutes for this; an idle one takes seconds. */
export const FILLED_MS = 240_000;

/** A server of the test file's own, on which `FILLS_A_SHORT_RUN` signals fill a run. */
export function shortRunServer(): { readonly address: string } {
  let server: DevServer | undefined;
  beforeAll(async () => {
    const { path } = await findTemporalCli();
    server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig: SHORT_RUN });
  });
  afterAll(() => server?.stop());
  return {
    get address() {
      return server!.address;
    },
  };
}

/**
 * The run is full: the turn goes on in another as soon as it can, and may end there before all has been sent.
 * The last signal comes alone: where Temporal starts a task for signals in the transaction that writes them, it does not count them yet.
 */
export async function sendJunk(client: HoldfastClient, { workflowId }: TurnHandle, signals = FILLS_A_RUN): Promise<void> {
  const handle = client.temporal.workflow.getHandle(workflowId);
  const junk = { call: 'f'.repeat(64), by: 'mallory', note: TOO_LONG };
  const idle = async () => ((await handle.describe()).raw.pendingWorkflowTask ?? null) === null;
  try {
    for (let n = 1; n < signals; n++) await handle.signal('approve', junk);
    await eventually('the turn has taken what was sent', idle, FILLED_MS);
    await handle.signal('approve', junk);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

export async function fillRun(client: HoldfastClient, turn: TurnHandle, signals = FILLS_A_RUN): Promise<void> {
  const handle = client.temporal.workflow.getHandle(turn.workflowId);
  const first = (await handle.describe()).runId;
  await sendJunk(client, turn, signals);
  const look = async () => {
    const { runId, status } = await handle.describe();
    return (runId !== first || status.name !== 'RUNNING') && { another: runId !== first, status: status.name };
  };
  const now = await eventually('another run', look, FILLED_MS);
  expect(now).toEqual({ another: true, status: 'RUNNING' });
}
