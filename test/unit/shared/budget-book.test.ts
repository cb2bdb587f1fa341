import * as fc from 'fast-check';
import {
  EMPTY_BOOK,
  MOST_OPEN,
  reserve,
  settle,
  usedAmount,
  countsUntil,
  type Book,
  type Reservation,
  type BudgetSettlement,
} from '../../../src/shared/budget-book';
import { runs } from '../../support/runs';

const WINDOW = 1000;
const LASTS = 200;
const key = (n: number) => `hf_${n.toString(16).padStart(40, '0')}`;
const asking = (n: number, amount: number | string, more: Partial<Reservation> = {}): Reservation => ({
  key: key(n),
  dispatch: 1,
  amount: String(amount),
  cap: '100',
  window_ms: WINDOW,
  lasts_ms: LASTS,
  proven: 0,
  accepted: false,
  ...more,
});
const said = (n: number, outcome: BudgetSettlement['outcome'], dispatch = 1): BudgetSettlement => ({
  key: key(n),
  dispatch,
  outcome,
});

/** A book to which a test reports one thing after the other. */
class Teller {
  book: Book = EMPTY_BOOK;
  reserve(now: number, asked: Reservation) {
    const { book, answer } = reserve(this.book, asked, now);
    this.book = book;
    return answer;
  }
  settle(now: number, settled: BudgetSettlement) {
    this.book = settle(this.book, settled, now);
  }
  used(now: number): string {
    return String(usedAmount(this.book, now));
  }
}

describe('the book of a budget', () => {
  it('reserves up to the cap; then it says how much is used, and when enough is free', () => {
    const teller = new Teller();
    expect(teller.reserve(0, asking(1, 60))).toEqual({ granted: true, used: '0', over: false });
    expect(teller.reserve(5, asking(2, 40))).toEqual({ granted: true, used: '60', over: false });
    expect(teller.reserve(9, asking(3, 1))).toEqual({
      granted: false,
      used: '100',
      frees_at: LASTS + WINDOW,
      open: [
        { key: key(1), dispatch: 1 },
        { key: key(2), dispatch: 1 },
      ],
    });
    expect(teller.reserve(9, asking(3, 101))).toMatchObject({ granted: false, frees_at: null });
  });

  it('counts with whole numbers beyond what a double holds', () => {
    const cap = `1${'0'.repeat(30)}`;
    const teller = new Teller();
    expect(teller.reserve(0, asking(1, `${'9'.repeat(30)}`, { cap })).granted).toBe(true);
    expect(teller.reserve(0, asking(2, 2, { cap })).granted).toBe(false);
    expect(teller.reserve(0, asking(3, 1, { cap })).granted).toBe(true);
    expect(teller.used(0)).toBe(cap);
  });

  it('gives back at once the amount of a call that had no effect', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 100));
    teller.settle(1, said(1, 'not_applied'));
    expect(teller.used(1)).toBe('0');
    expect(teller.reserve(2, asking(1, 100, { dispatch: 2 })).granted).toBe(true);
  });

  it('counts a call in doubt as spent, until it is known to have had no effect', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 100));
    teller.settle(1, said(1, 'in_doubt'));
    expect(teller.reserve(2, asking(2, 1)).granted).toBe(false);
    teller.settle(3, said(1, 'not_applied'));
    expect(teller.reserve(4, asking(2, 1)).granted).toBe(true);
  });

  it('frees a spent amount once its window is over, not earlier', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 100));
    teller.settle(10, said(1, 'applied'));
    expect(teller.reserve(10 + WINDOW - 1, asking(2, 1)).granted).toBe(false);
    expect(teller.reserve(10 + WINDOW + WINDOW / 100, asking(2, 1)).granted).toBe(true);
  });

  it('keeps an unsettled amount as long as its effect may lie within the window, and no longer', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 100));
    expect(teller.reserve(LASTS + WINDOW - 1, asking(2, 1)).granted).toBe(false);
    expect(teller.reserve(LASTS + WINDOW, asking(2, 1)).granted).toBe(true);
  });

  it('takes each dispatch once, for any repetition and any order', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 60));
    expect(teller.reserve(1, asking(1, 60)).granted).toBe(true);
    expect(teller.used(1)).toBe('60');
    teller.settle(2, said(1, 'applied'));
    teller.settle(3, said(1, 'applied'));
    teller.settle(4, said(1, 'in_doubt'));
    teller.settle(5, said(1, 'not_applied'));
    expect(teller.reserve(6, asking(1, 60)).granted).toBe(true);
    expect(teller.used(6)).toBe('60');
  });

  it('lets a call go beyond the cap if a person accepted that, and remembers it', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 100));
    expect(teller.reserve(1, asking(2, 50, { accepted: true }))).toEqual({ granted: true, used: '100', over: true });
    teller.settle(2, said(2, 'applied'));
    expect(teller.book.spent).toMatchObject([{ amount: '50', calls: 1, over: 1 }]);
    expect(teller.used(2)).toBe('150');
  });

  it('drops the reservation of an earlier dispatch of the same call, once that dispatch is proven to have done nothing', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 100));
    expect(teller.reserve(1, asking(1, 100, { dispatch: 2 })).granted).toBe(false);
    expect(teller.reserve(1, asking(1, 100, { dispatch: 2, proven: 1 })).granted).toBe(true);
    expect(teller.used(1)).toBe('100');
  });

  it('uses the cap of the present request: a deploy may lower it', () => {
    const teller = new Teller();
    teller.reserve(0, asking(1, 60));
    expect(teller.reserve(1, asking(2, 1, { cap: '50' })).granted).toBe(false);
    expect(teller.reserve(1, asking(2, 1, { cap: '61' })).granted).toBe(true);
  });

  it('stays small: spent amounts are kept by slices of the window, and reservations are limited', () => {
    const teller = new Teller();
    for (let n = 0; n < 5000; n++) {
      teller.reserve(n / 10, asking(n, 1, { cap: '1000000' }));
      teller.settle(n / 10, said(n, 'applied'));
    }
    expect(teller.book.spent.length).toBeLessThanOrEqual(102);
    expect(teller.used(500)).toBe('5000');
    for (let n = 0; n < MOST_OPEN; n++) teller.reserve(500, asking(10_000 + n, 1, { cap: '1000000' }));
    expect(teller.reserve(500, asking(99_999, 1, { cap: '1000000' }))).toMatchObject({ granted: false });
    expect(JSON.stringify(teller.book).length).toBeLessThan(1_000_000);
  });
});

