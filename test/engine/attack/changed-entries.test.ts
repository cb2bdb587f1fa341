/**
 * Approval rules that depend on the input or on time: a deploy that weakens them while a call waits, and an approver or a worker of
 * somebody's own who wants a call run under an entry that asks less, or before its escalation is due.
 */
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { Approvals } from '../../../src/rules/approvals';
import type { RunCallInput } from '../../../src/shared/io/activities';
import { Registry } from '../../../src/tools/catalogue/registry';
import { withEngine, type Engine, type Setup } from '../support/engine';
import { withForger } from '../support/forge';
import { contextOf, madeUpApproval } from '../support/made-up';
import { recordedCalls } from '../../support/recompute-digests';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const LARGE = { invoice: 'INV-1', cents: 200_000 };
const SMALL = { invoice: 'INV-2', cents: 500 };
const STRICT: Approvals = { tools: { pay: [{ when: 'input.cents > 1000', quorum: 2, roles: ['treasurer'] }, { allow: true }] } };
const WEAK: [string, Approvals][] = [
  ['allow every call', { tools: { pay: [{ allow: true }] } }],
  ['raise the amount', { tools: { pay: [{ when: 'input.cents > 900000', quorum: 2, roles: ['treasurer'] }, { allow: true }] } }],
  ['drop the entry', { tools: { pay: [{ when: 'input.cents > 1000' }] } }],
  ['have no list', {}],
];

