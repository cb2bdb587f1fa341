/** `holdfast schedule`: what its commands take, say and do. */
import { randomBytes } from 'node:crypto';
import { eventually, testAddress, withEngine } from '../support/engine';
import { environment, run } from '../../support/command-line';
import { say } from '../../support/scripted-model';

const name = `c${randomBytes(5).toString('hex')}`;

describe('holdfast schedule', () => {
  it('makes, shows, pauses, resumes, backfills and deletes a schedule', () =>
    withEngine({ script: [say('Reconciled.')] }, async ({ client, taskQueue }) => {
      const env = environment({ TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: taskQueue, USER: 'ana' });
      const told = async (...args: string[]) => {
        const { code, stdout, stderr } = await run(['schedule', ...args], env);
        expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
        return stdout;
      };
      const view = async (...args: string[]) => JSON.parse(await told(...args, '--json')) as any;
      const more = ['--agent', 'tester', '--cron', '0 2 * * *', '--timezone', 'Europe/Berlin', '--cost-usd', '2'];
      expect(await view('create', name, 'Reconcile', 'the accounts.', ...more, '--paused')).toMatchObject({
        ...{ name, message: 'Reconcile the accounts.', when: 'at 02:00 every day, Europe/Berlin', origin: 'command' },
        ...{ paused: true, cost: { cost_usd: 2, window_ms: 86_400_000 }, firings: [], requester: `schedule/${name}` },
      });
      expect((await view('resume', name)).note).toMatch(/^resumed by /);
      expect(await told('pause', name, '--note', 'Holidays')).toContain('PAUSED  Holidays (paused by ');
      const fires = await told('backfill', name, '--from', '2026-11-20T00:00:00Z', '--until', '2026-11-20T23:59:59Z');
      expect(fires).toContain('from 2026-11-20T00:00:00.000Z until 2026-11-20T23:59:59.000Z');
      const turn = client.turn(`${name}-20261120T010000Z`);
      await eventually('it has fired', async () => (await view('show', name)).firings[0]?.state === 'completed');
      expect(await turn.result()).toMatchObject({ text: 'Reconciled.' });
      expect(await told('list')).toContain(`${name}  tester  at 02:00 every day, Europe/Berlin  paused: Holidays`);
      expect(await told('delete', name)).toContain(`Deleted: ${name}.`);
      const gone = await run(['schedule', 'show', name], env);
      expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining(`There is no schedule "${name}" here`)]);
    }));

  it('says all that is wrong with a new one', async () => {
    const args = [
      'schedule',
      'create',
      'a/b',
      'Look.',
      '--agent',
      'x',
      '--cron',
      '0 25 * * *',
      '--every',
      '5m',
      '--overlap',
      'skip',
    ];
    const { code, stderr } = await run(args, environment({ TEMPORAL_ADDRESS: testAddress() }));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/name "a\/b" must match[^]*it has both cron and every/)]);
    const late = await run(
      ['schedule', 'backfill', 'x', '--from', '2026-11-20', '--until', '2026-11-21T00:00:00Z'],
      environment(),
    );
    expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('--from "2026-11-20" is no time such as')]);
  });
});
