/** Each test is named after what it prevents, and runs on the real engine with a worker that takes signed decisions only. */
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { attestDecision } from '../../../src/attestation/bundle-signer';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { runForged } from '../support/forge';
import { contextOf, madeUpCall, recordedRefs } from '../support/made-up';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';
import { ToolError } from '../../../src/tools/define/errors';

const invoice = { invoice: 'INV-7', cents: 700 };

interface Scene extends Engine {
  effects: unknown[];
  signers: Signers;
  turn: TurnHandle;
  digest: string;
  /** Gives a valid approval afterwards, which shows that the turn was not harmed. */
  goesOn(): Promise<void>;
}

async function scene(setup: Partial<Setup>, body: (scene: Scene) => Promise<void>): Promise<void> {
  const signers = new Signers();
  const effects: unknown[] = [];
  const signingKey = await signers.file(signers.gateway);
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  const script = [ask(['pay', invoice]), say('done')];
  try {
    await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey, ...setup }, async (engine) => {
      const turn = await engine.start('Pay it.', { requester: 'rita' });
      const [call] = await turn.waitForPending();
      const goesOn = async () => {
        expect(effects).toEqual([]);
        expect(await turn.pending()).toMatchObject([{ digest: call.digest, state: 'waiting' }]);
        await turn.approve(call.digest, {
          attestation: await signers.signed(turn, call.digest, 'zoe', { roles: ['treasurer'] }),
        });
        expect((await turn.result()).state).toBe('completed');
        expect(effects).toEqual([invoice]);
      };
      await body({ ...engine, effects, signers, turn, digest: call.digest, goesOn });
    });
  } finally {
    signers.remove();
  }
}

