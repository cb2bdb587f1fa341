import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, testAddress } from '../../engine/support/engine';
import { run } from '../../support/command-line';
import { freePort } from '../../support/free-port';
import { environment, start } from './support/cli';
import { startDev, type Dev } from './support/dev';
import { alive, family, stillThere } from './support/processes';

/** The worker, and server and chain with a supervisor each: six of them. */
async function wholeFamily(dev: Dev) {
  return eventually('six processes', async () => {
    const all = family(dev.child.pid!);
    return all.length >= 6 && all;
  });
}

/** Ends it by a signal, after which none of its processes is left. @returns how it ended */
async function endedBy(signal: NodeJS.Signals, dev: Dev) {
  const all = await wholeFamily(dev);
  const commands = all.map(({ command }) => command).join('\n');
  for (const part of [/server start-dev/, /anvil --host 127\.\d+/, /main\.js worker/]) expect(commands).toMatch(part);
  dev.child.kill(signal);
  const ended = await dev.child.ended;
  expect(await stillThere(all)).toEqual([]);
  return ended;
}

async function endsInOrder(signal: NodeJS.Signals, dev: Dev) {
  const { code, stderr } = await endedBy(signal, dev);
  expect(code).toBe(0);
  expect(stderr).toContain('Stopping.');
  expect(existsSync(join(dev.home, 'dev.json'))).toBe(false);
}

describe('holdfast dev', () => {
  it('takes turns, also where the environment names a version; prints one JSON value with --json, no matter what the worker says; leaves no process behind after SIGINT', async () => {
    const dev = await startDev([], { HOLDFAST_DEPLOYMENT: 'prod', HOLDFAST_BUILD_ID: '7' });
    try {
      expect(await run(['doctor'], dev.env)).toMatchObject({ code: 0 });
      expect(dev.child.output.stdout.trim().split('\n')).toHaveLength(1);
      expect(dev.facts).toMatchObject({ pid: dev.child.pid, address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
      await endsInOrder('SIGINT', dev);
    } finally {
      await dev.stop();
    }
  });

  it('tells its worker which data to read, and starts it again when it was killed, and says so; leaves no process behind after SIGTERM', async () => {
    const dev = await startDev(['--data', 'edgar'], { HOLDFAST_EDGAR_USER_AGENT: 'Kettle Bank data@bank.example' });
    try {
      expect(dev.facts).toMatchObject({ data: 'edgar' });
      expect(dev.child.output.stderr).toMatch(/worker \d+: .*; data: edgar/);
      const worker = dev.facts.worker_pid;
      process.kill(worker, 'SIGKILL');
      const pid = await eventually('the worker is back', async () => /is back \(pid (\d+)\)/.exec(dev.child.output.stderr)?.[1]);
      expect(Number(pid)).not.toBe(worker);
      expect(dev.child.output.stderr).toContain('The worker has ended (SIGKILL)');
      const found = family(Number(pid));
      expect(alive(found)).toHaveLength(found.length);
      expect(found).not.toHaveLength(0);
      await endsInOrder('SIGTERM', dev);
    } finally {
      await dev.stop();
    }
  });

  it('leaves no process behind after SIGKILL', async () => {
    const dev = await startDev();
    try {
      await endedBy('SIGKILL', dev);
    } finally {
      await dev.stop();
    }
  });

  it('ends at once when it is stopped before it is up', async () => {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-dev-'));
    const child = start(['dev', '--headless', '--port', '0', '--http-port', '0'], environment({ HOLDFAST_HOME: home }));
    const all = await eventually('it has started the server', async () => {
      const found = family(child.pid!);
      return found.length > 1 && found;
    });
    child.kill('SIGINT');
    expect((await child.ended).code).toBe(130);
    expect(await stillThere(all)).toEqual([]);
    rmSync(home, { recursive: true, force: true });
  });

  it('reports an app file that cannot be loaded before it starts anything', async () => {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-dev-'));
    const file = join(home, 'broken.ts');
    writeFileSync(file, 'export default defineApp({});');
    const { code, stderr } = await start(
      ['dev', '--headless', '--port', '0', '--http-port', '0', '--app', file],
      environment({ HOLDFAST_HOME: home }),
    ).ended;
    expect(code).toBe(2);
    expect(existsSync(join(home, 'dev.json'))).toBe(false);
    // No process was started that could print something.
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('defineApp is not defined'),
      expect.stringContaining('broken.ts:1:'),
    ]);
    rmSync(home, { recursive: true, force: true });
  });

  it('starts no chain where the user has a node; has a gateway that speaks to its own server alone: not before it is up, nor to the one that the environment names, whose settings do not count', async () => {
    const evm = {
      ...{ HOLDFAST_EVM_URL: 'http://127.0.0.1:9/', HOLDFAST_EVM_CHAIN_ID: '1' },
      HOLDFAST_EVM_ROUTER: `0x${'12'.repeat(20)}`,
    };
    const port = await freePort();
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status;
    const asked = eventually('the gateway listens', ready, 60_000);
    const cloud = { TEMPORAL_ADDRESS: testAddress(), TEMPORAL_API_KEY: 'key' };
    const dev = await startDev(['--http-port', String(port)], { ...cloud, ...evm });
    try {
      expect(dev.facts.chain_url).toBeNull();
      expect(family(dev.child.pid!).filter(({ command }) => command.includes('anvil'))).toEqual([]);
      expect(await asked).toBe(503);
      expect(await ready()).toBe(200);
      const headers = { authorization: `Bearer ${dev.facts.http_token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ agent: 'showcase', message: 'Good morning.' });
      const begun = await fetch(`http://127.0.0.1:${port}/v1/turns`, { method: 'POST', headers, body });
      const { turn_id } = (await begun.json()) as { turn_id: string };
      const own = { ...dev.env, TEMPORAL_ADDRESS: dev.facts.address, TEMPORAL_API_KEY: undefined };
      expect(await run(['show', turn_id], own)).toMatchObject({ code: 0 });
    } finally {
      await dev.stop();
    }
  });
});
