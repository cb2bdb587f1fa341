/** Who may begin: the limits of a model as rules over all sequences of requests. */
import * as fc from 'fast-check';
import type { Json } from '../../../../src/shared/json/json';
import { end, noteRates, hold, LAG_MS, LEASE_MS, ledgerAt, LONGEST_HOLD_MS, renew } from '../../../../src/model/limits/ledger';
import { ask, FRONT, SEEN_MS, type Wait } from '../../../../src/model/limits/place';
import type { ModelLimits } from '../../../../src/model/settings';

const T0 = 1_700_000_000_000;

/** One register, as the gate uses it, on a clock of the test. */
function model(limits: ModelLimits, windowMs = 60_000) {
  let value: Json = null;
  const change = (now: number, run: (ledger: ReturnType<typeof ledgerAt>) => ReturnType<typeof ledgerAt>) => {
    value = JSON.parse(JSON.stringify(run(ledgerAt(value, { windowMs, now })))) as Json;
  };
  return {
    ask(id: string, now: number, more: { of?: string; inputTokens?: number; maxTokens?: number } = {}) {
      const asker = { id, of: more.of ?? id, inputTokens: more.inputTokens ?? 0, maxTokens: more.maxTokens ?? 0 };
      const { ledger, answer } = ask(ledgerAt(value, { windowMs, now }), limits, asker, { windowMs, now });
      value = JSON.parse(JSON.stringify(ledger)) as Json;
      return answer;
    },
    end: (id: string, now: number, all: number | null = 0, answer = 0) =>
      change(now, (ledger) => end(ledger, id, all === null ? null : { all, answer }, { windowMs, now })),
    change,
    set: (other: Json) => void (value = other),
    now: (now: number) => ledgerAt(value, { windowMs, now }),
  };
}

const refused = (answer: { ok: boolean }) => answer as Wait;

describe('the requests of a model', () => {
  it('are at most the limit in any minute, whoever asks when', () => {
    const steps = fc.array(fc.record({ gap: fc.nat({ max: 700 }), who: fc.nat({ max: 12 }) }), { maxLength: 150 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 100, max: 3000 }), steps, (limit, windowMs, script) => {
        const opus = model({ requestsPerMinute: limit }, windowMs);
        const starts: number[] = [];
        let now = T0;
        for (const { gap, who } of script) {
          now += gap;
          if (opus.ask(`turn ${who}`, now, { of: `session ${who % 4}` }).ok) starts.push(now);
        }
        for (const [i, start] of starts.entries()) {
          const later = starts[i + limit];
          // Also if each arrives at the vendor up to a second late.
          expect(later === undefined || later - start >= windowMs + LAG_MS).toBe(true);
        }
      }),
    );
  });

  it('begin at the time that was said, if all before them come in their turn', () => {
    const opus = model({ requestsPerMinute: 2 });
    const answers = ['a', 'b', 'c', 'd', 'e'].map((id) => opus.ask(id, T0));
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
    const { waitMs: third, before, why } = refused(answers[2]!);
    expect({ before, why }).toEqual({ before: 0, why: 'requests' });
    expect(third).toBeGreaterThan(60_000);
    expect(refused(answers[4]!)).toMatchObject({ before: 2, waitMs: third + 60_000 + LAG_MS });
    expect(opus.ask('c', T0 + third - 1).ok).toBe(false);
    expect(opus.ask('c', T0 + third).ok).toBe(true);
  });

  it('do not overtake one before them that is there, and overtake one that is not', () => {
    const opus = model({ concurrent: 1 });
    opus.ask('runs', T0);
    expect(refused(opus.ask('first', T0))).toMatchObject({ before: 0, why: 'concurrent', awayMs: null });
    expect(refused(opus.ask('second', T0))).toMatchObject({ before: 1, awayMs: null });
    opus.end('runs', T0 + 100);
    expect(opus.ask('second', T0 + 200).ok).toBe(false);
    expect(opus.ask('second', T0 + SEEN_MS).ok).toBe(true); // the worker of the first was killed, say
    opus.end('second', T0 + SEEN_MS + 1);
    expect(refused(opus.ask('third', T0 + SEEN_MS + 1)).ok).toBe(true); // nobody else is there
  });

  it('wait at the front only if their turn is near; the others come back when it is', () => {
    const opus = model({ requestsPerMinute: 1 });
    opus.ask('runs', T0);
    const near = refused(opus.ask('next', T0 + 57_000));
    expect(near.awayMs).toBeNull();
    const far = refused(opus.ask('after', T0 + 57_000));
    expect(far.awayMs).toBe(30_000);
    const gpt = model({ concurrent: 1 });
    gpt.ask('runs', T0);
    const waits = Array.from({ length: FRONT + 2 }, (_, i) => refused(gpt.ask(`turn ${i}`, T0)));
    expect(waits.map(({ awayMs }) => awayMs === null)).toEqual([...Array<boolean>(FRONT).fill(true), false, false]);
  });
});

