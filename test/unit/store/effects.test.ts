/** The possible changes of an effect record, over versions in memory. Over each kind of store: test/system/store/effects.test.ts. */
import type { EffectRecord, EffectState, NewClaim } from '../../../src/record/effect';
import { Effects, namesOf } from '../../../src/store/core/effects';
import { MemoryVersions } from '../../support/store/memory-versions';
import { aClaim, KEY } from '../../support/store/store-dir';

const OTHER_KEY = `hf_${'2'.repeat(40)}`;
const REF = 'f'.repeat(64);
const HEAD = 'b'.repeat(64);
const ACT = 'c'.repeat(64);
// sha256sum of {"digest":"dd…","turn_id":"inv-7"}, and of {"act":"cc…","turn_id":"inv-7"}.
const DIGEST_NAME = 'b6b714ca4ce7edef8a61ad9bc298cf307cddcc6ae088d3b915554efb83008751';
const ACT_NAME = '0a509a03b75be5ca7b6caa91efe783142dcf947942cb8bd9c482ae5305a0837b';
const SOON = '2026-01-01T00:00:10.000Z';
const LATER = '2026-01-01T00:00:20.000Z';
const T0 = Date.parse('2026-01-01T00:00:00.000Z');

let versions: MemoryVersions;
let effects: Effects;
beforeEach(() => {
  jest.useFakeTimers({ now: T0 });
  versions = new MemoryVersions();
  effects = new Effects(versions);
});
afterEach(() => jest.useRealTimers());

/** The record as another process changed it. */
function theirs(facts: Partial<EffectRecord>): void {
  const { record, version } = versions.kept.at(-1)!;
  versions.kept.push({ record: { ...record, ...facts }, version: version + 1 });
}

/** How a pending call ends. */
const laterOf = (state: EffectState) =>
  state === 'pending' ? { later: { token_hash: 'e'.repeat(64), expires_at: '2026-01-04T00:00:00.000Z' } } : {};

async function inState(state: EffectState, claim: Partial<NewClaim> = {}): Promise<void> {
  await effects.claim(aClaim(claim));
  if (state !== 'claimed') await effects.move(claim.idempotency_key ?? KEY, 1, state, laterOf(state));
}

