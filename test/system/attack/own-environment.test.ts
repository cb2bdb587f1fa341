/** The environment of our own processes, as others of the same user see it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, MAIN, start } from '../cli/support/cli';
import { startDev } from '../cli/support/dev';
import { family } from '../cli/support/processes';
import { eventually } from '../../engine/support/engine';

const APP = join(__dirname, '../cli/fixtures/password.app.cjs');
const SECRET = 'canary-77b2-do-not-tell';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-own-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shown = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'utf8');
const settings = () => ({
  DATABASE_PASSWORD: SECRET, // an app's own, whatever its name
  HOLDFAST_NOTIFY_MAIL: '',
  HOLDFAST_SMTP_HOST: '127.0.0.1',
  HOLDFAST_SMTP_FROM: 'a@b.example',
  HOLDFAST_SMTP_PASS: SECRET,
  SEEN: join(folder, 'seen'),
});

describe('a process of ours', () => {
  it('shows nothing secret of what dev was started with: not itself, not its worker, not the server, not after a restart', async () => {
    const dev = await startDev(['--app', APP], settings());
    try {
      const all = family(dev.child.pid!);
      expect(all.length).toBeGreaterThanOrEqual(4); // dev, worker, supervisor, server
      for (const { pid, command } of all) expect([command, shown(pid).includes(SECRET)]).toEqual([command, false]);
      expect(shown(dev.child.pid!)).toContain('PATH=');
      // Whoever is to have it has it: our settings, and the app that the worker loads.
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

  it('shows nothing secret of what a gateway was started with', async () => {
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

  it('takes a secret through a pipe, so that it stands in no environment and no file', () => {
    const env = environment({ HOLDFAST_HOME: folder, ANTHROPIC_API_KEY_FILE: '/dev/stdin', TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const said = execFileSync('sh', ['-c', `echo ${SECRET} | "$0" "$1" doctor --json || true`, process.execPath, MAIN], { env, encoding: 'utf8' }); // prettier-ignore
    expect(said).toContain('model anthropic');
  });
});
