import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Investigation } from '../../../src/cli/support/investigate';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { eventually } from '../../engine/support/engine';
import { environment, run } from '../../support/command-line';
import { start } from './support/cli';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'holdfast-start-cli-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('npm start, where decisions are attested', () => {
  it('plays the whole demonstration: one signed approval, and one mail', async () => {
    const env = environment({ HOLDFAST_HOME: home, HOLDFAST_APPROVALS: 'attested', TEMPORAL_API_KEY: 'key' });
    const { code, stdout } = await start(['start', '--json', '--yes'], env).ended;
    expect(code).toBe(0);
    const view = JSON.parse(stdout.trim().split('\n').at(-1)!) as TurnView & { mails: string[]; record: Investigation };
    expect(view.state).toBe('completed');
    expect(view.mails).toHaveLength(1);
    const sent = view.calls.find(({ tool }) => tool === 'send_credit_memo')!;
    expect(sent).toMatchObject({ state: 'succeeded', effect: 'applied' });
    expect(sent.approval.decisions).toMatchObject([{ decision: 'approve', by: 'demo-operator', attested: true }]);
    expect(view.record).toMatchObject({ verdict: 'intact', complete: true, replay: { same: 1, differs: 0, cannot: 0 } });
    expect(readFileSync(join(view.record.folder, 'report.html'), 'utf8')).toContain('credit-committee@bank.example');
  });
});

describe('npm start without a terminal', () => {
  it('approves nothing by itself: it says how to decide, and waits', async () => {
    const env = environment({ HOLDFAST_HOME: home });
    const started = start(['start'], env);
    try {
      await eventually('it waits', async () => started.output.stdout.includes('Waiting for a decision from outside'));
      expect(started.output.stdout).toMatch(/^turn \S+\nhttp\S+\/workflows\/\S+$/m);
      const [, turn, digest] = /npx (holdfast approve \S+) --call ([0-9a-f]{12})/.exec(started.output.stdout)!;
      const denied = await run(['deny', turn!.split(' ').at(-1)!, '--call', digest!, '--by', 'ana'], env);
      expect(denied).toMatchObject({ code: 0 });
      expect(await started.ended).toMatchObject({ code: 3, stdout: expect.stringContaining('0 mails') });
    } finally {
      started.kill('SIGKILL');
    }
  });
});
