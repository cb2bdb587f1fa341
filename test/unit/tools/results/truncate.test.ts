import fc from 'fast-check';
import { z } from 'zod';
import { compile, inputSchema } from '../../../../src/tools/schema/schema';
import { outline, truncated, truncateInput, truncateProperties } from '../../../../src/tools/results/truncate';

describe('a text for the model', () => {
  it('is given whole if it fits, without truncation_info', () => {
    expect(truncated('short')).toEqual({ content: 'short', truncated: false });
    expect(truncated('x'.repeat(2000))).toEqual({ content: 'x'.repeat(2000), truncated: false });
  });

  it('is cut at max_length, 2000 by default, if it does not fit, and has its original length', () => {
    expect(truncated('x'.repeat(15_000))).toEqual({
      content: 'x'.repeat(2000),
      truncated: true,
      truncation_info: { original_length: 15_000, returned_length: 2000 },
    });
  });

  it('is never cut inside a character', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (given, maxLength) => {
        const { content, truncated: cut, truncation_info } = truncated(given, { maxLength, summary: true });
        expect(content.isWellFormed()).toBe(true);
        expect(given.startsWith(content)).toBe(true);
        expect(content.length).toBeLessThanOrEqual(maxLength);
        expect(content.length).toBeGreaterThanOrEqual(Math.min(given.length, maxLength - 1));
        expect(cut).toBe(given.length > maxLength);
        if (cut) expect(truncation_info).toMatchObject({ original_length: given.length, returned_length: content.length });
      }),
    );
  });

  it('comes with the author’s summary, or with one by a plain rule', () => {
    const options = { maxLength: 10 };
    const text = '# One\ntext\n```\n# no heading\n```\n## Two\nmore';
    const summaryOf = (summary: boolean | ((whole: string) => string)) =>
      truncated(text, { ...options, summary }).truncation_info!.summary;
    expect(summaryOf(true)).toBe('2 headings: One; Two');
    expect(summaryOf((whole) => `${whole.length} characters`)).toBe(`${text.length} characters`);
    expect(summaryOf(false)).toBeUndefined();
    expect(summaryOf(() => 'x'.repeat(10_000))).toHaveLength(500);
  });

  it('without headings is summed up by its first sentences', () => {
    expect(outline('It rains.  It pours!\nThe old man snores. He does not wake.')).toBe(
      'It rains. It pours! The old man snores.',
    );
    expect(outline('')).toBe('');
  });

  it('has max_length and return_summary in zod and in JSON Schema alike', () => {
    const schemas = [inputSchema(z.object(truncateInput)), inputSchema({ type: 'object', properties: truncateProperties })];
    for (const schema of schemas) {
      const validate = compile(schema);
      expect(validate({})).toEqual({ valid: true, data: { max_length: 2000, return_summary: true } });
      for (const max_length of [0, 100_001, 2.5]) expect(validate({ max_length })).toMatchObject({ valid: false });
    }
  });
});
