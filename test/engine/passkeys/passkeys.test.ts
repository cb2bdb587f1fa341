/** Decisions by passkey, through the gateway and a worker that takes signed decisions only; each attack is named after what it prevents. */
import { challengeOf } from '../../../src/attestation/passkey-decision';
import type { SigningKey } from '../../../src/attestation/signing-key';
import { makeEnrolment } from '../../../src/attestation/enrolment';
import { PasskeyRegister } from '../../../src/attestation/passkey-register';
import { readTrustedKeys } from '../../../src/attestation/trusted-keys';
import { verifyBundle } from '../../../src/audit/verify';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { readDecisionBody } from '../../../src/gateway/decision-body';
import { decideAs } from '../../../src/gateway/routes/decisions';
import { serveGateway, type RunningGateway } from '../../../src/gateway/serve';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { SoftAuthenticator, type Signed } from '../../support/authenticator';
import { bundleOf } from '../../support/bundle-of';
import { BUNDLE_KEY } from '../../support/bundle-keys';
import { gatewayParts, person, type Person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';
import { withEngine, type Engine, type Setup } from '../support/engine';

const invoice = { invoice: 'INV-7', cents: 700 };
const ana = person('ana', 'approver', 'treasurer');
const bob = person('bob', 'approver', 'treasurer');
const root = person('root', 'admin');
const people = [ana, bob, root];
const site = { origin: 'http://localhost:8480', rpId: 'localhost' };

interface Scene extends Engine {
  effects: unknown[];
  signers: Signers;
  enroller: SigningKey;
  gateway: RunningGateway;
  request(method: string, path: string, who: Person, body?: object): Promise<{ status: number; body: any }>;
  /** Registers a passkey and has it enrolled. */
  enrolled(who: Person, authenticator?: SoftAuthenticator, key?: SigningKey): Promise<SoftAuthenticator>;
  challenge(turn: TurnHandle, who: Person, decision: object): Promise<any>;
  /** Gets a challenge, has the passkey sign it, and decides. */
  decide(
    turn: TurnHandle,
    who: Person,
    authenticator: SoftAuthenticator,
    decision: object,
    changed?: Partial<Signed>,
  ): Promise<{ status: number; body: any }>;
}

async function scene(setup: Partial<Setup>, body: (scene: Scene) => Promise<void>): Promise<void> {
  const signers = new Signers();
  const enroller = signers.enroller();
  const effects: unknown[] = [];
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  const signingKey = await signers.file(signers.gateway);
  const script = [ask(['pay', invoice]), say('done')];
  await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey, ...setup }, async (engine) => {
    const where = { publicUrl: site.origin, trustedKeys: signers.trusted };
    const parts = gatewayParts({
      people,
      store: engine.store,
      key: signers.gateway,
      client: async () => engine.client,
      ...where,
    });
    const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
    const request: Scene['request'] = async (method, path, who, sent) => {
      const response = await fetch(`${gateway.url}${path}`, {
        method,
        headers: { ...who.headers, ...(sent ? { 'content-type': 'application/json' } : {}) },
        ...(sent ? { body: JSON.stringify(sent) } : {}),
      });
      return { status: response.status, body: await response.json() };
    };
    const enrolled: Scene['enrolled'] = async (who, authenticator = new SoftAuthenticator('ES256', site), key = enroller) => {
      const { body: options } = await request('POST', '/v1/passkeys/options', who);
      const { body: view } = await request('POST', '/v1/passkeys', who, { response: authenticator.register(options.challenge) });
      const enrolment = key.token(makeEnrolment(view, { roles: ['treasurer'], kid: key.kid }));
      expect(await request('POST', `/v1/passkeys/${view.id}/enrolment`, root, { enrolment })).toMatchObject({ status: 200 });
      return authenticator;
    };
    const pathOf = (turn: TurnHandle) => `/v1/turns/${encodeURIComponent(turn.id)}/decisions`;
    const challenge: Scene['challenge'] = async (turn, who, decision) => {
      const answer = await request('POST', `${pathOf(turn)}/challenge`, who, decision);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body;
    };
    const decide: Scene['decide'] = async (turn, who, authenticator, decision, changed) => {
      const { claims, options } = await challenge(turn, who, decision);
      authenticator.counter += 1;
      const passkey = { claims, response: authenticator.assert(options.challenge, changed) };
      return request('POST', pathOf(turn), who, { ...decision, passkey });
    };
    try {
      await body({ ...engine, effects, signers, enroller, gateway, request, enrolled, challenge, decide });
    } finally {
      await gateway.close();
      signers.remove();
    }
  });
}

