/** The environment of our own processes, as others of the same user see it. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, environment, MAIN, start } from '../cli/support/cli';
import { startDev } from '../cli/support/dev';
import { family, stillThere } from '../cli/support/processes';
import { eventually, testAddress } from '../../engine/support/engine';

const APP = join(__dirname, '../cli/fixtures/password.app.cjs');
const SECRET = 'canary-77b2-do-not-tell';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-own-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shown = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'utf8');
const settings = () => ({
  DATABASE_PASSWORD: SECRET, // an app's own, under any name
  HOLDFAST_NOTIFY_MAIL: '',
  HOLDFAST_SMTP_HOST: '127.0.0.1',
  HOLDFAST_SMTP_FROM: 'a@b.example',
  HOLDFAST_SMTP_PASS: SECRET,
  SEEN: join(folder, 'seen'),
});

describe('each of our processes', () => {
  it('shows no secret that dev was started with: neither dev itself nor its worker nor the server, also after a restart', async () => {
    const dev = await startDev(['--app', APP], settings());
    try {
      const all = family(dev.child.pid!);
      expect(all.length).toBeGreaterThanOrEqual(4); // dev, worker, supervisor, server
      for (const { pid, command } of all) expect([command, shown(pid).includes(SECRET)]).toEqual([command, false]);
      expect(shown(dev.child.pid!)).toContain('PATH=');
      // Those that need the secret have it: our settings, and the app that the worker loads.
      expect(readFileSync(settings().SEEN, 'utf8')).toBe(`${SECRET} ${SECRET}`);
      rmSync(settings().SEEN);
      process.kill(dev.facts.worker_pid, 'SIGKILL');
      await eventually('the worker is back', async () => /is back/.test(dev.child.output.stderr) && existsSync(settings().SEEN));
      expect(readFileSync(settings().SEEN, 'utf8')).toBe(`${SECRET} ${SECRET}`);
      for (const { pid, command } of family(dev.child.pid!))
        expect([command, shown(pid).includes(SECRET)]).toEqual([command, false]);
    } finally {
      await dev.stop();
    }
  });

  it('shows no secret that a gateway was started with', async () => {
    const gateway = start(['gateway', '--json', '--http-port', '0'], environment({ HOLDFAST_HOME: folder, ...settings() }));
    try {
      await eventually('the gateway is up', async () => gateway.output.stdout.includes('\n') || gateway.exitCode !== null);
      expect(gateway.output.stderr).toBe('');
      expect(shown(gateway.pid!)).not.toContain(SECRET);
    } finally {
      gateway.kill('SIGTERM');
      expect((await gateway.ended).code).toBe(0);
    }
  });

  it.each<[string, string[]]>([
    ['worker', ['worker', '--json', '--app', APP]],
    ['chat', ['chat', '--agent', 'tester']],
    ['mcp serve', ['mcp', 'serve', '--app', APP]],
  ])('shows no secret that %s was started with, when it runs alone', async (_, args) => {
    const more = { HOLDFAST_HOME: folder, TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: `own-${args[0]}` };
    const env = environment({ ...settings(), ...more });
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: 'pipe' });
    const running = collect(child);
    try {
      // Until it has begun, the system shows what it was started with.
      await eventually('it has begun', async () => child.exitCode !== null || !shown(child.pid!).includes(SECRET));
      if (args.includes(APP)) await eventually('its app has the secret', async () => existsSync(settings().SEEN));
      expect({ code: child.exitCode, said: running.output.stderr }).toEqual({ code: null, said: '' });
      for (const { pid, command } of family(child.pid!)) expect([command, shown(pid).includes(SECRET)]).toEqual([command, false]);
      expect(shown(child.pid!)).toContain('PATH=');
    } finally {
      child.stdin.end();
      child.kill('SIGTERM');
      await running.ended;
    }
  });

  it('shows no secret that start was started with: neither start itself nor a process that it has started', async () => {
    const secrets = { DATABASE_PASSWORD: SECRET, HOLDFAST_HOME: folder };
    const started = start(['start', '--hold'], environment(secrets));
    try {
      await eventually('it waits', async () => started.output.stdout.includes('holdfast approve') || started.exitCode !== null);
      const all = family(started.pid!);
      expect(all.length).toBeGreaterThanOrEqual(3); // start, supervisor, server
      for (const { pid, command } of all) expect([command, shown(pid).includes(SECRET)]).toEqual([command, false]);
    } finally {
      const all = family(started.pid!);
      started.kill('SIGINT');
      await stillThere(all, 20_000);
      started.kill('SIGKILL');
    }
  });

  it('takes a secret through a pipe, so that it stands in no environment and no file', () => {
    const env = environment({ HOLDFAST_HOME: folder, ANTHROPIC_API_KEY_FILE: '/dev/stdin', TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const said = execFileSync('sh', ['-c', `echo ${SECRET} | "$0" "$1" doctor --json || true`, process.execPath, MAIN], { env, encoding: 'utf8' }); // oxfmt-ignore
    expect(said).toContain('model anthropic');
  });

  it('gives the secret of a pipe to each that asks for it: the settings, and a model of the app', () => {
    const env = environment({ ANTHROPIC_API_KEY_FILE: '/dev/stdin' });
    const module = (name: string) => `require(${JSON.stringify(join(MAIN, `../../config/${name}.js`))})`;
    const code = `const [{ readFiles }, { secretVariable }] = [${module('files')}, ${module('secret-variable')}];
      console.log(readFiles(process.env).env.ANTHROPIC_API_KEY, secretVariable(process.env, 'ANTHROPIC_API_KEY'))`;
    const said = execFileSync('sh', ['-c', `echo ${SECRET} | "$0" -e "$1"`, process.execPath, code], { env, encoding: 'utf8' });
    expect(said).toBe(`${SECRET} ${SECRET}\n`);
  });
});
