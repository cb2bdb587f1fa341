import * as fc from 'fast-check';
import { z } from 'zod';
import { defineAgent, defineApp, type AgentPermissions } from '../../../../src/agents/define';
import { canonical } from '../../../../src/shared/json/canonical';
import { admit } from '../../../../src/tools/admit/admit';
import { defineTool } from '../../../../src/tools/define/define';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { runs } from '../../../support/runs';
import type { Tool } from '../../../../src/tools/define/tool';

const search = defineTool({
  name: 'search',
  version: '1.2.0',
  class: 'read',
  description: 'Searches.',
  input: z.object({
    ticker: z.string().regex(/^[A-Z]{1,5}$/),
    form: z.enum(['10-K', '10-Q']).default('10-K'),
    limit: z.number().int().min(1).max(20).default(10),
  }),
  check: ({ ticker }) =>
    ticker === 'BAD' ? { reason: 'bad_ticker', message: 'BAD is no ticker.', hint: 'Try AAPL.' } : undefined,
  run: () => null,
});
const send = defineTool({
  name: 'send',
  version: '1.0.0',
  class: 'destructive',
  description: 'Sends.',
  input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  run: () => null,
});

function prepared(tools: Tool[] = [search, send], permissions: Partial<AgentPermissions> = {}) {
  return new Registry(defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools, permissions })] })).agent('a')!;
}
const asked = (name: string, input: unknown) => ({
  name,
  json: typeof input === 'string' ? input : JSON.stringify(input),
  cut: false,
});

