import { z } from 'zod';
import { defineTool } from '../../../../src/tools/define/define';
import { parseDefinition, toolDefinition, toolFromDefinition } from '../../../../src/tools/convert';
import { readResultTool } from '../../../../src/tools/results/result-text';
import { compile } from '../../../../src/tools/schema/schema';
import { shippedTools } from '../../../support/shipped-tools';
import { everyField } from './every-field';

const minimal = {
  name: 'ping',
  description: 'Pings.',
  parameters: { type: 'object', properties: {} },
  version: '1.0.0',
  class: 'read',
};

describe('a definition on the wire', () => {
  it.each([...shippedTools().filter((tool) => tool !== readResultTool()), everyField].map((tool) => [tool.name, tool] as const))(
    '%s comes back unchanged',
    (_name, tool) => {
      const wire = JSON.parse(JSON.stringify(toolDefinition(tool)));
      const back = toolFromDefinition(wire, tool.run, { check: tool.check, preview: tool.preview });
      expect(toolDefinition(back)).toEqual(wire);
      expect(toolDefinition(toolFromDefinition(toolDefinition(back), tool.run))).toEqual(wire);
    },
  );

  it('cannot take the name of a tool of holdfast', () => {
    expect(() => toolFromDefinition(toolDefinition(readResultTool()), () => null)).toThrow(
      '"read_result" is a tool that holdfast brings',
    );
  });

  it('has every field of the specification, in snake_case', () => {
    const wire = toolDefinition(everyField);
    expect(wire).toMatchObject({
      name: 'move_stock',
      strict: true,
      version: '2.3.1',
      cacheable: false,
      streaming: true,
      estimated_tokens: { input: 40, output: { min: 10, typical: 20, max: 30 } },
      deprecated: true,
      sunset_date: '2099-01-31',
      replacement: 'ship_stock',
      migration_guide: 'Same fields.',
      limits: { concurrency: 2, rate: { calls: 5, per_ms: 60_000 } },
    });
    expect(wire.description).toMatch(/^DESTRUCTIVE[^]*RETURNS: moved, left\./);
    expect(wire.parameters.additionalProperties).toBe(false);
    const quote = toolDefinition(shippedTools().find((tool) => tool.name === 'get_quote')!);
    expect(quote).toMatchObject({ cacheable: true, cache_ttl: expect.any(Number) });
    expect(quote.cache_ttl! * 1000).toBe(shippedTools().find((tool) => tool.name === 'get_quote')!.cacheTtlMs);
  });

  it('records whether a tool accepts further properties', () => {
    const open = defineTool({
      ...everyField,
      name: 'open_tool',
      input: { type: 'object', properties: {}, additionalProperties: true },
    });
    const wire = toolDefinition(open);
    expect(wire.strict).toBe(false);
    expect(toolDefinition(toolFromDefinition(wire, open.run))).toEqual(wire);
    expect(parseDefinition({ ...minimal, strict: false }).parameters.additionalProperties).toBe(true);
  });

  it('has the same strictness from zod and from JSON Schema, in both directions', () => {
    const tool = defineTool({
      ...everyField,
      name: 'zodded',
      input: z.object({ a: z.string().default('x'), b: z.number().optional() }),
    });
    const back = compile(toolDefinition(toolFromDefinition(toolDefinition(tool), tool.run)).parameters);
    expect(back({})).toEqual({ valid: true, data: { a: 'x' } });
    expect(back({ c: 1 })).toMatchObject({ valid: false });
  });

  it.each([
    [{ ...minimal, cache_tll: 5 }, /Unrecognized key: "cache_tll"/],
    [{ ...minimal, class: 'harmless' }, /\/class/],
    [{ ...minimal, cache_ttl: 5 }, /cacheable and cache_ttl/],
    [{ ...minimal, description: 'x'.repeat(300_000) }, /larger than 262144 characters/],
    [JSON.parse('{"__proto__": {"class": "read"}}'), /__proto__/],
    [{ ...minimal, parameters: () => 1 }, /holds a function/],
    [null, /definition is not usable/],
  ])('refuses a definition with a fault (%#)', (wire, why) => {
    expect(() => toolFromDefinition(wire, () => null)).toThrow(why);
  });

  it('is refused if it contains itself', () => {
    const loop: Record<string, unknown> = { ...minimal };
    loop.parameters = loop;
    expect(() => parseDefinition(loop)).toThrow('nested deeper than 64, or holds itself');
  });
});
