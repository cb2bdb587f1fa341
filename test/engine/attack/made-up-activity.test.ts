/**
 * An attacker who reaches Temporal can start any activity on our task queue, with arguments of his own. Where names are only claimed
 * (`any`) that is as good as an approval; these tests show what holds even then, and what holds where decisions are signed.
 */
import { randomBytes } from 'node:crypto';
import type { CallArguments, RunCallInput, TurnContext } from '../../../src/shared/io/activities';
import type { Decision } from '../../../src/shared/approval/approval';
import type { JsonObject } from '../../../src/shared/json/json';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine, type Engine } from '../support/engine';
import { withForger, type Forge } from '../support/forge';
import { contextOf, keepMadeUp, madeUpApproval, madeUpCall, recordedRefs } from '../support/made-up';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const HOUR = 3_600_000;

type MadeUp = Partial<Omit<CallArguments, 'input'>> & { input?: JsonObject };

interface Scene extends Engine {
  forge: Forge;
  effects: unknown[];
  context: TurnContext;
  head: string;
  /** A call of the turn's agent under its rules, with a digest that fits. */
  made(fields?: MadeUp): CallArguments;
  /** Runs it, with an approval that fits. */
  run(call: CallArguments, more?: Partial<RunCallInput>): ReturnType<typeof runs>;
}

const runs = (forge: Forge, input: RunCallInput) => forge('runCall', input);

/** A turn waits on a worker that accepts every name; the attacker has read its history. */
async function underAny(body: (scene: Scene) => Promise<void>): Promise<void> {
  const effects: unknown[] = [];
  const pay = pays('pay', effects, { intentKey: (input: { invoice: string }) => input.invoice });
  const budgets = [
    { name: `two-${randomBytes(4).toString('hex')}`, tools: ['pay'], per: 'agent' as const, windowMs: HOUR, cap: 2 },
  ];
  const agent = { permissions: { deny: [{ rule: 'pay', when: 'input.cents == 13' }] }, budgets };
  const setup = { tools: [pay, pays('lend', effects)], agent, script: [ask(['pay', invoice]), say('done')] };
  await withEngine(setup, async (engine) => {
    const { client, taskQueue, start } = engine;
    const turn = await start('Pay it.', { requester: 'rita' });
    await turn.waitForPending();
    const context = await contextOf(turn);
    const refs = await recordedRefs(client, turn);
    const head = (await turn.status()).head!;
    const made = (fields: MadeUp = {}) => madeUpCall(context, { id: '9.1', input: invoice, ...refs, ...fields });
    await withForger(client, taskQueue, async (forge) => {
      const run = async (call: CallArguments, more: Partial<RunCallInput> = {}) => {
        await keepMadeUp(engine.store, context, call);
        return runs(forge, {
          turn: context,
          call,
          at: new Date().toISOString(),
          head,
          approvals: [madeUpApproval(call)],
          verdict: 'ask',
          ...more,
        });
      };
      await body({ ...engine, forge, effects, context, head, made, run });
    });
    await turn.cancel();
  });
}

