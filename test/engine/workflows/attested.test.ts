import { attestDecision } from '../../../src/attestation/bundle-signer';
import { eventually, withEngine } from '../support/engine';
import { TestTime } from '../support/time-server';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const time = new TestTime();
const invoice = { invoice: 'INV-7', cents: 700 };
const script = () => [ask(['pay', invoice]), say('done')];

describe('decisions that are signed', () => {
  let signers: Signers;
  let key: string;
  beforeAll(async () => {
    signers = new Signers();
    key = await signers.file(signers.gateway);
  });
  afterAll(() => signers.remove());
  const attested = () => ({ settings: { approvals: 'attested' as const, trust: signers.trust }, signingKey: key });

  it('run a call once two principals have approved it, one by signal as the Web UI sends it, one by the client', async () => {
    const effects: unknown[] = [];
    const agent = { approvals: { quorum: 2, roles: ['treasurer'] } };
    await withEngine({ tools: [pays('pay', effects)], agent, script: script(), ...attested() }, async ({ start, client }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      const roles = ['treasurer'];
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      await handle.signal('approve', {
        call: call.digest,
        attestation: await signers.signed(turn, call.digest, 'ana', { roles }),
      });
      await eventually('one of two', async () => (await turn.status()).calls[0]!.approval.by.length === 1);
      expect(effects).toEqual([]);
      await turn.approve(call.digest, { attestation: await signers.signed(turn, call.digest, 'bob', { roles }) });
      const view = await turn.result();
      expect(effects).toEqual([invoice]);
      expect(view.calls[0]!.approval.decisions).toMatchObject([
        { by: 'ana', channel: 'signal', attested: true },
        { by: 'bob', channel: 'update', attested: true },
      ]);
      expect(view.calls[0]!.approval.decisions.every(({ identity }) => identity !== '')).toBe(true);
    });
  });

  it('deny a call, also without the role', async () => {
    const effects: unknown[] = [];
    const agent = { approvals: { roles: ['treasurer'] } };
    await withEngine({ tools: [pays('pay', effects)], agent, script: script(), ...attested() }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.deny(call.digest, {
        attestation: await signers.signed(turn, call.digest, 'ana', { decision: 'deny', note: 'no' }),
        note: 'no',
      });
      expect((await turn.result()).calls[0]).toMatchObject({ state: 'denied', effect: 'refused', approval: { by: ['ana'] } });
      expect(effects).toEqual([]);
    });
  });

  it('edit a call: the call that supersedes it waits, and its editor cannot approve it', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)], script: script(), ...attested() }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      const input = { invoice: 'INV-7', cents: 350 };
      const edit = await signers.signed(turn, call.digest, 'ana', { decision: 'edit', input });
      await expect(turn.approve(call.digest, { attestation: edit, input: { ...input, cents: 9 } })).rejects.toThrow(
        'another input',
      );
      await turn.approve(call.digest, { attestation: edit, input });
      const [next] = await turn.waitForPending();
      expect(next).toMatchObject({ revision: 2 });
      const own = await signers.signed(turn, next.digest, 'ana');
      await expect(turn.approve(next.digest, { attestation: own })).rejects.toThrow('changed it or steered the turn');
      await turn.approve(next.digest, { attestation: await signers.signed(turn, next.digest, 'bob') });
      await turn.result();
      expect(effects).toEqual([input]);
    });
  });

  it('of a first approver hold when the second comes after they have expired, and not once the key is revoked', async () => {
    for (const revoked of [false, true]) {
      const effects: unknown[] = [];
      const agent = { approvals: { quorum: 2 } };
      const lastsMs = time.either('1 hour', 3000);
      await withEngine({ time, tools: [pays('pay', effects)], agent, script: script(), ...attested() }, async ({ start }) => {
        const turn = await start();
        const [{ digest }] = await turn.waitForPending();
        const ana = signers.person(`ana-${revoked}`);
        const said = { aud: await turn.audience(), digest, decision: 'approve' as const, roles: [], head: null };
        const exp = new Date(Date.now() + lastsMs).toISOString();
        const attestation = attestDecision(ana, { ...said, principal: `ana-${revoked}` }, exp);
        await turn.approve(digest, { attestation });
        await time.skip(lastsMs + 1100);
        if (revoked) signers.change(ana, { revoked_at: new Date().toISOString() });
        await turn.approve(digest, { attestation: await signers.signed(turn, digest, 'bob') });
        await turn.result();
        expect(effects).toEqual(revoked ? [] : [invoice]);
      });
    }
  });

  it('approve several calls at once: a signature for each, all of them or none', async () => {
    const effects: unknown[] = [];
    const calls = ['A', 'B'].map((name): [string, any] => ['pay', { invoice: name, cents: 1 }]);
    await withEngine({ tools: [pays('pay', effects)], script: [ask(...calls), say('ok')], ...attested() }, async ({ start }) => {
      const turn = await start();
      const digests = await eventually('both wait', async () => {
        const pending = await turn.pending();
        return pending.length === 2 && pending.map(({ digest }) => digest);
      });
      const signed = await Promise.all(digests.map((digest) => signers.signed(turn, digest, 'ana')));
      await expect(turn.approve(digests, { attestation: signed.toReversed() })).rejects.toThrow('another call');
      expect(effects).toEqual([]);
      await turn.approve(digests, { attestation: signed });
      await turn.result();
      expect(effects).toHaveLength(2);
    });
  });

  it('begin with a signed start: a turn and a direct call without one end, with the reason', async () => {
    const { settings } = attested();
    await withEngine({ tools: [pays('pay', [])], script: script(), settings }, async ({ start, call, model }) => {
      const view = await (await start()).result();
      expect(view).toMatchObject({ state: 'failed', reason: expect.stringContaining('HOLDFAST_SIGNING_KEY') });
      expect(model.requests).toEqual([]);
      const direct = await (await call('pay', invoice)).turn.result();
      expect(direct).toMatchObject({ state: 'failed', reason: expect.stringContaining('it is not signed') });
    });
  });

  it('begin a direct call, and decide on it', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)], ...attested() }, async ({ call }) => {
      const { turn } = await call('pay', invoice, { requester: 'rita' });
      const [waiting] = await turn.waitForPending();
      const own = await signers.signed(turn, waiting.digest, 'Rita ');
      await expect(turn.approve(waiting.digest, { attestation: own })).rejects.toThrow('somebody else has to decide');
      await turn.approve(waiting.digest, { attestation: await signers.signed(turn, waiting.digest, 'ana') });
      await turn.result();
      expect(effects).toEqual([invoice]);
    });
  });
});

describe('a decision that is not signed', () => {
  it('is recorded with what Temporal knows of its sender, be it a signal or an update', async () => {
    const agent = { approvals: { quorum: 2 } };
    await withEngine({ tools: [pays('pay', [])], agent, script: script() }, async ({ start, client }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      await client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: call.digest, by: 'bob' });
      const { decisions } = (await turn.result()).calls[0]!.approval;
      const identity = client.temporal.options.identity;
      expect(decisions).toMatchObject([
        { by: 'ana', channel: 'update', identity },
        { by: 'bob', channel: 'signal', identity },
      ]);
    });
  });
});
