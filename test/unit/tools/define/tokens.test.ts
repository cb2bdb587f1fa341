import { z } from 'zod';
import { defineTool } from '../../../../src/tools/define/define';
import { callTokens, catalogueTokens, definitionTokens, estimateTokens } from '../../../../src/tools/define/model-text';

describe('token estimates', () => {
  it.each([
    ['text', 25],
    ['json', 29],
    ['code', 50],
    ['markdown', 29],
  ] as const)('divide 100 characters of %s and give %i', (kind, tokens) => {
    expect(estimateTokens('x'.repeat(100), kind)).toBe(tokens);
    expect(estimateTokens('', kind)).toBe(0);
  });

  it('count a definition as text and JSON, and a catalogue as the sum', () => {
    const tool = { name: 'abc', description: 'x'.repeat(36), input_schema: { type: 'object' } };
    expect(definitionTokens(tool)).toBe(10 + 5);
    expect(catalogueTokens([tool, tool])).toBe(30);
  });

  const make = (more: object) =>
    defineTool({
      name: 'a',
      version: '1.0.0',
      class: 'read',
      description: 'd',
      input: z.object({ q: z.string() }),
      run: () => 1,
      ...more,
    });

  it("use the author's estimate for a call, else its schemas and its inline size", () => {
    const said = { input: 1, output: { min: 2, typical: 3, max: 4 } };
    expect(callTokens(make({ estimatedTokens: said }))).toEqual(said);
    const plain = callTokens(make({}));
    expect(plain.output.max).toBe(Math.ceil(2048 / 3.5));
    expect(plain.output.min).toBeLessThanOrEqual(plain.output.typical);
    expect(plain.output.typical).toBeLessThanOrEqual(plain.output.max);
    expect(callTokens(make({ input: z.object({ q: z.string(), more: z.array(z.string()) }) })).input).toBeGreaterThan(
      plain.input,
    );
    expect(callTokens(make({ output: z.object({ ok: z.boolean() }) })).output.typical).toBeLessThan(plain.output.typical);
  });

  it('end for a schema that contains itself', () => {
    const input = { type: 'object', properties: { child: { $ref: '#' } } };
    expect(callTokens(make({ input })).input).toBeGreaterThan(0);
  });
});