describe('admission', () => {
  it('applies defaults, and the effective input is what is hashed', async () => {
    const admission = await admit(prepared(), asked('search', { ticker: 'AAPL' }));
    expect(admission).toMatchObject({ verdict: 'allow', version: '1.2.0', error: null, parallel: true });
    expect(admission.input).toEqual({ ticker: 'AAPL', form: '10-K', limit: 10 });
    expect(admission.input_digest).toBe(
      (await admit(prepared(), asked('search', { limit: 10, form: '10-K', ticker: 'AAPL' }))).input_digest,
    );
  });

  it('names every violation in one answer', async () => {
    const { error } = await admit(prepared(), asked('search', { ticker: 'apple', form: '8-K', limit: 99, extra: 1 }));
    expect(error).toMatchObject({ code: 'INVALID_PARAMS', kind: 'USER_INPUT_ERROR', reason: 'schema_violation' });
    expect(error!.details!.map((detail) => detail.path).sort()).toEqual(['', '/form', '/limit', '/ticker']);
    expect(error!.message).toContain('10-K');
  });

  it("passes the tool's own message on, with its hint", async () => {
    expect((await admit(prepared(), asked('search', { ticker: 'BAD' }))).error).toMatchObject({
      code: 'INVALID_PARAMS',
      reason: 'bad_ticker',
      hint: 'Try AAPL.',
    });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'nope', ''])('finds no tool named %j', async (name) => {
    expect((await admit(prepared(), asked(name, {}))).error).toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });

  it.each([
    '{"to": "a", "to": "b"}',
    '{"to": "a"',
    '[]',
    '"to"',
    'null',
    '{"to": "\\ud800"}',
    '{"to": 9007199254740993}',
    '{"__proto__": {"to": "a"}}',
    '{"to": "a", "__proto__": {}}',
    '{"to": "a", "constructor": 1}',
    '{"to": "a", "confirmed": true}',
    '{"to": "a", "user_confirmed": "yes"}',
  ])('refuses %s', async (json) => {
    const admission = await admit(prepared(), asked('send', json));
    expect(admission).toMatchObject({ verdict: 'rejected', error: { code: 'INVALID_PARAMS' } });
  });

  it('says that approval is no field, if the model makes one up', async () => {
    expect((await admit(prepared(), asked('send', { to: 'a', confirmed: true }))).error!.hint).toMatch(
      /decision that a person gives/,
    );
  });

  it('says that a truncated input was cut off, not that it is malformed', async () => {
    expect((await admit(prepared(), { name: 'send', json: '{"to": "a', cut: true })).error!.reason).toBe('cut_off');
    expect((await admit(prepared(), { name: 'send', json: '', cut: true })).error!.reason).toBe('cut_off');
    expect((await admit(prepared(), { name: 'send', json: '{"to": "a"}', cut: true })).error).toBeNull();
  });

  it('keeps its answer small for any input of a model', async () => {
    const list = defineTool({
      name: 'list',
      version: '1.0.0',
      class: 'read',
      description: 'x',
      input: z.object({ values: z.array(z.number()) }),
      run: () => null,
    });
    const hostile = [
      { values: Array.from({ length: 10_000 }, () => 'x') },
      { ['k'.repeat(500_000)]: 1 },
      { values: 'v'.repeat(500_000) },
    ];
    for (const input of hostile) {
      const { error } = await admit(prepared([list]), asked('list', input));
      expect(error).toMatchObject({ code: 'INVALID_PARAMS' });
      expect(JSON.stringify(error).length).toBeLessThan(20_000);
    }
    expect(JSON.stringify((await admit(prepared(), asked('n'.repeat(500_000), {}))).error).length).toBeLessThan(2000);
  });

  it('asks for every destructive call, unless a rule that names the tool allows it; deny wins', async () => {
    const verdict = (permissions: Partial<AgentPermissions>, tool = 'send') =>
      admit(prepared([search, send], permissions), asked(tool, tool === 'send' ? { to: 'a' } : { ticker: 'AAPL' }));
    expect((await verdict({})).verdict).toBe('ask');
    expect((await verdict({ allow: ['send'] })).verdict).toBe('allow');
    expect((await verdict({ allow: ['send'], ask: ['send'] })).verdict).toBe('ask');
    expect((await verdict({ allow: ['send'], ask: ['send'], deny: ['send'] })).error).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(await verdict({ ask: ['search'] }, 'search')).toMatchObject({ verdict: 'ask', parallel: false });
  });

  it('never lets a destructive call run beside another, even if the tool permits it', async () => {
    const eager = defineTool({ ...send, concurrencySafe: () => true, input: { type: 'object', properties: {} } } as never);
    expect((await admit(prepared([eager as Tool], { allow: ['send'] }), asked('send', {}))).parallel).toBe(false);
  });

  it('takes a predicate that crashes for a no', async () => {
    const write = defineTool({
      ...search,
      class: 'write',
      check: undefined,
      concurrencySafe: () => {
        throw new Error('x');
      },
    } as never) as Tool;
    expect((await admit(prepared([write]), asked('search', { ticker: 'AAPL' }))).parallel).toBe(false);
  });

  it('answers any input of a model, and admitted inputs can be hashed', async () => {
    const agent = prepared();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.json(), fc.string()),
        fc.constantFrom('search', 'send', 'read_result', '__proto__'),
        fc.boolean(),
        async (json, name, cut) => {
          const admission = await admit(agent, { name, json, cut });
          expect(admission.verdict === 'rejected').toBe(admission.error !== null);
          canonical(admission.input);
        },
      ),
      { numRuns: runs(100, 500) },
    );
  });

  it('digests are equal exactly when the effective inputs are', async () => {
    const open = defineTool({
      name: 'open',
      version: '1.0.0',
      class: 'read',
      description: 'x',
      input: { type: 'object', additionalProperties: true },
      run: () => null,
    });
    const agent = prepared([open]);
    const input = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(fc.nat(2), fc.constantFrom('x', null, true)));
    await fc.assert(
      fc.asyncProperty(input, input, async (one, two) => {
        const [first, second] = await Promise.all([one, two].map((value) => admit(agent, asked('open', value))));
        expect(first!.input_digest === second!.input_digest).toBe(canonical(one as never) === canonical(two as never));
      }),
    );
  });
});
