import fc from 'fast-check';
import { cutJson } from '../../../src/record/cut-json';
import { isJsonObject, type Json } from '../../../src/shared/json/json';
import { runs } from '../../support/runs';

const room = (left: number, text = 20) => ({ left, text, entries: 10, cut: false });

describe('a value for a list', () => {
  it('stays as it is if it fits', () => {
    const value = { invoice: 'INV-7', cents: 700, to: ['a', 'b'], at: null };
    const space = room(200);
    expect(cutJson(value, space)).toEqual(value);
    expect(space.cut).toBe(false);
  });

  it('loses long texts, further entries and deep levels, and says so', () => {
    for (const [value, short] of [
      ['x'.repeat(30), `${'x'.repeat(20)}…`],
      [Array.from({ length: 12 }, (_, n) => n), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
      [[[[[['deep']]]]], [[[[[]]]]]],
      [{ ['n'.repeat(21)]: 1, short: 2 }, { short: 2 }],
    ] as const) {
      const space = room(1000);
      expect(cutJson(value as Json, space)).toEqual(short);
      expect(space.cut).toBe(true);
    }
  });

  it('never cuts a character in half', () => {
    const cut = cutJson('a😀'.repeat(20), room(1000, 2));
    expect(cut.isWellFormed()).toBe(true);
  });

  it('is bounded and of the same shape, whatever it is', () => {
    const shape = (value: Json): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 0, max: 300 }), (value, left) => {
        const cut = cutJson(value as Json, room(left));
        expect(shape(cut)).toBe(shape(value as Json));
        const fields = isJsonObject(cut) ? Object.keys(cut) : [];
        expect(fields.every((name) => Object.hasOwn(value as object, name))).toBe(true);
        // Each entry takes room, so their number is bounded too: at most the entries of one path are begun when it is used up.
        expect(JSON.stringify(cut).length).toBeLessThan(6 * left + 500);
      }),
      { numRuns: runs(200, 5000) },
    );
  });
});
