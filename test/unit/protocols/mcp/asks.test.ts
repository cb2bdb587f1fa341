import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { askFaults, formOf } from '../../../../src/agents/mcp-asks';
import type { McpDefinition } from '../../../../src/agents/mcp';
import { offersBy } from '../../../../src/protocols/mcp/offers';
import { createMcpEndpoint } from '../../../../src/protocols/mcp/server';
import { createPrincipal } from '../../../../src/gateway/auth/principals';
import { catalogueOf } from '../../../../src/gateway/tool-catalogue';
import { toolDefinition } from '../../../../src/tools/convert';
import { silent } from '../../../support/silent';
import { textOf } from '../../../support/mcp-text';
import { reads } from '../../../support/tools';

const book = reads('book', () => 1, {
  input: z.object({
    place: z.string(),
    date: z.string().meta({ format: 'date', title: 'When' }),
    guests: z.number().int().min(1).max(12).default(2),
    seat: z.enum(['in', 'out']).optional(),
  }),
});
const reply = reads('reply', () => 1, { input: z.object({ to: z.string(), draft: z.string().max(100) }) });
const tools = [book, reply];

const asks: McpDefinition = {
  forms: { book: { message: 'When, and for how many?', fields: ['date', 'guests', 'seat'], labels: { seat: { in: 'Inside' } } } },
  samples: {
    reply: { field: 'draft', maxTokens: 100, prompt: ({ to }, { principal }) => `Write to ${to as string} for ${principal}.` },
  },
};

interface Answers {
  form?: (params: any) => unknown;
  sample?: (params: any) => unknown;
}

/** The start that a client's call becomes; `none`: nothing was started. */
async function callOf(name: string, given: object, { form, sample }: Answers, mcp = asks) {
  const app = defineApp({ agents: [defineAgent({ name: 'a', prompt: 'A.', tools })], mcp });
  const offers = offersBy(catalogueOf(app));
  const started: any[] = [];
  const holdfast = { call: async (call: any) => { started.push(call); throw new Error('It need not run.'); } }; // oxfmt-ignore
  const parts = { client: async () => holdfast as never, log: silent, decide: () => null, answer: () => null, mcp: app.mcp! };
  const face = createMcpEndpoint({
    ...parts,
    offers: () => offers('ada')!,
    principal: () => createPrincipal('ada', ['starter']),
  });
  const capabilities = { ...(form ? { elicitation: { form: {} } } : {}), ...(sample ? { sampling: {} } : {}) };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (form) client.setRequestHandler(ElicitRequestSchema, ({ params }) => form(params) as never);
  if (sample) client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sample(params) as never);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([face.server.connect(ours), client.connect(theirs)]);
  const { tools: listed } = await client.listTools();
  const result = await client.callTool({ name, arguments: { ...given } });
  await client.close();
  return { input: started[0]?.input ?? 'none', text: textOf(result), listed: listed.find((tool) => tool.name === name)! };
}

describe('a tool with a form', () => {
  it('asks the user for fields that the call leaves out, before anything is started', async () => {
    const asked: unknown[] = [];
    const form = (params: unknown) => {
      asked.push(params);
      return { action: 'accept', content: { date: '2026-12-24', guests: 4, place: 'elsewhere' } };
    };
    const { input, listed } = await callOf('book', { place: 'Noma' }, { form });
    expect(input).toEqual({ place: 'Noma', date: '2026-12-24', guests: 4 });
    expect(asked).toEqual([
      {
        mode: 'form',
        message: 'When, and for how many?',
        requestedSchema: {
          type: 'object',
          properties: {
            date: { type: 'string', title: 'When', format: 'date' },
            guests: { type: 'integer', minimum: 1, maximum: 12, default: 2 },
            seat: { type: 'string', enum: ['in', 'out'], enumNames: ['Inside', 'out'] },
          },
          required: ['date'],
        },
      },
    ]);
    expect(listed.inputSchema.required).toEqual(['place']);
  });

  it('does not ask for fields that the call has, nor at all if the call is complete or the client has no forms', async () => {
    const asked: string[][] = [];
    const form = ({ requestedSchema }: any) => {
      asked.push(Object.keys(requestedSchema.properties));
      return { action: 'accept', content: {} };
    };
    const all = { place: 'Noma', date: '2026-12-24', guests: 1, seat: 'in' };
    await callOf('book', { place: 'Noma', date: '2026-12-24' }, { form });
    expect((await callOf('book', all, { form })).input).toEqual(all);
    const none = await callOf('book', { place: 'Noma' }, {});
    expect({ asked, input: none.input, needed: none.listed.inputSchema.required }).toEqual({
      asked: [['guests', 'seat']],
      input: { place: 'Noma' },
      needed: ['place', 'date'],
    });
  });

  it.each([
    ['declines', { action: 'decline' }, 'did not fill in date, guests, seat'],
    ['closes it', { action: 'cancel' }, 'did not fill in'],
    ['answers what does not fit', { action: 'accept', content: { date: '2026-12-24', guests: 'many' } }, 'does not fit'],
    ['answers nonsense', { action: 'accept', content: { date: { a: 1 } } }, 'does not fit'],
  ])('starts nothing where the user %s', async (_what, answer, why) => {
    const { input, text } = await callOf('book', { place: 'Noma' }, { form: () => answer });
    expect(input).toBe('none');
    expect(JSON.parse(text).error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      reason: 'not_given',
      message: expect.stringContaining(why),
    });
    expect(text).toContain('Nothing has run.');
  });
});

