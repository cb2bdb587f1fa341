/** The stop switch by command, over the store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, run } from '../../support/command-line';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'holdfast-stop-cli-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const holdfast = (args: string[]) =>
  run(args, environment({ HOLDFAST_HOME: home, HOLDFAST_STORE: `file:${join(home, 'store')}` }));
const json = async (args: string[]) => {
  const { code, stdout, stderr } = await holdfast([...args, '--json']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const trail = async (): Promise<string[]> => (await json(['trail'])).entries.map(({ state }: { state: string }) => state).sort();

describe('holdfast freeze, unfreeze and revoke', () => {
  it('freeze a tool, say what is frozen, and end it', async () => {
    expect(await json(['freeze', '--tool', 'pay', '--reason', 'wrong account'])).toMatchObject({
      ...{ scope: 'tool', name: 'pay', reason: 'wrong account' },
    });
    const { code, stderr } = await holdfast(['unfreeze']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Not frozen: everything; frozen are: tool pay')]);
    expect((await holdfast(['unfreeze', '--tool', 'pay'])).stdout).toContain('Not frozen any more: tool pay.');
    expect((await holdfast(['unfreeze', '--tool', 'pay'])).stderr).toContain('nothing is frozen');
    expect(await trail()).toEqual(['frozen', 'unfrozen']);
  });

  it('take one scope, and a reason', async () => {
    expect(await json(['freeze', '--reason', 'all of it'])).toMatchObject({ scope: 'all', name: '' });
    const wrong = async (...args: string[]) => (await holdfast(args)).stderr;
    expect(await wrong('freeze', '--tool', 'pay')).toContain('--reason');
    expect(await wrong('freeze', '--tool', 'pay', '--agent', 'a', '--reason', 'x')).toContain('Give one of --agent');
    expect(await wrong('freeze', '--tool', ' ', '--reason', 'x')).toContain('--tool takes 1 to 200 characters, and has none');
  });

  it('withdraw the approvals of a person', async () => {
    expect(await json(['revoke', '--approver', 'ana', '--reason', 'stolen laptop'])).toMatchObject({ approver: 'ana' });
    expect((await holdfast(['revoke'])).stderr).toContain('--approver');
    expect(await trail()).toEqual(['approvals_withdrawn']);
  });
});
