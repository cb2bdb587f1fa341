/**
 * Back to a point in time, by PostgreSQL's own means: a base backup, and the log that was streamed since. Temporal and the store are in
 * one PostgreSQL, so both go back to the same moment. What happened after it is told by bundles and by the worker's log alone.
 */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import PostalMime from 'postal-mime';
import { startMailCatcher, type MailCatcher } from '../../../src/devserver/mail-catcher';
import { startSupervisedProcess } from '../../../src/devserver/server-process';
import type { PendingTurn } from '../../../src/shapes/turn-view';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { eventually } from '../../engine/support/engine';
import { findPostgres, whyNoNativeCluster } from '../support/native-binaries';
import { startNativeCluster, type NativeCluster } from '../support/native-cluster';
import { asPostgres, SQL_USER } from '../support/native-postgres';
import { holdfast, type Holdfast } from '../support/process';

const run = promisify(execFile);
const SET_UP_WITHIN_MS = 1_200_000; // where the server has to be built, on a busy machine

const missing = whyNoNativeCluster();
const required = process.env.HOLDFAST_REQUIRE_POSTGRES === '1';
if (missing && !required)
  console.warn(`The test of a restore is skipped: ${missing}. HOLDFAST_REQUIRE_POSTGRES=1 makes this a failure.`);

interface Comparison {
  running: { turn_id: string; state: string; last_event_at: string }[];
  calls: { turn_id: string; tool: string; state: string; digest: string; from: string }[];
  bundles: { turn_id: string }[];
}

