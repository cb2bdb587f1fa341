import fc from 'fast-check';
import {
  age,
  costWords,
  dollars,
  duration,
  headline,
  payeeIn,
  plural,
  stateInWords,
  sumIn,
  expiryOf,
  when,
} from '../../../packages/page/src/lib/format';
import { reasonInWords, refusalInWords } from '../../../packages/page/src/lib/refusal-words';
import type { JsonObject } from '../../../src/shared/json/json';

it('says lengths of time by their largest unit', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  expect([5_400, 90_000, 59 * minute, 47 * hour, 3 * day, -1].map(duration)).toEqual([
    '5 s',
    '1 min',
    '59 min',
    '47 h',
    '3 d',
    '0 s',
  ]);
});

it('says how long something has waited and still may', () => {
  const now = Date.parse('2026-01-31T10:00:00Z');
  expect(age('2026-01-31T09:00:00Z', now)).toBe('1 h');
  expect(age(null, now)).toBeNull();
  expect(age('nonsense', now)).toBeNull();
  expect(expiryOf('2026-01-31T10:30:00Z', now)).toEqual({ text: '30 min', soon: true, over: false });
  expect(expiryOf('2026-02-03T10:30:00Z', now)).toEqual({ text: '3 d', soon: false, over: false });
  expect(expiryOf('2026-01-31T09:30:00Z', now)).toMatchObject({ over: true });
  expect(expiryOf(null, now)).toBeNull();
});

describe('the sum of a payment', () => {
  it.each<[JsonObject, string | null]>([
    [{ cents: 125_000, currency: 'EUR' }, '1,250.00 EUR'],
    [{ cents: 5 }, '0.05'],
    [{ cents: -5, currency: 'usd' }, '-0.05 USD'],
    [{ amount: 12.5, currency: 'EUR' }, '12.5 EUR'],
    [{ amount: '1.250,00', currency: 'EUR' }, '1.250,00 EUR'],
    [{ amount: 'a lot' }, null],
    [{ amount: { value: 1 } }, null],
    [{ cents: 1.5 }, null],
    [{ invoice: 'INV-7' }, null],
    [{ amount: 0.0004, currency: 'BTC' }, '0.0004 BTC'],
    [{ amount: 1234.5678 }, '1,234.5678'],
  ])('%j is %s', (input, text) => expect(sumIn(input)?.text ?? null).toBe(text));

  it('takes no field from the prototype', () => {
    expect(sumIn(JSON.parse('{"__proto__": {"cents": 5}}') as JsonObject)).toBeNull();
    expect(payeeIn({})).toBeNull();
  });
});

it('begins with what will happen, else with the tool and its input', () => {
  expect(headline({ tool: 'pay', will_happen: 'Pay 5 EUR.\nTo Acme.' })).toBe('Pay 5 EUR.');
  expect(headline({ tool: 'pay', will_happen: { to: 'Acme', lines: [1] } })).toBe('pay: to Acme, lines [1]');
  expect(headline({ tool: 'pay', will_happen: null, input: { to: 'Acme\nGmbH' } })).toBe('pay: to Acme GmbH');
  expect(headline({ tool: 'pay', will_happen: null, input: {} })).toBe('pay');
  expect(headline({ tool: 'pay', will_happen: '  ' })).toBe('pay');
  expect(headline({ tool: 'ask_person', question: 'From which account?\nBoth are open.', will_happen: null })).toBe(
    'From which account?',
  );
  fc.assert(fc.property(fc.string(), (text) => expect(headline({ tool: 'pay', will_happen: text })).not.toMatch(/\n/)));
});

it('names states, numbers and costs', () => {
  expect(stateInWords('awaiting_approval')).toBe('waits for approval');
  expect(stateInWords('something_new')).toBe('something new');
  expect(stateInWords('constructor')).toBe('constructor');
  expect(plural(1, 'call')).toBe('1 call');
  expect(plural(1200, 'call')).toBe('1,200 calls');
  expect([0, 0.0012, 1.5].map(dollars)).toEqual(['0 USD', '0.0012 USD', '1.50 USD']);
  const costs = [{ cost_usd: 0 }, { cost_usd: 0, unpriced_tokens: 5 }, { cost_usd: 1.5, unpriced_tokens: 5 }];
  expect(costs.map(costWords)).toEqual(['0 USD', 'unknown', '1.50 USD and an unknown cost']);
});

/** As `rules/decide.ts` writes it; the record keeps it so. */
const REASON = 'class destructive always asks';

it('says refusals with times of the reader and short digests, and nothing else otherwise', () => {
  const digest = 'e575675d9ad3'.padEnd(64, '0');
  const text = `call ${digest} expired at 2026-01-31T10:05:00.000Z`;
  expect(refusalInWords(text)).toBe(`call e575675d9ad3… expired at ${when('2026-01-31T10:05:00.000Z')}`);
  expect(refusalInWords(`${digest}0 at 2026-01-31`)).toBe(`${digest}0 at 2026-01-31`);
  expect(refusalInWords('ended at 2026-99-99T99:99:99Z')).toBe('ended at 2026-99-99T99:99:99Z');
  expect(reasonInWords(REASON)).toContain('a person is always asked');
  expect(reasonInWords('a person must see this')).toBe('a person must see this');
});
