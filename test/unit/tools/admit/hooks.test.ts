import { z } from 'zod';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import type { Envelope } from '../../../../src/shared/wire/errors';
import { admit } from '../../../../src/tools/admit/admit';
import { annotate } from '../../../../src/tools/admit/after-hooks';
import { defineTool } from '../../../../src/tools/define/define';
import { runBeforeIo, type AfterHook, type BeforeHook, type Hooks } from '../../../../src/tools/admit/hooks';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { silent } from '../../../support/silent';
import { LONG_INPUT, slowToCheck } from '../../../support/tools';
import type { AgentDefinition } from '../../../../src/agents/agent';

const pay = defineTool({
  name: 'pay',
  version: '1.0.0',
  class: 'write',
  description: 'Pays.',
  input: z.object({ to: z.string().max(20), cents: z.number().int().max(1000) }),
  check: ({ to }) => (to === 'nobody' ? { reason: 'nobody', message: 'Nobody takes no money.' } : undefined),
  concurrencySafe: () => true,
  run: () => null,
});
const turn = { untrusted: false, requester: 'ana', agent: 'a', step: 1 };

async function admitted(
  hooks: Partial<Hooks>,
  input: unknown = { to: 'ben', cents: 5 },
  more: Partial<AgentDefinition> = {},
  app: Partial<Hooks> = {},
) {
  const agent = defineAgent({ name: 'a', prompt: 'p', tools: [pay], hooks, ...more });
  const prepared = new Registry(defineApp({ agents: [agent], hooks: app })).agent('a')!;
  return admit(prepared, { name: 'pay', json: JSON.stringify(input), cut: false }, { turn, log: silent });
}
const hook = (run: BeforeHook['run'], more: Partial<BeforeHook> = {}): BeforeHook => ({ name: 'guard', run, ...more });

describe('the five steps', () => {
  it('come in order: schema, check, before-hooks, permission; none is reached before the one before it has passed', async () => {
    const seen: string[] = [];
    const spy = hook(() => void seen.push('hook'));
    const rules = { permissions: { deny: ['pay'] } };
    expect((await admitted({ before: [spy] }, { to: 'ben' }, rules)).error).toMatchObject({ reason: 'schema_violation' });
    expect((await admitted({ before: [spy] }, { to: 'nobody', cents: 1 }, rules)).error).toMatchObject({ reason: 'nobody' });
    expect(seen).toEqual([]);
    expect((await admitted({ before: [spy] }, undefined, rules)).error).toMatchObject({ reason: 'denied_by_rule' });
    expect(seen).toEqual(['hook']);
  });
});

