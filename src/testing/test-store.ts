/**
 * Tests whether a store keeps what the engine relies on. Approvals and effects are only as safe as the store: of two processes
 * that claim one dispatch only one may act, and stored data is read unchanged, or not at all. Every test uses two views of one
 * store, as two processes have them.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { callRecord, hashJson } from '../shared/json/digests';
import type { Json, JsonObject } from '../shared/json/json';
import { exceptionText } from '../shared/wire/errors';
import { append, Draft, walk } from '../store/core/transcript';
import type { NewClaim } from '../record/effect';
import type { Store, StoreError } from '../store/store';
import type { Claim } from './types';

export interface StoreReport {
  claims: Claim[];
}

/** The store does not keep what a worker needs. The report also has the claims that held. */
export class BrokenStore extends Error {
  override readonly name = 'BrokenStore';

  constructor(readonly report: StoreReport) {
    const broken = report.claims.filter(({ held }) => !held);
    const lines = broken.map(({ claim, seen }) => `\n- ${claim}: ${seen}`);
    super(`The store does not keep ${broken.length} of ${report.claims.length} claims:${lines.join('')}`);
  }
}

/**
 * @param open opens another view of the same store, as a process that starts later does
 * @example await testStore(() => openMyStore('test-database'))
 * @throws BrokenStore that lists every claim that does not hold
 */
