import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import type { HoldfastClient } from '../../../src/client';
import { FileStore } from '../../../src/store/files/file-store';
import { eventually, withEngine } from '../../engine/support/engine';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { reset, resetBefore } from '../support/temporal-cli';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

async function approveBySignal(client: HoldfastClient, turn: TurnHandle, digest: string): Promise<void> {
  await client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: digest, by: 'ana' });
}

async function card(client: HoldfastClient, turn: TurnHandle): Promise<string> {
  const handle = client.temporal.workflow.getHandle(turn.workflowId);
  return (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

/** The question that replaces the one that was asked before the reset. */
function askedAnew(turn: TurnHandle, before: string): Promise<WaitingCall> {
  return eventually('a new question', async () => (await turn.pending()).find(({ digest }) => digest !== before));
}

describe('a reset to before the approval, which Temporal then applies again', () => {
  it('asks for a new decision, and the effect stays one', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('paid'), say('paid'), say('paid')] },
      async ({ start, client }) => {
        const turn = await start();
        const [first] = await turn.waitForPending();
        await approveBySignal(client, turn, first.digest);
        await turn.result();
        expect(effects).toHaveLength(1);

        const runId = await reset(client, turn, 'before the approval');
        const second = await askedAnew(turn, first.digest);
        expect(second).toMatchObject({ id: first.id, revision: 2, state: 'waiting' });
        expect(await card(client, turn)).toMatch(/the workflow was reset[^]*is applied/);
        expect(effects).toHaveLength(1);
        await expect(turn.approve(first.digest, { by: 'ana' })).rejects.toThrow('Not accepted');

        await turn.approve(second.digest, { by: 'ana' });
        const view = await turn.result();
        expect(view.run_id).toBe(runId);
        expect(view.calls.at(-1)).toMatchObject({ state: 'succeeded', effect: 'applied', revision: 2 });
        expect(effects).toHaveLength(1);

        await reset(client, turn, 'before the approval'); // a reset of the reset
        const third = await askedAnew(turn, first.digest);
        expect(third).toMatchObject({ state: 'waiting', effect: 'applied' });
        expect(third.digest).not.toBe(second.digest);
        await expect(turn.approve(second.digest, { by: 'ana' })).rejects.toThrow('Not accepted');
        await turn.approve(third.digest, { by: 'ana' });
        await turn.result();
        expect(effects).toHaveLength(1);
      },
    );
  });

  it('and a denial after it leave the effect as it is, and the turn says so', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('paid'), say('refused')] },
      async ({ start, client }) => {
        const turn = await start();
        const [first] = await turn.waitForPending();
        await approveBySignal(client, turn, first.digest);
        await turn.result();
        await reset(client, turn, 'before the approval');
        const second = await askedAnew(turn, first.digest);
        await turn.deny(second.digest, { by: 'bob' });
        const view = await turn.result();
        expect(effects).toHaveLength(1);
        expect(view.state).toBe('completed'); // "refused" would say that nothing was done
        expect(view.calls.at(-1)).toMatchObject({
          state: 'denied',
          effect: 'applied',
          error: { message: expect.stringContaining('it is applied, and stays so') },
        });
      },
    );
  });

  it('and an attempt that is lost while it takes over the effect do not repeat the effect', async () => {
    const effects: unknown[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-reset-'));
    const store = await FileStore.open(folder);
    const tools = [pays('pay', effects)];
    await withEngine({ tools, store, script: [ask(['pay', invoice]), say('paid'), say('paid')] }, async ({ start, client }) => {
      const turn = await start();
      const [first] = await turn.waitForPending();
      await approveBySignal(client, turn, first.digest);
      await turn.result();
      await reset(client, turn, 'before the approval');
      const second = await askedAnew(turn, first.digest);
      const lost = jest.spyOn(store.effects, 'findByAct').mockRejectedValueOnce(new Error('the worker is gone'));
      await turn.approve(second.digest, { by: 'ana' });
      const view = await turn.result();
      expect(lost.mock.results[0]).toBeDefined();
      expect(view.calls.at(-1)).toMatchObject({ state: 'succeeded', effect: 'applied' });
      expect(effects).toHaveLength(1);
    });
    await rm(folder, { recursive: true });
  });

  it('also takes over the effect of a call that a rule allows, although its preview has changed', async () => {
    const effects: unknown[] = [];
    let seen = 0;
    const tools = [pays('pay', effects, { preview: () => `${++seen} looks`, previewTolerance: () => true })];
    const agent = { permissions: { allow: ['pay'] } };
    await withEngine(
      { tools, agent, script: [ask(['pay', invoice]), say('paid'), ask(['pay', invoice]), say('paid')] },
      async ({ start, client }) => {
        const turn = await start();
        await turn.result();
        expect(effects).toHaveLength(1);
        const runId = await reset(client, turn, 'FirstWorkflowTask');
        const view = await eventually('its end', async () => {
          const now = await turn.status();
          return now.run_id === runId && now.ended_at !== null && now;
        });
        expect(view.calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
        expect(seen).toBeGreaterThan(2);
        expect(effects).toHaveLength(1);
      },
    );
  });
});

