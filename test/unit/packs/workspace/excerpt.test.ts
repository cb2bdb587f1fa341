import fc from 'fast-check';
import { excerptOf, linesOf, type Excerpt } from '../../../../packs/workspace/src/files/text';
import { runs } from '../../../support/runs';

type Part = Parameters<typeof excerptOf>[1];

/** The same from an array of all lines. */
function fromLines(text: string, { offset, limit, most }: Part): Excerpt {
  const all = linesOf(text);
  const lines = all.slice(offset - 1, offset - 1 + limit);
  let size = 0;
  let count = 0;
  while (count < lines.length && size + lines[count]!.length <= most) size += lines[count++]!.length;
  const cut = count === 0 && lines.length > 0;
  if (cut) return { content: lines[0]!.slice(0, most).toWellFormed(), count: 1, cut, total: all.length };
  return { content: lines.slice(0, count).join(''), count, cut, total: all.length };
}

const small = { min: 1, max: 8 };
const texts = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r', '\uFEFF', '😀', '\u2028'), maxLength: 20 });
const parts = fc.record({ offset: fc.integer(small), limit: fc.integer(small), most: fc.integer(small) });

describe('an excerpt of a text', () => {
  it('has the same lines as one that is made from all lines', () => {
    const property = fc.property(texts, parts, (text, part) => {
      expect(excerptOf(text, part)).toEqual(fromLines(text, part));
    });
    fc.assert(property, { numRuns: runs(2_000, 50_000) });
  });

  it('counts the lines of 16 MiB of line feeds', () => {
    const size = 16 * 1024 * 1024;
    const text = '\n'.repeat(size);
    expect(excerptOf(text, { offset: 1, limit: 1, most: 10 })).toEqual({ content: '\n', count: 1, cut: false, total: size });
    expect(excerptOf(text, { offset: size, limit: 5, most: 10 })).toMatchObject({ content: '\n', count: 1, total: size });
  });
});
