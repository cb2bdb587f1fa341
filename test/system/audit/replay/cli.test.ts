/** `holdfast audit replay` as a user runs it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { auditReplay } from '../../../../src/cli/audit-replay';
import { exitOfError } from '../../../../src/cli/support/exit';
import { createOutput } from '../../../../src/cli/support/output';
import { eventually, testAddress, withEngine } from '../../../engine/support/engine';
import { holdfast } from '../../support/process';
import { say } from '../../../support/scripted-model';
import { bundle, CODE, history } from '../../../support/audit/replay/samples';

let home: string;
beforeAll(async () => (home = await mkdtemp(join(tmpdir(), 'holdfast-replay-'))));
afterAll(() => rm(home, { recursive: true, force: true }));

async function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const command = holdfast(home, ['audit', 'replay', ...args], env);
  const code = await command.ended;
  return { code, output: command.output(), lines: command.stdout().trim().split('\n') };
}

/** Why the command fails, in this process. */
async function failed(args: string[]): Promise<Error> {
  const audit = new Command('audit');
  auditReplay(audit, () => createOutput(true));
  return audit.parseAsync(['replay', ...args], { from: 'user' }).then(
    () => Promise.reject(new Error('It has not failed.')),
    (error: Error) => error,
  );
}

describe('holdfast audit replay', () => {
  it('exits 0 where all is the same, and says with which code', async () => {
    const { code, lines } = await run([bundle('reset'), history('plain'), '--json']);
    const answers = lines.map((line) => JSON.parse(line));
    expect(answers.slice(0, 3).map(({ outcome }) => outcome)).toEqual(['same', 'same', 'same']);
    const text = await readFile(CODE, 'utf8');
    const bundled = /^\/\/ Replays .* ([0-9a-f]{64})$/m.exec(text)?.[1];
    expect(bundled).toBeDefined();
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^\/\/# sourceMappingURL=/); // what follows it is read as part of it
    expect(answers[3].summary).toMatchObject({ same: 3, differs: 0, cannot: 0, code: bundled, compared: true });
    expect(code).toBe(0);
  });

  it('exits 1 where something differs, and says what in a sentence', async () => {
    const file = join(await mkdtemp(join(home, 'build-')), 'replay-bundle.js');
    await writeFile(file, (await readFile(CODE, 'utf8')).replace(/Math\.max\(1, expires - Date\.now\(\)\)/, '3600000'));
    const { code, output } = await run([history('approval'), '--code', file]);
    expect(output).toMatch(/^DIFFERS turn\/.*, 42 events$/m);
    expect(output).toMatch(/^ {2}event 21: the code would now wait .* with another duration: 1 h, and .* was recorded$/m);
    expect(output).toMatch(/^0 same, 1 differ, 0 cannot be replayed; 42 events, code [0-9a-f]{16}$/m);
    expect(code).toBe(1);
  });

  it('makes only Temporal’s check of a workflow bundle that has no replay bundle beside it, and says so', async () => {
    const file = join(home, 'workflow-bundle.js');
    await writeFile(file, await readFile(CODE.replace('replay-', 'workflow-')));
    const { code, output } = await run([history('plain'), '--code', file]);
    expect(output).toMatch(/Only Temporal’s own check/);
    expect(code).toBe(0);
  });

  it('exits 2 with a sentence where it has nothing to replay', async () => {
    const { code, output } = await run([]);
    expect(output).toMatch(/^holdfast: .{10,200}$/m);
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  it.each([
    ['a file and a query', [history('plain'), '--since', '1d']],
    ['a file that is not there', ['nowhere.jsonl']],
    ['an age that is none', ['--since', 'yesterday']],
    ['code that is none', [history('plain'), '--code', history('plain')]],
  ])('exits 2 with a sentence for %s', async (_what, args) => {
    const error = await failed(args);
    expect(error.message).toMatch(/^.{10,200}$/);
    expect(exitOfError(error)).toBe(2);
  });

  it('exits 1 with a sentence for a file that is neither bundle nor history', async () => {
    const file = join(home, 'file');
    await writeFile(file, '{"body":1}');
    const error = await failed([file]);
    expect(error.message).toMatch(/cut short/);
    expect(exitOfError(error)).toBe(1);
  });

  it('replays the workflows of a server that a query names, and reports only those that differ', async () => {
    await withEngine({ script: [say('Done.')] }, async ({ start, client }) => {
      const turn = await start();
      await turn.result();
      const env = { TEMPORAL_ADDRESS: testAddress() };
      const query = `WorkflowId = '${turn.workflowId}'`;
      await eventually('it is listed', async () => (await client.temporal.workflow.count(query)).count === 1);
      const { code, output } = await run(['--query', query, '--since', '1h'], env);
      expect(output).toMatch(/^1 same, 0 differ, 0 cannot be replayed; \d+ events/m);
      expect(output).not.toContain(turn.workflowId);
      expect(code).toBe(0);
    });
  });

  it('ends at once with Ctrl-C', async () => {
    const command = holdfast(home, ['audit', 'replay', ...Array.from({ length: 400 }, () => history('session'))]);
    await command.printed(/same/, 120_000);
    await command.stop();
    expect(await command.ended).toBe(130);
  });
});
