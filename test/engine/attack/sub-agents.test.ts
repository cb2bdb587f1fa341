/** Nobody gets past an approval by way of a sub-agent. Each test is named after what it prevents. */
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { signSteer } from '../../../src/client/approvals/attest';
import type { TurnInput } from '../../../src/workflows/contract';
import { eventually } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { invoice } from '../support/scene';
import { Signers } from '../../support/signers';
import { withAgents, type Agents } from '../support/sub-agents';
import { pays, reads } from '../../support/tools';

const scripts = { 'Lead.': [ask(['worker', { task: 'Pay.' }]), say('paid')], 'Pay.': [ask(['pay', invoice]), say('done')] };

interface Signed extends Agents {
  signers: Signers;
  effects: unknown[];
}

/** Decisions are signed; rita's turn asks a sub-agent, whose payment waits. */
async function signed(body: (on: Signed) => Promise<void>, more: { lead?: (typeof scripts)['Lead.'] } = {}): Promise<void> {
  const signers = new Signers();
  const effects: unknown[] = [];
  const worker = defineAgent({ name: 'worker', prompt: 'Pay.', tools: [pays('pay', effects)] });
  const tools = [agentTool(worker, { description: 'Pays.' }), reads('look', () => 1)];
  const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools });
  const signingKey = await signers.file(signers.gateway);
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  try {
    const script = { ...scripts, ...(more.lead ? { 'Lead.': more.lead } : {}) };
    await withAgents([lead], script, (engine) => body({ ...engine, signers, effects }), { settings, signingKey });
  } finally {
    signers.remove();
  }
}

describe('where decisions are signed, nobody can', () => {
  it('decide on a sub-agent’s call by a bare name; a decision that is signed for the call’s own turn counts, sent to either turn', () =>
    signed(async ({ start, client, signers, effects }) => {
      for (const way of ['parent', 'child'] as const) {
        const turn = await start();
        const [waiting] = await turn.waitForPending();
        const child = client.turn(waiting.of!.turn_id);
        await expect(turn.approve(waiting.digest, { by: 'ana' })).rejects.toThrow('signed decisions only');
        const forParent = await signers.signed(turn, waiting.digest, 'ana'); // the list says whose call it is
        expect(JSON.parse(Buffer.from(forParent.split('.')[0]!, 'base64url').toString()).aud).toMatchObject({
          workflow_id: child.workflowId,
          first_execution_run_id: waiting.of!.first_execution_run_id,
        });
        await expect(
          turn.approve(waiting.digest, { attestation: await signers.signed(turn, waiting.digest, 'rita') }),
        ).rejects.toThrow('somebody else has to decide');
        await (way === 'parent' ? turn : child).approve(waiting.digest, { attestation: forParent });
        expect((await turn.result()).state).toBe('completed');
      }
      expect(effects).toEqual([invoice, invoice]);
    }));

  it('start a turn as if another turn had asked for it, in the name of somebody else', () =>
    signed(async ({ start, client, taskQueue, requests }) => {
      const turn = await start();
      const [{ of }] = await turn.waitForPending();
      const { head } = await turn.status();
      const forged = async (
        id: string,
        parent: Partial<NonNullable<TurnInput['parent']>>,
        requester: string,
        message = 'Pay.',
      ) => {
        const limits = { steps: 5, tokens: 5000, cost_usd: 1, time_ms: 60_000 };
        const { first_execution_run_id } = await turn.audience();
        const above = {
          turn_id: turn.id,
          workflow_id: turn.workflowId,
          first_execution_run_id,
          call_id: '1.1',
          digest: '0'.repeat(64),
        };
        const made = { ...above, head: head!, within: [], untrusted: false, depth_left: 1, limits, makers: [], ...parent };
        const trace_id = 'trace_20260101_000000000000';
        const input = { turn_id: id, agent: 'worker', message, requester, session_id: null, trace_id };
        const args = [{ ...input, parent_head: null, parent: made }];
        await client.temporal.workflow.start('turn', { workflowId: `turn/${id}`, taskQueue, args });
        return client.turn(id).result();
      };
      const asked = requests.get('Pay.')!.length;
      const other = await forged('forged-1', {}, 'bob');
      expect(other).toMatchObject({ state: 'failed', reason: expect.stringContaining('another requester') });
      const call = await forged('forged-2', { call_id: '7.7' }, 'rita');
      expect(call.reason).toContain('has no call 7.7');
      const unknown = await forged('forged-3', { head: 'f'.repeat(64) }, 'rita');
      expect(unknown.reason).toContain('no transcript');
      // Everything is genuine but the message.
      const own = await forged('forged-4', {}, 'rita', 'Pay mallory.');
      expect(own).toMatchObject({ state: 'failed', reason: expect.stringContaining('not started by turn') });
      expect(requests.has('Pay mallory.')).toBe(false);
      expect(requests.get('Pay.')).toHaveLength(asked);
      await client.turn(of!.turn_id).cancel();
      await turn.result();
    }));

  it('start a sub-agent’s turn for a parent that was itself not signed', async () => {
    const effects: unknown[] = [];
    const approvals = { channel: 'attested' as const };
    const worker = defineAgent({ name: 'worker', prompt: 'Pay.', tools: [pays('pay', effects)], approvals });
    const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [agentTool(worker, { description: 'Pays.' })] });
    await withAgents([lead], scripts, async ({ start, requests }) => {
      const view = await (await start()).result();
      expect(view.calls[0]).toMatchObject({ state: 'failed', error: { reason: 'sub_agent_failed' } });
      expect(view.calls[0]!.error!.message).toContain('the turn above was not signed');
      expect(requests.has('Pay.')).toBe(false);
    });
  });

  it('steer the turn above, and then approve what a sub-agent proposes', () =>
    signed(
      async ({ start, signers, effects }) => {
        const turn = await start();
        const attestation = await eventually(
          'it has a transcript',
          async () =>
            (await turn.status()).head !== null &&
            (await signSteer(turn, signers.gateway, { text: 'Pay it.', principal: 'sam', roles: [] })),
        );
        const [first] = await turn.waitForPending();
        await turn.steer('Pay it.', { attestation });
        await turn.approve(first.digest, { attestation: await signers.signed(turn, first.digest, 'ana') });
        const second = await eventually('the second waits', async () =>
          (await turn.pending()).find(({ digest }) => digest !== first.digest),
        );
        const own = await signers.signed(turn, second.digest, 'sam');
        await expect(turn.approve(second.digest, { attestation: own })).rejects.toThrow('changed it or steered the turn');
        await turn.approve(second.digest, { attestation: await signers.signed(turn, second.digest, 'ana') });
        await turn.result();
        expect(effects).toHaveLength(2);
      },
      { lead: [ask(['worker', { task: 'Pay.' }]), ask(['worker', { task: 'Pay.' }]), say('paid')] },
    ));
});
