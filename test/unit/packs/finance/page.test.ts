import fc from 'fast-check';
import { page } from '../../../../packs/finance/src/page';

describe('a long section', () => {
  it('comes in pages of at most 4 KB, cut at line ends, which together are the whole', () => {
    const line = fc.string({ maxLength: 300, unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 120 }), (lines) => {
        const text = `${lines.join('\n')}\n`;
        let all = '';
        for (let cursor: string | null | undefined; cursor !== null;) {
          const next: { text: string; next_cursor: string | null } = page(text, cursor);
          expect(Buffer.byteLength(next.text)).toBeLessThanOrEqual(4096);
          expect(next.text.endsWith('\n')).toBe(true);
          all += next.text;
          cursor = next.next_cursor;
        }
        expect(all).toBe(text);
      }),
    );
  });

  /** Every page of a text; a cursor for each page is valid. */
  const pagesOf = (text: string) => {
    const pages: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const next: { text: string; next_cursor: string | null } = page(text, cursor);
      pages.push(next.text);
      cursor = next.next_cursor;
    }
    return pages;
  };

  it('cuts a line that is longer than a page after a sentence, else after a word, else anywhere but within a character', () => {
    const sentences = 'A kettle is a pot with a lid and a spout, made to boil water. '.repeat(300);
    for (const text of pagesOf(sentences).slice(0, -1)) expect(text.endsWith('. ')).toBe(true);
    for (const text of pagesOf('kettle '.repeat(3000)).slice(0, -1)) expect(text.endsWith(' ')).toBe(true);
    for (const text of pagesOf('🫖'.repeat(3000))) expect(text).toMatch(/^(🫖)+$/u);
  });

  it('has no page above 4 KB, for lines of any length', () => {
    const piece = fc.oneof(fc.constantFrom('\n', '. ', ' ', '🫖', 'é'), fc.string({ maxLength: 2000, unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 20 }), (parts) => {
        const text = parts.map(([part, times]) => part.repeat(times)).join('');
        const pages = pagesOf(text);
        expect(pages.join('')).toBe(text);
        for (const one of pages) expect(Buffer.byteLength(one)).toBeLessThanOrEqual(4096);
      }),
      { numRuns: 50 },
    );
  });

  it('has one page when it is empty', () => {
    expect(page('')).toEqual({ text: '', next_cursor: null });
  });
});
