import { z } from 'zod';
import { defineAgent, defineApp, type App } from '../../../src/agents/define';
import { Registry } from '../../../src/tools/catalogue/registry';
import { withEngine } from '../support/engine';
import { ask, results, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import type { Tool, ToolDefinition } from '../../../src/tools/define/tool';

/** The second version wants another input: what was admitted under the first must never run under it. */
const second: Partial<ToolDefinition> = {
  version: '2.0.0',
  input: z.object({ invoice: z.string(), euros: z.number() }) as never,
};
const invoice = { invoice: 'INV-7', cents: 700 };
const app = (tools: (Tool | string)[], toolbox: Tool[] = []): App =>
  defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools })], tools: toolbox });

describe('a call that was admitted under a version', () => {
  it('runs under it while the worker has it in any place, though the agent has moved on', async () => {
    const effects: string[] = [];
    const v1 = pays('pay', [], { run: () => void effects.push('v1') });
    const v2 = pays('pay', [], { ...second, run: () => void effects.push('v2') });
    const registry = new Registry(app([v1]));
    await withEngine({ registry, script: [ask(['pay', invoice]), say('paid')] }, async ({ start, model }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      registry.replace(app(['pay'], [v1, v2]));
      await turn.approve(call!.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ version: '1.0.0', state: 'succeeded', effect: 'applied' });
      expect(effects).toEqual(['v1']);
      expect(JSON.stringify(model.requests[1]!.tools[0]!.input_schema)).toContain('euros'); // the next step sees the new one
    });
  });

  it('does not act if the worker no longer has that version, even if it is approved; the model is told to ask again', async () => {
    const effects: string[] = [];
    const v1 = pays('pay', [], { run: () => void effects.push('v1') });
    const v2 = pays('pay', [], { ...second, run: () => void effects.push('v2') });
    const registry = new Registry(app([v1]));
    await withEngine({ registry, script: [ask(['pay', invoice]), say('gone')] }, async ({ start, model }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      registry.replace(app([v2]));
      await turn.approve(call!.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ version: '1.0.0', state: 'failed', effect: 'not_applied' });
      expect(results(model.requests[1]!)[0]!.body.error).toMatchObject({
        code: 'TOOL_NOT_FOUND',
        reason: 'tool_changed',
        hint: expect.stringContaining('Ask for the call again'),
      });
      expect(effects).toEqual([]);
    });
  });

  it('keeps its tool when the app is replaced while it runs', async () => {
    const registry: Registry = new Registry(
      app([
        reads('lookup', () => {
          registry.replace(app([reads('other', () => 'other')]));
          return 'mine';
        }),
      ]),
    );
    await withEngine({ registry, script: [ask(['lookup', {}]), say('done')] }, async ({ start, model }) => {
      await (await start()).result();
      expect(results(model.requests[1]!)[0]!.body).toMatchObject({ success: true, data: 'mine' });
      expect(model.requests[1]!.tools.map((tool) => tool.name)).toEqual(['other', 'read_result']);
    });
  });
});

describe('a deprecated tool', () => {
  it('says so in its description and in each result, until its sunset date; from then on it is refused, with what to use instead', async () => {
    const facts = { deprecated: true, replacement: 'find_rates', migrationGuide: 'https://example.com/rates' };
    const late = reads('get_rates', () => 1, { ...facts, sunsetDate: '2999-01-01' });
    const gone = reads('get_old_rates', () => 2, { ...facts, sunsetDate: '2020-01-01' });
    const script = [ask(['get_rates', {}], ['get_old_rates', {}]), say('done')];
    await withEngine({ tools: [late, gone], script }, async ({ start, model, store }) => {
      const view = await (await start()).result();
      expect(model.requests[0]!.tools.map((tool) => tool.name)).toEqual(['get_rates', 'read_result']);
      expect(model.requests[0]!.tools[0]!.description).toMatch(
        /^DEPRECATED: .* refused from 2999-01-01 on\. Use find_rates instead\.\n/,
      );
      const [ran, refused] = results(model.requests[1]!);
      expect(ran!.body).toMatchObject({ success: true, data: 1, deprecated: expect.stringContaining('Use find_rates instead.') });
      expect(refused!.body.error).toMatchObject({
        code: 'TOOL_DEPRECATED',
        kind: 'USER_INPUT_ERROR',
        replacement: 'find_rates',
        sunset_date: '2020-01-01',
        migration_guide: 'https://example.com/rates',
      });
      const stored: any = await store.getPart(view.calls[0]!.result_ref!);
      expect(stored.envelope.metadata.deprecation).toEqual({
        sunset_date: '2999-01-01',
        replacement: 'find_rates',
        migration_guide: 'https://example.com/rates',
      });
    });
  });
});

describe('a result that is not what the tool declares', () => {
  it('is an error for the owner; of a destructive tool it is kept and marked, for the effect is applied', async () => {
    const output = { type: 'object', properties: { rate: { type: 'number' } }, required: ['rate'] } as never;
    const look = reads('look_up', () => ({ rate: 'high' }), { output });
    const pay = pays('pay', [], { output, run: () => ({ receipt: 'R-1' }) });
    const script = [ask(['look_up', {}], ['pay', invoice]), say('done')];
    await withEngine({ tools: [look, pay], script }, async ({ start, model }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call!.digest, { by: 'ana' });
      const view = await turn.result();
      const [read, paid] = results(model.requests[1]!);
      expect(read!.body.error).toMatchObject({
        code: 'EXECUTION_ERROR',
        reason: 'output_mismatch',
        details: [{ path: '/rate', message: 'must be number' }],
        hint: expect.stringContaining("tool's owner"),
      });
      expect(view.calls[1]).toMatchObject({ state: 'succeeded', effect: 'applied' });
      expect(paid!.body.data).toMatchObject({
        unreadable_result: expect.stringContaining("required property 'rate'"),
        result: { receipt: 'R-1' },
      });
    });
  });
});