describe('a signed approval that a reset re-applies', () => {
  it.each([
    ['before its question', false],
    ['while its question is open', true],
  ])('(%s) is ignored, and so is the same one sent again; a new one is asked for', async (_where, nudged) => {
    const effects: unknown[] = [];
    const signers = new Signers();
    const settings = { approvals: 'attested' as const, trust: signers.trust };
    const signingKey = await signers.file(signers.gateway);
    const script = [ask(['pay', invoice]), say('paid'), say('paid')];
    await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey }, async ({ start, client }) => {
      const turn = await start();
      const [first] = await turn.waitForPending();
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      if (nudged) {
        await handle.signal('nothing', {});
        await eventually('another workflow task', async () => (await turn.status()).ignored_signals.count === 1);
      }
      const attestation = await signers.signed(turn, first.digest, 'ana');
      await handle.signal('approve', { call: first.digest, attestation });
      await turn.result();
      expect(effects).toHaveLength(1);

      await reset(client, turn, 'before the approval');
      const second = await askedAnew(turn, first.digest);
      await handle.signal('approve', { call: first.digest, attestation });
      await handle.signal('approve', { call: second.digest, attestation });
      const ignored = await eventually('all three are ignored', async () => {
        const { last } = (await turn.status()).ignored_signals;
        return last.length === (nudged ? 4 : 3) && last.slice(-3).map(({ reason }) => reason);
      });
      expect(ignored[0]).toContain(nudged ? 'before the workflow was reset' : 'waits for approval');
      expect(ignored[1]).toMatch(/superseded|waits for approval/);
      expect(ignored[2]).toContain('it was signed for another call');
      expect((await turn.status()).calls.at(-1)).toMatchObject({ state: 'waiting', approval: { by: [] } });

      await turn.approve(second.digest, { attestation: await signers.signed(turn, second.digest, 'bob') });
      expect((await turn.result()).calls.at(-1)).toMatchObject({
        state: 'succeeded',
        effect: 'applied',
        approval: { by: ['bob'] },
      });
      expect(effects).toHaveLength(1);
    });
    signers.remove();
  });
});

describe('a call that was denied, whose turn is reset to before its question,', () => {
  it('is asked about under another digest, and earlier signatures no longer count', async () => {
    const effects: unknown[] = [];
    const signers = new Signers();
    const settings = { approvals: 'attested' as const, trust: signers.trust };
    const signingKey = await signers.file(signers.gateway);
    const script = [ask(['pay', invoice]), say('denied'), say('paid')];
    await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey }, async ({ start, client }) => {
      const turn = await start();
      const [first] = await turn.waitForPending();
      const attestation = await signers.signed(turn, first.digest, 'ana');
      await turn.deny(first.digest, { attestation: await signers.signed(turn, first.digest, 'bob', { decision: 'deny' }) });
      await turn.result();

      await resetBefore(client, turn, 'admitCall');
      const second = await eventually('it is asked again', async () => (await turn.pending())[0]);
      expect(second.digest).not.toBe(first.digest);
      expect(await card(client, turn)).toContain('It is asked again: the workflow was reset');
      for (const digest of [first.digest, second.digest]) await expect(turn.approve(digest, { attestation })).rejects.toThrow();
      expect((await turn.status()).calls.at(-1)).toMatchObject({ state: 'waiting', approval: { by: [] } });
      expect(effects).toEqual([]);

      await turn.approve(second.digest, { attestation: await signers.signed(turn, second.digest, 'ana') });
      expect((await turn.result()).calls.at(-1)).toMatchObject({ state: 'succeeded', effect: 'applied' });
      expect(effects).toEqual([invoice]);
    });
    signers.remove();
  });
});