describe('a tool with a sample', () => {
  const says = (text: string) => ({ role: 'assistant', model: 'm', content: { type: 'text', text } });

  it('has the client’s model write a text into the input, before anything is started', async () => {
    const asked: any[] = [];
    const sample = (params: any) => {
      asked.push(params);
      return says('Dear Bo');
    };
    const { input, listed } = await callOf('reply', { to: 'Bo' }, { sample });
    expect(input).toEqual({ to: 'Bo', draft: 'Dear Bo' });
    expect(asked).toEqual([
      { messages: [{ role: 'user', content: { type: 'text', text: 'Write to Bo for ada.' } }], maxTokens: 100 },
    ]);
    expect(listed.inputSchema.required).toEqual(['to']);
    expect((await callOf('reply', { to: 'Bo', draft: 'Own' }, { sample })).input).toEqual({ to: 'Bo', draft: 'Own' });
    expect((await callOf('reply', { to: 'Bo' }, {})).input).toEqual({ to: 'Bo' });
    expect(asked).toHaveLength(1);
  });

  it('starts nothing if the model gives no text, too much, or nothing', async () => {
    const picture = { role: 'assistant', model: 'm', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } };
    const refuses = () => { throw new Error('The user said no.'); }; // oxfmt-ignore
    for (const [sample, why] of [
      [() => picture, 'with a text'],
      [() => says('x'.repeat(50_001)), 'more than 50000'],
      [refuses, 'The user said no'],
    ] as const) {
      const { input, text } = await callOf('reply', { to: 'Bo' }, { sample });
      expect({ input, text }).toEqual({ input: 'none', text: expect.stringContaining(why) });
    }
  });

  it('starts nothing if the function of the app fails, and does not say why', async () => {
    const failing = { samples: { reply: { ...asks.samples!.reply!, prompt: () => { throw new Error('hunter2'); } } } }; // oxfmt-ignore
    const call = callOf('reply', { to: 'Bo' }, { sample: () => says('x') }, failing);
    await expect(call).rejects.toMatchObject({ code: -32603, message: expect.not.stringContaining('hunter2') });
  });
});

describe('the definition of a form', () => {
  const input = {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' },
      choice: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      several: { type: 'array', minItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
      titled: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
      yes: { type: 'boolean', default: true },
      score: { type: 'number', default: 9.5 },
      deep: { type: 'object' },
      list: { type: 'array', items: { type: 'number' } },
      mixed: { type: 'string', oneOf: [{ const: 'a' }] },
    },
  };
  const tool = reads('odd', () => 1, { input });

  it('becomes a field of the protocol for each field', () => {
    const fields = ['text', 'choice', 'several', 'titled', 'yes', 'score'];
    expect(formOf(toolDefinition(tool).parameters, { message: 'm', fields }, {})).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 9 },
        choice: input.properties.choice,
        several: input.properties.several,
        titled: input.properties.titled,
        yes: input.properties.yes,
        score: input.properties.score,
      },
    });
  });

  const wrong: [object, string][] = [
    [{ forms: [] }, 'by the name of a tool'],
    [{ forms: { none: { message: 'm', fields: ['a'] } } }, 'mcp.forms.none: the app has no tool of this name'],
    [{ forms: { odd: { message: ' ', fields: ['text'] } } }, '.message must be a text'],
    [{ forms: { odd: { message: 'm', field: ['text'] } } }, 'field is no field; did you mean fields?'],
    [{ forms: { odd: { message: 'm', fields: [] } } }, '.fields must be a list of 1 to 20'],
    ...['deep', 'list', 'mixed', 'none', '__proto__'].map((field): [object, string] => [{ forms: { odd: { message: 'm', fields: [field] } } }, `${field} is no field of the tool's input that a form can have`]), // oxfmt-ignore
    [{ forms: { odd: { message: 'm', fields: ['text'], labels: { choice: {} } } } }, '.labels must be'],
    [{ samples: { odd: { field: 'score', prompt: () => 'p', maxTokens: 1 } } }, '.field must be a text'],
    [{ samples: { odd: { field: 'text', prompt: 'p', maxTokens: 1 } } }, '.prompt must be a function'],
    [{ samples: { odd: { field: 'text', prompt: () => 'p', maxTokens: 0 } } }, '.maxTokens must be an integer from 1'],
    [{ samples: { none: { field: 'text', prompt: () => 'p', maxTokens: 1 } } }, 'mcp.samples.none: the app has no tool'],
  ];
  it.each(wrong)('is refused with its faults named: %#', (mcp, fault) => {
    expect(askFaults(mcp as never, [tool]).join('\n')).toContain(fault);
    const agents = [defineAgent({ name: 'a', prompt: 'A.', tools: [tool] })];
    expect(() => defineApp({ agents, mcp: mcp as never })).toThrow(fault);
  });
});
