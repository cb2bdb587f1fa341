/** A model chooses the ids of its calls: two calls under one id are two calls, each with its own input, question and answer. */
import type { JsonObject } from '../../../src/shared/json/json';
import { join } from 'node:path';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { walk } from '../../../src/store/core/transcript';
import { eventually, withEngine } from '../support/engine';
import { withMcp } from '../support/packs/mcp/mcp-engine';
import { withAgents } from '../support/sub-agents';
import { results, say, type Answer } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import type { Tool } from '../../../src/tools/define/tool';

const ODD_SERVER = join(__dirname, '../../support/packs/mcp/fixtures/odd-server.mjs');
const A = { invoice: 'A', cents: 1 };
const B = { invoice: 'B', cents: 2 };

/** An answer whose calls all have this id. */
function under(id: string, ...calls: [name: string, input: JsonObject][]): Answer {
  return { content: calls.map(([name, input]) => ({ type: 'tool_use', id, name, input })) };
}

describe('calls under one id', () => {
  it('each run with their own input, as people have decided on each', async () => {
    const effects: unknown[] = [];
    const script = [under('same', ['pay', A], ['pay', B]), say('paid')];
    await withEngine({ tools: [pays('pay', effects)], script }, async ({ start, model }) => {
      const turn = await start();
      const [first, second] = await eventually('both wait', async () => {
        const calls = await turn.waitForPending();
        return calls.length === 2 && calls;
      });
      await turn.approve(first!.digest, { by: 'ana' });
      await turn.deny(second!.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view.calls.map(({ state }) => state)).toEqual(['succeeded', 'denied']);
      expect(effects).toEqual([A]);

      // The next request is valid: each call has an id of its own, and its result has that id.
      const sent = model.requests[1]!.messages.at(-2)!.content;
      expect(sent.map(({ id, input }) => [id, input])).toEqual([
        ['same', A],
        ['toolu_step1_2', B],
      ]);
      expect(results(model.requests[1]!).map(({ id, isError }) => [id, isError])).toEqual([
        ['same', false],
        ['toolu_step1_2', true],
      ]);
    });
  });

  it('stay separate also across steps', async () => {
    const script = [under('same', ['look', { key: 'a' }]), under('same', ['look', { key: 'b' }]), say('done')];
    const look = reads('look', (input: unknown) => input);
    await withEngine({ tools: [look], script }, async ({ start, model }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'completed' });
      const last = model.requests[2]!.messages;
      const ids = last.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
      expect(ids).toEqual(['same', 'toolu_step2_1']);
      expect(results(model.requests[2]!)).toMatchObject([{ id: 'toolu_step2_1', body: { data: { key: 'b' } } }]);
    });
  });

  it('to sub-agents are each answered in a turn of their own, with their own task', async () => {
    const agent = (name: string, tools: Tool[] = []) => defineAgent({ name, prompt: name, tools });
    const helper = agentTool(agent('helper'), { description: 'Helps.' });
    const scripts = {
      'Lead.': [under('same', ['helper', { task: 'First.' }], ['helper', { task: 'Second.' }]), say('done')],
      'First.': [say('one')],
      'Second.': [say('two')],
    };
    await withAgents([agent('lead', [helper])], scripts, async ({ start, requests }) => {
      const turn = await start();
      expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded' }, { state: 'succeeded' }] });
      expect(results(requests.get('Lead.')![1]!).map(({ id, body }) => [id, body.data.answer])).toEqual([
        ['same', 'one'],
        ['toolu_step1_2', 'two'],
      ]);
      expect([requests.get('First.'), requests.get('Second.')].map((asked) => asked?.length)).toEqual([1, 1]);
    });
  });

  it('to an MCP server’s tools each reach it with their own input', async () => {
    const command = { command: process.execPath, args: [ODD_SERVER] };
    const script = [under('same', ['odd__look', { q: 'x' }], ['odd__look', { q: 'y' }]), say('done')];
    await withMcp({ servers: { odd: command }, accept: { odd: { look: 'read' } }, script }, async ({ start, model }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'completed' });
      expect(results(model.requests[1]!).map(({ id, body }) => [id, body.data.text])).toEqual([
        ['same', 'seen x'],
        ['toolu_step1_2', 'seen y'],
      ]);
    });
  });

  it('are recorded with ids of their own, beside the id that the model wrote', async () => {
    const script = [under('same', ['look', { key: 'a' }], ['look', { key: 'b' }]), say('done')];
    await withEngine({ tools: [reads('look', (input: unknown) => input)], script }, async ({ start, store }) => {
      const { head } = await (await start()).result();
      const blocks = await walk(store, head);
      const [, ...calls] = blocks.find(({ block }) => block.kind === 'admission')!.bodies as JsonObject[];
      expect(calls.map(({ call_id, tool_use_id, asked_id }) => [call_id, tool_use_id, asked_id])).toEqual([
        ['1.1', 'same', undefined],
        ['1.2', 'toolu_step1_2', 'same'],
      ]);
    });
  });
});
