import type { EffectRecord } from '../../../src/record/effect';
import { once } from 'node:events';
import { walk } from '../../../src/store/core/transcript';
import { race, startChild, type Child } from './support/children';
import { overEachKind } from './support/kinds';
import { aClaim, KEY } from '../../support/store/store-dir';

jest.setTimeout(180_000);

overEachKind((fresh) => {
  test('if 8 processes claim one effect at once, exactly one wins, and all name the winner', async () => {
    const place = await fresh();
    const answers = await race<{ claimed: boolean; record: EffectRecord }>(
      Array.from({ length: 8 }, (_, i) => ['claim', place.url, `run-${i}`]),
    );
    const winners = answers.filter((answer) => answer.claimed);
    expect(winners).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.record.run_id))).toEqual(new Set([winners[0]?.record.run_id]));
  });

  test('if processes settle one effect differently, one outcome wins, and the others are refused', async () => {
    const place = await fresh();
    const store = await place.open();
    await store.effects.claim(aClaim());
    await store.effects.move(KEY, 1, 'in_doubt');
    const outcomes = ['applied', 'not_applied', 'applied', 'not_applied'];
    const answers = await race<{ state?: string; refused?: string }>(outcomes.map((outcome) => ['move', place.url, outcome]));
    const settled = (await store.effects.latest(KEY))?.state;
    expect(outcomes).toContain(settled);
    outcomes.forEach((outcome, i) =>
      expect(answers[i]).toMatchObject(outcome === settled ? { state: settled } : { refused: 'conflict' }),
    );
  });

  test('within one process, too, exactly one claim and one outcome wins', async () => {
    const { effects } = await (await fresh()).open();
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
    const place = await fresh();
    expect(new Set(await race<string>(Array.from({ length: 4 }, () => ['salt', place.url]))).size).toBe(1);
  });

  test('a writer that is killed, however often, loses nothing that it reported', async () => {
    const place = await fresh();
    const reported: string[] = [];
    for (let round = 0; round < 6; round++) {
      const child = startChild('write', place.url);
      await started(child);
      for (let n = 0; n <= round; n++) reported.push(await child.line());
      await kill(child, round * 3);
    }
    const store = await place.open();
    for (const [head = '', key = ''] of reported.map((line) => line.split(' '))) {
      for (const { block, bodies } of await walk(store, head)) expect(bodies).toHaveLength(block.parts.length);
      expect(await store.effects.latest(key)).toMatchObject({ state: 'applied', result_ref: head });
    }
    for (const key of await place.effectKeys()) {
      const record = await store.effects.latest(key);
      expect(await store.effects.findByDigest(record?.turn_id ?? '', record?.digest ?? '')).not.toBeNull();
    }
  });
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
