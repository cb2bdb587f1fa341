/** A deputy's approval, through a worker that takes signed decisions only: it counts, is recorded, and verifies; each attack is named. */
import { signDecisions } from '../../../src/client/approvals/attest';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { readSignedDeputyship } from '../../../src/attestation/deputyship';
import type { SigningKey } from '../../../src/attestation/signing-key';
import { readTrustedKeys } from '../../../src/attestation/trusted-keys';
import { verifyBundle } from '../../../src/audit/verify';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { DeputyRegister } from '../../../src/deputies/register';
import { serveGateway } from '../../../src/gateway/serve';
import { bundleOf } from '../../support/bundle-of';
import { BUNDLE_KEY } from '../../support/bundle-keys';
import { named } from '../../support/deputies';
import { gatewayParts, person, type Person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';
import { withEngine, type Engine, type Setup } from '../support/engine';

const invoice = { invoice: 'INV-7', cents: 700 };
const bob = person('bob', 'approver');
const carl = person('carl', 'approver', 'treasurer');
const ana = person('ana', 'approver', 'treasurer');
const root = person('root', 'admin');

interface Scene extends Engine {
  effects: unknown[];
  signers: Signers;
  /** Ana's own key. */
  key: SigningKey;
  request(method: string, path: string, who: Person, body?: object): Promise<{ status: number; body: any }>;
  approve(turn: TurnHandle, who: Person, call: string, on_behalf_of?: string): Promise<{ status: number; body: any }>;
  bundle(turn: TurnHandle): ReturnType<typeof verifyBundle>;
}

async function scene(setup: Partial<Setup>, body: (scene: Scene) => Promise<void>, approvals: 'attested' | 'any' = 'attested') {
  const signers = new Signers();
  const key = signers.person('ana', ['treasurer']);
  const effects: unknown[] = [];
  const settings = { approvals, trust: signers.trust };
  const signingKey = await signers.file(signers.gateway);
  const script = [ask(['pay', invoice]), say('done')];
  await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey, ...setup }, async (engine) => {
    const people = [ana, bob, carl, root];
    const client = async () => engine.client;
    const parts = gatewayParts({ people, store: engine.store, key: signers.gateway, client, trustedKeys: signers.trusted });
    const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
    const request: Scene['request'] = async (method, path, who, sent) => {
      const headers = { ...who.headers, ...(sent ? { 'content-type': 'application/json' } : {}) };
      const response = await fetch(`${gateway.url}${path}`, { method, headers, ...(sent ? { body: JSON.stringify(sent) } : {}) });
      return { status: response.status, body: await response.json() };
    };
    const approve: Scene['approve'] = (turn, who, call, on_behalf_of) =>
      request('POST', `/v1/turns/${encodeURIComponent(turn.id)}/decisions`, who, {
        ...{ decision: 'approve', call },
        ...(on_behalf_of === undefined ? {} : { on_behalf_of }),
      });
    const bundle: Scene['bundle'] = async (turn) => {
      const text = await bundleOf(engine.client.temporal, engine.store, turn.id, BUNDLE_KEY);
      const trust = [...(await readTrustedKeys(signers.trusted)), trustedEntry(BUNDLE_KEY, { bundle: true })];
      return verifyBundle([Buffer.from(text)], trust);
    };
    try {
      await body({ ...engine, effects, signers, key, request, approve, bundle });
    } finally {
      await gateway.close();
      signers.remove();
    }
  });
}

const refused = (message: string) => ({ status: 409, body: { error: { message: expect.stringContaining(message) } } });

