/** The Temporal server of agents' tests: one a process. It starts with the first test, and ends with the process. */
import { startDevServer } from '../../devserver/dev-server';
import { findTemporalCli } from '../../devserver/find-cli';
import { TimeServer } from './time-server';

/** Names the program of the time-skipping server: its executable, or a folder with its jars. */
export const TIME_SERVER = 'HOLDFAST_TIME_SERVER';

export interface TestServer {
  address: string;
  /** null: its time cannot be skipped. */
  time: TimeServer | null;
}

let starting: Promise<TestServer> | undefined;

/** @throws Error if it does not start; CliNotFound without a Temporal CLI */
export function testServer(): Promise<TestServer> {
  return (starting ??= start().catch((error: unknown) => {
    starting = undefined;
    throw error;
  }));
}

async function start(): Promise<TestServer> {
  const program = process.env[TIME_SERVER];
  if (program) {
    const time = await TimeServer.start(program);
    time.unref();
    return { address: time.address, time };
  }
  const { path } = await findTemporalCli();
  const server = await startDevServer({ cli: path, port: 0, headless: true });
  server.unref();
  return { address: server.address, time: null };
}