describe('a before-hook', () => {
  it('may refuse, in its own words', async () => {
    const refuse = hook(() => ({ refuse: { reason: 'closed', message: 'Not today.', hint: 'Tomorrow.' } }));
    expect((await admitted({ before: [refuse] })).error).toMatchObject({
      code: 'PERMISSION_DENIED',
      reason: 'closed',
      message: 'Not today.',
      hint: 'Tomorrow.',
    });
  });

  it('may change the input: it is checked again, hashed again, recorded with its reason; rules see the changed input', async () => {
    const cap = hook(({ input }) => ({ input: { ...input, cents: 1 }, why: 'a cent is enough' }), { name: 'cap' });
    const plain = await admitted({});
    const changed = await admitted({ before: [cap] }, undefined, {
      permissions: { ask: [{ rule: 'pay', when: 'input.cents == 1' }] },
    });
    expect(changed).toMatchObject({
      verdict: 'ask',
      input: { to: 'ben', cents: 1 },
      changes: [{ hook: 'cap', why: 'a cent is enough', before: { to: 'ben', cents: 5 } }],
    });
    expect(changed.input_hash).not.toBe(plain.input_hash);
    expect(changed.input_hash).toBe((await admitted({}, { to: 'ben', cents: 1 })).input_hash);
    expect(changed.input_digest).toBe(plain.input_digest); // the model asked for the same call
  });

  it('may give an input whose check takes long', async () => {
    const pad = hook(() => ({ input: LONG_INPUT, why: 'it is short' }));
    const agent = defineAgent({ name: 'a', prompt: 'p', tools: [slowToCheck], hooks: { before: [pad] } });
    const prepared = new Registry(defineApp({ agents: [agent] })).agent('a')!;
    const admission = await admit(prepared, { name: 'note', json: '{}', cut: false }, { turn, log: silent });
    expect(admission).toMatchObject({ verdict: 'allow', input: LONG_INPUT, changes: [{ hook: 'guard' }] });
  });

  it.each<[string, BeforeHook['run'], RegExp]>([
    ['throws', () => { throw new Error('boom'); }, /guard failed.*boom/],
    ['gives an input that the schema refuses', () => ({ input: { to: 'ben', cents: 5000 }, why: '' }), /the input that it gave is refused/],
    ['gives an input that the check refuses', () => ({ input: { to: 'nobody', cents: 5 }, why: '' }), /Nobody takes/],
    ['gives an input with a field too many', () => ({ input: { to: 'ben', cents: 5, x: 1 }, why: '' }), /additional/],
    ['gives no object', () => ({ input: [] as never, why: '' }), /neither refuse nor input/],
    ['answers nonsense', () => 'yes' as never, /answered string/],
    ['returns a promise without io', async () => undefined, /io: true/],
  ])('that %s refuses the call: it fails closed', async (_what, run, message) => {
    const { error, verdict } = await admitted({ before: [hook(run)] });
    expect(verdict).toBe('rejected');
    expect(error).toMatchObject({ code: 'EXECUTION_ERROR', reason: 'hook_failed', message: expect.stringMatching(message) });
  }); // oxfmt-ignore

  it('gets a copy: changes of the call have no effect', async () => {
    const vandal = hook(({ input, turn: facts }) => {
      input.cents = 999;
      (facts as { untrusted: boolean }).untrusted = true;
    });
    expect(
      await admitted({ before: [vandal] }, undefined, { permissions: { deny: [{ rule: '*', when: 'turn.untrusted' }] } }),
    ).toMatchObject({
      verdict: 'allow',
      input: { cents: 5 },
      changes: [],
    });
  });

  it('runs for the tools that it names, the app’s hooks before the agent’s, each on the result of the one before', async () => {
    const add = (name: string, tools?: string[]) =>
      hook(({ input }) => ({ input: { ...input, to: `${String(input.to)}-${name}` }, why: name }), {
        name,
        ...(tools ? { tools } : {}),
      });
    const result = await admitted(
      { before: [add('agent', ['p*']), add('other', ['send'])] },
      undefined,
      {},
      { before: [add('app')] },
    );
    expect(result.input.to).toBe('ben-app-agent');
    expect(result.changes.map((change) => change.hook)).toEqual(['app', 'agent']);
  });

  it('with I/O leaves the call undecided, and alone in its batch', async () => {
    const run = jest.fn();
    expect(await admitted({ before: [hook(run, { io: true })] })).toMatchObject({
      verdict: 'ask',
      undecided: true,
      parallel: false,
    });
    expect(await admitted({})).toMatchObject({ verdict: 'allow', undecided: false, parallel: true });
    expect(run).not.toHaveBeenCalled();
  });

  it('with I/O that does not answer in time refuses the call', async () => {
    const slow = hook(() => new Promise(() => undefined), { io: true, timeoutMs: 20 });
    const call = { tool: 'pay', version: '1.0.0', class: 'write' as const, input: {}, turn };
    const outcome = await runBeforeIo([slow], call, async (input) => ({ ok: true, input }), silent);
    expect(outcome).toMatchObject({
      ok: false,
      error: { reason: 'hook_failed', message: expect.stringContaining('within 20 ms') },
    });
  });

  it.each<[Partial<Hooks>, string]>([
    [{ before: [{ name: 'a b', run: () => undefined }] }, 'name "a b" must match'],
    [{ before: [{ name: 'a' } as never] }, 'run must be a function'],
    [{ after: [hook(() => undefined) as never, hook(() => undefined) as never] }, 'two hooks.after have one name: guard'],
    [{ before: [hook(() => undefined, { timeoutMs: -1 })] }, 'timeoutMs is -1'],
    [{ before: [hook(() => undefined, { io: true, timeoutMs: 90_000 })] }, 'at most 60000'],
    [{ before: 'x' as never }, 'hooks.before must be a list'],
  ])('that is wrong is reported when agent or app is defined: %#', async (hooks, message) => {
    await expect(admitted(hooks)).rejects.toThrow(message);
    expect(() => defineApp({ agents: [], hooks })).toThrow(message);
  });
});

describe('an after-hook', () => {
  const metadata = { tool_name: 'pay', cache: { hit: false } } as never;
  const done: Envelope = { success: true, status: 'success', data: { paid: 5 }, metadata };
  const call = { tool: 'pay', version: '1.0.0', class: 'write' as const, input: {}, turn };
  const after = (run: AfterHook['run'], more: Partial<AfterHook> = {}) =>
    annotate([{ name: 'look', run, ...more }], call, done, silent);

  it('adds a note for the model and fields of metadata, and does not change the data', async () => {
    const annotated = await after((result) => {
      (result.data as { paid: number }).paid = 0;
      return { note: 'Check it.', metadata: { score: 3 } };
    });
    expect(annotated).toMatchObject({ data: { paid: 5 }, metadata: { score: 3, hooks: [{ hook: 'look', note: 'Check it.' }] } });
  });

  it.each<[string, AfterHook['run'], string]>([
    ['throws', () => { throw new Error('boom'); }, 'boom'],
    ['does not answer', () => new Promise(() => undefined), 'within 20 ms'],
    ['would replace what the engine says', () => ({ metadata: { tool_name: 'x' } }), 'metadata.tool_name is taken'],
    ['would pass for another hook', () => ({ metadata: { hooks: [] } }), 'metadata.hooks is taken'],
    ['writes what no field is called', () => ({ metadata: { 'A b': 1 } }), 'metadata.A b'],
    ['writes too much', () => ({ metadata: { x: 'x'.repeat(9000) } }), 'larger than'],
  ])('that %s loses nothing: the failure is recorded', async (_what, run, error) => {
    const annotated = await after(run, { timeoutMs: 20 });
    expect(annotated).toMatchObject({ success: true, data: { paid: 5 } });
    expect(annotated.metadata.hooks).toEqual([{ hook: 'look', error: expect.stringContaining(error) }]);
    expect(annotated.metadata.tool_name).toBe('pay');
  }); // oxfmt-ignore

  it('sees failures too, and only the tools that it names', async () => {
    const seen: boolean[] = [];
    const watch: AfterHook = { name: 'w', tools: ['p*'], run: ({ ok }) => void seen.push(ok) };
    const failed: Envelope = { success: false, status: 'error', error: { code: 'TIMEOUT' } as never, metadata };
    await annotate([watch], call, failed, silent);
    expect(await annotate([watch], { ...call, tool: 'send' }, done, silent)).toBe(done);
    expect(seen).toEqual([false]);
  });
});