describe('approval rules of a call', () => {
  let signers: Signers;
  beforeAll(() => void (signers = new Signers()));
  afterAll(() => signers.remove());

  const appOf = (approvals: Approvals, effects: unknown[]) =>
    defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools: [pays('pay', effects)], approvals })] });
  async function withTurn(
    approvals: Approvals,
    body: (engine: Engine & { registry: Registry; effects: unknown[] }) => Promise<void>,
    more: Partial<Setup> = {},
  ): Promise<void> {
    const effects: unknown[] = [];
    const registry = new Registry(appOf(approvals, effects), { approvals: { channel: 'attested', notify: false } });
    const setup: Setup = {
      registry,
      script: [ask(['pay', LARGE]), say('done')],
      settings: { approvals: 'attested', trust: signers.trust },
      signingKey: await signers.file(signers.gateway),
      ...more,
    };
    await withEngine(setup, (engine) => body({ ...engine, registry, effects }));
  }
  const roles = ['treasurer'];

  it.each(WEAK)('that %s while it waits do not weaken what it needs: people are asked again, and as many', async (_, weak) => {
    await withTurn(STRICT, async ({ start, registry, effects }) => {
      const turn = await start('Pay it.', { requester: 'rita' });
      const [{ digest: before }] = await turn.waitForPending();
      await turn.approve(before, { attestation: await signers.signed(turn, before, 'ana', { roles }) });
      registry.replace(appOf(weak, effects));
      await expect(turn.approve(before, { attestation: await signers.signed(turn, before, 'cleo') })).rejects.toThrow(
        'treasurer',
      );
      await turn.approve(before, { attestation: await signers.signed(turn, before, 'ben', { roles }) });
      const [{ digest, approval }] = await turn.waitForPending();
      expect([digest === before, approval.quorum, effects]).toEqual([false, 2, []]);
      expect((await turn.cards()).get(digest)).toContain('It is asked again: the rules have changed');
      await turn.approve(digest, { attestation: await signers.signed(turn, digest, 'ana', { roles }) });
      await expect(turn.approve(digest, { attestation: await signers.signed(turn, digest, 'cleo') })).rejects.toThrow(
        'treasurer',
      );

      // An edit is judged anew, and needs no less than that either.
      const input = { ...LARGE, cents: 150_000 };
      const edit = await signers.signed(turn, digest, 'dan', { decision: 'edit', input, roles });
      await turn.approve(digest, { attestation: edit, input });
      const [edited] = await turn.waitForPending();
      expect([edited.digest === digest, edited.approval.quorum]).toEqual([false, 2]);
      for (const by of ['ana', 'ben'])
        await turn.approve(edited.digest, { attestation: await signers.signed(turn, edited.digest, by, { roles }) });
      await turn.result();
      expect(effects).toEqual([input]);
    });
  });

  it('that ask more while it waits count from then on', async () => {
    await withTurn({ tools: { pay: [{ when: 'input.cents > 1000' }] } }, async ({ start, registry, effects }) => {
      const turn = await start('Pay it.', { requester: 'rita' });
      const [{ digest: before }] = await turn.waitForPending();
      registry.replace(appOf(STRICT, effects));
      await turn.approve(before, { attestation: await signers.signed(turn, before, 'cleo') });
      const [{ digest, approval }] = await turn.waitForPending();
      expect([approval.quorum, effects]).toEqual([2, []]);
      await expect(turn.approve(digest, { attestation: await signers.signed(turn, digest, 'cleo') })).rejects.toThrow(
        'treasurer',
      );
      for (const by of ['ana', 'ben'])
        await turn.approve(digest, { attestation: await signers.signed(turn, digest, by, { roles }) });
      await turn.result();
      expect(effects).toEqual([LARGE]);
    });
  });

  it('are looked at again where it runs: made-up arguments get it no other entry, and no earlier escalation', async () => {
    const approvals: Approvals = {
      roles,
      escalate: [{ afterMs: 3_600_000, roles: ['cfo'] }],
      tools: { pay: [{ when: 'input.cents > 1000', quorum: 2 }, { allow: true }] },
    };
    await withTurn(
      approvals,
      async ({ start, client, taskQueue, effects }) => {
        const turn = await start('Pay it.', { requester: 'rita' });
        const [{ digest }] = await turn.waitForPending();
        const small = recordedCalls(await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory());
        expect(small).toEqual([]); // calls run in their order: the small one waits for the large one
        const admitted = await admittedCall(turn.workflowId, client, digest);
        const signed = async (by: string, role: string) => ({
          by,
          attestation: await signers.signed(turn, digest, by, { roles: [role] }),
        });
        const at = new Date(Date.now() + 2 * 3_600_000).toISOString();
        const request = async (more: Partial<RunCallInput>): Promise<RunCallInput> => ({
          turn: await contextOf(turn),
          call: admitted,
          at: new Date().toISOString(),
          head: (await turn.status()).head!,
          approvals: [],
          verdict: 'ask',
          ...more,
        });
        await withForger(client, taskQueue, async (forge) => {
          const reasonOf = async (more: Partial<RunCallInput>) => (await forge('runCall', await request(more))).error?.reason;
          expect(await reasonOf({ verdict: 'allow' })).toBe('approval_missing');
          const ana = madeUpApproval(admitted, await signed('ana', 'treasurer'));
          expect(await reasonOf({ approvals: [ana], verdict: 'allow' })).toBe('approval_missing');
          const early = madeUpApproval(admitted, { ...(await signed('kim', 'cfo')), at });
          expect(await reasonOf({ approvals: [ana, early] })).toBe('approval_not_genuine');
        });
        expect(effects).toEqual([]);
        await turn.deny(digest, { attestation: await signers.signed(turn, digest, 'ana', { decision: 'deny' }) });
        await turn.result();
        expect(effects).toEqual([SMALL]);
      },
      { script: [ask(['pay', LARGE], ['pay', SMALL]), say('done')], madeUp: true },
    );
  });
});

/** The call that people are asked about, as the workflow would run it: from what its admission was given. */
async function admittedCall(workflowId: string, client: Engine['client'], digest: string): Promise<RunCallInput['call']> {
  const { events } = await client.temporal.workflow.getHandle(workflowId).fetchHistory();
  const payloads = (events ?? []).flatMap((event) => [
    ...(event.activityTaskScheduledEventAttributes?.input?.payloads ?? []),
    ...(event.activityTaskCompletedEventAttributes?.result?.payloads ?? []),
  ]);
  const values = payloads.map(({ data }) => JSON.parse(Buffer.from(data as Uint8Array).toString()) as Record<string, any>);
  const answer = values.find((value) => value.digest === digest && value.card_ref)!;
  const { call } = values.find((value) => value.call?.input?.cents === LARGE.cents && value.reason)!;
  return { ...call, preview_ref: answer.preview_ref, digest, dispatch: 1 };
}
