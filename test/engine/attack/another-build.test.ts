/**
 * A worker of another build receives a call that was admitted, shown and approved elsewhere. It may be an old worker that was
 * forgotten, a new one that was started too early, or somebody's own on our task queue. It runs exactly what was approved, or
 * nothing.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { RunCallInput, RunCallOutput } from '../../../src/shared/io/activities';
import { FileStore } from '../../../src/store/files/file-store';
import { ToolError } from '../../../src/tools/define/errors';
import { Registry } from '../../../src/tools/catalogue/registry';
import { shownCard } from '../../support/card';
import { eventually, withEngine, type Setup } from '../support/engine';
import { withForger } from '../support/forge';
import { answersOf, contextOf, madeUpApproval, madeUpCall, recordedRefs } from '../support/made-up';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const previewed = { preview: ({ cents }: { cents: number }) => `Pay ${cents} cents` };
/** Bundles and workers one after the other. */
const PATIENCE = 240_000;

describe('a worker of another build', () => {
  it(
    'runs only what was approved: not under other rules, keys, code, schema or preview, nor over another store; and no build runs a call again',
    async () => {
      const signers = new Signers();
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-builds-'));
      const store = await FileStore.open(join(folder, 'one'));
      const effects: unknown[] = [];
      const pay = (more: object = {}) => pays('pay', effects, { ...previewed, ...more });
      const settings = { approvals: 'attested' as const, trust: signers.trust };
      const own: Setup = {
        store,
        tools: [pay()],
        settings,
        signingKey: await signers.file(signers.gateway),
        script: [ask(['pay', invoice]), say('done')],
        madeUp: true,
      };
      try {
        await withEngine(own, async ({ client, start }) => {
          const turn = await start('Pay it.', { requester: 'rita' });
          const [{ digest }] = await turn.waitForPending();
          const context = await contextOf(turn);
          const answers = await answersOf(client, turn);
          const { preview_ref } = answers.find(({ card_ref }) => card_ref);
          const call = madeUpCall(context, { input: invoice, preview_ref, ...(await recordedRefs(client, turn)) });
          expect(call.digest).toBe(digest);
          const { head } = await turn.status();
          const attestation = await signers.signed(turn, digest, 'ana');
          const approvals = [madeUpApproval(call, { by: 'ana', attestation })];
          const request: RunCallInput = {
            turn: context,
            call,
            at: new Date().toISOString(),
            head: head!,
            approvals,
            verdict: 'ask',
          };

          /** The genuine call, with its genuine approval, on a worker of this build. */
          async function runOn(build: Partial<Setup>): Promise<RunCallOutput> {
            let output: RunCallOutput;
            await withEngine({ ...own, ...build }, async (other) =>
              withForger(client, other.taskQueue, async (forge) => {
                output = await forge('runCall', request);
              }),
            );
            return output!;
          }

          const asksAgain: [string, Partial<Setup>, string][] = [
            ['rules', { agent: { permissions: { ask: ['pay'] } } }, 'policy_changed'],
            ['a quorum', { agent: { approvals: { quorum: 2 } } }, 'policy_changed'],
            ['any name counts', { settings: { trust: signers.trust } }, 'policy_changed'],
            ['a preview', { tools: [pay({ preview: () => 'Pay at once' })] }, 'preview_drifted'],
          ];
          for (const [what, build, kind] of asksAgain) {
            const { effect, held } = await runOn(build);
            expect([what, effect, held?.map((one) => one.kind)]).toEqual([what, null, [kind]]);
          }
          const euros = z.object({ invoice: z.string(), euros: z.number() });
          const currency = z.object({ invoice: z.string(), cents: z.number(), currency: z.string().default('XTS') });
          const refuses: [string, Partial<Setup>, string][] = [
            ['a denial', { agent: { permissions: { deny: ['pay'] } } }, 'denied_by_rule'],
            ['no keys', { settings: { approvals: 'attested' } }, 'approval_not_genuine'],
            ['a version', { tools: [pay({ version: '1.0.1' })] }, 'tool_changed'],
            ['a class', { tools: [pay({ class: 'write' })] }, 'tool_changed'],
            ['a renamed field', { tools: [pay({ input: euros })] }, 'tool_changed'],
            ['a field that nobody saw', { tools: [pay({ input: currency })] }, 'tool_changed'],
            ['no tool', { tools: [] }, 'tool_changed'],
          ];
          for (const [what, build, reason] of refuses) {
            const { effect, error } = await runOn(build);
            expect([what, effect, error?.reason]).toEqual([what, 'not_applied', reason]);
          }
          const elsewhere = await FileStore.open(join(folder, 'another'));
          await expect(runOn({ store: elsewhere })).rejects.toThrow(`is bound to store ${store.identity.id}`);
          expect(effects).toEqual([]);

          expect(await runOn({})).toMatchObject({ state: 'succeeded', effect: 'applied' });
          expect(effects).toEqual([invoice]);
          await turn.approve(digest, { attestation });
          expect((await turn.result()).calls).toMatchObject([{ digest, state: 'succeeded', effect: 'applied' }]);
          expect(effects).toEqual([invoice]);
        });
      } finally {
        signers.remove();
        await rm(folder, { recursive: true, force: true });
      }
    },
    PATIENCE,
  );

  /** An app whose `pay` needs this many approvers; the registry serves one build after the other. */
  function build(quorum: number, more: Parameters<typeof pays>[2], effects: unknown[]) {
    const name = 'tester';
    return defineApp({
      agents: [defineAgent({ name, prompt: 'Test.', tools: [pays('pay', effects, more)], approvals: { quorum } })],
    });
  }

  it('with a smaller quorum still needs two people for a call that two had to approve', async () => {
    const effects: unknown[] = [];
    const registry = new Registry(build(2, {}, effects));
    await withEngine({ registry, script: [ask(['pay', invoice]), say('done')] }, async ({ start, client }) => {
      const turn = await start('Pay it.', { requester: 'rita' });
      const [{ digest }] = await turn.waitForPending();
      registry.replace(build(1, {}, effects));
      for (const by of ['ana', 'bob']) await turn.approve(digest, { by });
      const again = await eventually('it is asked again', async () =>
        (await turn.pending()).find((call) => call.digest !== digest),
      );
      expect(again.approval.quorum).toBe(2);
      expect(await shownCard(client, turn)).toContain('2 people must approve');
      await turn.approve(again.digest, { by: 'ana' });
      expect(effects).toEqual([]);
      await turn.approve(again.digest, { by: 'bob' });
      expect((await turn.result()).state).toBe('completed');
      expect(effects).toEqual([invoice]);
    });
  });

  it.each([
    ['a larger quorum than the build that dispatched it', 1, 2],
    ['a smaller quorum than the build that dispatched it', 2, 1],
  ])('with %s needs the larger of both quorums to settle a call in doubt', async (_, before, after) => {
    const effects: unknown[] = [];
    const run = (input: unknown) => {
      effects.push(input);
      throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
    };
    const registry = new Registry(build(before, { run }, effects));
    await withEngine({ registry, script: [ask(['pay', invoice]), say('done')] }, async ({ start, client, taskQueue, store }) => {
      const turn = await start(`Pay it. ${randomBytes(4).toString('hex')}`, { requester: 'rita' });
      const [{ digest, idempotency_key }] = await turn.waitForPending();
      const refs = await recordedRefs(client, turn);
      for (const by of ['ana', 'bob'].slice(0, before)) await turn.approve(digest, { by });
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      registry.replace(build(after, { run }, effects));

      const call = madeUpCall(await contextOf(turn), { input: invoice, ...refs });
      const { head } = await turn.status();
      const said = { outcome: 'not_applied' as const, by: 'mallory', note: null, identity: '' };
      const alone = { turn: await contextOf(turn), call, at: new Date().toISOString(), head: head!, ...said };
      await withForger(client, taskQueue, async (forge) => {
        await expect(forge('settleEffect', alone)).rejects.toThrow('2 people must settle the call, but only 1 did');
      });
      await turn.settle(digest, 'applied', { by: 'ana' });
      if (before === 1) {
        await eventually('it says how many', async () =>
          (await shownCard(client, turn)).includes('2 people must settle the call, but only 1 did'),
        );
        await turn.settle(digest, 'applied', { by: 'ana' });
      }
      expect(await store.effects.latest(idempotency_key!)).toMatchObject({ state: 'in_doubt' });
      await turn.settle(digest, 'applied', { by: 'bob' });
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      expect(effects).toEqual([invoice]);
    });
  });
});
