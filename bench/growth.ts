/** Measures what a turn, a step and a call add to the store, in files and in PostgreSQL, and to Temporal's history. */
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import pg from 'pg';
import type { HoldfastClient } from '../src/client';
import type { TurnHandle } from '../src/client/turns/turn-handle';
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import { choosePort } from '../src/devserver/ports';
import { findPostgres } from '../test/system/support/native-binaries';
import { SQL_USER, startPostgres } from '../test/system/support/native-postgres';
import { AGENT, BenchModel, benchApp } from './support/our-app';
import { ourWorker } from './support/our-worker';
import type { Script } from './support/workload';

/** Bytes that one thing adds. */
export interface Size {
  history: number;
  /** Content of the files of a store of files, and what they take on the disk. */
  files: number;
  filesOnDisk: number;
  fileCount: number;
  /** Tables and indexes of a store in PostgreSQL; null: there is none here. */
  postgres: number | null;
}

export interface GrowthOfStore {
  oneStep: Size;
  step: Size;
  readCall: Size;
  approvedCall: Size;
  fiveCalls: Size;
  /** Events that a turn which waits for a person gets in ten seconds. */
  eventsWhileWaiting: number;
}

/** An answer has 400 bytes, a result 1,000. */
const script = (calls: number[], tool: Script['tool'] = 'look_up'): Script => ({
  calls,
  tool,
  answerTokens: 100,
  resultTokens: 250,
});
const SCRIPTS = {
  oneStep: script([0]),
  oneCall: script([1, 0]),
  fiveCalls: script([5, 0]),
  sixSteps: script([1, 1, 1, 1, 1, 0]),
  approved: script([1, 0], 'pay'),
};
const TURNS = 50;
const AT_ONCE = 10;
const WAITS_MS = 10_000;
const PASSWORD = 'bench';
const { HistoryEvent } = temporal.api.history.v1;

/** The bytes of a store now. */
interface Place {
  url: string;
  measure(): Promise<Omit<Size, 'history' | 'postgres'> & { postgres: number | null }>;
}

export async function growth(say: (line: string) => void): Promise<GrowthOfStore> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const { path } = await findTemporalCli({ onProgress: say });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-growth-'));
  const dev = await startDevServer({ cli: path, port: 0, headless: true });
  const connection = await NativeConnection.connect({ address: dev.address });
  try {
    const inFiles = await sizes(connection, filesIn(join(folder, 'store')), say);
    const inPostgres = await withPostgres(folder, (place) => sizes(connection, place, say));
    if (inPostgres === null) say('  there is no PostgreSQL (apt-get install postgresql): only files are measured');
    const of = (name: keyof typeof SCRIPTS): Size => ({
      ...inFiles.sizes[name],
      postgres: inPostgres?.sizes[name].postgres ?? null,
    });
    return {
      oneStep: of('oneStep'),
      step: difference(of('sixSteps'), of('fiveCalls'), 4),
      readCall: difference(of('fiveCalls'), of('oneCall'), 4),
      approvedCall: difference(of('approved'), of('oneStep'), 1),
      fiveCalls: of('fiveCalls'),
      eventsWhileWaiting: inFiles.eventsWhileWaiting,
    };
  } finally {
    await connection.close();
    await dev.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** By the numbers of steps or calls by which two turns differ. */
function difference(more: Size, less: Size, by: number): Size {
  const entries = Object.entries(more).map(([name, value]) => {
    const other = less[name as keyof Size];
    return [name, value === null || other === null ? null : (value - other) / by];
  });
  return Object.fromEntries(entries) as Size;
}

async function sizes(connection: NativeConnection, place: Place, say: (line: string) => void) {
  const measured = {} as Record<keyof typeof SCRIPTS, Size>;
  let eventsWhileWaiting = 0;
  for (const name of Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[]) {
    const played = SCRIPTS[name];
    const model = new BenchModel(played);
    const { worker, client } = await ourWorker(connection, { app: benchApp(played), model, store: place.url });
    await worker.runUntil(async () => {
      await turns(client, played, AT_ONCE); // what only the first turns make
      const before = await place.measure();
      const history = await turns(client, played, TURNS);
      const after = await place.measure();
      const a = (key: keyof typeof after) => (after[key] === null ? null : (after[key] - before[key]!) / TURNS);
      measured[name] = {
        history,
        files: a('files')!,
        filesOnDisk: a('filesOnDisk')!,
        fileCount: a('fileCount')!,
        postgres: a('postgres'),
      };
      if (played.tool === 'pay') eventsWhileWaiting = await eventsOfAWait(client);
    });
    say(`  ${name}: ${TURNS} turns`);
  }
  return { sizes: measured, eventsWhileWaiting };
}

/** @returns the bytes of the histories, on average */
async function turns(client: HoldfastClient, { tool }: Script, count: number): Promise<number> {
  let bytes = 0;
  for (let done = 0; done < count; done += AT_ONCE) {
    const one = async () => {
      const turn = await client.start({ agent: AGENT, message: 'Look it up, please.' });
      if (tool === 'pay') await approve(turn);
      await turn.result();
      const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      for (const event of events ?? []) bytes += HistoryEvent.encode(event).finish().length;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }
  return bytes / count;
}

async function approve(turn: TurnHandle): Promise<void> {
  const [call] = await turn.waitForPending();
  await turn.approve(call!.digest, { by: 'bench' });
}

async function eventsOfAWait(client: HoldfastClient): Promise<number> {
  const turn = await client.start({ agent: AGENT, message: 'Pay it, please.' });
  await turn.waitForPending();
  const events = async () => (await client.temporal.workflow.getHandle(turn.workflowId).describe()).historyLength;
  const before = await events();
  await sleep(WAITS_MS);
  const after = await events();
  await approve(turn);
  await turn.result();
  return after - before;
}

function filesIn(folder: string): Place {
  const measure = async () => {
    const sum = { files: 0, filesOnDisk: 0, fileCount: 0, postgres: null };
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const info = await lstat(join(entry.parentPath, entry.name)).catch(() => null); // a temporary one may be gone
      sum.files += info?.size ?? 0;
      sum.filesOnDisk += (info?.blocks ?? 0) * 512;
      sum.fileCount += 1;
    }
    return sum;
  };
  return { url: `file:${folder}`, measure };
}

/** @returns null if there is no PostgreSQL */
async function withPostgres<T>(folder: string, work: (place: Place) => Promise<T>): Promise<T | null> {
  const bin = findPostgres();
  if (bin === null) return null;
  await chmod(folder, 0o755); // PostgreSQL's user must be able to enter it
  await mkdir(join(folder, 'postgres'));
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
  const { port } = await choosePort('PostgreSQL', 0, 0);
  const server = await startPostgres({ bin, folder: join(folder, 'postgres'), port, passwordFile });
  const url = `postgres://${SQL_USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const measure = async () => {
      const { rows } = await client.query<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
      return { files: 0, filesOnDisk: 0, fileCount: 0, postgres: Number(rows[0]!.bytes) };
    };
    return await work({ url, measure });
  } finally {
    await client.end();
    await server.stop();
  }
}