const refused = (message: string) => ({
  status: 409,
  body: { error: { reason: 'passkey_refused', message: expect.stringContaining(message) } },
});

describe('a passkey', () => {
  it('signs a decision: two people approve, the call runs, and the bundle proves it', () =>
    scene({ agent: { approvals: { quorum: 2, roles: ['treasurer'] } } }, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const [own, other] = [await s.enrolled(ana), await s.enrolled(bob, new SoftAuthenticator('EdDSA', site))];
      const { options, claims } = await s.challenge(turn, ana, { call: digest, decision: 'approve' });
      expect(options).toMatchObject({
        rpId: 'localhost',
        userVerification: 'required',
        allowCredentials: [{ id: own.credentialId }],
      });
      expect(options.challenge).toBe(challengeOf(claims).toString('base64url'));
      const first = await s.decide(turn, ana, own, { call: digest, decision: 'approve', note: 'checked' });
      expect(first).toMatchObject({ status: 200, body: { by: 'ana', now: [{ approvals: 1, quorum: 2 }] } });
      expect(s.effects).toEqual([]);
      expect(await s.decide(turn, bob, other, { call: digest.slice(0, 12), decision: 'approve' })).toMatchObject({ status: 200 });
      const view = await turn.result();
      expect(view.calls[0]!.approval.decisions).toMatchObject([
        { by: 'ana', note: 'checked', attested: true },
        { by: 'bob', attested: true },
      ]);
      expect(s.effects).toEqual([invoice]);
      const bundle = await bundleOf(s.client.temporal, s.store, turn.id, BUNDLE_KEY);
      const trust = [...(await readTrustedKeys(s.signers.trusted)), trustedEntry(BUNDLE_KEY, { bundle: true })];
      const verified = await verifyBundle([Buffer.from(bundle)], trust);
      expect(verified).toMatchObject({ verdict: 'intact', unchecked_decisions: 0 });
      expect(verified.passkeys.map(({ principal, enrolled_by }) => [principal, enrolled_by]).sort()).toEqual([
        ['ana', s.enroller.kid],
        ['bob', s.enroller.kid],
      ]);
      const withoutEnroller = trust.filter(({ kid }) => kid !== s.enroller.kid);
      expect(await verifyBundle([Buffer.from(bundle)], withoutEnroller)).toMatchObject({ verdict: 'broken', rule: 'H5' });
    }));

  it('edits, denies and settles likewise', () =>
    scene({}, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const own = await s.enrolled(ana);
      const input = { invoice: 'INV-7', cents: 1 };
      expect(await s.decide(turn, ana, own, { call: digest, decision: 'approve', input })).toMatchObject({ status: 200 });
      const [next] = await turn.waitForPending();
      expect(next.revision).toBe(2);
      const denied = await s.decide(turn, bob, await s.enrolled(bob), { call: next.digest, decision: 'deny', note: 'no' });
      expect(denied).toMatchObject({ status: 200 });
      expect((await turn.result()).calls[1]).toMatchObject({ state: 'denied', approval: { by: ['bob'], note: 'no' } });
      expect(s.effects).toEqual([]);
    }));

  it('decides nothing with what it did not sign so', () =>
    scene({}, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const own = await s.enrolled(ana);
      const approve = { call: digest, decision: 'approve' };
      const attempt = (changed: Partial<Signed>) => s.decide(turn, ana, own, approve, changed);
      expect(await attempt({ flags: 0x01 })).toMatchObject(refused('did not verify its person'));
      expect(await attempt({ flags: 0x04 })).toMatchObject(refused('nobody was present'));
      expect(await attempt({ origin: 'http://localhost:9999' })).toMatchObject(refused('does not allow'));
      expect(await attempt({ origin: 'https://evil.example' })).toMatchObject(refused('does not allow'));
      expect(await attempt({ rpId: 'evil.example' })).toMatchObject(refused('another site'));
      expect(await attempt({ clientData: { crossOrigin: true } })).toMatchObject(refused('in a frame'));
      expect(await attempt({ clientData: { challenge: 'AAAA' } })).toMatchObject(refused('another challenge'));
      const path = `/v1/turns/${turn.id}/decisions`;
      const { claims, options } = await s.challenge(turn, ana, approve);
      const response = own.assert(options.challenge, { counter: 100 });
      const send = (change: object, passkey: object = { claims, response }, who = ana) =>
        s.request('POST', path, who, { ...approve, ...change, passkey });
      expect(await send({ decision: 'deny' })).toMatchObject(refused('another decision'));
      expect(await send({ note: 'and more' })).toMatchObject(refused('another decision'));
      expect(await send({ input: { invoice: 'INV-8', cents: 1 } })).toMatchObject(refused('another decision'));
      expect(await send({}, { claims: { ...claims, note_hash: 'a'.repeat(64) }, response })).toMatchObject(
        refused('another decision'),
      );
      expect(await send({}, { claims: { ...claims, nonce: 'b'.repeat(22) }, response })).toMatchObject(
        refused('another challenge'),
      );
      expect(await send({}, { claims: { ...claims, roles: ['admin'] }, response })).toMatchObject(refused('the role admin'));
      expect(await send({}, { claims: { ...claims, principal: 'bob' }, response })).toMatchObject(refused('another decision'));
      expect(await send({}, { claims: { ...claims, v: 'holdfast.decision/3' }, response })).toMatchObject(refused('not those'));
      const old = { ...claims, iat: claims.iat - 301 };
      const late = own.assert(challengeOf(old).toString('base64url'));
      expect(await send({}, { claims: old, response: late })).toMatchObject(refused('older than five minutes'));
      const stranger = new SoftAuthenticator('ES256', site);
      expect(await send({}, { claims, response: stranger.assert(options.challenge) })).toMatchObject(refused('another passkey'));
      const copied = { ...stranger.assert(options.challenge), id: own.credentialId };
      expect(await send({}, { claims, response: copied })).toMatchObject(refused('signature of its passkey'));
      expect(await send({}, { claims, response: { ...response, response: {} } })).toMatchObject({ status: 400 });
      // Somebody else's: bob has none, and ana's is not his.
      expect(await send({}, { claims, response }, bob)).toMatchObject(refused('you have no passkey'));
      expect(s.effects).toEqual([]);
      expect(await send({})).toMatchObject({ status: 200 });
      expect((await turn.result()).state).toBe('completed');
      expect(s.effects).toEqual([invoice]);
    }));

  it('signs each time anew: no assertion counts again, for another call or with an older counter', () =>
    scene({ script: [ask(['pay', invoice]), ask(['pay', { invoice: 'INV-8', cents: 1 }]), say('done')] }, async (s) => {
      const turn = await s.start();
      const [first] = await turn.waitForPending();
      const own = await s.enrolled(ana);
      const { claims, options } = await s.challenge(turn, ana, { call: first.digest, decision: 'approve' });
      const passkey = { claims, response: own.assert(options.challenge, { counter: 7 }) };
      const path = `/v1/turns/${turn.id}/decisions`;
      expect(await s.request('POST', path, ana, { call: first.digest, decision: 'approve', passkey })).toMatchObject({
        status: 200,
      });
      const [second] = await turn.waitForPending();
      expect(second.digest).not.toBe(first.digest);
      const replayed = await s.request('POST', path, ana, { call: second.digest, decision: 'approve', passkey });
      expect(replayed).toMatchObject(refused('another decision'));
      expect(await s.request('POST', path, ana, { call: first.digest, decision: 'approve', passkey })).toMatchObject({
        status: 409,
      });
      const next = { call: second.digest, decision: 'approve' };
      own.counter = 6;
      expect(await s.decide(turn, ana, own, next)).toMatchObject(refused('its counter did not grow'));
      expect(await s.decide(turn, ana, own, next, { counter: 0 })).toMatchObject(refused('its counter did not grow'));
      expect(s.effects).toEqual([invoice]);
      expect(await s.decide(turn, ana, own, next)).toMatchObject({ status: 200 });
      expect((await turn.result()).state).toBe('completed');
    }));

  it('is needed by who has one: a token alone approves, changes and settles nothing, and may deny', () =>
    scene({ script: [ask(['pay', invoice]), ask(['pay', { invoice: 'INV-8', cents: 1 }]), say('done')] }, async (s) => {
      const turn = await s.start();
      const [first] = await turn.waitForPending();
      const own = await s.enrolled(ana);
      const path = `/v1/turns/${turn.id}/decisions`;
      const approve = { call: first.digest, decision: 'approve' };
      const needed = {
        status: 409,
        body: { error: { reason: 'passkey_needed', hint: expect.stringContaining(`${site.origin}/#/turns/${turn.id}/calls/`) } },
      };
      expect(await s.request('POST', path, ana, approve)).toMatchObject(needed);
      expect(await s.request('POST', path, ana, { ...approve, call: first.digest.slice(0, 12) })).toMatchObject(needed);
      expect(await s.request('POST', path, ana, { ...approve, input: { invoice: 'INV-7', cents: 1 } })).toMatchObject(needed);
      expect(await s.request('POST', path, ana, { ...approve, call: undefined, calls: [first.digest] })).toMatchObject(needed);
      expect(await s.request('POST', path, ana, { call: first.digest, decision: 'settle', outcome: 'applied' })).toMatchObject(
        needed,
      );
      expect((await turn.status()).calls[0]!.approval).toMatchObject({ decisions: [], by: [] });
      expect(await s.decide(turn, ana, own, approve)).toMatchObject({ status: 200 });
      const [second] = await turn.waitForPending();
      const denial = { call: second.digest, decision: 'deny', note: 'Not this one.' };
      expect(await s.request('POST', path, ana, denial)).toMatchObject({ status: 200 });
      expect((await turn.result()).calls[1]).toMatchObject({ state: 'denied', approval: { by: ['ana'] } });
      expect(s.effects).toEqual([invoice]);
    }));

  it('is needed also for a call that begins to wait while the gateway looks', () =>
    scene({}, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      await s.enrolled(ana);
      const status = turn.status.bind(turn);
      jest.spyOn(turn, 'status').mockImplementationOnce(async () => ({ ...(await status()), pending: [] }));
      const parts = gatewayParts({ people, store: s.store, key: s.signers.gateway, trustedKeys: s.signers.trusted });
      const principal = { name: 'ana', tenant: null, roles: ['approver', 'treasurer'] };
      const decided = decideAs(turn, parts, principal, readDecisionBody({ call: digest, decision: 'approve' }, principal));
      await expect(decided).rejects.toThrow('waits for a person');
      expect((await turn.status()).calls[0]!.approval.by).toEqual([]);
    }));

  it('is not needed by people without one, and not any more once it was taken back', () =>
    scene({ agent: { approvals: { quorum: 2 } } }, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      await s.enrolled(ana);
      const path = `/v1/turns/${turn.id}/decisions`;
      const approve = { call: digest, decision: 'approve' };
      expect(await s.request('POST', path, bob, approve)).toMatchObject({ status: 200 });
      expect(await s.request('POST', path, ana, approve)).toMatchObject({ status: 409 });
      const [{ id }] = (await s.request('GET', '/v1/passkeys', ana)).body.passkeys;
      s.signers.revokePasskey(id);
      expect(await s.request('POST', path, ana, approve)).toMatchObject({ status: 200 });
      expect((await turn.result()).state).toBe('completed');
      expect(s.effects).toEqual([invoice]);
    }));

  it('is not carried to another turn', () =>
    scene({ script: [ask(['pay', invoice]), ask(['pay', invoice]), say('done'), say('done')] }, async (s) => {
      const own = await s.enrolled(ana);
      const one = await s.start();
      const [{ digest }] = await one.waitForPending();
      const other = await s.start();
      const [call] = await other.waitForPending();
      const { claims, options } = await s.challenge(one, ana, { call: digest, decision: 'approve' });
      const passkey = { claims, response: own.assert(options.challenge) };
      const path = `/v1/turns/${other.id}/decisions`;
      expect(await s.request('POST', path, ana, { call: call.digest, decision: 'approve', passkey })).toMatchObject(
        refused('another decision'),
      );
      expect(await s.request('POST', path, ana, { call: digest, decision: 'approve', passkey })).toMatchObject({ status: 409 });
      expect(s.effects).toEqual([]);
      await Promise.all([one.cancel(), other.cancel()]);
      await Promise.all([one.result(), other.result()]);
    }));

  it('decides nothing before its enrolment, by the word of the gateway, or once it was taken back', () =>
    scene({}, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const approve = { call: digest, decision: 'approve' };
      const path = `/v1/turns/${turn.id}/decisions/challenge`;
      expect(await s.request('POST', path, ana, approve)).toMatchObject(refused('no enrolled passkey'));
      const waiting = new SoftAuthenticator('ES256', site);
      const { body: options } = await s.request('POST', '/v1/passkeys/options', ana);
      const { body: view } = await s.request('POST', '/v1/passkeys', ana, { response: waiting.register(options.challenge) });
      expect(await s.request('POST', path, ana, approve)).toMatchObject(refused('no enrolled passkey'));
      // What an enroller did not sign is not kept where that is known, and not accepted by the worker where it is not.
      const byGateway = s.signers.gateway.token(makeEnrolment(view, { roles: ['treasurer'], kid: s.signers.gateway.kid }));
      const kept = await s.request('POST', `/v1/passkeys/${view.id}/enrolment`, root, { enrolment: byGateway });
      expect(kept).toMatchObject(refused('its use is gateway, not enroller'));
      const blind = await serveGateway(
        gatewayParts({ people, store: s.store, key: s.signers.gateway, client: async () => s.client, publicUrl: site.origin }),
        { host: '127.0.0.1', port: 0 },
      );
      const send = async (route: string, who: Person, sent: object) => {
        const headers = { ...who.headers, 'content-type': 'application/json' };
        const response = await fetch(`${blind.url}${route}`, { method: 'POST', headers, body: JSON.stringify(sent) });
        return { status: response.status, body: (await response.json()) as any };
      };
      expect(await send(`/v1/passkeys/${view.id}/enrolment`, root, { enrolment: byGateway })).toMatchObject(
        refused('is not trusted here'),
      );
      // A gateway that was broken into keeps it all the same.
      const register = new PasskeyRegister(s.store);
      const broken = [trustedEntry(s.signers.gateway, { enroller: true })];
      expect(await register.enrol((await register.find(view.id))!, byGateway, broken)).toBeNull();
      const { body: asked } = await send(path, ana, approve);
      const passkey = { claims: asked.claims, response: waiting.assert(asked.options.challenge) };
      const tried = await send(`/v1/turns/${turn.id}/decisions`, ana, { ...approve, passkey });
      expect(tried).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringContaining('its use is gateway, not enroller') } },
      });
      await blind.close();
      const own = await s.enrolled(ana);
      const [{ id }] = (await s.request('GET', '/v1/passkeys', ana)).body.passkeys.filter(
        (one: any) => one.credential_id === own.credentialId,
      );
      s.signers.revokePasskey(id);
      expect(await s.request('POST', path, ana, { ...approve, passkey: id })).toMatchObject(refused('was revoked'));
      expect(s.effects).toEqual([]);
      await turn.cancel();
      await turn.result();
    }));

  it('that is taken back between the approval and the run keeps the call from running', () =>
    scene({ agent: { approvals: { quorum: 2 } } }, async (s) => {
      const turn = await s.start();
      const [{ digest }] = await turn.waitForPending();
      const own = await s.enrolled(ana);
      expect(await s.decide(turn, ana, own, { call: digest, decision: 'approve' })).toMatchObject({ status: 200 });
      const [{ id }] = (await s.request('GET', '/v1/passkeys', ana)).body.passkeys;
      s.signers.revokePasskey(id);
      expect(await s.decide(turn, bob, await s.enrolled(bob), { call: digest, decision: 'approve' })).toMatchObject({
        status: 200,
      });
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'failed', error: { reason: 'approval_not_genuine' } });
      expect(view.calls[0]!.error!.message).toContain(`passkey ${id} was revoked`);
      expect(s.effects).toEqual([]);
    }));
});