describe('the requests of a model that run at once', () => {
  it('are never more than the limit, and all run in the end', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9 })), { maxLength: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (concurrent, script) => {
        const opus = model({ concurrent });
        const running = new Set<string>();
        let now = T0;
        for (const [begins, n] of script) {
          now += 10;
          const id = `turn ${n}`;
          if (!begins) {
            opus.end(id, now);
            running.delete(id);
          } else if (!running.has(id) && opus.ask(id, now).ok) running.add(id);
          expect(running.size).toBeLessThanOrEqual(concurrent);
        }
        for (const id of running) opus.end(id, now);
        const all = Array.from({ length: 10 }, (_, n) => `turn ${n}`);
        let left = all;
        for (let round = 0; round < 20; round++) {
          left = left.filter((id) => {
            const { ok } = opus.ask(id, now);
            if (ok) opus.end(id, now);
            return !ok;
          });
        }
        expect(left).toEqual([]);
      }),
    );
  });

  it('come free 30 seconds after their worker was killed, and not while it renews them', () => {
    const opus = model({ concurrent: 1 });
    opus.ask('killed', T0);
    opus.change(T0 + 20_000, (ledger) => renew(ledger, 'killed', T0 + 20_000).ledger);
    expect(opus.ask('next', T0 + 20_000 + LEASE_MS - 1).ok).toBe(false);
    expect(opus.ask('next', T0 + 20_000 + LEASE_MS).ok).toBe(true);
    expect(renew(opus.now(T0 + 20_000 + LEASE_MS), 'killed', T0 + 20_000 + LEASE_MS).hasLease).toBe(false);
  });

  it('are one if the same step asks again after its worker was killed', () => {
    const opus = model({ concurrent: 1 });
    expect(opus.ask('step', T0).ok).toBe(true);
    expect(opus.ask('step', T0 + 1000).ok).toBe(true);
    expect(opus.now(T0 + 1000).leases).toHaveLength(1);
  });
});

