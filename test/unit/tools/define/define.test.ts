import { z } from 'zod';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { defineTool } from '../../../../src/tools/define/define';
import { describe as describeTool } from '../../../../src/tools/define/model-text';
import { inputSchema } from '../../../../src/tools/schema/schema';
import { isTool } from '../../../../src/tools/define/tool';

const good = {
  name: 'pay',
  version: '1.0.0',
  class: 'destructive' as const,
  description: 'Pays.',
  input: z.object({ cents: z.number() }),
  run: () => null,
};

describe('defining a tool', () => {
  it('accepts zod, JSON Schema draft-07 and 2020-12', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(isTool(defineTool(good))).toBe(true);
    expect(isTool(defineTool({ ...good, input: { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' } }))).toBe(true);
    expect(isTool(defineTool({ ...good, input: { ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' } }))).toBe(
      true,
    );
  });

  it('lists every fault at once', () => {
    const wrong = { ...good, name: '1 pay', version: '1.0', class: 'danger', description: ' ', run: undefined, input: 7 };
    expect(() => defineTool(wrong as never)).toThrow(
      /name must match[^]*version[^]*class[^]*description[^]*run must[^]*input must/,
    );
  });

  it.each(['confirmed', 'user_confirmed', 'approved'])('refuses an input field %s: a model could set it', (field) => {
    expect(() => defineTool({ ...good, input: z.object({ [field]: z.boolean() }) })).toThrow("a person's decision");
  });

  it('closes objects against extra properties, also nested ones, and does not change property names', () => {
    const schema = inputSchema({
      type: 'object',
      properties: {
        default: { type: 'object', properties: { enum: { type: 'string' } } },
        open: { type: 'object', additionalProperties: true },
      },
    });
    expect(schema).toMatchObject({
      additionalProperties: false,
      properties: {
        default: { additionalProperties: false, properties: { enum: { type: 'string' } } },
        open: { additionalProperties: true },
      },
    });
  });

  it('says in the text that the model reads that a tool is destructive', () => {
    expect(
      describeTool({ class: 'destructive', description: { does: 'Pays.', returns: 'a receipt', warning: 'Money leaves.' } }),
    ).toMatch(/^DESTRUCTIVE[^]*Pays\.\nRETURNS: a receipt\nWARNING: Money leaves\.$/);
  });
});

describe('defining an agent', () => {
  it('lists every fault at once, also a tool that is named twice', () => {
    const tool = defineTool(good);
    const wrong = {
      name: 'no spaces',
      prompt: '',
      tools: [tool, tool],
      maxParallel: 0,
      limits: { steps: 0 },
      permissions: { allow: ['other'] },
    };
    expect(() => defineAgent(wrong)).toThrow(/name[^]*prompt[^]*two tools[^]*maxParallel[^]*limits\.steps[^]*"other"/);
  });

  it('accepts limits up to the largest exact number of JSON, and Infinity', () => {
    const limited = (steps: number) => () => defineAgent({ name: 'a', prompt: 'p', tools: [], limits: { steps } });
    for (const steps of [1, Number.MAX_SAFE_INTEGER, Infinity]) expect(limited(steps)().limits.steps).toBe(steps);
    for (const steps of [2 ** 53, Number.NaN, -1]) expect(limited(steps)).toThrow(/limits\.steps is .* at most 9007199254740991/);
  });

  it('cannot be served twice under one name', () => {
    const agent = defineAgent({ name: 'a', prompt: 'p', tools: [] });
    expect(() => defineApp({ agents: [agent, agent] })).toThrow('two agents have one name: a');
  });
});