async function card(client: HoldfastClient, turn: TurnHandle): Promise<string> {
  const handle = client.temporal.workflow.getHandle(turn.workflowId);
  return (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

async function lastIgnored(turn: TurnHandle, count = 1): Promise<string> {
  const { ignored_signals } = await eventually('it is ignored', async () => {
    const view = await turn.status();
    return view.ignored_signals.count >= count && view;
  });
  return ignored_signals.last.at(-1)!.reason;
}

describe('where decisions are signed, nobody can', () => {
  it('approve by a bare signal: the call waits, and card and ignored_signals say why', () =>
    scene({}, async ({ client, turn, digest, goesOn }) => {
      expect(await card(client, turn)).toContain('only signed decisions count');
      await client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: digest, by: 'ana' });
      expect(await lastIgnored(turn)).toContain('takes signed decisions only; `holdfast sign` makes one');
      expect(await card(client, turn)).toContain('takes signed decisions only');
      await goesOn();
    }));

  it('approve by a key that was revoked, also when it was revoked after the approval was given', () =>
    scene({ agent: { approvals: { quorum: 2 } } }, async ({ signers, turn, digest, effects, client }) => {
      const [ana, bob, carl] = ['ana', 'bob', 'carl'].map((name) => signers.person(name)) as [any, any, any];
      const late = await signers.signed(turn, digest, 'carl', {}, carl);
      signers.change(carl, { revoked_at: new Date().toISOString() });
      await client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: digest, attestation: late });
      expect(await lastIgnored(turn)).toContain(`key ${carl.kid} was revoked`);
      await turn.approve(digest, { attestation: await signers.signed(turn, digest, 'ana', {}, ana) });
      signers.change(ana, { revoked_at: new Date().toISOString() });
      await turn.approve(digest, { attestation: await signers.signed(turn, digest, 'bob', {}, bob) });
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'failed', error: { reason: 'approval_not_genuine' } });
      expect(view.calls[0]!.error!.message).toContain('was revoked');
      expect(effects).toEqual([]);
    }));

  it('approve with a signature that has expired', () =>
    scene({}, async ({ signers, turn, digest, goesOn }) => {
      const aud = await turn.audience();
      const claims = { aud, digest, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
      const yesterday = attestDecision(signers.gateway, claims, null, Date.now() - 25 * 3600_000);
      await expect(turn.approve(digest, { attestation: yesterday })).rejects.toThrow('it expired at');
      await goesOn();
    }));

  it('use a signature for another call, turn or run', () =>
    scene({}, async ({ signers, turn, digest, goesOn }) => {
      const aud = await turn.audience();
      const claims = { aud, digest, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
      const forged: [object, string][] = [
        [{ digest: 'f'.repeat(64) }, 'another call'],
        [{ aud: { ...aud, workflow_id: 'turn/other' } }, 'another turn'],
        [{ aud: { ...aud, first_execution_run_id: '00000000-0000-4000-8000-000000000000' } }, 'another turn'],
        [{ aud: { ...aud, namespace: 'prod' } }, 'another turn'],
      ];
      for (const [other, reason] of forged) {
        const attestation = attestDecision(signers.gateway, { ...claims, ...other }, null);
        await expect(turn.approve(digest, { attestation })).rejects.toThrow(reason);
      }
      await goesOn();
    }));

  it('approve what he himself has asked for', () =>
    scene({}, async ({ signers, turn, digest, goesOn }) => {
      const attestation = await signers.signed(turn, digest, ' RITA');
      await expect(turn.approve(digest, { attestation })).rejects.toThrow('somebody else has to decide');
      await goesOn();
    }));

  it('approve twice with two signatures of his', () =>
    scene({ agent: { approvals: { quorum: 2 } } }, async ({ signers, turn, digest, goesOn }) => {
      const own = signers.person('ana');
      await turn.approve(digest, { attestation: await signers.signed(turn, digest, 'ana') });
      const second = await signers.signed(turn, digest, 'ana', {}, own);
      await expect(turn.approve(digest, { attestation: second })).rejects.toThrow('has decided on call');
      await goesOn();
    }));

  it('sign an approval under another name than the one that he gives', () =>
    scene({}, async ({ signers, turn, digest, goesOn }) => {
      const attestation = await signers.signed(turn, digest, 'ana');
      await expect(turn.approve(digest, { by: 'bob', attestation })).rejects.toThrow('it is signed for ana, and says bob');
      await goesOn();
    }));

  it('turn an approval into an edit, or an edit into an approval', () =>
    scene({}, async ({ signers, turn, digest, goesOn }) => {
      const input = { ...invoice, cents: 1 };
      const approval = await signers.signed(turn, digest, 'ana');
      await expect(turn.approve(digest, { attestation: approval, input })).rejects.toThrow('to approve, not to edit');
      const edit = await signers.signed(turn, digest, 'ana', { decision: 'edit', input });
      await expect(turn.approve(digest, { attestation: edit })).rejects.toThrow('to edit, not to approve');
      const denial = await signers.signed(turn, digest, 'ana', { decision: 'deny' });
      await expect(turn.approve(digest, { attestation: denial })).rejects.toThrow('to deny, not to approve');
      await goesOn();
    }));

  it('approve without the role, or with a role that his key does not give', () =>
    scene({ agent: { approvals: { roles: ['treasurer'] } } }, async ({ signers, turn, digest, goesOn }) => {
      const own = signers.person('ana', ['clerk']);
      const clerk = await signers.signed(turn, digest, 'ana', { roles: ['clerk'] }, own);
      await expect(turn.approve(digest, { attestation: clerk })).rejects.toThrow('none of the roles treasurer');
      const forged = await signers.signed(turn, digest, 'ana', { roles: ['treasurer'] }, own);
      await expect(turn.approve(digest, { attestation: forged })).rejects.toThrow('does not give the role treasurer');
      await goesOn();
    }));

  it('approve anything while the file of keys is broken', () =>
    scene({}, async ({ signers, turn, digest, effects }) => {
      const attestation = await signers.signed(turn, digest, 'ana');
      signers.break();
      await expect(turn.approve(digest, { attestation })).rejects.toThrow('cannot read its file of trusted keys');
      expect(effects).toEqual([]);
      expect(signers.errors[0]).toContain('cannot be used');
      signers.change(signers.gateway, {}); // mended
      await turn.approve(digest, { attestation });
      await turn.result();
      expect(effects).toEqual([invoice]);
    }));

  it('settle a call in doubt without a signature, with an approval, for the other outcome, or with a key that has since been revoked', () => {
    const attempts: unknown[] = [];
    const lost = pays('pay', attempts, {
      run: (input: unknown) => {
        attempts.push(input);
        throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
      },
    });
    return scene({ tools: [lost], agent: { approvals: { quorum: 2 } } }, async ({ client, signers, turn, digest }) => {
      for (const name of ['ana', 'bob']) await turn.approve(digest, { attestation: await signers.signed(turn, digest, name) });
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      const settling = { decision: 'settle' as const, outcome: 'applied' as const };
      const settled = await signers.signed(turn, digest, 'ana', settling);
      const approval = await signers.signed(turn, digest, 'ana');
      await expect(turn.settle(digest, 'applied', { by: 'ana' })).rejects.toThrow('signed decisions only');
      await expect(turn.settle(digest, 'applied', { attestation: approval })).rejects.toThrow('to approve, not to settle');
      await expect(turn.settle(digest, 'not_applied', { attestation: settled })).rejects.toThrow('for the outcome applied');
      const own = signers.person('ana');
      const bob = await signers.signed(turn, digest, 'bob', settling);
      await turn.settle(digest, 'applied', { attestation: await signers.signed(turn, digest, 'ana', settling, own) });
      await expect(turn.settle(digest, 'applied', { attestation: settled })).rejects.toThrow('has decided');
      signers.change(own, { revoked_at: new Date().toISOString() });
      await turn.settle(digest, 'applied', { attestation: bob });
      await eventually('it is asked again', async () => (await card(client, turn)).includes('was revoked'));
      expect((await turn.status()).state).toBe('in_doubt');
      for (const attestation of [settled, bob]) await turn.settle(digest, 'applied', { attestation });
      expect((await turn.result()).calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
      expect(attempts).toHaveLength(1);
    });
  });

  it('make a call in doubt look as if nothing had happened, by revoking the key that approved it', () => {
    const attempts: unknown[] = [];
    let revoke: () => void = () => undefined;
    const lost = pays('pay', attempts, {
      idempotent: true,
      run: (input: unknown) => {
        attempts.push(input);
        revoke();
        throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
      },
    });
    return scene({ tools: [lost] }, async ({ signers, turn, digest }) => {
      const own = signers.person('ana');
      revoke = () => signers.change(own, { revoked_at: new Date().toISOString() });
      await turn.approve(digest, { attestation: await signers.signed(turn, digest, 'ana', {}, own) });
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      expect(attempts).toHaveLength(1);
      const settling = { decision: 'settle' as const, outcome: 'applied' as const };
      await turn.settle(digest, 'applied', { attestation: await signers.signed(turn, digest, 'bob', settling) });
      expect((await turn.result()).calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
    });
  });

  it(
    'start the activity itself, with made-up approvals',
    () =>
      scene({}, async ({ client, taskQueue, turn, digest, signers, effects, goesOn }) => {
        const aud = await turn.audience();
        const context = await contextOf(turn);
        const forged = madeUpCall(context, { input: invoice, ...(await recordedRefs(client, turn)) });
        expect(forged.digest).toBe(digest); // the very call that waits
        const { head } = await turn.status();
        const base = {
          decision: 'approve' as const,
          digest,
          by: 'ana',
          note: null,
          identity: '',
          channel: 'signal' as const,
          card_ref: null,
        };
        const bare = { ...base, run_id: '', at: '2026-01-01T00:00:00Z', expires_at: '2099-01-01T00:00:00Z' };
        const stranger = new Signers();
        const claims = { aud, digest, principal: 'ana', roles: [], head: null };
        const tries = [
          [[bare], 'approval_unsigned'],
          [
            [{ ...bare, attestation: attestDecision(stranger.gateway, { ...claims, decision: 'approve' }, null) }],
            'approval_not_genuine',
          ],
          [
            [{ ...bare, attestation: attestDecision(signers.gateway, { ...claims, decision: 'deny' }, null) }],
            'approval_not_genuine',
          ],
          [
            [
              {
                ...bare,
                by: 'rita',
                attestation: attestDecision(signers.gateway, { ...claims, decision: 'approve', principal: 'rita' }, null),
              },
            ],
            'approval_by_requester',
          ],
          [
            [{ ...bare, by: 'bob', attestation: attestDecision(signers.gateway, { ...claims, decision: 'approve' }, null) }],
            'approval_not_genuine',
          ],
          [[], 'approval_missing'],
        ] as const;
        for (const [approvals, reason] of tries) {
          const output = await runForged(client, taskQueue, {
            turn: context,
            call: forged,
            at: bare.at,
            head: head!,
            approvals: [...approvals],
            verdict: 'ask',
          });
          expect(output).toMatchObject({ state: 'failed', error: { reason } });
          expect(effects).toEqual([]);
        }
        stranger.remove();
        await goesOn();
      }),
    180_000,
  );

  it('start a turn in somebody else’s name, so that he may approve it', () =>
    scene({}, async ({ client, turn, taskQueue, goesOn }) => {
      const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      const payload = history.events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads![0]!;
      const input = JSON.parse(Buffer.from(payload.data as Uint8Array).toString());
      for (const changed of [
        { requester: 'mallory' },
        { message: 'Pay more.' },
        { agent: 'other' },
        { attestation: undefined },
      ]) {
        const id = `forged-${Object.keys(changed)[0]}-${Date.now()}`;
        const args = [{ ...input, turn_id: id, ...changed }];
        await client.temporal.workflow.start('turn', { workflowId: `turn/${id}`, taskQueue, args });
        expect(await client.turn(id).result()).toMatchObject({ state: 'failed', calls: [] });
      }
      await goesOn();
    }));
});
