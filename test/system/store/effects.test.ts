import type { EffectState, NewClaim } from '../../../src/record/effect';
import type { EffectStore } from '../../../src/store/store';
import { overEachKind, type Place } from './support/kinds';
import { aClaim, KEY } from '../../support/store/store-dir';

const REF = 'f'.repeat(64);
const OTHER_KEY = `hf_${'2'.repeat(40)}`;

overEachKind((fresh) => {
  const effectsOf = async (place?: Place): Promise<EffectStore> => (await (place ?? (await fresh())).open()).effects;

  test('the first claim of a dispatch wins, and every later claim gets the known record', async () => {
    const effects = await effectsOf();
    const first = await effects.claim(aClaim({ run_id: 'run-1' }));
    expect(first).toMatchObject({ claimed: true, record: { state: 'claimed', run_id: 'run-1', result_ref: null } });
    await effects.move(KEY, 1, 'applied', { result_ref: REF });
    const second = await effects.claim(aClaim({ run_id: 'run-2' }));
    expect(second).toMatchObject({ claimed: false, record: { state: 'applied', run_id: 'run-1', result_ref: REF } });
  });

  test.each<EffectState>(['claimed', 'applied', 'refused', 'in_doubt'])(
    'nothing is dispatched again while the effect is %s',
    async (state) => {
      const effects = await effectsOf();
      await effects.claim(aClaim());
      if (state !== 'claimed') await effects.move(KEY, 1, state);
      expect(await effects.claim(aClaim({ dispatch: 2 }))).toMatchObject({ claimed: false, record: { dispatch: 1, state } });
    },
  );

  test('a proven not_applied allows one new dispatch, and a claim of the old one then gets the new one', async () => {
    const effects = await effectsOf();
    await effects.claim(aClaim());
    await effects.move(KEY, 1, 'in_doubt');
    await effects.move(KEY, 1, 'not_applied');
    expect(await effects.claim(aClaim({ dispatch: 2 }))).toMatchObject({ claimed: true, record: { dispatch: 2 } });
    await effects.move(KEY, 2, 'applied');
    expect(await effects.claim(aClaim({ dispatch: 1 }))).toMatchObject({
      claimed: false,
      record: { dispatch: 2, state: 'applied' },
    });
    expect(await effects.latest(KEY)).toMatchObject({ dispatch: 2, state: 'applied' });
  });

  test('a dispatch that never began can be fenced off', async () => {
    const effects = await effectsOf();
    expect(await effects.claim(aClaim(), 'not_applied')).toMatchObject({ claimed: true, record: { state: 'not_applied' } });
    expect(await effects.claim(aClaim())).toMatchObject({ claimed: false, record: { state: 'not_applied' } });
    expect(await effects.claim(aClaim({ dispatch: 2 }))).toMatchObject({ claimed: true });
  });

  test('a dispatch cannot be skipped, and a key cannot change its call', async () => {
    const effects = await effectsOf();
    await expect(effects.claim(aClaim({ dispatch: 2 }))).rejects.toMatchObject({ code: 'conflict' });
    await effects.claim(aClaim(), 'not_applied');
    await expect(effects.claim(aClaim({ dispatch: 3 }))).rejects.toMatchObject({ code: 'conflict' });
    await expect(effects.claim(aClaim({ dispatch: 2, digest: 'e'.repeat(64) }))).rejects.toMatchObject({ code: 'conflict' });
  });

  const STATES = ['claimed', 'applied', 'not_applied', 'refused', 'in_doubt'] as const;
  const ALLOWED = [
    'claimed applied',
    'claimed not_applied',
    'claimed refused',
    'claimed in_doubt',
    'in_doubt applied',
    'in_doubt not_applied',
  ];
  test('an effect moves as the contract says, repeats quietly, and refuses the rest', async () => {
    for (const from of STATES) {
      for (const to of STATES) {
        if (to === 'claimed') continue;
        const effects = await effectsOf();
        await effects.claim(aClaim());
        if (from !== 'claimed') await effects.move(KEY, 1, from);
        const before = await effects.latest(KEY);
        const move = effects.move(KEY, 1, to, { result_ref: REF });
        if (from === to) expect(await move).toEqual(before);
        else if (ALLOWED.includes(`${from} ${to}`)) expect(await move).toMatchObject({ state: to, result_ref: REF });
        else
          await expect(move).rejects.toMatchObject({
            code: 'conflict',
            message: expect.stringContaining(`is ${from}`) as string,
          });
      }
    }
  });

  test('a record that is not there cannot be moved', async () => {
    const effects = await effectsOf();
    await expect(effects.move(KEY, 1, 'applied')).rejects.toMatchObject({ code: 'not_found' });
    await effects.claim(aClaim());
    await expect(effects.move(KEY, 2, 'applied')).rejects.toMatchObject({ code: 'not_found' });
    expect(await effects.latest(OTHER_KEY)).toBeNull();
  });

  test('a deadline can be changed while the outcome is open, by a caller who knows the present one', async () => {
    const effects = await effectsOf();
    const [first, second] = ['2026-01-01T00:00:10.000Z', '2026-01-01T00:00:20.000Z'];
    expect(await effects.claim(aClaim({ deadline: first }))).toMatchObject({ record: { deadline: first } });
    await effects.move(KEY, 1, 'in_doubt', { result_ref: REF });
    expect(await effects.renew(KEY, 1, first, second)).toMatchObject({ state: 'in_doubt', deadline: second, result_ref: REF });
    await expect(effects.renew(KEY, 1, first, null)).rejects.toMatchObject({ code: 'conflict' });
    expect(await effects.renew(KEY, 1, second, null)).toMatchObject({ deadline: null });
    await effects.move(KEY, 1, 'applied');
    await expect(effects.renew(KEY, 1, null, first)).rejects.toMatchObject({ code: 'conflict' });
    await expect(effects.claim(aClaim({ idempotency_key: OTHER_KEY, deadline: 'soon' }))).rejects.toThrow('deadline is no time');
  });

  test('an attempt can report that it has done nothing only for itself: not once another attempt has begun', async () => {
    const effects = await effectsOf();
    const [mine, theirs] = ['2026-01-01T00:00:10.000Z', '2026-01-01T00:00:20.000Z'];
    await effects.claim(aClaim({ deadline: mine }));
    await effects.renew(KEY, 1, mine, theirs);
    await expect(effects.move(KEY, 1, 'not_applied', { alone: mine })).rejects.toMatchObject({ code: 'conflict' });
    expect(await effects.latest(KEY)).toMatchObject({ state: 'claimed' });
    expect(await effects.move(KEY, 1, 'not_applied', { alone: theirs })).toMatchObject({ state: 'not_applied' });
  });

  test('a record of an older build, which has no deadline, can be read and moved, and can get one', async () => {
    const effects = await effectsOf();
    await effects.claim(aClaim());
    expect(Object.keys((await effects.latest(KEY))!)).not.toContain('deadline');
    await effects.move(KEY, 1, 'in_doubt');
    expect(await effects.renew(KEY, 1, undefined, '2026-01-01T00:00:10.000Z')).toMatchObject({ state: 'in_doubt' });
  });

  test('an effect is found by its digest within the turn, and not within another', async () => {
    const effects = await effectsOf();
    await effects.claim(aClaim());
    await effects.move(KEY, 1, 'in_doubt');
    expect(await effects.findByDigest('inv-7', 'd'.repeat(64))).toMatchObject({ idempotency_key: KEY, state: 'in_doubt' });
    expect(await effects.findByDigest('inv-8', 'd'.repeat(64))).toBeNull();
    expect(await effects.findByDigest('../..', '../..')).toBeNull();
  });

  test('of two keys of one digest the one whose effect may have happened is found', async () => {
    const effects = await effectsOf();
    await effects.claim(aClaim());
    await effects.move(KEY, 1, 'applied');
    await effects.claim(aClaim({ idempotency_key: OTHER_KEY }), 'not_applied');
    expect(await effects.findByDigest('inv-7', 'd'.repeat(64))).toMatchObject({ idempotency_key: KEY });
  });

  test('an effect under another key is found by its act, and an effect under the caller’s own key is not', async () => {
    const effects = await effectsOf();
    const act = 'a'.repeat(64);
    await effects.claim(aClaim({ act }));
    await effects.move(KEY, 1, 'applied');
    expect(await effects.findByAct('inv-7', act, KEY)).toBeNull();
    await effects.claim(aClaim({ idempotency_key: OTHER_KEY, digest: 'e'.repeat(64), act }));
    expect(await effects.findByAct('inv-7', act, KEY)).toMatchObject({ idempotency_key: OTHER_KEY });
    expect(await effects.findByAct('inv-7', act, OTHER_KEY)).toMatchObject({ idempotency_key: KEY, state: 'applied' });
    expect(await effects.findByAct('inv-8', act)).toBeNull();
  });

  test.each(['', '../salt', `hf_${'A'.repeat(40)}`, `hf_${'1'.repeat(39)}`, `${KEY}/..`, `${KEY}\n`])(
    'the key %j is refused before it becomes a path',
    async (key) => {
      const place = await fresh();
      const effects = await effectsOf(place);
      await expect(effects.claim(aClaim({ idempotency_key: key }))).rejects.toThrow(TypeError);
      await expect(effects.latest(key)).rejects.toMatchObject({ code: 'not_found' });
      await expect(effects.move(key, 1, 'applied')).rejects.toMatchObject({ code: 'not_found' });
      expect(await place.effectKeys()).toEqual([]);
    },
  );

  test.each<Partial<NewClaim>>([{ dispatch: 0 }, { attempt: 1.5 }, { digest: 'x' }, { head: '' }, { turn_id: '' }])(
    'the claim %j is refused',
    async (change) => {
      await expect((await effectsOf()).claim(aClaim(change))).rejects.toThrow(TypeError);
    },
  );

  test('a damaged byte in an effect record is reported with its name, and never read as another state', async () => {
    const place = await fresh();
    const effects = await effectsOf(place);
    await effects.claim(aClaim());
    const name = `effects/${KEY}/1.1`;
    const kept = place.effect(KEY, '1.1');
    const bytes = await kept.read();
    for (let at = 0; at < bytes.length; at++) {
      const bad = Buffer.from(bytes);
      bad[at] = (bad[at] ?? 0) ^ 1;
      await kept.write(bad);
      await expect(effects.latest(KEY)).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringContaining(name) as string,
      });
      await expect(effects.claim(aClaim())).rejects.toMatchObject({ code: 'damaged' });
    }
  });
});
