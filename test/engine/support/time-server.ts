/**
 * Time that tests skip, on Temporal's time-skipping test server (decision 0065): one a test file, which starts with the first test
 * that needs it. Its time goes on as usual, but for `skip`. Where that server is not available, `skip` waits on the shared dev
 * server, for the short times that each test names beside the long ones.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { msToNumber, type Duration } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import type { Worker } from '@temporalio/worker';
import { verifiedJars } from '../../../scripts/time-server/jars.cjs';
import { TestClock } from '../../../src/testing/agent/test-clock';
import { TimeServer } from '../../../src/testing/agent/time-server';
import { onTestFileEnd } from '../../support/test-file';
import { connectionsTo } from './connections';

const LONGEST_WAIT_MS = 30_000;

/** The folder of its jars, as `global-setup.ts` found it; empty: there is none. */
export const JARS = 'HOLDFAST_TEST_TIME_SERVER_JARS';

export class TestTime {
  /** False: `skip` waits. */
  readonly skips = Boolean(process.env[JARS]);
  private starting: Promise<TimeServer> | undefined;
  private clock: TestClock | undefined;

  /** A time of a test, ms. @param skipped where time can be skipped @param waitedMs where `skip` waits */
  either(skipped: Duration, waitedMs: number): number {
    return this.skips ? msToNumber(skipped) : waitedMs;
  }

  /**
   * Lets this time pass for the server and this process. On the way, timers fire in their order, and the time stands still while
   * there is anything to do for a worker.
   */
  async skip(time: Duration): Promise<void> {
    if (this.skips) await this.clock!.skip(time);
    else await waitFor(msToNumber(time));
  }

  /** From now on, until `end`, this process has the time of the server. @returns its address; null: it is the shared dev server */
  async begin(): Promise<string | null> {
    if (!this.skips) return null;
    const server = await this.started();
    this.clock = await TestClock.begin(server);
    return server.address;
  }

  keep(worker: Worker): void {
    this.clock?.keep(worker);
  }

  async end(): Promise<void> {
    await this.clock?.end();
  }

  private started(): Promise<TimeServer> {
    if (this.starting) return this.starting;
    this.starting = start();
    onTestFileEnd(async () => (await this.starting?.catch(() => undefined))?.stop());
    return this.starting;
  }
}

async function start(): Promise<TimeServer> {
  const server = await TimeServer.start(verifiedJars(process.env[JARS]!));
  const { client, worker } = await connectionsTo(server.address);
  await server.listSearchAttributesTo(worker);
  const history = client.workflowService.getWorkflowExecutionHistory.bind(client.workflowService);
  client.workflowService.getWorkflowExecutionHistory = (async (request: never) => mended(await history(request))) as never;
  return server;
}

/**
 * Its histories do not say with which start a workflow task is completed, and commands name the start of their task in place of its
 * completion. This makes them say what Temporal's histories do.
 */
function mended(page: temporal.api.workflowservice.v1.GetWorkflowExecutionHistoryResponse) {
  const starts = new Map<string, Long>();
  const completions = new Map<string, Long>();
  for (const event of page.history?.events ?? []) {
    const { workflowTaskStartedEventAttributes: started, workflowTaskCompletedEventAttributes: completed } = event;
    if (started) starts.set(String(started.scheduledEventId), event.eventId!);
    if (!completed) continue;
    completed.startedEventId = starts.get(String(completed.scheduledEventId))!;
    completions.set(String(completed.startedEventId), event.eventId!);
  }
  for (const event of page.history?.events ?? [])
    for (const attributes of Object.values(event) as ({ workflowTaskCompletedEventId?: Long } | null)[])
      if (attributes?.workflowTaskCompletedEventId)
        attributes.workflowTaskCompletedEventId = completions.get(String(attributes.workflowTaskCompletedEventId))!;
  return page;
}

async function waitFor(ms: number): Promise<void> {
  if (ms > LONGEST_WAIT_MS) throw new Error(`This would wait ${ms} ms: take the time of \`either\`, which is short here.`);
  await sleep(ms);
}
