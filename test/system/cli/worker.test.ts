import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, testAddress } from '../../engine/support/engine';
import { environment, lines, start } from './support/cli';

describe('holdfast worker', () => {
  it('says as JSON what it serves, and ends in order', async () => {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-worker-'));
    const settings = { HOLDFAST_HOME: home, HOLDFAST_TASK_QUEUE: 'worker-json', TEMPORAL_ADDRESS: testAddress() };
    const worker = start(['worker', '--json'], environment(settings));
    try {
      const [facts] = await eventually(
        'its start line',
        async () => worker.output.stdout.includes('\n') && lines(worker.output.stdout),
      );
      expect(facts).toMatchObject({ pid: worker.pid, agents: ['credit-analyst'], task_queue: 'worker-json', data: 'snapshot' });
      expect(Object.keys(facts).filter((name) => name !== name.toLowerCase())).toEqual([]); // snake_case, as on every wire
      worker.kill('SIGTERM');
      expect((await worker.ended).code).toBe(0);
    } finally {
      worker.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('prints why a script plays the model although a model is named', async () => {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-worker-'));
    const settings = { HOLDFAST_HOME: home, HOLDFAST_TASK_QUEUE: 'worker-model', TEMPORAL_ADDRESS: testAddress() };
    const worker = start(['worker'], environment({ ...settings, ANTHROPIC_MODEL: 'claude-opus-5' }));
    try {
      await eventually('its start', async () => /rehearsal/.test(worker.output.stdout) || worker.exitCode !== null);
      expect(worker.output.stdout).toMatch(
        /rehearsal \(ANTHROPIC_MODEL is set, but none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL is: a script plays the model/,
      );
    } finally {
      worker.kill('SIGTERM');
      await worker.ended;
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('refuses a Temporal server that is not on loopback until somebody says which decisions count', async () => {
    const far = { HOLDFAST_HOME: join(tmpdir(), 'holdfast-no-such-home'), TEMPORAL_ADDRESS: 'temporal.bank.example:7233' };
    const { code, stderr } = await start(['worker'], environment(far)).ended;
    expect({ code, said: stderr.includes('HOLDFAST_APPROVALS=attested') && stderr.includes('HOLDFAST_APPROVALS=any') }).toEqual({
      code: 2,
      said: true,
    });
  });
});
