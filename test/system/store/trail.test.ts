import fc from 'fast-check';
import { samePerson } from '../../../src/shared/approval/approval';
import { turnIdFromKey } from '../../../src/shared/ids';
import type { JsonObject } from '../../../src/shared/json/json';
import { append, Draft } from '../../../src/store/core/transcript';
import type { Store } from '../../../src/store/store';
import { TrailQueryError, type TrailEntry, type TrailQuery, type TrailState } from '../../../src/store/core/trail';
import { overEachKind } from './support/kinds';

const DIGEST = 'd'.repeat(64);
const AT = '2026-01-31T23:59:59.500Z';

function subject(more: JsonObject = {}): JsonObject {
  const turn = { turn_id: 'inv-7', workflow_id: 'turn/inv-7', agent: 'payables', requester: 'rita' };
  return { ...turn, call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive', ...more };
}

function decision(more: JsonObject = {}, about: JsonObject = {}): JsonObject {
  return { decision: 'approve', by: 'ana', at: AT, digest: DIGEST, note: null, subject: subject(about), ...more };
}

overEachKind((fresh, kind) => {
  test('each block that counts gives an entry that says which block it is; other blocks give none', async () => {
    const store = await (await fresh()).open();
    const draft = new Draft(store, 'run-1', null);
    draft.add({ kind: 'start', bodies: [{}] }, AT);
    const given = draft.add({ kind: 'decision', bodies: [decision()] }, AT);
    draft.add({ kind: 'dispatch', bodies: [{ digest: DIGEST, subject: subject() }] }, AT);
    draft.add({ kind: 'effect', bodies: [{ digest: DIGEST, effect: 'in_doubt', subject: subject() }] }, AT);
    const later = '2026-02-01T08:00:00.000Z';
    draft.add({ kind: 'settlement', bodies: [{ digest: DIGEST, outcome: 'applied', by: 'bob', subject: subject() }] }, later);
    draft.add({ kind: 'message', bodies: [{ role: 'user', subject: subject() }] }, later);
    await draft.store();
    const { entries, damaged, next_cursor } = await store.trail.query({});
    expect(entries.map(({ kind, state, by, at }) => [kind, state, by, at])).toEqual([
      ['decision', 'approved', 'ana', AT],
      ['dispatch', 'dispatched', '', AT],
      ['effect', 'in_doubt', '', AT],
      ['settlement', 'applied', 'bob', later],
    ]);
    expect(entries[0]).toEqual({
      v: 'holdfast.trail/1',
      ...{ at: AT, kind: 'decision', state: 'approved', by: 'ana', digest: DIGEST, block: given.hash, verified: true },
      ...subject(),
    });
    expect({ damaged, next_cursor }).toEqual({ damaged: [], next_cursor: null });
  });

  test('the same blocks again add nothing; nor does the same decision in another block', async () => {
    const place = await fresh();
    const store = await place.open();
    const write = (to: Store, parent: string | null) =>
      append(to, 'run-1', { parent, kind: 'decision', at: AT, bodies: [decision()] });
    const head = await write(store, null);
    await Promise.all([write(store, null), write(await place.open(), null)]);
    await write(store, head);
    const { entries } = await store.trail.query({});
    expect(entries).toEqual([expect.objectContaining({ block: head, verified: true })]);
  });

  test('an admission gets its entry once something follows it: a lost attempt may have asked for something else', async () => {
    const store = await (await fresh()).open();
    const admit = (tool: string) =>
      append(store, 'run-1', {
        parent: null,
        kind: 'admission',
        at: AT,
        bodies: [
          { subject: { turn_id: 'inv-7', workflow_id: 'turn/inv-7', agent: 'payables', requester: 'rita' } },
          { call_id: '1.1', tool, version: '1.0.0', class: 'destructive', verdict: 'ask' },
          { call_id: '1.2', tool: 'look', version: '1.0.0', class: 'read', verdict: 'allow' },
          { call_id: '1.3', tool, version: '', class: 'destructive', verdict: 'rejected' },
        ],
      });
    await admit('wipe'); // the worker died, and the model was asked again
    const parent = await admit('pay');
    expect((await store.trail.query({})).entries).toEqual([]);
    await append(store, 'run-1', { parent, kind: 'message', at: AT, bodies: [{ role: 'user' }] });
    const { entries } = await store.trail.query({});
    expect(entries.map(({ call_id, tool, state, verified }) => [call_id, tool, state, verified])).toEqual([
      ['1.1', 'pay', 'asked', true],
      ['1.3', 'pay', 'rejected', true],
    ]);
  });

  test('blocks from before there was a trail are no fault, and a parent that cannot be read does not stop a write', async () => {
    const store = await (await fresh()).open();
    const old = { call_id: '1.1', digest: DIGEST, effect: 'applied' };
    const head = await append(store, 'run-1', { parent: 'f'.repeat(64), kind: 'effect', at: AT, bodies: [old] });
    expect((await store.getBlock(head)).bodies).toEqual([old]);
    expect(await store.trail.query({})).toEqual({ entries: [], damaged: [], next_cursor: null });
  });

  describe('an entry that was tampered with', () => {
    async function three() {
      const place = await fresh();
      const store = await place.open();
      for (const minute of ['00', '01', '02'])
        await append(store, 'run-1', {
          ...{ parent: null, kind: 'decision', at: AT },
          bodies: [decision({ at: `2026-01-31T10:${minute}:00.000Z`, by: `p${minute}` })],
        });
      return { place, store, positions: await place.trailPositions() };
    }

    test('is reported as damaged, and hides nothing else', async () => {
      const { place, store, positions } = await three();
      const kept = place.trail(positions[1]!);
      const text = (await kept.read()).toString('utf8');
      const wrong = [
        text.slice(0, 40),
        text.replace('"p01"', '"eve"'),
        text.replace('"approved"', '"praised"'),
        '',
        'x'.repeat(100_000),
        '[]',
      ];
      for (const bytes of wrong) {
        await kept.write(Buffer.from(bytes));
        const { entries, damaged } = await store.trail.query({});
        expect(entries.map(({ by }) => by)).toEqual(['p00', 'p02']);
        expect(damaged).toEqual([{ file: `trail/${positions[1]}`, reason: expect.any(String) }]);
      }
      await kept.write(Buffer.from(text));
      await place.trail('2026-01-31/note.txt').write(Buffer.from('x'));
      await place.trail('2026-01-31x/y').write(Buffer.from('x'));
      const { entries, damaged } = await store.trail.query({});
      expect(entries).toHaveLength(3);
      expect(damaged.map(({ file }) => file).sort()).toEqual([
        'trail/2026-01-31/note.txt',
        kind === 'files' ? 'trail/2026-01-31x' : 'trail/2026-01-31x/y',
      ]);
    });

    test('is not verified where an entry was made up, or its block is gone or damaged', async () => {
      const { place, store, positions } = await three();
      const entries = (await store.trail.query({})).entries;
      // Copied into another store, whose blocks say nothing of it.
      const elsewhere = await fresh();
      const other = await elsewhere.open();
      for (const position of positions) await elsewhere.trail(position).write(await place.trail(position).read());
      expect((await other.trail.query({})).entries.map(({ verified }) => verified)).toEqual([false, false, false]);

      await place.object(entries[0]!.block).remove();
      const later = await place.open();
      expect((await later.trail.query({})).entries.map(({ verified }) => verified)).toEqual([false, true, true]);
    });
  });

  describe('a query', () => {
    const STATES = { approve: 'approved', deny: 'denied', expired: 'expired', edit: 'edited' } as const;
    const time = fc.date({ min: new Date('2026-01-30T00:00:00Z'), max: new Date('2026-02-02T00:00:00Z'), noInvalidDate: true });
    const made = fc.record({
      at: time.map((date) => date.toISOString()),
      decision: fc.constantFrom('approve', 'deny', 'expired', 'edit'),
      by: fc.constantFrom('', 'ana', 'ANA ', 'bob'),
      tool: fc.constantFrom('pay', 'send'),
      requester: fc.constantFrom('rita', 'sam'),
      turn: fc.constantFrom('t-1', 't-2'),
      call_id: fc.constantFrom('1.1', '1.2', '2.1', '10.1'),
    });
    const asked = fc.record(
      {
        tool: fc.constantFrom('pay', 'send', 'none'),
        by: fc.constantFrom('ana', 'Bob', 'eve'),
        requester: fc.constantFrom('rita', 'RITA'),
        state: fc.constantFrom<TrailState>('approved', 'denied', 'edited', 'applied'),
        turn: fc.constantFrom('t-1', 't-3'),
        workflow: fc.constantFrom('turn/t-2', 'turn/t-3'),
        from: time.map((date) => date.toISOString()),
        to: fc.oneof(
          time.map((date) => date.toISOString()),
          fc.constant('2026-02-01'),
        ),
      },
      { requiredKeys: [] },
    );

    function naive(all: TrailEntry[], { tool, by, requester, state, turn, workflow, from, to }: TrailQuery): TrailEntry[] {
      const keep = (entry: TrailEntry) => {
        if (tool !== undefined && entry.tool !== tool) return false;
        if (by !== undefined && !samePerson(entry.by, by)) return false;
        if (requester !== undefined && !samePerson(entry.requester, requester)) return false;
        if (state !== undefined && entry.state !== state) return false;
        if (turn !== undefined && entry.turn_id !== turn) return false;
        if (workflow !== undefined && entry.workflow_id !== workflow) return false;
        const at = Date.parse(entry.at);
        return !(from !== undefined && at < Date.parse(from)) && !(to !== undefined && at >= Date.parse(to));
      };
      return all.filter(keep);
    }

    test('finds what a plain scan over all entries finds, in the same order, with any page size', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(made, { maxLength: 12, selector: (one) => JSON.stringify(one) }),
          fc.array(asked, { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 1, max: 5 }),
          async (all, queries, limit) => {
            const store = await (await fresh()).open();
            const draft = new Draft(store, 'run-1', null);
            for (const { at, decision: said, by, tool, requester, turn, call_id } of all) {
              const about = { tool, requester, turn_id: turn, workflow_id: `turn/${turn}`, call_id };
              draft.add({ kind: 'decision', bodies: [decision({ at, by, decision: said }, about)] }, AT);
            }
            await store.putBlocks(draft.blocks);
            const everything = (await store.trail.query({ limit: 1000 })).entries;
            expect(everything.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort());
            const keyOf = (entry: any) => [entry.at, entry.state, entry.by, entry.tool, entry.requester, entry.turn_id].join();
            const expected = all.map((one) =>
              keyOf({ ...one, state: STATES[one.decision as keyof typeof STATES], turn_id: one.turn }),
            );
            expect(everything.map(keyOf).sort()).toEqual(expected.sort());
            for (const query of queries) {
              const found: TrailEntry[] = [];
              for (let cursor: string | null = null, pages = 0; ; pages++) {
                const page = await store.trail.query({ ...query, limit, ...(cursor === null ? {} : { cursor }) });
                found.push(...page.entries);
                expect(page.entries.length).toBeLessThanOrEqual(limit);
                if (page.next_cursor === null) break;
                expect(page.entries).toHaveLength(limit);
                expect(pages).toBeLessThan(20);
                cursor = page.next_cursor;
              }
              expect(found).toEqual(naive(everything, query));
            }
          },
        ),
        { numRuns: kind === 'files' ? 40 : 10 },
      );
    });

    test('finds a turn by its id, or by the key under which its requester has started it, with any page size', async () => {
      const store = await (await fresh()).open();
      const draft = new Draft(store, 'run-1', null);
      const of = (requester: string) => turnIdFromKey(requester, 'inv-4');
      const turns = { 'inv-4': 'local', [of('rita')]: 'rita', [of('sam')]: 'sam', [`call/${of('sam')}`]: 'sam' };
      const others = { [of('eve')]: 'rita', [turnIdFromKey('rita', 'inv-5')]: 'rita', 'inv-40': 'local', 'call/inv-5': 'local' };
      for (const [turn_id, requester] of Object.entries({ ...others, ...turns }))
        draft.add({ kind: 'decision', bodies: [decision({}, { turn_id, requester, workflow_id: turn_id })] }, AT);
      await store.putBlocks(draft.blocks);
      const found: string[] = [];
      for (let cursor: string | null = null; ;) {
        const page = await store.trail.query({ named: 'inv-4', limit: 1, ...(cursor === null ? {} : { cursor }) });
        found.push(...page.entries.map(({ turn_id }) => turn_id));
        if ((cursor = page.next_cursor) === null) break;
      }
      expect(found.sort()).toEqual(Object.keys(turns).sort());
      expect((await store.trail.query({ named: 'inv-4', requester: 'rita' })).entries).toMatchObject([{ requester: 'rita' }]);
      expect((await store.trail.query({ named: `call%2F${of('sam')}` })).entries).toMatchObject([
        { turn_id: `call/${of('sam')}` },
      ]);
    });

    test.each<[TrailQuery, RegExp]>([
      [{ limit: 0 }, /^limit is 0; it must be a whole number from 1 to 1000\.$/],
      [{ limit: 1001 }, /^limit is 1001/],
      [{ state: 'praised' as never }, /^There is no state "praised" in the trail; states: rejected, asked/],
      [{ from: 'yesterday' }, /^from is "yesterday"; it must be a day, 2026-01-31, or a time with its zone/],
      [{ to: '2026-01-31T09:00' }, /^to is "2026-01-31T09:00"/],
      [{ to: '2026-13-31' }, /^to is "2026-13-31"/],
      [{ cursor: '../../etc/passwd' }, /^The cursor is none that a page of the trail gave/],
    ])('%j is refused, and says what is allowed', async (query, message) => {
      const store = await (await fresh()).open();
      await expect(store.trail.query(query)).rejects.toThrow(TrailQueryError);
      await expect(store.trail.query(query)).rejects.toThrow(message);
    });
  });
});
