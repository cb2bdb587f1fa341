import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { SupervisedProcess } from '../../../src/devserver/server-process';
import type { LiveEvent } from '../../../src/shapes/turn-event';
import { PostgresLive } from '../../../src/live/postgres';
import { freePort } from '../../support/free-port';
import { eventually } from '../../engine/support/engine';
import { findPostgres } from '../support/native-binaries';
import { SQL_USER, startPostgres } from '../support/native-postgres';

jest.setTimeout(120_000);

const bin = findPostgres();
const required = process.env.HOLDFAST_REQUIRE_POSTGRES === '1';
const run = bin === null && !required ? describe.skip : describe;
const PASSWORD = 'live-test-only';

/** Publishes from another process, with what is built. */
const PUBLISHER = `
const { PostgresLive } = require(process.argv[1]);
const live = new PostgresLive({ url: process.argv[2], namespace: 'default', log: { warn() {} } });
let offset = 0;
process.on('message', ({ turnId, text, n }) => {
  for (let i = 0; i < n; i++) {
    live.publish(turnId, { at: new Date().toISOString(), type: 'text_delta', step: 1, attempt: 1, offset, text });
    offset += text.length;
  }
});
process.on('disconnect', () => process.exit());
process.send('ready');
`;

run('live events between processes that share a PostgreSQL (needs PostgreSQL)', () => {
  let folder: string;
  let server: SupervisedProcess;
  let url: string;
  let port: number;
  let passwordFile: string;
  let publisher: ChildProcess;
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const open: PostgresLive[] = [];
  const bus = (namespace = 'default') => {
    const live = new PostgresLive({ url, namespace, log });
    open.push(live);
    return live;
  };

  beforeAll(async () => {
    if (bin === null) throw new Error('HOLDFAST_REQUIRE_POSTGRES=1, and there is no PostgreSQL here.');
    folder = await mkdtemp(join(tmpdir(), 'holdfast-live-'));
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'sql'));
    passwordFile = join(folder, 'password');
    await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
    port = await freePort();
    server = await startPostgres({ bin, folder: join(folder, 'sql'), port, passwordFile });
    url = `postgres://${SQL_USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
    const script = join(__dirname, '../../../dist/live/postgres.js');
    publisher = spawn(process.execPath, ['-e', PUBLISHER, script, url], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await new Promise((resolve) => publisher.once('message', resolve));
  });

  afterAll(async () => {
    publisher?.kill();
    for (const live of open) await live.close();
    await server?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('arrive at each listener of their turn, gathered, in order and whole, with text of any length', async () => {
    const heard: LiveEvent[] = [];
    const elsewhere: LiveEvent[] = [];
    const live = bus();
    const ends = [
      live.subscribe('turn-1', (event) => heard.push(event)),
      live.subscribe('turn-2', (event) => elsewhere.push(event)),
      bus('other').subscribe('turn-1', (event) => elsewhere.push(event)),
    ];
    // Until the first LISTEN is through there is nobody to notify.
    await eventually('the first piece', async () => {
      publisher.send({ turnId: 'turn-1', text: 'a', n: 1 });
      return heard.length > 0;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const from = heard.length;
    const piece = `"${'é\u0000😀'.repeat(1000)}`;
    publisher.send({ turnId: 'turn-1', text: piece, n: 20 });
    const wanted = piece.repeat(20);
    const text = () => heard.slice(from).map((event) => (event.type === 'text_delta' ? event.text : '')).join(''); // oxfmt-ignore
    await eventually('all of the text', async () => text().length >= wanted.length);
    expect(text()).toBe(wanted);
    expect(heard.length - from).toBeGreaterThan(5); // in pieces that NOTIFY can carry
    expect(elsewhere).toEqual([]);
    ends.forEach((end) => end());
  });

  it('take no harm from messages that others send there', async () => {
    const heard: LiveEvent[] = [];
    const live = bus();
    live.subscribe('turn-3', (event) => heard.push(event));
    await eventually('the first piece', async () => {
      publisher.send({ turnId: 'turn-3', text: 'a', n: 1 });
      return heard.length > 0;
    });
    const stranger = new Client({ connectionString: url });
    await stranger.connect();
    const { rows } = await stranger.query<{ query: string }>("SELECT query FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    const channels = rows.map(({ query }) => query.replace('LISTEN ', ''));
    expect(channels.length).toBeGreaterThan(0);
    const before = heard.length;
    for (const channel of channels)
      for (const junk of ['', 'junk', '{"n":"1","events":[{"type":"turn_completed"}]}'])
        await stranger.query('SELECT pg_notify($1, $2)', [channel, junk]);
    await stranger.end();
    publisher.send({ turnId: 'turn-3', text: 'after the junk', n: 1 });
    await eventually('what is ours', async () =>
      heard.slice(before).some((event) => 'text' in event && event.text.includes('after the junk')),
    );
    expect(heard.every(({ type }) => type === 'text_delta')).toBe(true);
  });

  it('come again after the server was gone; meanwhile nobody waits, and the log says so once and without the password', async () => {
    const heard: LiveEvent[] = [];
    const live = bus();
    live.subscribe('turn-4', (event) => heard.push(event));
    await eventually('the first piece', async () => {
      publisher.send({ turnId: 'turn-4', text: 'a', n: 1 });
      return heard.length > 0;
    });
    warnings.length = 0;
    const admin = new Client({ connectionString: url });
    await admin.connect();
    // All connections but its own, as a restart would.
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL',
    );
    await admin.end();
    const before = heard.length;
    await eventually('a piece over the new connections', async () => {
      publisher.send({ turnId: 'turn-4', text: 'b', n: 1 });
      live.publish('turn-4', { at: '', type: 'tool_progress', call: '1.1', message: 'nobody waits', fraction: null });
      return heard.slice(before).some(({ type }) => type === 'text_delta');
    });
    expect(warnings.length).toBeGreaterThan(0);
    expect(JSON.stringify(warnings)).not.toContain(PASSWORD);
  });
});
