import * as fc from 'fast-check';
import type { Json } from '../../../../src/shared/json/json';
import {
  admit,
  hold,
  ledgerAt,
  LEASE_MS,
  LONGEST_HOLD_MS,
  release,
  renew,
  type Ledger,
} from '../../../../src/tools/limits/ledger';
import type { ToolLimits } from '../../../../src/tools/define/tool';

const T0 = 1_700_000_000_000;
const none = (): Ledger => ledgerAt(null, {}, T0);

/** One register, as the gate uses it, on a clock of its own. */
function register(limits: ToolLimits) {
  let value: Json = null;
  return {
    begin(id: string, now: number) {
      const { ledger, admittance } = admit(ledgerAt(value, limits, now), limits, id, now);
      value = JSON.parse(JSON.stringify(ledger)) as Json;
      return admittance;
    },
    end(id: string, now: number) {
      value = release(ledgerAt(value, limits, now), id) as unknown as Json;
    },
    size: () => JSON.stringify(value).length,
  };
}

const rates = fc.record({ calls: fc.integer({ min: 1, max: 40 }), perMs: fc.integer({ min: 1, max: 5000 }) });

describe("the ledger of a tool's limits", () => {
  it('lets at most the given number of calls begin in any window', () => {
    fc.assert(
      fc.property(rates, fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (rate, gaps) => {
        const tool = register({ rate });
        const starts: number[] = [];
        let now = T0;
        gaps.forEach((gap, i) => {
          now += gap;
          if (tool.begin(`call ${i}`, now).ok) starts.push(now);
        });
        for (const [i, start] of starts.entries()) {
          const later = starts[i + rate.calls];
          expect(later === undefined || later - start >= rate.perMs).toBe(true);
        }
      }),
    );
  });

  it('says when to ask again: not before that moment, and then it lets the call begin', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 10_000 }), (rate, offset) => {
        const tool = register({ rate });
        const now = T0 + offset;
        for (let i = 0; i < rate.calls; i++) expect(tool.begin(`call ${i}`, now).ok).toBe(true);
        const refused = tool.begin('one more', now);
        if (refused.ok) throw new Error('the window was full');
        expect(tool.begin('too early', now + refused.waitMs - 1).ok).toBe(false);
        expect(tool.begin('in time', now + refused.waitMs).ok).toBe(true);
        expect(refused.waitMs).toBeLessThanOrEqual(rate.perMs + Math.ceil(rate.perMs / 100));
      }),
    );
  });

  it('stays small at any rate', () => {
    const tool = register({ rate: { calls: 100_000, perMs: 60_000 } });
    for (let i = 0; i < 5000; i++) tool.begin(`call ${i}`, T0 + i * 20);
    expect(tool.size()).toBeLessThan(4000);
  });

  it('never lets more calls run at once than the limit, and lets them all run in the end', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9 })), { maxLength: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (concurrency, script) => {
        const tool = register({ concurrency });
        const running = new Set<string>();
        for (const [begins, n] of script) {
          const id = `call ${n}`;
          if (!begins) {
            tool.end(id, T0);
            running.delete(id);
          } else if (!running.has(id)) {
            const { ok } = tool.begin(id, T0);
            expect(ok).toBe(running.size < concurrency);
            if (ok) running.add(id);
          }
        }
      }),
    );
  });

  it('gives the place of a call that is not renewed to another call, and keeps that of a renewed one', () => {
    const limits = { concurrency: 1 };
    const taken = admit(none(), limits, 'a', T0).ledger;
    const renewed = renew(ledgerAt(taken as never, limits, T0 + LEASE_MS - 1), 'a', T0 + LEASE_MS - 1);
    expect(renewed.hasLease).toBe(true);
    expect(admit(ledgerAt(renewed.ledger as never, limits, T0 + LEASE_MS), limits, 'b', T0 + LEASE_MS).admittance).toMatchObject({
      ok: false,
      why: 'concurrency',
    });
    const late = ledgerAt(taken as never, limits, T0 + LEASE_MS);
    expect(renew(late, 'a', T0 + LEASE_MS).hasLease).toBe(false);
    expect(admit(late, limits, 'b', T0 + LEASE_MS).admittance.ok).toBe(true);
  });

  it('does not count a call towards the rate if the concurrency keeps it out', () => {
    const limits = { concurrency: 1, rate: { calls: 2, perMs: 1000 } };
    const tool = register(limits);
    expect(tool.begin('a', T0).ok).toBe(true);
    for (let i = 0; i < 5; i++) expect(tool.begin(`kept out ${i}`, T0)).toMatchObject({ why: 'concurrency' });
    tool.end('a', T0);
    expect(tool.begin('b', T0).ok).toBe(true);
  });

  it('holds all calls for as long as the upstream asked, an hour at most, and never shortens a hold', () => {
    const held = hold(hold(none(), 10_000, T0), 1000, T0);
    expect(admit(ledgerAt(held as never, {}, T0 + 9_999), {}, 'a', T0 + 9_999).admittance).toEqual({
      ok: false,
      why: 'upstream',
      waitMs: 1,
    });
    expect(admit(ledgerAt(held as never, {}, T0 + 10_000), {}, 'a', T0 + 10_000).admittance.ok).toBe(true);
    expect(hold(none(), 1e12, T0).hold_until).toBe(T0 + LONGEST_HOLD_MS);
  });

  it('delays calls by one window at most when the clock was set back', () => {
    const limits = { concurrency: 1, rate: { calls: 1, perMs: 1000 } };
    const year = 31_536_000_000;
    const before = hold(admit(none(), limits, 'a', T0 + year).ledger, 10_000, T0 + year);
    const after = ledgerAt(before as never, limits, T0);
    expect(after.hold_until).toBeLessThanOrEqual(T0 + LONGEST_HOLD_MS);
    expect(after.leases[0]!.until).toBe(T0 + LEASE_MS);
    expect(after.starts[0]![0]).toBeLessThanOrEqual(T0 + 10);
  });

  it('treats a malformed value as an empty ledger', () => {
    for (const value of [
      null,
      1,
      [],
      {},
      { leases: 1, starts: [], hold_until: 0 },
      { leases: [null], starts: [], hold_until: 0 },
    ])
      expect(ledgerAt(value as Json, {}, T0)).toEqual({ leases: [], starts: [], hold_until: 0 });
  });
});
