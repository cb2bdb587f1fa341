import { PolicyArchive } from '../../../src/activities/step/agent-definition';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { sha256Hex } from '../../../src/shared/json/sha256';
import type { Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import { Registry } from '../../../src/tools/catalogue/registry';
import { withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

async function kept(store: Store, ref: string): Promise<any> {
  const text = (await store.getBytes(ref)).toString('utf8');
  expect(sha256Hex(text)).toBe(ref);
  return JSON.parse(text);
}

const ENGINE = { defaultModel: 'scripted', holdfast: '1.0.0', buildId: 'b7', workflowBundle: null };

describe('the policy archive', () => {
  it('keeps the rules and the agent’s definition; and admission records what the rules looked at', () =>
    withEngine(
      {
        tools: [
          reads('lookup', ({ key }) => key),
          pays('pay', [], { egress: true, ruleTarget: { kind: 'text', of: ({ invoice }: any) => invoice } }),
        ],
        agent: { permissions: { deny: ['pay(OLD-*)'] }, approvals: { quorum: 1, tools: { pay: { fourEyes: true } } } },
        script: [
          ask(['lookup', {}], ['pay', { invoice: 'OLD-1', cents: 1 }], ['pay', { invoice: 3 }]),
          ask(['pay', { invoice: 'INV-7', cents: 700 }]),
          say('paid'),
        ],
      },
      async ({ start, store }) => {
        const turn = await start('Pay it.', { requester: 'rita' });
        const [call] = await turn.waitForPending();
        await turn.approve(call.digest, { by: 'bob' });
        const blocks = await walk(store, (await turn.result()).head);
        const bodies = (kind: string): any[] => blocks.filter(({ block }) => block.kind === kind).map((each) => each.bodies);
        const [[begun]] = bodies('start');
        const [[header, looked, denied, unfit]] = bodies('admission');
        const [[dispatch]] = bodies('dispatch');

        const definition = await kept(store, begun.definition_ref);
        expect([header.definition_ref, dispatch.definition_ref]).toEqual([begun.definition_ref, begun.definition_ref]);
        expect(definition).toMatchObject({ v: 'holdfast.agent/1', name: 'tester', model: 'scripted', prices: null });
        expect(definition.engine.workflow_bundle).toMatch(/^[0-9a-f]{64}$/);
        expect(definition.tools.map(({ name }: any) => name).sort()).toEqual(['lookup', 'pay', 'read_result']);
        expect(dispatch.approval).toEqual(definition.approvals.pay);
        expect(definition.approvals.pay.four_eyes).toBe(true);

        expect(await kept(store, begun.policy_ref)).toMatchObject({
          v: 'holdfast.policy/1',
          permissions: { deny: ['pay(OLD-*)'] },
        });
        expect(dispatch).toMatchObject({
          policy_ref: begun.policy_ref,
          verdict: 'ask',
          revision: 1,
          input_hash: expect.any(String),
        });

        const facts = { egress: false, group: null, read_only: true, target: null, targets: null };
        expect(looked.facts).toEqual({ ...facts, turn: { untrusted: false, requester: 'rita', agent: 'tester', step: 1 } });
        expect(denied).toMatchObject({ verdict: 'rejected', facts: { egress: true, target: 'text', targets: ['OLD-1'] } });
        expect(unfit).toMatchObject({ verdict: 'rejected', facts: null });
      },
    ));

  it('stores again what a first attempt could not store', async () => {
    const agent = new Registry(defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools: [] })] })).agent('a')!;
    const put: string[] = [];
    let broken = true;
    const store = {
      putBytes: async (bytes: Uint8Array) => {
        if (broken) throw new Error('the disk is full');
        put.push(sha256Hex(Buffer.from(bytes).toString('utf8')));
      },
    } as unknown as Store;
    const objects = new PolicyArchive(store, ENGINE);
    await expect(objects.agent(agent)).rejects.toThrow('the disk is full');
    broken = false;
    const ref = await objects.agent(agent);
    await objects.agent(agent);
    expect(put.sort()).toEqual([ref, agent.policyRef].sort()); // and once only
  });

  it('stores again after an hour what a collection of the store may have deleted', async () => {
    const agent = new Registry(defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools: [] })] })).agent('a')!;
    let puts = 0;
    const archive = new PolicyArchive({ putBytes: async () => void puts++ } as unknown as Store, ENGINE);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1000);
    try {
      for (const minutes of [0, 59, 61, 62]) {
        clock.mockReturnValue(1000 + minutes * 60_000);
        await archive.agent(agent);
      }
    } finally {
      clock.mockRestore();
    }
    expect(puts).toBe(4); // the rules and the definition, twice
  });

  it('keeps the modes of turns above, and the rules that they bound', async () => {
    const registry = new Registry(defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools: [] })] }));
    const bound = registry.forTurn({ agent: 'a', parent: { within: ['plan'] } as never })!;
    const put: any[] = [];
    const store = { putBytes: async (bytes: Uint8Array) => void put.push(JSON.parse(Buffer.from(bytes).toString())) };
    await new PolicyArchive(store as unknown as Store, ENGINE).rules(bound);
    expect(put).toEqual([
      expect.objectContaining({ v: 'holdfast.policy/1' }),
      { v: 'holdfast.policy_within/1', policy_ref: registry.agent('a')!.policyRef, within: ['plan'] },
    ]);
  });

  it('keeps no secrets: a field that is named like a key is left out, a count is not', async () => {
    const modelOptions = {
      thinking: { budget_tokens: 1000 },
      mcp_servers: [{ url: 'https://ana:hunter2@mcp.example/', authorization_token: 'tok-123456' }],
    };
    const agent = new Registry(defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools: [], modelOptions })] })).agent(
      'a',
    )!;
    const put: string[] = [];
    const store = { putBytes: async (bytes: Uint8Array) => void put.push(Buffer.from(bytes).toString()) };
    await new PolicyArchive(store as unknown as Store, ENGINE).agent(agent);
    const text = put.join();
    expect(text).not.toMatch(/hunter2|tok-123456/);
    expect(text).toContain('"budget_tokens":1000');
  });
});