/** The course of one dispatch in a world with crashes. */
interface Step {
  call: number;
  amount: number;
  /** ms until the next step begins. */
  pause: number;
  /** ms from the reservation to the effect. */
  acts: number;
  fate: 'applied' | 'not_applied' | 'in_doubt, applied' | 'in_doubt, not_applied';
  settled: 'once' | 'twice' | 'late' | 'never';
  /** The reservation's answer was lost, and it is asked again. */
  asksTwice: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    call: fc.nat(1_000_000),
    amount: fc.integer({ min: 1, max: 60 }),
    pause: fc.integer({ min: 0, max: 300 }),
    acts: fc.integer({ min: 0, max: LASTS }),
    fate: fc.constantFrom('applied', 'not_applied', 'in_doubt, applied', 'in_doubt, not_applied'),
    settled: fc.constantFrom('once', 'twice', 'late', 'never'),
    asksTwice: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);

/** Plays all of it in the order of time; calls overlap as they come. */
function play(plan: Step[]) {
  const teller = new Teller();
  const effects: { at: number; amount: number }[] = [];
  const events: { at: number; run: () => void }[] = [];
  let refused = 0;
  let begins = 0;
  let last = 0;
  plan.forEach((step, n) => {
    begins += step.pause;
    const began = begins;
    events.push({
      at: began,
      run: () => {
        const asked = asking(n, step.amount);
        const { granted } = teller.reserve(began, asked);
        if (step.asksTwice && granted) expect(teller.reserve(began, asked).granted).toBe(true);
        if (!granted) return void (refused += 1);
        const acted = began + step.acts;
        if (step.fate.endsWith('applied') && !step.fate.endsWith('not_applied')) effects.push({ at: acted, amount: step.amount });
        const outcomes = step.fate.split(', ') as BudgetSettlement['outcome'][];
        const lag = { once: 0, twice: 0, late: 5 * WINDOW, never: 0 }[step.settled];
        outcomes.forEach((outcome, index) => {
          const at = acted + lag + index * 100;
          last = Math.max(last, at);
          if (step.settled !== 'never') soon(at, () => teller.settle(at, said(n, outcome)));
          if (step.settled === 'twice') soon(at + 50, () => teller.settle(at + 50, said(n, outcome)));
        });
      },
    });
  });
  const soon = (at: number, run: () => void) => events.push({ at, run });
  for (;;) {
    events.sort((a, b) => a.at - b.at);
    const next = events.shift();
    if (!next) break;
    last = Math.max(last, next.at);
    next.run();
  }
  return { teller, effects, refused, last };
}

describe('any number of calls at once, with crashes', () => {
  it('never have effects beyond the cap within any window', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { effects } = play(plan);
        for (const { at } of effects) {
          const within = effects.filter((effect) => effect.at > at - WINDOW && effect.at <= at);
          expect(within.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(100);
        }
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('never lose part of the budget: when all windows are over the whole cap can be reserved again', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { teller, last } = play(plan);
        const later = last + LASTS + WINDOW + WINDOW / 100;
        expect(teller.used(later)).toBe('0');
        expect(teller.reserve(later, asking(9_999_999, 100)).granted).toBe(true);
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('lose none of it before that either, if no message is lost: the amount of a call without effect is free at once', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const nothing = plan.map((step): Step => ({ ...step, pause: 300, fate: 'not_applied', settled: 'once' }));
        const { refused, teller, last } = play(nothing);
        expect(refused).toBe(0);
        expect(teller.used(last)).toBe('0');
        expect(countsUntil(teller.book)).toBeNull();
      }),
    );
  });
});
