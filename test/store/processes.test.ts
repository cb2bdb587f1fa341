import { once } from 'node:events';
import { FileStore } from '../../src/store/file-store';
import type { EffectRecord } from '../../src/store/store';
import { walk } from '../../src/store/transcript';
import { race, startChild, type Child } from './support/children';
import { aClaim, filesIn, KEY, removeStoreDirs, storeDir } from './support/store-dir';

jest.setTimeout(60_000);
afterAll(removeStoreDirs);

test('of 8 processes that claim one effect at once exactly one wins, and all name the winner', async () => {
  const dir = storeDir();
  const answers = await race<{ claimed: boolean; record: EffectRecord }>(
    Array.from({ length: 8 }, (_, i) => ['claim', dir, `run-${i}`]),
  );
  const winners = answers.filter((answer) => answer.claimed);
  expect(winners).toHaveLength(1);
  expect(new Set(answers.map((answer) => answer.record.run_id))).toEqual(new Set([winners[0]?.record.run_id]));
});

test('of processes that settle one effect differently one outcome wins, and the others are refused', async () => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  await store.effects.claim(aClaim());
  await store.effects.move(KEY, 1, 'in_doubt');
  const outcomes = ['applied', 'not_applied', 'applied', 'not_applied'];
  const answers = await race<{ state?: string; refused?: string }>(outcomes.map((outcome) => ['move', dir, outcome]));
  const settled = (await store.effects.latest(KEY))?.state;
  expect(outcomes).toContain(settled);
  outcomes.forEach((outcome, i) =>
    expect(answers[i]).toMatchObject(outcome === settled ? { state: settled } : { refused: 'conflict' }),
  );
});

test('within one process, too, exactly one claim and one outcome wins', async () => {
  const { effects } = await FileStore.open(storeDir());
  const claims = await Promise.all(Array.from({ length: 20 }, (_, i) => effects.claim(aClaim({ run_id: `run-${i}` }))));
  expect(claims.filter((claim) => claim.claimed)).toHaveLength(1);
  const states = Array.from(
    { length: 20 },
    (_, i) => (['applied', 'not_applied', 'refused', 'in_doubt'] as const)[i % 4] ?? 'applied',
  );
  const moves = await Promise.allSettled(states.map((state) => effects.move(KEY, 1, state)));
  const final = (await effects.latest(KEY))?.state;
  for (const [i, move] of moves.entries()) {
    if (states[i] === final) expect(move.status).toBe('fulfilled');
    else if (states[i] !== 'in_doubt') expect(move).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
  }
});

test('processes that open a new store at once share one key', async () => {
  const dir = storeDir();
  expect(new Set(await race<string>(Array.from({ length: 4 }, () => ['salt', dir]))).size).toBe(1);
});

test('a writer that is killed, however often, loses nothing that it reported', async () => {
  const dir = storeDir();
  const reported: string[] = [];
  for (let round = 0; round < 6; round++) {
    const child = startChild('write', dir);
    await started(child);
    for (let n = 0; n <= round; n++) reported.push(await child.line());
    await kill(child, round * 3);
  }
  const store = await FileStore.open(dir);
  for (const [head = '', key = ''] of reported.map((line) => line.split(' '))) {
    for (const { block, bodies } of await walk(store, head)) expect(bodies).toHaveLength(block.parts.length);
    expect(await store.effects.latest(key)).toMatchObject({ state: 'applied', result_ref: head });
  }
  const files = filesIn(dir);
  const keys = new Set(files.filter((file) => file.startsWith('effects/')).map((file) => file.split('/')[1] ?? ''));
  for (const key of keys) {
    const record = await store.effects.latest(key);
    expect(await store.effects.findByDigest(record?.turn_id ?? '', record?.digest ?? '')).not.toBeNull();
  }
  expect(files.every((file) => /^(objects|effects|effects-by-digest|tmp)\/|^salt\.key$/.test(file))).toBe(true);
});

async function started(child: Child): Promise<void> {
  expect(await child.line()).toBe('ready');
  child.process.stdin.write('go\n');
}

async function kill(child: Child, afterMs: number): Promise<void> {
  const exit = once(child.process, 'exit');
  await new Promise((done) => setTimeout(done, afterMs));
  child.process.kill('SIGKILL');
  await exit;
}