describe('under `any`, an attacker who starts an activity', () => {
  it('can act like an approver, since any name counts, but cannot run a call again', () =>
    underAny(async ({ made, run, effects }) => {
      const call = made();
      expect(await run(call)).toMatchObject({ state: 'succeeded', effect: 'applied' });
      expect(effects).toEqual([invoice]);
      for (const again of [call, { ...call, dispatch: 2 }, { ...call, dispatch: 1000 }])
        expect(await run(again)).toMatchObject({ state: 'succeeded', effect: 'applied' });
      expect(effects).toEqual([invoice]);
    }));

  it('cannot run what rules deny or nobody approved, nor another class, version or input than the tool has, nor any of it under another digest', () =>
    underAny(async ({ made, run, effects, context }) => {
      const call = made();
      const approved = (more: Partial<Decision>): Partial<RunCallInput> => ({ approvals: [madeUpApproval(call, more)] });
      const refused: [string, CallArguments, Partial<RunCallInput>, string][] = [
        ['denied by a rule', made({ input: { ...invoice, cents: 13 } }), {}, 'denied_by_rule'],
        ['no approval', call, { approvals: [] }, 'approval_missing'],
        ['no approval, and said to be allowed', call, { approvals: [], verdict: 'allow' }, 'approval_missing'],
        ['a denial', call, approved({ decision: 'deny' }), 'approval_missing'],
        ['an approval of another call', call, approved({ digest: 'c'.repeat(64) }), 'approval_mismatch'],
        ['a late approval', call, approved({ expires_at: '2025-12-31T00:00:00Z' }), 'approval_expired'],
        ['destructive as harmless', made({ class: 'write' }), {}, 'tool_changed'],
        ['no such version', made({ version: '9.0.0' }), {}, 'tool_changed'],
        ['an amount below 1', made({ input: { ...invoice, cents: -700 } }), {}, 'tool_changed'],
        ['a field too many', made({ input: { ...invoice, to: 'mallory' } }), {}, 'tool_changed'],
        ['a field too few', made({ input: { invoice: 'INV-7' } }), {}, 'tool_changed'],
        ['no rules of this worker, and no approval', made({ policy_ref: 'd'.repeat(64) }), { approvals: [] }, 'policy_changed'],
        ['another input', { ...call, input: { ...invoice, cents: 70_000 } }, {}, 'digest_mismatch'],
        ['another tool', { ...call, tool: 'lend' }, {}, 'digest_mismatch'],
        ['another call id', { ...call, id: '9.2' }, {}, 'digest_mismatch'],
        ['another revision', { ...call, revision: 2 }, {}, 'digest_mismatch'],
        ['another preview', { ...call, preview_ref: 'e'.repeat(64) }, {}, 'digest_mismatch'],
        ['other rules', { ...call, policy_ref: 'f'.repeat(64) }, {}, 'digest_mismatch'],
        ['another turn', call, { turn: { ...context, turn_id: 'other' } }, 'digest_mismatch'],
        ['another requester', call, { turn: { ...context, requester: 'mallory' } }, 'digest_mismatch'],
      ];
      for (const [what, given, more, reason] of refused) {
        const { state, effect, error } = await run(given, more);
        const [expected] = given.class === 'destructive' ? ['not_applied'] : [null];
        expect([what, state, effect, error?.reason]).toEqual([what, 'failed', expected, reason]);
      }
      const elsewhere = await run(made({ policy_ref: 'd'.repeat(64) }));
      expect(elsewhere).toMatchObject({ state: 'failed', effect: null, held: [{ kind: 'policy_changed' }] });
      expect(effects).toEqual([]);
    }));

  it('cannot repeat an action under another call id, nor exceed a budget, not even with a made-up card that says that people accepted it', () =>
    underAny(async ({ made, run, effects, forge, context }) => {
      expect(await run(made())).toMatchObject({ effect: 'applied' });
      expect(await run(made({ id: '9.2' }))).toMatchObject({ state: 'failed', held: [{ kind: 'same_intent' }] });
      expect(await run(made({ id: '9.3', input: { invoice: 'INV-8', cents: 1 } }))).toMatchObject({ effect: 'applied' });
      const third = made({ id: '9.4', input: { invoice: 'INV-9', cents: 1 } });
      const exhausted = { state: 'failed', error: { code: 'QUOTA_EXCEEDED', reason: 'budget_exhausted' } };
      expect(await run(third)).toMatchObject(exhausted);

      const name = /budget (\S+) \(/.exec((await run(third)).error!.message)![1]!;
      const { digest: _, dispatch: __, preview_ref: ___, ...fields } = third;
      const held = [{ kind: 'budget' as const, id: name, text: 'It was put up with.' }];
      const asked = { turn: context, call: fields, reason: 'it asks', expires_at: '2099-01-01T00:00:00Z', held };
      const card = await forge('admitCall', asked);
      if (!card.ok) throw new Error(card.error.message);
      const putUpWith = made({ ...third, input: { invoice: 'INV-9', cents: 1 }, preview_ref: card.preview_ref });
      expect(putUpWith.digest).toBe(card.digest);
      expect(await run(putUpWith)).toMatchObject(exhausted);
      expect(effects).toHaveLength(2);
    }));

  it('cannot keep an approved call from running once by saying that its attempt was lost', async () => {
    const effects: unknown[] = [];
    const setup = { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('done')] };
    await withEngine(setup, async ({ client, taskQueue, start }) => {
      const turn = await start('Pay it.', { requester: 'rita' });
      const [{ digest }] = await turn.waitForPending();
      const context = await contextOf(turn);
      const call = madeUpCall(context, { input: invoice, ...(await recordedRefs(client, turn)) });
      expect(call.digest).toBe(digest);
      const { head } = await turn.status();
      const lost = { turn: context, call, at: new Date().toISOString(), head: head!, cause: 'made up' };
      const other = { ...lost, call: { ...call, tool: 'lend' } };
      await withForger(client, taskQueue, async (forge) => {
        await expect(forge('inspectEffect', other)).rejects.toThrow('is not the one that was dispatched');
        expect(await forge('inspectEffect', lost)).toMatchObject({ found: 'nothing_happened' });
      });
      await turn.approve(digest, { by: 'ana' });
      expect((await turn.result()).calls).toMatchObject([{ digest, state: 'succeeded', effect: 'applied' }]);
      expect(effects).toEqual([invoice]);
    });
  });

  it('cannot have a probe settle a call as not applied while the effect is in flight', async () => {
    const effects: unknown[] = [];
    let letGo: () => void = () => undefined;
    const pay = pays('pay', effects, {
      run: async (input: unknown) => {
        await new Promise<void>((resolve) => (letGo = resolve));
        effects.push(input);
        return { paid: true };
      },
      reconcile: () => ({ outcome: 'not_applied', evidence: 'nothing is there' }),
    });
    await withEngine(
      { tools: [pay], script: [ask(['pay', invoice]), say('done')] },
      async ({ client, taskQueue, start, store }) => {
        const turn = await start('Pay it.', { requester: 'rita' });
        const [{ digest, idempotency_key }] = await turn.waitForPending();
        const context = await contextOf(turn);
        const call = madeUpCall(context, { input: invoice, ...(await recordedRefs(client, turn)) });
        const { head } = await turn.status();
        await turn.approve(digest, { by: 'ana' });
        await eventually('it is in flight', async () => (await store.effects.latest(idempotency_key!)) !== null);
        await withForger(client, taskQueue, async (forge) => {
          for (const not_applied_from of ['2020-01-01T00:00:00Z', 'never']) {
            const asked = { turn: context, call, at: new Date().toISOString(), head: head!, not_applied_from };
            expect(await forge('reconcileEffect', asked)).toMatchObject({ settled: null });
          }
        });
        letGo();
        expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
        expect(effects).toEqual([invoice]);
      },
    );
  });
});

