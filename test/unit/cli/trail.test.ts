import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { turnIdFromKey, workflowId } from '../../../src/shared/ids';
import { FileStore } from '../../../src/store/files/file-store';
import { append } from '../../../src/store/core/transcript';
import { environment, run } from '../../support/command-line';

let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-trail-'));
  const store = await FileStore.open(join(home, 'store'));
  for (const [minute, by, turn_id = 'inv-7'] of [
    ['00', 'ana'],
    ['01', 'bob\u202E'],
    ['02', 'ana'],
    ['03', 'ana', 'call/k_7'],
  ] as const) {
    const call = { call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' };
    const subject = { turn_id, workflow_id: workflowId(turn_id), agent: 'payables', requester: 'rita', ...call };
    const at = `2026-01-31T10:${minute}:00.000Z`;
    const body = { decision: 'deny', by, at, digest: 'd'.repeat(64), subject };
    await append(store, 'run-1', { parent: null, kind: 'decision', at, bodies: [body] });
  }
  writeFileSync(join(home, 'store', 'trail', '2026-01-31', 'zz'), '');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const trail = (...args: string[]) =>
  run(['trail', ...args], environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: '127.0.0.1:1' }));

it('holdfast trail lists entries without a server, by page, and names damaged ones', async () => {
  const first = await trail('--limit', '2');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const [one, two, more] = first.stdout.trim().split('\n');
  expect(one).toBe('2026-01-31T10:00:00.000Z  denied       decision   pay  inv-7 1.1  by ana, for rita');
  expect(two).toContain('by bob⟨U+202E⟩, for rita');
  const cursor = /^More: --cursor (\S+)$/.exec(more!)![1]!;
  const rest = await trail('--cursor', cursor, '--json');
  expect(JSON.parse(rest.stdout)).toMatchObject({
    entries: [
      { by: 'ana', verified: true },
      { turn_id: 'call/k_7', verified: true },
    ],
    next_cursor: null,
  });
  expect(rest.stderr).toBe('Damaged: trail/2026-01-31/zz: its name is none of an entry\n');
});

it('holdfast trail --by and --to filter the entries', async () => {
  const { stdout } = await trail('--by', 'Ana', '--to', '2026-01-31T10:01:00Z', '--json');
  expect(JSON.parse(stdout).entries.map(({ at }: { at: string }) => at)).toEqual(['2026-01-31T10:00:00.000Z']);
  expect((await trail('--tool', 'none')).stdout).toBe('The trail has no such entries.\n');
});

it.each(['call/k_7', 'call%2Fk_7', 'call%2fk_7'])(
  'holdfast trail --turn %s lists one direct call, also with its id as links spell it',
  async (id) => {
    const { entries } = JSON.parse((await trail('--turn', id, '--json')).stdout);
    expect(entries).toMatchObject([{ turn_id: 'call/k_7', at: '2026-01-31T10:03:00.000Z' }]);
  },
);

it('holdfast trail --turn takes the key under which a turn was started', async () => {
  const other = mkdtempSync(join(tmpdir(), 'holdfast-trail-'));
  const holdfast = (...args: string[]) => run(args, environment({ HOLDFAST_HOME: other, TEMPORAL_ADDRESS: '127.0.0.1:1' }));
  try {
    const id = turnIdFromKey('acme/rita', 'inv 4/5');
    const call = { call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' };
    const subject = { turn_id: id, workflow_id: `turn/${id}`, agent: 'payables', requester: 'acme/rita', ...call };
    const bodies = [{ digest: 'd'.repeat(64), subject }];
    const store = await FileStore.open(join(other, 'store'));
    await append(store, 'run-1', { parent: null, kind: 'dispatch', at: '2026-01-31T10:00:00.000Z', bodies });
    const { stdout } = await holdfast('trail', '--turn', 'inv 4/5', '--json');
    expect(JSON.parse(stdout).entries).toMatchObject([{ turn_id: id, verified: true }]);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});
