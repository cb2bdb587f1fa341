/**
 * Time that tests skip, on Temporal's time-skipping test server (decision 0065): one a test file, which starts with the first test
 * that needs it. Its time goes on as usual, but for `skip`. Where that server is not available, `skip` waits on the shared dev
 * server, for the short times that each test names beside the long ones.
 */
import { delimiter } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { msToNumber, msToTs, tsToMs, type Duration } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { Worker } from '@temporalio/worker';
import { verifiedJars } from '../../../scripts/time-server/jars.cjs';
import { freePort } from '../../../src/devserver/ports';
import { startSupervisedProcess, type SupervisedProcess } from '../../../src/devserver/server-process';
import { SEARCH_ATTRIBUTES } from '../../../src/shared/search-attributes';
import { isListening } from '../../../src/temporal/address';
import { DateAhead } from '../../support/clock-ahead';
import { onTestFileEnd } from '../../support/test-file';
import { connectionsTo } from './connections';

/** Quick to start rather than quick later, and little memory. */
const JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m'];
const MAIN_CLASS = 'io.temporal.testserver.TestServer';
const STARTS_WITHIN_MS = 120_000;
const PASSES_WITHIN_MS = 60_000;
const LONGEST_WAIT_MS = 30_000;
const namespace = 'default';

/** The folder of its jars, as `global-setup.ts` found it; empty: there is none. */
export const JARS = 'HOLDFAST_TEST_TIME_SERVER_JARS';

interface Started {
  address: string;
  client: Connection;
  process: SupervisedProcess;
}

export class TestTime {
  /** False: `skip` waits. */
  readonly skips = Boolean(process.env[JARS]);
  private starting: Promise<Started> | undefined;
  private date: DateAhead | undefined;
  private skipping = false;

  /** A time of a test, ms. @param skipped where time can be skipped @param waitedMs where `skip` waits */
  either(skipped: Duration, waitedMs: number): number {
    return this.skips ? msToNumber(skipped) : waitedMs;
  }

  /**
   * Lets this time pass for the server and this process. On the way, timers fire in their order, and the time stands still while
   * there is anything to do for a worker.
   */
  async skip(time: Duration): Promise<void> {
    const ms = msToNumber(time);
    if (!this.skips) return waitFor(ms);
    const { client } = await this.started();
    this.skipping = true;
    try {
      const duration = msToTs(ms);
      await client.withDeadline(Date.now() + PASSES_WITHIN_MS, () =>
        client.testService!.unlockTimeSkippingWithSleep({ duration }),
      );
    } catch (error) {
      throw new Error(`${ms} ms did not pass within ${PASSES_WITHIN_MS}: something waits for a worker.`, { cause: error });
    } finally {
      this.skipping = false;
      await this.follow();
    }
  }

  /** From now on, until `end`, this process has the time of the server. @returns its address; null: it is the shared dev server */
  async begin(): Promise<string | null> {
    if (!this.skips) return null;
    const { address } = await this.started();
    this.date = new DateAhead();
    await this.follow();
    return address;
  }

  /** Has each activity of the worker begin at the time of the server, in the middle of a skip too. */
  keep(worker: Worker): void {
    if (!this.skips) return;
    const { activities } = (worker as unknown as { options: { activities: Map<string, (input: unknown) => unknown> } }).options;
    for (const [name, activity] of activities)
      activities.set(name, async (input) => {
        if (this.skipping) await this.follow();
        return activity(input);
      });
  }

  /** A workflow that a test leaves behind has no worker, and time does not pass while a workflow waits for one. So it is terminated. */
  async end(): Promise<void> {
    if (!this.skips) return;
    this.date?.restore();
    const { client } = await this.started();
    const { executions } = await client.workflowService.listOpenWorkflowExecutions({ namespace });
    for (const { execution } of executions)
      await client.workflowService.terminateWorkflowExecution({ namespace, workflowExecution: execution! });
  }

  private async follow(): Promise<void> {
    const { client } = await this.started();
    const { time } = await client.testService!.getCurrentTime({});
    this.date?.setTo(tsToMs(time));
  }

  private started(): Promise<Started> {
    if (this.starting) return this.starting;
    this.starting = start();
    onTestFileEnd(async () => (await this.starting?.catch(() => undefined))?.process.stop());
    return this.starting;
  }
}

async function start(): Promise<Started> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const classPath = verifiedJars(process.env[JARS]!).join(delimiter);
  const server = startSupervisedProcess('java', [...JVM, '-cp', classPath, MAIN_CLASS, String(port)], () => {});
  for (const began = Date.now(); !(await isListening(address)); await sleep(20)) {
    if (!server.hasExited() && Date.now() - began < STARTS_WITHIN_MS) continue;
    await server.stop();
    throw new Error(`The time-skipping server did not start. It wrote:\n${server.lastLines().join('\n')}`);
  }
  return { address, client: await prepared(address), process: server };
}

const { INDEXED_VALUE_TYPE_KEYWORD: KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST: KEYWORD_LIST } =
  temporal.api.enums.v1.IndexedValueType;

/** It keeps search attributes, but does not list them, which a worker asks for when it starts. */
async function prepared(address: string): Promise<Connection> {
  const { client, worker } = await connectionsTo(address);
  const history = client.workflowService.getWorkflowExecutionHistory.bind(client.workflowService);
  client.workflowService.getWorkflowExecutionHistory = (async (request: never) => mended(await history(request))) as never;
  const searchAttributes = Object.fromEntries(
    Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [name, type === 'KEYWORD' ? KEYWORD : KEYWORD_LIST]),
  );
  await client.operatorService.addSearchAttributes({ namespace, searchAttributes });
  worker.operatorService.listSearchAttributes = (async () => ({ customAttributes: searchAttributes })) as never;
  return client;
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