describe('a deputy', () => {
  it('approves in the stead of a person: with another person it is two votes, and the bundle proves it', () =>
    scene({ agent: { approvals: { quorum: 2, roles: ['treasurer'] } } }, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      expect(await s.approve(turn, bob, digest, 'ana')).toMatchObject(refused('"ana" has not named you as a deputy'));
      const signed = named(s.key);
      const view = await s.request('POST', '/v1/deputies', ana, { signed });
      expect(view).toMatchObject({ status: 200, body: { deputy: 'bob', for: 'ana', state: 'active', proof: 'signed' } });
      expect(await s.approve(turn, bob, digest)).toMatchObject(refused('has none of the roles treasurer'));
      const first = await s.approve(turn, bob, digest, 'ana');
      expect(first).toMatchObject({ status: 200, body: { by: 'bob', on_behalf_of: 'ana', now: [{ approvals: 1, quorum: 2 }] } });
      // Ana and her deputy are one vote.
      expect(await s.approve(turn, ana, digest)).toMatchObject(refused('ana has decided on call'));
      expect(await s.approve(turn, bob, digest, 'ana')).toMatchObject(refused('bob has decided on call'));
      expect(s.effects).toEqual([]);
      expect(await s.approve(turn, carl, digest)).toMatchObject({ status: 200 });
      const result = await turn.result();
      expect(result.calls[0]!.approval.decisions).toMatchObject([
        { by: 'bob', on_behalf_of: 'ana', attested: true },
        { by: 'carl', attested: true },
      ]);
      expect(s.effects).toEqual([invoice]);
      expect(await s.bundle(turn)).toMatchObject({ verdict: 'intact', unchecked_decisions: 0 });
    }));

  it('of the requester does not approve, and neither does the requester as somebody’s deputy', () =>
    scene({}, async (s) => {
      const turn = await s.start('Pay INV-7', { requester: 'ana' });
      const [{ digest }] = await turn.waitForPending();
      await s.request('POST', '/v1/deputies', ana, { signed: named(s.key) });
      expect(await s.approve(turn, bob, digest, 'ana')).toMatchObject(refused('ana asked for call'));
      const other = s.signers.person('carl', ['treasurer']);
      await s.request('POST', '/v1/deputies', carl, { signed: named(other, { for: 'carl', deputy: 'ana' }) });
      expect(await s.approve(turn, ana, digest, 'carl')).toMatchObject(refused('ana asked for call'));
      expect(s.effects).toEqual([]);
      expect(await s.approve(turn, carl, digest)).toMatchObject({ status: 200 });
      await turn.result();
    }));

  it('is none by the gateway’s word where decisions are signed, and is one where they are not', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await scene({}, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const record = await s.request('POST', '/v1/deputies', ana, { deputy: 'bob', until });
      expect(record).toMatchObject({ status: 200, body: { proof: 'record' } });
      expect(await s.approve(turn, bob, digest, 'ana')).toMatchObject(refused('only a gateway says that bob is a deputy'));
      await turn.cancel();
      await turn.result();
      expect(s.effects).toEqual([]);
    });
    const any = async (s: Scene) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      await s.request('POST', '/v1/deputies', ana, { deputy: 'bob', until });
      expect(await s.approve(turn, bob, digest, 'ana')).toMatchObject({ status: 200 });
      await turn.approve(digest, { by: 'dora', on_behalf_of: 'carl' });
      const result = await turn.result();
      expect(result.calls[0]!.approval.decisions).toMatchObject([
        { by: 'bob', on_behalf_of: 'ana', attested: true },
        { by: 'dora', on_behalf_of: 'carl', attested: false },
      ]);
      expect(s.effects).toEqual([invoice]);
      expect(await s.bundle(turn)).toMatchObject({ verdict: 'intact' });
    };
    await scene({ agent: { approvals: { quorum: 2, roles: ['treasurer'] } } }, any, 'any');
  });

  it('whose period was ended approves no more, and what waits to run by such an approval does not run', () =>
    scene({ agent: { approvals: { quorum: 2 } } }, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const signed = named(s.key);
      const { body: view } = await s.request('POST', '/v1/deputies', ana, { signed });
      expect(await s.approve(turn, bob, digest, 'ana')).toMatchObject({ status: 200 });
      expect(await s.request('DELETE', `/v1/deputies/${view.id}`, carl)).toMatchObject({ status: 404 });
      expect(await s.request('DELETE', `/v1/deputies/${view.id}`, root)).toMatchObject({ status: 200 });
      expect(await s.approve(turn, carl, digest)).toMatchObject({ status: 200 });
      const result = await turn.result();
      expect(result.calls[0]).toMatchObject({ state: 'failed', error: { reason: 'approval_not_genuine' } });
      expect(result.calls[0]!.error!.message).toContain('was ended at');
      expect(s.effects).toEqual([]);
    }));

  it('does not send a statement again after its end, in its own signature, past the gateway', () =>
    scene({}, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const signed = named(s.key);
      await s.request('POST', '/v1/deputies', ana, { signed });
      const register = new DeputyRegister(s.store);
      const [stored] = await register.all();
      await s.request('DELETE', `/v1/deputies/${stored!.id}`, ana);
      await s.request('POST', '/v1/deputies', ana, { signed });
      expect((await register.find(stored!.id))!.end).toMatchObject({ by: 'ana' });
      expect(await s.approve(turn, bob, digest, 'ana')).toMatchObject(refused('was ended at'));
      const own = s.signers.person('bob', []);
      const signing = {
        decision: 'approve' as const,
        calls: [digest],
        principal: 'bob',
        roles: ['treasurer'],
        deputyship: signed,
      };
      const [one] = await signDecisions(turn, own, signing);
      expect(readSignedDeputyship(signed)!.hash.slice(0, 16)).toBe(stored!.id);
      await expect(turn.approve(digest, { attestation: one!.attestation })).rejects.toThrow('was ended at');
      expect(s.effects).toEqual([]);
      await turn.cancel();
      await turn.result();
    }));
});
