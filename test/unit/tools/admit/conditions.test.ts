import type { RuleEntry } from '../../../../src/tools/admit/policy';
import { tool, verdict } from './support';

const swap = tool('swap', {
  class: 'write',
  input: {
    type: 'object',
    properties: {
      amount_in: { type: 'string', pattern: '^[0-9]{1,78}$' },
      least_out: { type: 'string', pattern: '^(0|[1-9]\\d*)$' },
      note: { type: 'string' },
      price: { type: 'number' },
      cents: { type: 'integer' },
      legs: { type: 'array', items: { type: 'object', properties: { amount: { type: 'string', pattern: '^\\d+$' } } } },
    },
  },
});
const TEN_30 = `1${'0'.repeat(30)}`;

function asks(when: string, input: Record<string, unknown>, turn = {}): boolean {
  return verdict({ ask: [{ rule: 'swap', when }] }, 'swap', input, turn, [swap]).verdict === 'ask';
}

describe('conditions', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['input.amount_in > 1000000', { amount_in: '1000000' }, false],
    ['input.amount_in > 1000000', { amount_in: '1000001' }, true],
    ['input.amount_in > 1000000', { amount_in: '999999' }, false],
    ['input.amount_in > 1000000', { amount_in: TEN_30 }, true],
    ['input.amount_in > 1000000', { amount_in: '0'.repeat(40) + '9' }, false],
    ['input.amount_in > 9223372036854775807', { amount_in: '9223372036854775808' }, true],
    ['input.amount_in > 9223372036854775807', { amount_in: '9223372036854775807' }, false],
    ['input.amount_in < 1000000', { amount_in: TEN_30 }, false],
    ['input.amount_in == 1000000', { amount_in: '1000000' }, true],
    ['input.amount_in == input.least_out', { amount_in: TEN_30, least_out: `${TEN_30.slice(0, -1)}1` }, false],
    ['input.amount_in < input.least_out', { amount_in: TEN_30, least_out: `${TEN_30.slice(0, -1)}1` }, true],
    ['input.amount_in > input.least_out', { amount_in: '9', least_out: '10' }, false],
    [`input.amount_in >= big("${TEN_30}")`, { amount_in: TEN_30 }, true],
    [`input.amount_in > big("${TEN_30}")`, { amount_in: TEN_30 }, false],
    ['input.legs.exists(leg, leg.amount > 5)', { legs: [{ amount: '5' }, { amount: TEN_30 }] }, true],
    ['input.legs.exists(leg, leg.amount > 5)', { legs: [{ amount: '5' }] }, false],
    ['input.cents > 100', { cents: 101 }, true],
    ['input.price > 1', { price: 1 }, false],
    ['input.price * 2.0 > 1.5', { price: 1 }, true],
    ['has(input.note) && input.note.contains("urgent")', { note: 'very urgent' }, true],
    ['has(input.note) && input.note.contains("urgent")', {}, false],
    ['input.note.matches("(a+)+$")', { note: `${'a'.repeat(5000)}!` }, false],
  ])('%s on %j: %s', (when, input, expected) => expect(asks(when, input)).toBe(expected));

  it('have the variables tool and turn', () => {
    expect(asks('turn.untrusted', {}, { untrusted: true })).toBe(true);
    expect(asks('turn.untrusted', {})).toBe(false);
    expect(asks('turn.requester == "ana" && turn.agent == "a" && turn.step == 1', {})).toBe(true);
    expect(asks('tool.name == "swap" && tool.class == "write" && tool.version == "1.0.0" && !tool.egress', {})).toBe(true);
  });

  it.each([
    ['a sum that no 64 bits hold', 'input.amount_in + 1 > 5', { amount_in: TEN_30 }],
    ['a text that is no number', 'input.note > 5', { note: 'x' }],
    ['a field that is not there', 'input.note == "x"', {}],
    ['a value that is no truth', 'input.note', { note: 'x' }],
    [
      'an input beyond what conditions look at',
      'input.cents > 1',
      { legs: Array.from({ length: 3000 }, () => ({ amount: '1' })) },
    ],
    ['an amount of 100,000 digits', 'input.amount_in > 5', { amount_in: '9'.repeat(100_000) }],
  ])('that fail on %s: allow does not match, ask and deny do', (_what, when, input) => {
    const rule: RuleEntry = { rule: 'swap', when };
    const of = (permissions: object) => verdict({ ...permissions }, 'swap', input, {}, [swap]);
    expect(of({ mode: 'locked', allow: [rule] }).verdict).toBe('deny');
    expect(of({ ask: [rule] })).toMatchObject({ verdict: 'ask', reason: expect.stringContaining('its condition failed') });
    expect(of({ deny: [rule] })).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('its condition failed') });
  });

  it('find only own fields', () => {
    for (const field of ['constructor', '__proto__', 'toString'])
      expect(
        verdict({ mode: 'locked', allow: [{ rule: '*', when: `has(input.${field})` }] }, 'swap', {}, {}, [swap]).verdict,
      ).toBe('deny');
  });
});
