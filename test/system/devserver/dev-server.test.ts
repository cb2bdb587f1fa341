import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import { startDevServer, type DevServer, type DevServerOptions } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { goneWithin, isAlive } from './support';

describe('the embedded server', () => {
  let cli: string;
  let folder: string;
  const servers: DevServer[] = [];
  beforeAll(async () => {
    cli = (await findTemporalCli()).path;
    folder = mkdtempSync(join(tmpdir(), 'holdfast-dev-'));
  });
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function start(options: Partial<DevServerOptions> = {}): Promise<DevServer> {
    const server = await startDevServer({ cli, port: 0, headless: true, ...options });
    servers.push(server);
    return server;
  }

  it('can run a turn as soon as it is up: it has our search attributes, the namespace and the Web UI', async () => {
    const server = await start({ namespace: 'mine', headless: false, uiPort: 0 });
    const connection = await Connection.connect({ address: server.address });
    try {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'mine' });
      expect(Object.keys(customAttributes)).toEqual(
        expect.arrayContaining(['HoldfastAgent', 'HoldfastState', 'HoldfastSession', 'HoldfastRequester', 'HoldfastTool']),
      );
      const client = new Client({ connection, namespace: 'mine' });
      await client.workflow.start('anything', { taskQueue: 'nobody', workflowId: 'w', args: [] });
      expect((await fetch(server.uiUrl!)).status).toBe(200);
    } finally {
      await connection.close();
    }
  });

  it('ends completely: stop() leaves no process', async () => {
    const server = await start();
    expect(isAlive(server.pid)).toBe(true);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    expect((await server.exited).how).toBeDefined();
    await server.stop();
  });

  it('takes a free port when the usual one is taken, and says so', async () => {
    // Somebody else may hold it already, which is just as good.
    const usual = createServer();
    await new Promise<void>((resolve) => usual.once('error', () => resolve()).listen(7233, '127.0.0.1', () => resolve()));
    try {
      const server = await start({ port: undefined });
      expect(server.address).not.toBe('127.0.0.1:7233');
      expect(server.notes).toEqual([`Port 7233 is taken: Temporal listens on ${server.address.split(':')[1]} instead.`]);
    } finally {
      usual.close();
    }
  });

  it.each([
    ['before the server looks', 'msg="can\'t set frontend port 7: listen tcp 127.0.0.1:7: bind: address already in use"'],
    ['after it has looked', 'go.temporal.io/server/service/frontend.NewHTTPAPIServer(0xd06f54a8008, {0xaa31, 0x0, 0x0})'],
  ])('takes another port where another process was quicker: %s', async (when, line) => {
    const script = join(folder, `cli ${when}`);
    const first = join(folder, `first ${when}`);
    const lines = ['#!/bin/sh', `if mkdir '${first}' 2> /dev/null; then`, `cat >&2 << 'END'\n${line}\nEND`, 'exit 2', 'fi'];
    writeFileSync(script, [...lines, `exec '${cli}' "$@"`, ''].join('\n'), { mode: 0o700 });
    const server = await start({ cli: script });
    expect(existsSync(first)).toBe(true);
    expect(isAlive(server.pid)).toBe(true);
  });

  it('refuses a port that was asked for and is taken', async () => {
    const { address } = await start();
    const port = Number(address.split(':')[1]);
    await expect(start({ port })).rejects.toThrow(`Port ${port} for Temporal is taken.`);
  });

  it('keeps workflows in a file over a restart, with the search attributes', async () => {
    const dbFilename = join(folder, 'new', 'dev.db');
    const first = await start({ dbFilename });
    await withClient(first, (client) => client.workflow.start('anything', { taskQueue: 'nobody', workflowId: 'kept', args: [] }));
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    expect(existsSync(dbFilename)).toBe(true);
    const second = await start({ dbFilename });
    const found = await withClient(second, (client) => client.workflow.getHandle('kept').describe());
    expect(found.status.name).toBe('RUNNING');
  });

  it('reports the server’s output when it does not come up', async () => {
    await expect(start({ dbFilename: '/dev/null/no' })).rejects.toThrow();
    await expect(startDevServer({ cli: process.execPath, port: 0, headless: true })).rejects.toThrow(
      /did not come up: the server ended\. It wrote:\n.*server/s,
    );
  });

  it.each([
    ['kill -9', 'SIGKILL', 'wait'],
    ['SIGTERM', 'SIGTERM', 'wait'],
    ['Ctrl-C', 'SIGINT', 'wait'],
    ['process.exit', null, 'exit'],
    ['an uncaught error', null, 'throw'],
  ] as const)('is gone within 2 s when its owner ends by %s', async (_how, signal, ending) => {
    const owner = spawn(process.execPath, ['--require', 'tsx/cjs', join(__dirname, 'fixtures/owner.ts'), cli, ending], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const { pid } = JSON.parse(line) as { pid: number };
    const ended = once(owner, 'exit');
    if (signal) owner.kill(signal);
    await ended;
    expect(await goneWithin(pid, 20_000)).toBe(true);
  });

  it('does not outlive its supervisor either', async () => {
    const server = await start();
    const supervisor = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]);
    expect(execFileSync('ps', ['-o', 'args=', '-p', String(supervisor)], { encoding: 'utf8' })).toContain('supervisor');
    process.kill(supervisor, 'SIGKILL');
    expect(await goneWithin(server.pid, 20_000)).toBe(true);
  });
});

async function withClient<T>(server: DevServer, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: server.address });
  try {
    return await work(new Client({ connection, namespace: server.namespace }));
  } finally {
    await connection.close();
  }
}