(missing && !required ? describe.skip : describe)('A restore to a point in time (needs PostgreSQL and Go)', () => {
  let cluster: NativeCluster;
  let home: string;
  let catcher: MailCatcher;
  let worker: Holdfast | undefined;
  let settings: NodeJS.ProcessEnv;

  beforeAll(async () => {
    cluster = await startNativeCluster();
    home = await mkdtemp(join(tmpdir(), 'holdfast-restore-'));
    catcher = await startMailCatcher({ dir: join(home, 'outbox') });
    settings = {
      TEMPORAL_ADDRESS: cluster.address,
      TEMPORAL_NAMESPACE: cluster.namespace,
      HOLDFAST_STORE: cluster.store,
      HOLDFAST_LOG_LEVEL: 'info',
      HOLDFAST_SMTP_HOST: '127.0.0.1',
      HOLDFAST_SMTP_PORT: String(catcher.port),
      HOLDFAST_SMTP_FROM: 'memos@bank.example',
    };
  }, SET_UP_WITHIN_MS);

  afterAll(async () => {
    await worker?.stop();
    await catcher?.close();
    await cluster?.stop();
    if (home) await rm(home, { recursive: true, force: true });
  });

  async function command(...args: string[]): Promise<{ code: number | string; answer: unknown; output: string }> {
    const process = holdfast(home, [...args, '--json'], settings);
    const code = await process.ended;
    const last = process.stdout().trim().split('\n').at(-1)!;
    return { code, answer: last === '' ? null : JSON.parse(last), output: process.output() };
  }

  async function cli<T>(...args: string[]): Promise<T> {
    const { code, answer, output } = await command(...args);
    if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}:\n${output}`);
    return answer as T;
  }

  async function startWorker(): Promise<void> {
    worker = holdfast(home, ['worker'], settings);
    await worker.printed(/^worker \d+: /m, 60_000);
  }

  const start = async (to: string) => {
    const message = `Prepare a credit memo on AAPL and send it to ${to}.`;
    return (await cli<{ turn_id: string }>('run', '--agent', 'credit-analyst', message)).turn_id;
  };
  const waiting = (turn: string) =>
    eventually(`a call of ${turn} waits`, async () => {
      const found = (await cli<PendingTurn[]>('pending')).find(({ turn_id }) => turn_id === turn);
      return found?.calls[0]?.digest;
    });
  const decide = (decision: string, turn: string, call: string) => cli(decision, turn, '--call', call, '--by', 'ana');
  const ended = (turn: string) =>
    eventually(`${turn} ends`, async () => {
      const view = await cli<TurnView>('show', turn);
      return view.ended_at !== null && view;
    });
  const mailsTo = async (address: string) => {
    const outbox = join(home, 'outbox');
    const names = (await readdir(outbox)).filter((name) => name.endsWith('.eml'));
    const mails = await Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(outbox, name)))));
    return mails.filter(({ to }) => to?.some((one) => one.address === address)).length;
  };
  const now = async () => {
    const client = new Client({ connectionString: cluster.store });
    await client.connect();
    const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    await client.end();
    return rows[0]!.now.toISOString();
  };

  /** Streams PostgreSQL's log into a folder until the server ends, and copies the server as it is. */
  async function backUp() {
    const bin = findPostgres()!;
    const [wal, base] = ['wal', 'base'].map((name) => join(dirname(cluster.database.folder), name)) as [string, string];
    for (const folder of [wal, base]) await mkdir(folder, { mode: 0o700 });
    const at = ['--host', '127.0.0.1', '--port', String(cluster.database.port), '--username', SQL_USER];
    const password = `PGPASSWORD=${cluster.password}`;
    const receive = await asPostgres([`${bin}/pg_receivewal`, '--no-loop', '--directory', wal, ...at], [wal]);
    const receiver = startSupervisedProcess('env', [password, ...receive], () => undefined);
    await eventually('the log is streamed', async () => (await readdir(wal)).length > 0);
    const copy = [
      `${bin}/pg_basebackup`,
      '--pgdata',
      base,
      '--wal-method',
      'none',
      '--checkpoint',
      'fast',
      '--no-manifest',
      ...at,
    ];
    await run('env', [password, ...(await asPostgres(copy, [base]))], { cwd: '/' });
    return { wal, base, streamed: receiver.exited };
  }

  async function restore({ wal, base, streamed }: Awaited<ReturnType<typeof backUp>>, time: string): Promise<void> {
    await streamed;
    const data = join(cluster.database.folder, 'data');
    await rm(data, { recursive: true });
    await rename(base, data);
    const lines = [
      `restore_command = 'cp ${wal}/%f "%p" || cp ${wal}/%f.partial "%p"'`,
      `recovery_target_time = '${time.replace('T', ' ').replace('Z', '+00')}'`,
      `recovery_target_action = 'promote'`,
      'hot_standby = off',
    ];
    await appendFile(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
    await writeFile(join(data, 'recovery.signal'), '');
    await asPostgres([], [join(data, 'recovery.signal')]);
  }

  it('keeps what waited then, which is approved afterwards and happens once, and says what it cannot know', async () => {
    await startWorker();
    const backup = await backUp();
    const early = await start('early@bank.example');
    await decide('approve', early, await waiting(early));
    await ended(early);
    const [waits, paid] = [await start('waits@bank.example'), await start('paid@bank.example')];
    const [waitsFor, paidBy] = [await waiting(waits), await waiting(paid)];
    const point = await now();
    await sleep(1000);
    // Lost with the restore: a decision and its effect, and a whole turn.
    await decide('approve', paid, paidBy);
    const later = await start('later@bank.example');
    const laterBy = await waiting(later);
    await decide('approve', later, laterBy);
    for (const turn of [paid, later]) expect(await ended(turn)).toMatchObject({ state: 'completed' });
    await eventually('bundles are kept', async () => {
      const days = await readdir(join(home, 'bundles'), { recursive: true });
      return [early, paid, later].every((turn) => days.some((name) => name.includes(turn)));
    });
    process.kill(worker!.pid, 'SIGKILL');
    await worker!.ended;
    const log = join(home, 'worker.log');
    await writeFile(log, worker!.output());
    await cluster.halt();
    await restore(backup, point);
    await cluster.resume();

    const { code, answer } = await command('store', 'compare', '--log', log);
    const { running, calls, bundles } = answer as Comparison;
    expect(code).toBe(1);
    expect(running.map(({ turn_id, state }) => [turn_id, state]).sort()).toEqual(
      [waits, paid].map((turn) => [turn, 'awaiting_approval']).sort(),
    );
    for (const { last_event_at: at } of running) expect(at <= point).toBe(true);
    const applied = (turn: string, digest: string) => ({
      turn_id: turn,
      tool: 'send_credit_memo',
      digest: digest.slice(0, 12),
      state: 'applied',
    });
    expect(calls).toEqual([paid, later].map((turn, n) => expect.objectContaining(applied(turn, [paidBy, laterBy][n]!))));
    expect(bundles.map(({ turn_id }) => turn_id).sort()).toEqual([paid, later].sort());

    // Nothing destructive runs before somebody has looked.
    await cli('freeze', '--reason', 'restored');
    await startWorker();
    await decide('deny', paid, paidBy);
    await decide('approve', waits, waitsFor);
    await ended(paid);
    await cli('unfreeze');
    expect(await ended(waits)).toMatchObject({ state: 'completed' });
    expect(await Promise.all(['early', 'waits', 'paid', 'later'].map((name) => mailsTo(`${name}@bank.example`)))).toEqual([
      1, 1, 1, 1,
    ]);
  }, 600_000);
});