describe('a claim', () => {
  it('is the first version of its dispatch, with all the given fields, and without a result', async () => {
    const { claimed, record } = await effects.claim(aClaim({ act: ACT, deadline: SOON }));
    expect(claimed).toBe(true);
    expect(record).toEqual({
      v: 'holdfast.effect/1',
      ...aClaim(),
      act: ACT,
      deadline: SOON,
      state: 'claimed',
      claimed_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      result_ref: null,
      result_head: null,
    });
    expect(versions.kept).toEqual([{ record, version: 1 }]);
  });

  it.each<EffectState>(['claimed', 'applied', 'refused', 'in_doubt'])(
    'of the next dispatch is refused while the effect is %s, and returns the record',
    async (state) => {
      await inState(state);
      const before = await effects.latest(KEY);
      expect(await effects.claim(aClaim({ dispatch: 2 }))).toEqual({ claimed: false, record: before });
      expect(await effects.claim(aClaim())).toEqual({ claimed: false, record: before });
      expect(before).toMatchObject({ dispatch: 1, state });
    },
  );

  it('of the next dispatch is taken once the last one is proven not applied, and not a second time', async () => {
    await inState('not_applied');
    expect(await effects.claim(aClaim())).toMatchObject({ claimed: false, record: { state: 'not_applied' } });
    expect(await effects.claim(aClaim({ dispatch: 2 }))).toMatchObject({
      claimed: true,
      record: { dispatch: 2, state: 'claimed' },
    });
    await effects.move(KEY, 2, 'not_applied');
    expect(await effects.claim(aClaim({ dispatch: 1 }))).toMatchObject({ claimed: false, record: { dispatch: 2 } });
    expect(await effects.claim(aClaim({ dispatch: 2 }))).toMatchObject({ claimed: false, record: { dispatch: 2 } });
    expect(await effects.claim(aClaim({ dispatch: 3 }))).toMatchObject({ claimed: true, record: { dispatch: 3 } });
  });

  it('blocks a dispatch that never began', async () => {
    expect(await effects.claim(aClaim(), 'not_applied')).toMatchObject({ claimed: true, record: { state: 'not_applied' } });
    expect(await effects.claim(aClaim())).toMatchObject({ claimed: false });
  });

  it('of a dispatch whose predecessor was never claimed is a conflict, and names that predecessor', async () => {
    const skipped = (dispatch: number) => ({
      code: 'conflict',
      message: `Dispatch ${dispatch} of ${KEY} cannot be claimed: dispatch ${dispatch - 1} never was`,
    });
    await expect(effects.claim(aClaim({ dispatch: 2 }))).rejects.toMatchObject(skipped(2));
    await effects.claim(aClaim(), 'not_applied');
    await expect(effects.claim(aClaim({ dispatch: 3 }))).rejects.toMatchObject(skipped(3));
    expect(versions.kept).toHaveLength(1);
  });

  it.each<Partial<NewClaim>>([{ digest: 'e'.repeat(64) }, { turn_id: 'inv-8' }])(
    'under the key of another call, %j, is a conflict, and names both',
    async (change) => {
      await inState('not_applied');
      const other = aClaim({ dispatch: 2, ...change });
      await expect(effects.claim(other)).rejects.toMatchObject({
        code: 'conflict',
        message: `${KEY} belongs to call ${aClaim().digest} of turn inv-7, not to ${other.digest} of ${other.turn_id}`,
      });
    },
  );

  it('that loses against another process answers with its record', async () => {
    versions.meanwhile = () => {
      const record = { ...aRecord(), run_id: 'run-9' };
      versions.kept.push({ record, version: 1 });
    };
    expect(await effects.claim(aClaim())).toMatchObject({ claimed: false, record: { run_id: 'run-9' } });
    expect(versions.kept).toHaveLength(1);
  });

  it('that loses, and then finds nothing, says that somebody cleans the store', async () => {
    versions.create = async () => false;
    await expect(effects.claim(aClaim())).rejects.toMatchObject({
      code: 'not_found',
      message: `The effect records of ${KEY} vanished; is another program cleaning the store?`,
    });
  });
});

