import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../../src/store/files/file-store';
import { testAddress, withEngine } from '../support/engine';
import { say } from '../../support/scripted-model';
import { reads } from '../../support/tools';
import { environment, run } from '../../support/command-line';

const home = mkdtempSync(join(tmpdir(), 'holdfast-audit-export-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const holdfast = (...args: string[]) => run(args, environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: testAddress() }));

it('holdfast audit export writes one file, or to standard output, signed by a key that keys export shows', async () => {
  const store = await FileStore.open(join(home, 'store'));
  await withEngine({ store, script: [say('Hello.')] }, async ({ start }) => {
    const turn = await start('Hello?');
    await turn.result();
    const file = join(home, 'turn.jsonl');

    const made = JSON.parse((await holdfast('keys', 'create', '--bundle', '--json')).stdout);
    expect(made).toMatchObject({ use: 'bundle', private_key: join(home, 'keys', 'bundle.pem') });
    const first = await holdfast('audit', 'export', turn.id, '-o', file);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain(`signed by ${made.kid}`);
    const end = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!).body;
    expect(end).toMatchObject({ complete: true, kid: made.kid, public: made.public, previous: null });
    expect(readdirSync(home).filter((name) => name.includes('partial'))).toEqual([]);
    const [trusted] = JSON.parse((await holdfast('keys', 'export')).stdout);
    expect(trusted).toMatchObject({ kid: made.kid, public: made.public, use: 'bundle' });

    const second = await holdfast('audit', 'export', turn.id, '-o', '-');
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(second.stdout.trimEnd().split('\n').at(-1)!).body.previous).toMatchObject({ root: end.root });
  });

  const none = await holdfast('audit', 'export', 'nobody', '-o', join(home, 'none.jsonl'));
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no turn "nobody"') });
  expect(existsSync(join(home, 'none.jsonl'))).toBe(false);
  expect(await holdfast('audit', 'export', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name the file to write'),
  });
  expect(await holdfast('audit', 'export', '-o', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('Of what?') });
});

it('takes the id of a direct call as links spell it, and so do the commands beside it', async () => {
  const store = await FileStore.open(join(home, 'store'));
  await withEngine({ store, tools: [reads('look', () => 1)] }, async ({ client }) => {
    const { turn } = await client.call({ tool: 'look', input: {} });
    await turn.result();
    expect(turn.id).toMatch(/^call\//);
    const spelt = encodeURIComponent(turn.id);
    expect(spelt).toMatch(/^call%2F/);
    const file = join(home, 'call.jsonl');
    expect(await holdfast('audit', 'export', spelt, '-o', file)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toContain(`"turn_id":"${turn.id}"`);
    const asked = [
      ['show', spelt],
      ['watch', spelt],
      ['incident', spelt, '-o', join(home, 'incident')],
    ];
    for (const args of asked) {
      const { code, stdout, stderr } = await holdfast(...args, '--json');
      expect({ args, code, stderr: stderr.includes('no turn') }).toEqual({ args, code: 0, stderr: false });
      if (args[0] !== 'incident') expect(stdout).toContain(args[0] === 'watch' ? 'turn_completed' : turn.id);
    }
  });
});
