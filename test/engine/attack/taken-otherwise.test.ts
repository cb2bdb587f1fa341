/**
 * An attacker who reaches Temporal's gRPC port reads the signed decisions of a call, also those that its turn has refused or used up.
 * He has an activity run the call by them, or settle it. Each test is named after what it prevents.
 */
import { attestDecision } from '../../../src/attestation/bundle-signer';
import type { By } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import type { CallArguments, CheckDecisionInput, RunCallInput } from '../../../src/shared/io/activities';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, type Setup } from '../support/engine';
import { approvalOf, runInput, waitingArguments, withForger, type Forge } from '../support/forge';
import { TestTime } from '../support/time-server';
import { insteadOf, invoice, scene, type Scene } from '../support/scene';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const PATIENCE = 240_000;
const time = new TestTime();

interface Stage extends Scene {
  first: CallArguments;
  /** An approval of the call that waited first, signed now. */
  approval(name: string): Promise<By>;
  /** Has the decisions verified, and the call run by them. */
  pay(approvals: [string, By][], more?: Partial<CallArguments>): Promise<unknown>;
  forge: Forge;
}

/** A call that waits. Whatever the attacker does afterwards, only the turn runs it, as its people have decided. */
function stage(setup: Partial<Setup>, body: (stage: Stage) => Promise<void>): Promise<void> {
  return scene('attested', { madeUp: true, ...setup }, async (at) => {
    const { client, taskQueue, turn, waiting, digest, by } = at;
    const call = await waitingArguments(client, turn, digest);
    const { turn: context } = await runInput(turn, call, []);
    await withForger(client, taskQueue, async (forge) => {
      const pay: Stage['pay'] = async (given, more = {}) => {
        for (const [, { attestation }] of given) await forge('checkDecision', checked(context, waiting, attestation as string));
        const at = waiting.approval.expires_at!; // in time, as he claims
        const approvals = given.map(([name, said]) => ({ ...approvalOf(waiting, name, said), at }));
        return forge('runCall', await runInput(turn, { ...call, ...more }, approvals));
      };
      await body({ ...at, first: call, approval: (name) => by(name), pay, forge });
    });
  });
}

function checked(turn: RunCallInput['turn'], { digest, tool }: WaitingCall, attestation: string): CheckDecisionInput {
  const said = { decision: 'approve' as const, outcome: null, input_hash: null };
  return { turn, digest, tool, attestation, ...said, at: new Date().toISOString() };
}

const TWO = { agent: { approvals: { quorum: 2 } } };

