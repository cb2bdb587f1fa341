import { z } from 'zod';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { lastOf } from '../../../src/record/read-block';
import { walk } from '../../../src/store/core/transcript';
import { withEngine, type Setup } from '../support/engine';
import { withAgents } from '../support/sub-agents';
import { ask, results, say, ScriptedModel } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const proposal = z.object({
  invoice: z.string(),
  cents: z.number().int().positive(),
  due: z.string().optional(),
});
const data = { invoice: 'INV-7', cents: 700 };
const typed = (script: Setup['script'], more: Partial<Setup> = {}): Setup => ({
  ...more,
  script: script!,
  agent: { result: proposal, ...more.agent },
});

describe('an agent with a result', () => {
  it('ends its turn with the data that the model gives by a call', () =>
    withEngine(
      typed([ask(['lookup', { key: 'INV-7' }]), ask(['give_result', data])], {
        tools: [reads('lookup', () => ({ cents: 700 }))],
      }),
      async ({ start, model, store }) => {
        const turn = await start();
        const ended = await turn.result();
        expect(ended).toMatchObject({ state: 'completed', step: 2, result: data, reason: null });
        expect(ended.data).toEqual(data);
        expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(['lookup', 'read_result', 'give_result']);
        expect(model.requests[0]!.resultTool).toBe('give_result');
        const { digest } = ended.calls.at(-1)!;
        expect(lastOf('end', await walk(store, ended.head))).toMatchObject({ state: 'completed', result_of: digest });
      },
    ));

  it('takes JSON that the model writes as its last answer, as vendors with structured output make it', () =>
    withEngine(typed([say(JSON.stringify(data))]), async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({
        state: 'completed',
        result: data,
        text: '',
        calls: [{ tool: 'give_result', state: 'succeeded' }],
      });
    }));

  it('takes it out of a block of code', () =>
    withEngine(typed([say(`\`\`\`json\n${JSON.stringify(data, null, 2)}\n\`\`\``)]), async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'completed', result: data });
    }));

  it('tells the model all faults of a result, and takes a better one', () =>
    withEngine(
      typed([ask(['give_result', { invoice: 7, cents: -1, extra: true }]), say('It is 700 cents.'), ask(['give_result', data])]),
      async ({ start, model }) => {
        expect(await (await start()).result()).toMatchObject({ state: 'completed', result: data, step: 3 });
        const [first] = results(model.requests[1]!);
        expect(first!.isError).toBe(true);
        for (const fault of ['/invoice must be string', '/cents must be', 'must NOT have additional properties: "extra"'])
          expect(first!.body.error.message).toContain(fault);
        expect(results(model.requests[2]!)[0]!.body.error).toMatchObject({ reason: 'malformed_json' });
        const answer = model.requests[2]!.messages.at(-2)!.content;
        expect(answer).toMatchObject([
          { type: 'text', text: 'It is 700 cents.' },
          { type: 'tool_use', name: 'give_result', input: {} },
        ]);
      },
    ));

  it('fails its turn after two corrections, and says what did not fit', () =>
    withEngine(
      typed([say('Well.'), ask(['give_result', { invoice: 'INV-7' }]), ask(['give_result', { cents: 0, invoice: 'INV-7' }])]),
      async ({ start }) => {
        const ended = await (await start()).result();
        expect(ended).toMatchObject({ state: 'failed', step: 3 });
        expect(ended.data).toBeUndefined();
        expect(ended).not.toHaveProperty('result');
        expect(ended.reason).toMatch(/^RESULT_INVALID: .*\/cents must be > 0/);
      },
    ));

  it('gives nothing while other calls of the same answer are open', () =>
    withEngine(
      typed([ask(['lookup', { key: 'a' }], ['give_result', data]), ask(['give_result', data])], {
        tools: [reads('lookup', () => 1)],
      }),
      async ({ start, model }) => {
        expect(await (await start()).result()).toMatchObject({ state: 'completed', step: 2 });
        const [lookup, given] = results(model.requests[1]!);
        expect(lookup!.isError).toBe(false);
        expect(given!.body.error).toMatchObject({ reason: 'not_alone' });
      },
    ));

  it('checks what only a refinement of the schema says', () => {
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') });
    return withEngine(
      typed([ask(['give_result', { n: 1 }]), ask(['give_result', { n: 2 }])], { agent: { result: even } }),
      async ({ start, model }) => {
        expect(await (await start()).result()).toMatchObject({ result: { n: 2 } });
        expect(results(model.requests[1]!)[0]!.body.error.message).toContain('/n must be even');
      },
    );
  });

  it('is asked anew when a person says more while the model writes it', () => {
    let steer: () => Promise<void> = async () => undefined;
    const script = [ask(['give_result', data]), ask(['give_result', { ...data, cents: 800 }])];
    const model = new ScriptedModel(script, async (index) => (index === 0 ? steer() : undefined));
    return withEngine(typed([], { model }), async ({ client }) => {
      let started: (turn: TurnHandle) => void = () => undefined;
      const turn = new Promise<TurnHandle>((resolve) => (started = resolve));
      steer = async () => (await turn).steer('Make it 800.', { by: 'ana' });
      started(await client.start({ agent: 'tester', message: 'Go.', requester: 'rita' }));
      expect(await (await turn).result()).toMatchObject({ state: 'completed', step: 2, result: { cents: 800 } });
      expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain('Make it 800.');
    });
  });

  it('ends as refused, with its data, if people refused all that it wanted to do', () =>
    withEngine(
      typed([ask(['pay', { invoice: 'INV-7', cents: 700 }]), ask(['give_result', data])], { tools: [pays('pay', [])] }),
      async ({ start }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await turn.deny(call.digest, { by: 'ana' });
        expect(await turn.result()).toMatchObject({ state: 'refused', result: data });
      },
    ));

  it('works in mode locked, and for no direct call', () =>
    withEngine(typed([ask(['give_result', data])], { agent: { permissions: { mode: 'locked' } } }), async ({ start, call }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'completed', result: data });
      const { calls } = await (await call('give_result', data)).turn.result();
      expect(calls).toMatchObject([{ state: 'rejected', error: { reason: 'no_model' } }]);
    }));

  it('is put to a person first, if a rule says so', () => {
    const permissions = { ask: ['give_result'] };
    return withEngine(typed([ask(['give_result', data])], { agent: { permissions } }), async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana', input: { ...data, cents: 800 } });
      const [edited] = await turn.waitForPending();
      await turn.approve(edited.digest, { by: 'ana' });
      expect(await turn.result()).toMatchObject({ state: 'completed', result: { cents: 800 } });
    });
  });

  it('has a type that its own object gives, and is checked where a handle is made for it', () =>
    withEngine(typed([ask(['give_result', data])]), async ({ client }) => {
      const tester = defineAgent({ name: 'tester', prompt: 'Test.', tools: [], result: proposal });
      const turn = await client.start(tester, { message: 'Go.', requester: 'rita' });
      const ended = await turn.result();
      if (ended.state !== 'completed') throw new Error(`It ended ${ended.state}.`);
      const cents: number = ended.data.cents;
      expect(cents).toBe(700);
      const other = defineAgent({ name: 'other', prompt: 'Test.', tools: [] });
      await expect(client.turn(turn.id).of(other).result()).rejects.toThrow('is of agent "tester", not "other"');
    }));

  it('gives its data to the agent that asked it, and to the events of its turn', async () => {
    const reader = defineAgent({ name: 'reader', prompt: 'Read.', tools: [], result: proposal });
    const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [agentTool(reader, { description: 'Reads an invoice.' })] });
    const scripts = {
      'Lead.': [ask(['reader', { task: 'Read INV-7.' }]), say('700 cents.')],
      'Read INV-7.': [ask(['give_result', data])],
    };
    await withAgents([lead], scripts, async ({ start, client, requests }) => {
      const turn = await start();
      expect(await turn.result()).toMatchObject({ state: 'completed', text: '700 cents.' });
      const [result] = results(requests.get('Lead.')![1]!);
      expect(result!.body.data).toMatchObject({ answer: '', data, agent: 'reader' });
      expect(await lastEvent(client, `${turn.id}~1.1`)).toMatchObject({ type: 'turn_completed', result: data });
    });
  });

  it('gives the result of each message of a session', () =>
    withEngine(typed([ask(['give_result', data]), say(JSON.stringify({ ...data, cents: 800 }))]), async ({ client }) => {
      const session = client.session('typed', { agent: 'tester', requester: 'rita' });
      for (const cents of [700, 800]) {
        const { turn_id } = await session.send('Go.');
        expect(await (await session.started(turn_id)).result()).toMatchObject({ result: { cents } });
      }
    }));
});

async function lastEvent(client: HoldfastClient, turn: string) {
  let last: unknown;
  for await (const event of client.turn(turn).watch()) last = event;
  return last;
}