describe('a move', () => {
  const STATES = ['claimed', 'pending', 'applied', 'not_applied', 'refused', 'in_doubt'] as const;
  const ALLOWED: Record<EffectState, EffectState[]> = {
    claimed: ['pending', 'applied', 'not_applied', 'refused', 'in_doubt'],
    pending: ['applied', 'not_applied', 'in_doubt'],
    in_doubt: ['applied', 'not_applied'],
    applied: [],
    not_applied: [],
    refused: [],
  };
  const MOVES = STATES.flatMap((from) => STATES.flatMap((to) => (to === 'claimed' ? [] : [[from, to] as const])));

  it.each(MOVES)('from %s to %s follows the contract', async (from, to) => {
    await inState(from);
    const [before, count] = [await effects.latest(KEY), versions.kept.length];
    jest.setSystemTime(T0 + 1000);
    const move = effects.move(KEY, 1, to, { result_ref: REF, ...laterOf(to) });
    if (from === to) expect(await move).toEqual(before);
    else if (ALLOWED[from].includes(to)) {
      const after = { ...before, state: to, result_ref: REF, ...laterOf(to), updated_at: '2026-01-01T00:00:01.000Z' };
      expect(await move).toEqual(after);
      expect(versions.kept.slice(count)).toEqual([{ record: after, version: count + 1 }]);
      return;
    } else
      await expect(move).rejects.toMatchObject({
        code: 'conflict',
        message: `Effect ${KEY}, dispatch 1, is ${from}; it cannot become ${to}`,
      });
    expect(versions.kept).toHaveLength(count);
  });

  it('keeps an earlier result, unless a new one is found', async () => {
    await effects.claim(aClaim());
    await effects.move(KEY, 1, 'in_doubt', { result_ref: REF, result_head: HEAD });
    expect(await effects.latest(KEY)).toMatchObject({ result_ref: REF, result_head: HEAD });
    expect(await effects.move(KEY, 1, 'applied', { result_ref: ACT })).toMatchObject({ result_ref: ACT, result_head: HEAD });
  });

  it('keeps the earlier result, with a head that is newly found', async () => {
    await effects.claim(aClaim());
    await effects.move(KEY, 1, 'in_doubt', { result_ref: REF, result_head: HEAD });
    expect(await effects.move(KEY, 1, 'applied', { result_head: ACT })).toMatchObject({ result_ref: REF, result_head: ACT });
  });

  it('by one attempt alone is refused once another attempt has begun', async () => {
    await effects.claim(aClaim({ deadline: SOON }));
    await effects.renew(KEY, 1, SOON, LATER);
    await expect(effects.move(KEY, 1, 'not_applied', { alone: SOON })).rejects.toMatchObject({
      code: 'conflict',
      message: `Effect ${KEY}, dispatch 1, cannot become not_applied: another attempt has begun, and may act until ${LATER}`,
    });
    expect(await effects.move(KEY, 1, 'not_applied', { alone: LATER })).toMatchObject({ state: 'not_applied' });
  });

  it('is judged again if another process has changed the record meanwhile', async () => {
    await inState('claimed');
    versions.meanwhile = () => theirs({ state: 'in_doubt' });
    expect(await effects.move(KEY, 1, 'applied')).toMatchObject({ state: 'applied' });
    expect(versions.kept.map(({ record, version }) => [record.state, version])).toEqual([
      ['claimed', 1],
      ['in_doubt', 2],
      ['applied', 3],
    ]);
  });

  it('is refused if another process recorded another outcome first', async () => {
    await inState('claimed');
    versions.meanwhile = () => theirs({ state: 'applied' });
    await expect(effects.move(KEY, 1, 'not_applied')).rejects.toMatchObject({ code: 'conflict' });
    expect(await effects.latest(KEY)).toMatchObject({ state: 'applied' });
  });

  it('changes the dispatch that it names, and fails if there is none', async () => {
    await expect(effects.move(KEY, 1, 'applied')).rejects.toMatchObject({
      code: 'not_found',
      message: `No effect record for dispatch 1 of "${KEY}"`,
    });
    await inState('not_applied');
    await effects.claim(aClaim({ dispatch: 2 }));
    await expect(effects.move(KEY, 1, 'applied')).rejects.toMatchObject({ code: 'conflict' });
    expect(await effects.move(KEY, 2, 'refused')).toMatchObject({ dispatch: 2, state: 'refused' });
    await expect(effects.move(KEY, 3, 'applied')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a deadline', () => {
  it.each<EffectState>(['claimed', 'in_doubt'])('is put off while the effect is %s, by a caller that knows it', async (state) => {
    await inState(state, { deadline: SOON });
    expect(await effects.renew(KEY, 1, SOON, LATER)).toMatchObject({ state, deadline: LATER });
    expect(await effects.renew(KEY, 1, LATER, null)).toMatchObject({ state, deadline: null });
    expect(await effects.renew(KEY, 1, null, SOON)).toMatchObject({ state, deadline: SOON });
  });

  it('that differs from the expected one is not put off, and the error has both', async () => {
    await inState('claimed', { deadline: SOON });
    await expect(effects.renew(KEY, 1, LATER, null)).rejects.toMatchObject({
      code: 'conflict',
      message: `Effect ${KEY}, dispatch 1, is claimed and its attempts act until ${SOON}; ${LATER} cannot become null`,
    });
    expect(await effects.latest(KEY)).toMatchObject({ deadline: SOON });
  });

  it.each<EffectState>(['applied', 'not_applied', 'refused'])('is not put off once the effect is %s', async (state) => {
    await inState(state, { deadline: SOON });
    await expect(effects.renew(KEY, 1, SOON, LATER)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is given to a record of an older build, which has none', async () => {
    await inState('claimed');
    expect(Object.keys((await effects.latest(KEY))!)).not.toContain('deadline');
    expect(await effects.renew(KEY, 1, undefined, SOON)).toMatchObject({ deadline: SOON });
  });
});

describe('an effect that is looked up without its key', () => {
  it('is found by digest or act, within the turn', async () => {
    await inState('in_doubt', { act: ACT });
    const found = { idempotency_key: KEY, state: 'in_doubt' };
    expect(await effects.findByDigest('inv-7', aClaim().digest)).toMatchObject(found);
    expect(await effects.findByAct('inv-7', ACT)).toMatchObject(found);
    expect(await effects.findByDigest('inv-8', aClaim().digest)).toBeNull();
    expect(await effects.findByAct('inv-8', ACT)).toBeNull();
    expect(await effects.findByDigest('inv-7', ACT)).toBeNull();
    expect(await effects.findByAct('inv-7', aClaim().digest)).toBeNull();
    expect(await effects.findByAct('inv-7', ACT, KEY)).toBeNull();
    expect(await effects.findByAct('inv-7', ACT, OTHER_KEY)).toMatchObject(found);
  });

  it.each<[EffectState, EffectState, string]>([
    ['applied', 'not_applied', KEY],
    ['not_applied', 'applied', OTHER_KEY],
    ['claimed', 'not_applied', KEY],
    ['applied', 'claimed', OTHER_KEY],
    ['not_applied', 'not_applied', OTHER_KEY],
  ])('is, of one that is %s and a later one that is %s, one that may have happened, else the later', async (first, then, key) => {
    await inState(first);
    jest.setSystemTime(T0 + 1000);
    await inState(then, { idempotency_key: OTHER_KEY });
    expect(await effects.findByDigest('inv-7', aClaim().digest)).toMatchObject({ idempotency_key: key });
    versions.kept.reverse();
    expect(await effects.findByDigest('inv-7', aClaim().digest)).toMatchObject({ idempotency_key: key });
  });

  it('has hashes as names, with other ones for a digest than for an act', () => {
    const record = aRecord();
    expect(namesOf(record)).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), act: null });
    const both = namesOf({ ...record, act: record.digest });
    expect(both.digest).toBe(namesOf(record).digest);
    expect(both.act).toMatch(/^[0-9a-f]{64}$/);
    expect(both.act).not.toBe(both.digest);
    expect(namesOf({ ...record, act: ACT }).act).not.toBe(both.act);
    expect(namesOf({ ...record, turn_id: 'inv-8', act: record.digest }).act).not.toBe(both.act);
  });

  // Names of stored records: under another name the effect from before is not found.
  it('has the names that it had in earlier versions', () => {
    expect(namesOf({ ...aRecord(), act: ACT })).toEqual({ digest: DIGEST_NAME, act: ACT_NAME });
  });
});

describe('a key of another form', () => {
  it.each(['', '../salt', `hf_${'A'.repeat(40)}`, `hf_${'1'.repeat(39)}`, `${KEY}1`, ` ${KEY}`, `${KEY}\n`])(
    '%j is refused before any record is read',
    async (key) => {
      versions.last = () => Promise.reject(new Error('it was asked'));
      const shown = `No effect ${JSON.stringify(key)}: a key is hf_ and 40 lower-case hex characters`;
      const refused = { code: 'not_found', message: shown };
      await expect(effects.latest(key)).rejects.toMatchObject(refused);
      await expect(effects.move(key, 1, 'applied')).rejects.toMatchObject(refused);
      await expect(effects.renew(key, 1, null, null)).rejects.toMatchObject(refused);
      await expect(effects.claim(aClaim({ idempotency_key: key }))).rejects.toThrow(TypeError);
    },
  );

  it('is shown in part if it is long', async () => {
    await expect(effects.latest('x'.repeat(5000))).rejects.toThrow(`No effect "${'x'.repeat(80)}":`);
  });
});

function aRecord(): EffectRecord {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    v: 'holdfast.effect/1',
    ...aClaim(),
    state: 'claimed',
    claimed_at: at,
    updated_at: at,
    result_ref: null,
    result_head: null,
  };
}