describe('nobody has a call run by approvals', () => {
  it('of which one came before a denial and the other after it', () =>
    stage(TWO, async ({ turn, digest, by, approval, pay, effects }) => {
      const [ana, carl] = await Promise.all([approval('ana'), approval('carl')]);
      await turn.approve(digest, ana);
      await turn.deny(digest, await by('bob', { decision: 'deny' }));
      expect((await turn.result()).calls).toMatchObject([{ state: 'denied' }]);
      expect(await pay([['ana', ana], ['carl', carl]])).toMatchObject({ state: 'failed', held: [{ kind: 'reset' }] }); // oxfmt-ignore
      expect(effects).toEqual([]);
    }), PATIENCE); // oxfmt-ignore

  it(
    'that came after its denial, while other calls of the step still wait',
    () => {
      const script = [ask(['pay', invoice], ['pay', { invoice: 'INV-8', cents: 1 }]), say('done')];
      return stage({ script }, async ({ turn, digest, by, approval, pay, effects }) => {
        const ana = await approval('ana');
        await turn.deny(digest, await by('bob', { decision: 'deny' }));
        const [other] = await eventually('one waits yet', async () => {
          const pending = await turn.pending();
          return pending.length === 1 && pending;
        });
        await eventually('the store knows it', async () => {
          const output = (await pay([['ana', ana]])) as { held?: unknown };
          expect(effects).toEqual([]);
          return output.held;
        });
        await turn.deny(other!.digest, await by('bob', { decision: 'deny', digest: other!.digest }));
        await turn.result();
        expect(effects).toEqual([]);
      });
    },
    PATIENCE,
  );

  const approvalExpiryMs = time.either('3 days', 10_000);
  it('that came after it had expired', () =>
    stage({ time, agent: { approvalExpiryMs } }, async ({ turn, digest, signers, pay, effects }) => {
      // Signed without a look at the waiting call, which has already expired on a busy machine.
      const said = { digest, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
      const ana = { attestation: attestDecision(signers.gateway, { aud: await turn.audience(), ...said }, null) };
      await time.skip(approvalExpiryMs);
      expect((await turn.result()).calls).toMatchObject([{ state: 'expired' }]);
      expect(await pay([['ana', ana]])).toMatchObject({ state: 'failed' });
      expect(effects).toEqual([]);
    }), PATIENCE); // oxfmt-ignore

  it('for an input that somebody has since changed', () =>
    stage(TWO, async ({ turn, digest, by, approval, pay, effects }) => {
      const [ana, carl] = await Promise.all([approval('ana'), approval('carl')]);
      await turn.approve(digest, ana);
      const input = { ...invoice, cents: 1 };
      await turn.approve(digest, { ...(await by('sam', { decision: 'edit', input })), input });
      const next = await insteadOf(turn, digest);
      await eventually('the store knows it', async () => {
        const output = (await pay([['ana', ana], ['carl', carl]])) as { held?: unknown }; // oxfmt-ignore
        expect(effects).toEqual([]);
        return output.held;
      });
      await turn.deny(next.digest, await by('bob', { decision: 'deny', digest: next.digest }));
      await turn.result();
      expect(effects).toEqual([]);
    }), PATIENCE); // oxfmt-ignore

  it(
    'for a preview that has changed since, and has changed back',
    () => {
      let price = 1;
      const effects: unknown[] = [];
      const tools = [pays('pay', effects, { preview: () => `at ${price}` })];
      return stage({ tools }, async ({ turn, digest, by, approval, pay }) => {
        const ana = await approval('ana');
        price = 2;
        await turn.approve(digest, ana);
        const next = await insteadOf(turn, digest);
        await turn.deny(next.digest, await by('bob', { decision: 'deny', digest: next.digest }));
        await turn.result();
        price = 1;
        expect(await pay([['ana', ana]])).toMatchObject({ state: 'failed', held: [{ kind: 'reset' }] });
        expect(effects).toEqual([]);
      });
    },
    PATIENCE,
  );

  it(
    'that a turn has used up, after a later call has done the same action',
    () => {
      const effects: unknown[] = [];
      let closed = true;
      const run = (input: unknown) => {
        if (closed) throw new ToolError('EXECUTION_ERROR', 'closed', 'The bank is closed.', { nothingHappened: true });
        effects.push(input);
        return { paid: true };
      };
      const script = [ask(['pay', invoice]), ask(['pay', invoice]), say('done')];
      return stage({ tools: [pays('pay', effects, { run })], script }, async ({ turn, digest, by, approval, pay }) => {
        const ana = await approval('ana');
        await turn.approve(digest, ana);
        const next = await insteadOf(turn, digest);
        closed = false;
        await turn.approve(next.digest, await by('ana', { digest: next.digest }));
        expect((await turn.result()).calls).toMatchObject([{ effect: 'not_applied' }, { effect: 'applied' }]);
        for (const dispatch of [2, 3]) await pay([['ana', ana]], { dispatch }).catch(() => undefined);
        expect(effects).toEqual([invoice]);
      });
    },
    PATIENCE,
  );
});

describe('a payment in doubt', () => {
  const attempts: unknown[] = [];
  const run = (input: unknown) => {
    attempts.push(input);
    throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
  };

  it('is not settled by a statement that its author has since corrected', () =>
    stage({ ...TWO, tools: [pays('pay', attempts, { run })] }, async ({ turn, digest, by, first: call, forge, store, waiting }) => {
      for (const name of ['ana', 'bob']) await turn.approve(digest, await by(name));
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      const key = waiting.idempotency_key!;
      const said = (name: string, outcome: 'applied' | 'not_applied') => by(name, { decision: 'settle', outcome });
      const [wrong, right, other] = await Promise.all([said('ana', 'not_applied'), said('ana', 'applied'), said('bob', 'not_applied')]); // oxfmt-ignore
      await turn.settle(digest, 'not_applied', wrong);
      await turn.settle(digest, 'applied', right);
      const { turn: context, at, head } = await runInput(turn, call, []);
      const settlements = [['ana', wrong], ['bob', other]].map(([name, { attestation }]: any) => ({ outcome: 'not_applied' as const, by: name, note: null, identity: '', attestation })); // oxfmt-ignore
      for (const { attestation } of settlements) {
        const about = checked(context, waiting, attestation);
        await forge('checkDecision', { ...about, decision: 'settle', outcome: 'not_applied' });
      }
      const settling = { turn: context, call, at, head, ...settlements[1]!, settlements };
      await forge('settleEffect', settling).catch(() => undefined);
      expect(await store.effects.latest(key)).toMatchObject({ state: 'in_doubt' });
      await expect(forge('settleEffect', settling)).rejects.toThrow('ana has since settled the call as applied');
      await turn.settle(digest, 'applied', await said('dora', 'applied'));
      expect((await turn.result()).calls).toMatchObject([{ effect: 'applied' }]);
      expect(attempts).toHaveLength(1);
    }), PATIENCE); // oxfmt-ignore
});

it('only the turn’s own workflow can have its calls run or settled, or a decision on them verified', () =>
  scene('attested', {}, async ({ client, taskQueue, turn, waiting, digest, by, goesOn }) => {
    const call = await waitingArguments(client, turn, digest);
    const ana = await by('ana');
    const input = await runInput(turn, call, [approvalOf(waiting, 'ana', ana)]);
    const { turn: context, at, head } = input;
    const asked = { turn: context, call, reason: 'made up', expires_at: null };
    const said = { outcome: 'applied' as const, by: 'ana', note: null, identity: '' };
    const tries = async (forge: Forge) => {
      await expect(forge('runCall', input)).rejects.toThrow('is not of turn');
      await expect(forge('openSubTurn', { ...input, sub_turn_id: 'made-up' } as never)).rejects.toThrow('is not of turn');
      await expect(forge('admitCall', asked)).rejects.toThrow('is not of turn');
      await expect(forge('settleEffect', { turn: context, call, at, head, ...said })).rejects.toThrow('is not of turn');
      // The finding goes into the transcript, after the head that is named: a stranger would name one before the dispatch.
      await expect(forge('inspectEffect', { turn: context, call, at, head, cause: 'made up' })).rejects.toThrow('is not of turn');
      const probing = { turn: context, call, at, head, not_applied_from: at };
      await expect(forge('reconcileEffect', probing)).rejects.toThrow('is not of turn');
      await expect(forge('closeQuestion', { turn: context, digest })).rejects.toThrow('is not of turn');
      const checking = checked(context, waiting, ana.attestation as string);
      await expect(forge('checkDecision', checking)).rejects.toThrow('is not of turn');
    };
    await withForger(client, taskQueue, tries, 'stranger');
    await goesOn();
  }), PATIENCE); // oxfmt-ignore