export async function testStore(open: () => Promise<Store>): Promise<StoreReport> {
  const [one, two] = [await open(), await open()];
  const claims: Claim[] = [];
  try {
    for (const [claim, check] of Object.entries(CLAIMS)) {
      const fault = await check({ one, two, name: randomBytes(20).toString('hex') }).then(() => null, exceptionText);
      claims.push({ claim, held: fault === null, seen: fault ?? 'as it must be' });
    }
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
  if (claims.some(({ held }) => !held)) throw new BrokenStore({ claims });
  return { claims };
}

/** Two views of one store, and 40 hex that no other claim uses. */
interface Scene {
  one: Store;
  two: Store;
  name: string;
}

const AT = '2026-01-31T23:59:59.500Z';
/** Concurrent attempts, half of them through each view. */
const AT_ONCE = 20;

const CLAIMS: Record<string, (scene: Scene) => Promise<void>> = {
  'every view is of the same store': async ({ one, two }) => {
    assert.deepEqual(two.identity, one.identity);
    assert.match(one.identity.id, /^[0-9a-f]{32}$/);
    assert.deepEqual(two.derivedKey('presign'), one.derivedKey('presign'));
    await one.checkWritable();
  },

  'parts and blocks are read as they were stored, in any process': async ({ one, two, name }) => {
    const body = { text: 'é\u2028', list: [1, null, 0.1], name };
    const part = await one.putPart(name, body);
    const start = await append(one, name, { parent: null, kind: 'start', at: AT, bodies: [{ name }, 'two'] });
    const end = await append(two, name, { parent: start, kind: 'end', at: AT, bodies: [] });
    for (const store of [one, two]) {
      assert.deepEqual(await store.getPart(part), body);
      const blocks = await walk(store, end);
      assert.deepEqual(
        blocks.map(({ hash, block, bodies }) => [hash, block.kind, bodies]),
        [
          [start, 'start', [{ name }, 'two']],
          [end, 'end', []],
        ],
      );
    }
  },

  'what is stored twice is stored once, under the same hash': async ({ one, two, name }) => {
    const block = { parent: null, kind: 'start', at: AT, bodies: [{ name }] } as const;
    const heads = await Promise.all(each(one, two, (store) => append(store, name, { ...block, bodies: [...block.bodies] })));
    assert.equal(new Set(heads).size, 1);
    assert.equal(await one.putPart(name, { name }), await two.putPart(name, { name }));
  },

  'what nobody stored is not found, and the error names it': async ({ one, name }) => {
    const hash = createHash('sha256').update(name).digest('hex');
    for (const read of ['getPart', 'getBlock', 'getBytes', 'getCall'] as const) await rejects(one[read](hash), 'not_found', hash);
  },

  'bytes are named by their SHA-256, and come back as they were': async ({ one, two, name }) => {
    for (const bytes of [new Uint8Array(), randomBytes(70_000), Buffer.from(name)]) {
      const hash = await one.putBytes(bytes);
      assert.equal(hash, createHash('sha256').update(bytes).digest('hex'));
      assert.equal(await two.putBytes(bytes), hash);
      assert.equal(Buffer.compare(await two.getBytes(hash), Buffer.from(bytes)), 0);
    }
  },

  'calls are read back by their digests': async ({ one, two, name }) => {
    const calls = ['1.1', '1.2'].map((id) => admittedCall(name, id));
    const digests = await one.putCalls(calls);
    assert.deepEqual(
      digests,
      calls.map(({ record }) => hashJson({ ...record })),
    );
    for (const [index, digest] of digests.entries()) assert.deepEqual(await two.getCall(digest), calls[index]);
  },

  'of many that claim one dispatch at once, one may act': async ({ one, two, name }) => {
    const answers = await Promise.all(each(one, two, (store, run) => store.effects.claim(claim(name, { run_id: `run-${run}` }))));
    const winners = answers.filter(({ claimed }) => claimed);
    assert.equal(winners.length, 1, `${winners.length} of ${AT_ONCE} claimed it`);
    for (const { record } of answers) assert.equal(record.run_id, winners[0]!.record.run_id);
  },

  'a dispatch is not repeated until it is proven not_applied': async ({ one, two, name }) => {
    const again = () => two.effects.claim(claim(name, { dispatch: 2 }));
    await one.effects.claim(claim(name));
    assert.equal((await again()).claimed, false);
    await one.effects.move(keyOf(name), 1, 'in_doubt');
    assert.equal((await again()).claimed, false);
    await one.effects.move(keyOf(name), 1, 'not_applied');
    assert.equal((await again()).claimed, true);
    assert.equal((await one.effects.latest(keyOf(name)))?.dispatch, 2);
  },

  'an effect that is closed stays as it is': async ({ one, two, name }) => {
    await one.effects.claim(claim(name));
    await one.effects.move(keyOf(name), 1, 'applied', { result_ref: 'f'.repeat(64) });
    await rejects(two.effects.move(keyOf(name), 1, 'not_applied'), 'conflict');
    const record = await two.effects.move(keyOf(name), 1, 'applied');
    assert.deepEqual([record.state, record.result_ref], ['applied', 'f'.repeat(64)]);
    await rejects(one.effects.move(keyOf(name.replace(/^./, 'x')), 1, 'applied'), 'not_found');
  },

  'of many that move a record at once, one decides': async ({ one, two, name }) => {
    await one.effects.claim(claim(name));
    const moves = await Promise.allSettled(
      each(one, two, (store, n) => store.effects.move(keyOf(name), 1, n % 2 === 0 ? 'applied' : 'refused')),
    );
    const state = (await one.effects.latest(keyOf(name)))!.state;
    for (const move of moves)
      if (move.status === 'fulfilled') assert.equal(move.value.state, state);
      else assert.equal((move.reason as StoreError).code, 'conflict', exceptionText(move.reason));
  },

  'an attempt renews its deadline only over the one that it knows': async ({ one, two, name }) => {
    await one.effects.claim(claim(name, { deadline: AT }));
    await one.effects.renew(keyOf(name), 1, AT, null);
    await rejects(two.effects.renew(keyOf(name), 1, AT, AT), 'conflict');
  },

  'a record is found by its turn and digest, and by its act': async ({ one, two, name }) => {
    await one.effects.claim(claim(name, { act: 'a'.repeat(64) }));
    assert.equal((await two.effects.findByDigest(name, 'd'.repeat(64)))?.idempotency_key, keyOf(name));
    assert.equal((await two.effects.findByAct(name, 'a'.repeat(64)))?.idempotency_key, keyOf(name));
    assert.equal(await two.effects.findByAct(name, 'a'.repeat(64), keyOf(name)), null);
    assert.equal(await two.effects.findByDigest(`${name}-other`, 'd'.repeat(64)), null);
  },

  'a register is null at first, and a change is seen by everyone': async ({ one, two, name }) => {
    assert.equal((await two.registers.read(name)).value, null);
    assert.equal(await one.registers.update(name, (before) => ({ value: { before }, answer: 'mine' })), 'mine');
    assert.deepEqual((await two.registers.read(name)).value, { before: null });
    await two.registers.update(name, () => ({ answer: null }));
    assert.deepEqual((await one.registers.read(name)).value, { before: null });
  },

  'of all changes of a register at once none is lost': async ({ one, two, name }) => {
    await Promise.all(
      each(one, two, (store) =>
        store.registers.update(name, (count) => ({ value: ((count as number | null) ?? 0) + 1, answer: null })),
      ),
    );
    assert.equal((await one.registers.read(name)).value, AT_ONCE);
  },

  'a change of a register that throws changes nothing': async ({ one, name }) => {
    const broken = one.registers.update(name, () => {
      throw new RangeError('broken');
    });
    await assert.rejects(broken, RangeError);
    assert.equal(await one.registers.update(name, (value) => ({ value: 1, answer: value })), null);
  },

  'the clock of registers is in milliseconds, and goes forward': async ({ one, two, name }) => {
    const { now } = await one.registers.read(name);
    const later = await two.registers.update(name, (_value, at) => ({ answer: at }));
    assert.ok(Number.isInteger(later) && later >= now, `${now}, then ${later}`);
    assert.ok(Math.abs(Date.now() - later) < 3_600_000, `${later} is not the present time`);
  },

  'the trail tells of every decision and effect once, in order and in pages': async ({ one, two, name }) => {
    const draft = new Draft(one, name, null);
    for (const day of ['02', '01', '03'])
      draft.add({ kind: 'decision', bodies: [decision(name, day)] }, `2026-02-${day}T08:00:00.000Z`);
    await draft.store();
    await two.putBlocks([...draft.blocks]);
    const times: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await two.trail.query({ turn: name, limit: 2, ...(cursor === null ? {} : { cursor }) });
      assert.deepEqual(page.damaged, []);
      for (const entry of page.entries) {
        assert.equal(entry.verified, true);
        times.push(entry.at.slice(8, 10));
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(times, ['01', '02', '03']);
    assert.deepEqual((await two.trail.query({ turn: name, from: '2026-02-02', to: '2026-02-03' })).entries.length, 1);
  },
};

function each<T>(one: Store, two: Store, work: (store: Store, n: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: AT_ONCE }, (_, n) => work(n % 2 === 0 ? one : two, n));
}

async function rejects(work: Promise<unknown>, code: StoreError['code'], names = ''): Promise<void> {
  await assert.rejects(work, (error: StoreError) => {
    assert.equal(error.code, code, exceptionText(error));
    assert.ok(error.message.includes(names), `the error does not name ${names}: ${error.message}`);
    return true;
  });
}

const keyOf = (name: string) => `hf_${name}`;

function claim(name: string, more: Partial<NewClaim> = {}): NewClaim {
  return {
    idempotency_key: keyOf(name),
    turn_id: name,
    digest: 'd'.repeat(64),
    dispatch: 1,
    tool: 'pay',
    run_id: 'run-1',
    attempt: 1,
    head: 'e'.repeat(64),
    ...more,
  };
}

function admittedCall(turn_id: string, id: string) {
  const input: JsonObject = { invoice: turn_id, cents: 700 };
  const target: JsonObject = { account: 'DE-1' };
  const of = { turn_id, workflow_id: `turn/${turn_id}`, first_execution_run_id: 'run-1', agent: 'payables', requester: 'ana' };
  const record = callRecord(
    { ...of, store_id: '0'.repeat(32) },
    {
      id,
      revision: 1,
      tool: 'pay',
      version: '1.0.0',
      class: 'destructive',
      input_hash: hashJson(input),
      preview_ref: null,
      policy_ref: 'a'.repeat(64),
      definition_ref: 'b'.repeat(64),
      target_hash: hashJson(target),
    },
  );
  return { record, input, target };
}

function decision(turn_id: string, day: string): Json {
  const subject = { turn_id, workflow_id: `turn/${turn_id}`, agent: 'payables', requester: 'rita' };
  const call = { call_id: `1.${Number(day)}`, revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' };
  const at = `2026-02-${day}T08:00:00.000Z`;
  return { decision: 'approve', by: 'ana', at, digest: 'd'.repeat(64), note: null, subject: { ...subject, ...call } };
}
