import fc from 'fast-check';
import { page } from '../../../src/packs/finance/page';

describe('a long section', () => {
  it('comes in pages of 4 KB at most, cut at line ends, that together are the whole', () => {
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
});