describe('where a call takes signed decisions, an attacker who starts an activity', () => {
  it('cannot settle it: not unsigned, not as another tool’s or agent’s call, not by another tool’s probe, and not after its outcome is known', async () => {
    const signers = new Signers();
    const effects: unknown[] = [];
    const run = (input: unknown) => {
      effects.push(input);
      throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
    };
    const probed = pays('probed', [], { reconcile: () => ({ outcome: 'not_applied', evidence: 'nothing' }) });
    const setup = {
      tools: [pays('pay', [], { run }), pays('lend', []), probed],
      agent: { approvals: { tools: { pay: { channel: 'attested' as const } } } },
      script: [ask(['pay', invoice]), say('done')],
      settings: { trust: signers.trust },
      signingKey: await signers.file(signers.gateway),
    };
    try {
      await withEngine(setup, async ({ client, taskQueue, start, store }) => {
        const turn = await start('Pay it.', { requester: 'rita' });
        const [{ digest, idempotency_key }] = await turn.waitForPending();
        const context = await contextOf(turn);
        const call = madeUpCall(context, { input: invoice, ...(await recordedRefs(client, turn)) });
        expect(call.digest).toBe(digest);
        const approval = await signers.signed(turn, digest, 'ana');
        await turn.approve(digest, { attestation: approval });
        await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');

        const { head } = await turn.status();
        const said = { outcome: 'not_applied' as const, by: 'ana', note: null, identity: '' };
        const settling = { turn: context, call, at: new Date().toISOString(), head: head!, ...said };
        const lent = madeUpCall(context, { ...call, input: invoice, tool: 'lend' });
        await keepMadeUp(store, context, lent);
        await withForger(client, taskQueue, async (forge) => {
          const refused: [object, string][] = [
            [{}, 'the settlement of ana is not signed'],
            [{ attestation: approval }, 'to approve, not to settle'],
            [{ turn: { ...context, agent: 'nobody' } }, 'is not the one that was dispatched'],
            [{ call: { ...call, tool: 'lend' } }, 'is not the one that was dispatched'],
            [{ call: lent }, 'There is no effect record'],
            [{ settlements: [] }, '1 people must settle the call, but only 0 did'],
          ];
          for (const [more, why] of refused) await expect(forge('settleEffect', { ...settling, ...more })).rejects.toThrow(why);
          const probing = { ...settling, call: { ...call, tool: 'probed' }, not_applied_from: '2020-01-01T00:00:00Z' };
          await expect(forge('reconcileEffect', probing)).rejects.toThrow('is not the one that was dispatched');
          expect(await store.effects.latest(idempotency_key!)).toMatchObject({ state: 'in_doubt' });

          const outcome = 'applied' as const;
          const genuine = await signers.signed(turn, digest, 'bob', { decision: 'settle', outcome });
          await turn.settle(digest, outcome, { attestation: genuine });
          expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
          const late = await forge('settleEffect', settling);
          const { result_head } = (await store.effects.latest(idempotency_key!))!;
          expect(late).toMatchObject({ state: 'succeeded', effect: 'applied', head: result_head }); // nothing was added to the record
        });
        expect(effects).toEqual([invoice]);
      });
    } finally {
      signers.remove();
    }
  });
});
