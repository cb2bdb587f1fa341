/** Temporal's time-skipping test server, as a process of its own: timers of hours and days fire while `skip` runs. */
import { readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { freePort } from '../../devserver/ports';
import { startSupervisedProcess, type SupervisedProcess } from '../../devserver/server-process';
import { SEARCH_ATTRIBUTES } from '../../shared/search-attributes';
import { isListening } from '../../temporal/address';

/** Quick to start rather than quick later, and little memory. */
const JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m'];
const MAIN_CLASS = 'io.temporal.testserver.TestServer';
const STARTS_WITHIN_MS = 120_000;
const PASSES_WITHIN_MS = 60_000;

const { INDEXED_VALUE_TYPE_KEYWORD: KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST: KEYWORD_LIST } =
  temporal.api.enums.v1.IndexedValueType;

export class TimeServer {
  private constructor(
    /** `127.0.0.1:PORT`; the server itself listens on all interfaces, and has no option for it. */
    readonly address: string,
    readonly process: SupervisedProcess,
    private readonly connection: Connection,
  ) {}

  /**
   * @param program the server's executable, a folder with its jars, or a list of jars; jars need Java
   * @throws Error with the last lines of the server, if it does not start
   */
  static async start(program: string | readonly string[]): Promise<TimeServer> {
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const [command, ...args] = commandOf(program, port);
    const server = startSupervisedProcess(command!, args, () => {});
    for (const began = Date.now(); !(await isListening(address)); await sleep(20)) {
      if (!server.hasExited() && Date.now() - began < STARTS_WITHIN_MS) continue;
      await server.stop();
      throw new Error(`The time-skipping server did not start. It wrote:\n${server.lastLines().join('\n')}`);
    }
    // Only this server answers the test service.
    const options = { address, [InternalConnectionOptionsSymbol]: { supportsTestService: true } };
    return new TimeServer(address, server, await Connection.connect(options));
  }

  /** The server keeps search attributes, but does not list them, which a worker asks for when it starts. */
  async listSearchAttributesTo(worker: NativeConnection): Promise<void> {
    const searchAttributes = Object.fromEntries(
      Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [name, type === 'KEYWORD' ? KEYWORD : KEYWORD_LIST]),
    );
    const added = this.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
    await added.catch((error: { code?: number }) => {
      if (error.code !== ALREADY_EXISTS) throw error;
    });
    worker.operatorService.listSearchAttributes = (async () => ({ customAttributes: searchAttributes })) as never;
  }

  /**
   * Lets this time pass. On the way, timers fire in their order, and the time stands still while there is anything to do for a worker.
   * @throws Error if something waits for a worker for a minute
   */
  async skip(ms: number): Promise<void> {
    const duration = msToTs(ms);
    try {
      await this.connection.withDeadline(Date.now() + PASSES_WITHIN_MS, () =>
        this.connection.testService!.unlockTimeSkippingWithSleep({ duration }),
      );
    } catch (error) {
      throw new Error(`${ms} ms did not pass within ${PASSES_WITHIN_MS}: something waits for a worker.`, { cause: error });
    }
  }

  /** ms since 1970 */
  async now(): Promise<number> {
    const { time } = await this.connection.testService!.getCurrentTime({});
    return tsToMs(time);
  }

  /** Time does not pass while a workflow waits for a worker that is gone. So what a test leaves behind is terminated. */
  async terminateAll(): Promise<void> {
    const { workflowService } = this.connection;
    const { executions } = await workflowService.listOpenWorkflowExecutions({ namespace: 'default' });
    for (const { execution } of executions)
      await workflowService
        .terminateWorkflowExecution({ namespace: 'default', workflowExecution: execution! })
        .catch((error: unknown) => {
          if ((error as { code?: unknown }).code !== NOT_FOUND) throw error; // it has ended meanwhile
        });
  }

  /** This process may end although the server runs: then the server ends too. */
  unref(): void {
    this.process.unref();
  }

  async stop(): Promise<void> {
    await this.connection.close();
    await this.process.stop();
  }
}

const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

function commandOf(program: string | readonly string[], port: number): string[] {
  if (typeof program === 'string' && !statSync(program).isDirectory()) return [program, String(port)];
  const jars = typeof program === 'string' ? jarsIn(program) : program;
  return ['java', ...JVM, '-cp', jars.join(delimiter), MAIN_CLASS, String(port)];
}

function jarsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  if (names.length === 0) throw new Error(`There are no jars in ${folder}.`);
  return names.map((name) => join(folder, name));
}