describe('the tokens of a model', () => {
  it('are at most the limit in any minute, counted from the beginning of a request to its end', () => {
    const steps = fc.array(
      fc.record({
        gap: fc.nat({ max: 400 }),
        who: fc.nat({ max: 6 }),
        ends: fc.boolean(),
        took: fc.integer({ min: 1, max: 50 }),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 200 }), steps, (limit, script) => {
        const windowMs = 1000;
        const opus = model({ tokensPerMinute: limit }, windowMs);
        const all: { began: number; ended: number; took: number }[] = [];
        const running = new Map<string, (typeof all)[number]>();
        let now = T0;
        for (const { gap, who, ends, took } of script) {
          now += gap;
          const id = `turn ${who}`;
          const request = running.get(id);
          for (const other of running.keys()) opus.change(now, (ledger) => renew(ledger, other, now).ledger);
          if (ends && request !== undefined) {
            Object.assign(request, { ended: now, took });
            opus.end(id, now, took);
            running.delete(id);
          } else if (!ends && request === undefined && opus.ask(id, now, { inputTokens: 50 }).ok) {
            running.set(id, { began: now, ended: Infinity, took: 50 });
            all.push(running.get(id)!);
          }
        }
        for (const { began: at } of all) {
          const touching = all.filter(({ began, ended }) => began <= at && ended > at - windowMs);
          expect(touching.reduce((sum, { took }) => sum + took, 0)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('are reserved with the longest answer that a request allows, and then with the longest of the last minute', () => {
    const opus = model({ tokensPerMinute: 1000 });
    expect(opus.ask('a', T0, { inputTokens: 100, maxTokens: 800 }).ok).toBe(true);
    expect(refused(opus.ask('b', T0, { inputTokens: 100, maxTokens: 800 }))).toMatchObject({ ok: false, why: 'tokens' });
    opus.end('a', T0 + 1000, 150, 50);
    for (const id of ['b', 'c', 'd', 'e', 'f'])
      expect(opus.ask(id, T0 + 1000, { inputTokens: 100, maxTokens: 800 }).ok).toBe(true);
    expect(opus.ask('g', T0 + 1000, { inputTokens: 100, maxTokens: 800 }).ok).toBe(false);
  });

  it('of a request above the whole limit are waited for until nothing else counts', () => {
    const opus = model({ tokensPerMinute: 1000 });
    opus.ask('small', T0, { inputTokens: 10 });
    expect(opus.ask('large', T0, { inputTokens: 5000 }).ok).toBe(false);
    opus.end('small', T0, 10);
    const { waitMs } = refused(opus.ask('large', T0, { inputTokens: 5000 }));
    expect(waitMs).toBeGreaterThan(60_000);
    expect(opus.ask('large', T0 + waitMs, { inputTokens: 5000 }).ok).toBe(true);
  });

  it('of a request whose worker was killed count as taken for one minute more', () => {
    const opus = model({ tokensPerMinute: 1000 });
    opus.ask('killed', T0, { inputTokens: 900 });
    const after = T0 + LEASE_MS;
    expect(opus.ask('next', after, { inputTokens: 200 }).ok).toBe(false);
    expect(opus.ask('next', after + 60_000 + 2 * LAG_MS, { inputTokens: 200 }).ok).toBe(true);
  });
});

describe('the word of the vendor', () => {
  it('stops all requests for the time that it asked for, an hour at most, and no later word shortens it', () => {
    const opus = model({});
    opus.change(T0, (ledger) => hold(hold(ledger, 10_000, T0), 1000, T0));
    expect(refused(opus.ask('a', T0 + 1))).toMatchObject({ why: 'vendor', waitMs: 9999 });
    expect(opus.ask('a', T0 + 10_000).ok).toBe(true);
    opus.change(T0, (ledger) => hold(ledger, 1e12, T0));
    expect(opus.now(T0).hold_until).toBe(T0 + LONGEST_HOLD_MS);
  });

  it('lets as many requests begin as it says are left, until its limit is whole again', () => {
    const opus = model({});
    opus.change(T0, (ledger) => noteRates(ledger, { requests: { limit: 50, remaining: 2, resetMs: 30_000 } }, 0, T0));
    expect(['a', 'b', 'c'].map((id) => opus.ask(id, T0 + 1).ok)).toEqual([true, true, false]);
    expect(refused(opus.ask('c', T0 + 1))).toMatchObject({ why: 'vendor', waitMs: 29_999 });
    const later = Array.from({ length: 60 }, (_, i) => opus.ask(`later ${i}`, T0 + 30_000).ok);
    expect(later.filter((ok) => ok)).toHaveLength(50); // no more than the whole limit at once
  });

  it('does not know of the requests that began after the one that it answers', () => {
    const opus = model({ concurrent: 10 });
    const first = opus.ask('a', T0);
    opus.ask('b', T0);
    opus.ask('c', T0);
    if (!first.ok) throw new Error('there was room');
    opus.change(T0, (ledger) => noteRates(ledger, { requests: { limit: 50, remaining: 3, resetMs: 30_000 } }, first.number, T0));
    expect([opus.ask('d', T0).ok, opus.ask('e', T0).ok]).toEqual([true, false]);
  });

  it('is not kept while plenty is left', () => {
    const opus = model({});
    opus.change(T0, (ledger) => noteRates(ledger, { requests: { limit: 50, remaining: 49, resetMs: 30_000 } }, 0, T0));
    expect(opus.now(T0).vendor_requests).toBeNull();
  });
});

describe('the ledger of a model', () => {
  it('delays requests by little when the clock was set back', () => {
    const year = 31_536_000_000;
    const opus = model({ requestsPerMinute: 1, concurrent: 1 });
    opus.ask('a', T0 + year);
    opus.change(T0 + year, (ledger) => hold(ledger, 10_000, T0 + year));
    const ledger = opus.now(T0);
    expect(ledger.hold_until).toBeLessThanOrEqual(T0 + LONGEST_HOLD_MS);
    expect(ledger.leases[0]!.until).toBe(T0 + LEASE_MS);
    expect(ledger.requests[0]![0]).toBeLessThanOrEqual(T0 + 1000);
  });

  it('counts as empty if its value has another shape', () => {
    const opus = model({ concurrent: 1 });
    const empty = opus.now(T0);
    opus.ask('a', T0);
    const { leases: _, ...damaged } = JSON.parse(JSON.stringify(opus.now(T0))) as Record<string, Json>;
    for (const value of [
      1,
      [],
      {},
      'x',
      damaged,
      { ...damaged, leases: [null] },
      { ...damaged, leases: [], queue: [{ of: 1 }] },
    ]) {
      opus.set(value as Json);
      expect(opus.now(T0)).toEqual(empty);
    }
  });

  it('stays small with two thousand that wait, and the next one has no place but an answer', () => {
    const opus = model({ concurrent: 1 });
    let ledger = opus.now(T0);
    const moment = { windowMs: 60_000, now: T0 };
    for (let i = 0; i < 2002; i++)
      ({ ledger } = ask(ledger, { concurrent: 1 }, { id: `turn ${i}`, of: `turn ${i}`, inputTokens: 1, maxTokens: 1 }, moment));
    expect(ledger.queue).toHaveLength(2000);
    expect(JSON.stringify(ledger).length).toBeLessThan(300_000);
    const { answer } = ask(ledger, { concurrent: 1 }, { id: 'late', of: 'late', inputTokens: 1, maxTokens: 1 }, moment);
    expect(answer).toMatchObject({ ok: false, before: 2000 });
  });
});
