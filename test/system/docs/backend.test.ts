/** docs/backend.md, run as it is written: an engine from its shell lines, its Python and its Go against it. Only the two ports are our own. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signature } from '../../../src/notify/webhook';
import { collect, environment, type Running } from '../cli/support/cli';
import { linkPackages } from '../cli/support/linked-packages';
import { startCuttingProxy } from '../support/cutting-proxy';
import { eventually } from '../../engine/support/engine';
import { freePort } from '../../support/free-port';
import { pageOf } from '../../support/named-tests';

const page = pageOf('backend.md');
/** Those that begin with a comment that names a file. */
const files = [...page.matchAll(/^```\w+\n((?:#|\/\/) ([\w.]+)\n.*?)^```$/gms)].map(([, text, name]) => ({
  name: name!,
  text: text!,
}));
const printed = /prints\n\n```\n(.*?)^```$/ms.exec(page)![1]!;

describe('docs/backend.md', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let ports: { gateway: number; callbacks: number };
  const started: ChildProcess[] = [];

  /** In a shell that has read the settings, as the page says. */
  const inShell = (line: string, more: NodeJS.ProcessEnv = {}): Running => {
    const child = spawn('bash', ['-c', `. ./settings.sh\n${line}`], {
      cwd: folder,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own: all of it can be ended
    });
    started.push(child);
    return collect(child);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-backend-'));
    ports = { gateway: await freePort(), callbacks: await freePort() };
    for (const { name, text } of files)
      writeFileSync(join(folder, name), text.replaceAll('8480', `${ports.gateway}`).replaceAll('9100', `${ports.callbacks}`));
    linkPackages(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    env = environment({ HOLDFAST_MODEL: 'rehearsal', HOLDFAST_HTTP_PORT: `${ports.gateway}` });
    const engine = inShell('. ./engine.sh');
    const ready = async () => (await fetch(`http://localhost:${ports.gateway}/readyz`).catch(() => null))?.ok;
    await eventually('the engine is up', async () => {
      if (engine.exitCode !== null) throw new Error(`The engine has ended: ${engine.output.stderr}`);
      return (await ready()) && /^worker \d+/m.test(engine.output.stderr);
    });
  });

  afterAll(async () => {
    for (const { pid, exitCode, signalCode } of started)
      if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM');
    await Promise.all(started.map((child) => (child as Running).ended));
    rmSync(folder, { recursive: true, force: true });
  });

  it('has all its files', () => {
    const names = files.map(({ name }) => name);
    expect(names).toEqual(['app.ts', 'settings.sh', 'engine.sh', 'backend.py', 'callbacks.py', 'backend.go', 'callbacks.go']);
  });

  it('has secrets that only their owner can read, and none of a command that failed', async () => {
    const modes = ['starter.json', 'approver.json', 'secret'].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    const { code, stdout } = await inShell('once none false; once some echo secret; umask').ended;
    expect({ code, umask: Number.parseInt(stdout, 8) }).toEqual({ code: 0, umask: process.umask() });
    expect(readdirSync(folder)).toContain('some');
    expect(readdirSync(folder)).not.toContain('none');
  });

  const goes = process.env.HOLDFAST_REQUIRE_GO === '1' || spawnSync('go', ['version']).status === 0;
  const languages: [string, string, string, boolean][] = [
    ['Python', 'python3 backend.py INV-7', 'python3 callbacks.py', true],
    ['Go', 'go run backend.go INV-8', 'go run callbacks.go', goes],
  ];
  for (const [language, backend, callbacks, there] of languages) {
    const name = `${language}: starts, follows through every cut, approves, is called back, and pays once`;
    (there ? it : it.skip)(there ? name : `${name} (needs ${language})`, async () => {
      for (const secret of ['', 'whsec_', '***', 'whsec_c2hvcnQ=']) {
        const refused = await inShell(`HOLDFAST_CALLBACK_SECRET='${secret}' ${callbacks}`).ended;
        expect(refused).toMatchObject({ code: 1, stdout: '' });
        expect(refused.stderr).toContain('HOLDFAST_CALLBACK_SECRET');
      }
      const receiver = inShell(`exec ${callbacks}`);
      const told = async (headers: Record<string, string>, body = '{}') => {
        const url = `http://localhost:${ports.callbacks}/holdfast`;
        return (await fetch(url, { method: 'POST', headers, body }).catch(() => null))?.status;
      };
      await eventually('the receiver listens', async () => {
        if (receiver.exitCode !== null) throw new Error(`The receiver has ended: ${receiver.output.stderr}`);
        return told({});
      });
      const secret = readFileSync(join(folder, 'secret'), 'utf8').trim();
      const signed = (at: number, key = secret) => {
        const timestamp = String(Math.floor(at / 1000));
        const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp };
        return { ...headers, 'webhook-signature': signature(key, 'msg_1', timestamp, '{}') };
      };
      const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
      expect(await told(signed(Date.now(), other))).toBe(401);
      expect(await told(signed(Date.now() - 3_600_000))).toBe(401);
      expect(await told(signed(Date.now()), '{"type":"turn.ended"}')).toBe(401);

      const proxy = await startCuttingProxy(`http://localhost:${ports.gateway}`, 'within each event');
      try {
        const first = await inShell(`HOLDFAST=${proxy.url} ${backend}`).ended;
        expect(first).toEqual({ code: 0, stdout: printed, stderr: '' });
        expect(proxy.cuts()).toBeGreaterThan(3);
      } finally {
        await proxy.close();
      }
      const again = await inShell(backend).ended;
      expect(again).toEqual({ code: 0, stdout: printed.replace('approved\n', ''), stderr: '' });

      const invoice = backend.split(' ').at(-1)!;
      const payments = readFileSync(join(folder, 'payments.jsonl'), 'utf8').trim().split('\n');
      expect(payments.filter((line) => line.includes(`"invoice":"${invoice}"`))).toHaveLength(1);
      const messages = () => receiver.output.stdout.trim().split('\n').sort();
      await eventually('both messages have come', async () => messages().length >= 2);
      expect(messages()).toEqual(['approval.requested awaiting_approval', 'turn.ended completed']);
      process.kill(-receiver.pid!, 'SIGTERM'); // the next one wants its port
      await receiver.ended;
    });
  }
});
