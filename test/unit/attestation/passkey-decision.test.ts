import fc from 'fast-check';
import { LONGEST_TOKEN } from '../../../src/attestation/claims';
import { challengeOf, readPasskeyDecision, writePasskeyDecision } from '../../../src/attestation/passkey-decision';
import { claimsOfDecision } from '../../../src/attestation/deputy-decision';
import type { PasskeyAlg } from '../../../src/attestation/passkey-key';
import type { SigningKey } from '../../../src/attestation/signing-key';
import { readDecision } from '../../../src/shared/approval/decision';
import type { CheckDecisionInput } from '../../../src/shared/io/activities';
import type { Signed } from '../../support/authenticator';
import { cbor, SoftAuthenticator } from '../../support/authenticator';
import { claimsFor, enrolled, passkeyDecision, textOf, type EnrolledPasskey, type PasskeySigning } from '../../support/passkeys';
import { runs } from '../../support/runs';
import { AUDIENCE as aud, SIGNED_TURN as turn, Signers } from '../../support/signers';

const DIGEST = 'a'.repeat(64);
const ALGS: PasskeyAlg[] = ['ES256', 'EdDSA', 'RS256'];

describe('a decision that a passkey signed', () => {
  let signers: Signers;
  let enroller: SigningKey;
  let ana: EnrolledPasskey;
  beforeEach(() => {
    signers = new Signers();
    enroller = signers.enroller();
    ana = enrolled(enroller);
  });
  afterEach(() => signers.remove());

  const check = (attestation: string, more: Partial<CheckDecisionInput> = {}, roles: string[] = [], at?: string) => {
    const said = { turn, decision: 'approve' as const, outcome: null, digest: DIGEST, tool: 'pay', input_hash: null };
    return signers.trust.check({ ...said, attestation, at: new Date().toISOString(), ...more }, roles, at);
  };
  const signed = (said: Partial<PasskeySigning> = {}, changed: Partial<Signed> = {}, person = ana) =>
    passkeyDecision(person, { aud, digest: DIGEST, ...said }, changed);
  const refused = (reason: string) => ({ ok: false, reason: expect.stringContaining(reason) });

  it.each(ALGS)('counts for the person of its enrolment, in its roles: %s', async (alg) => {
    const text = signed({}, {}, enrolled(enroller, { alg }));
    expect(await check(text)).toEqual({ ok: true, principal: 'ana' });
    expect(await check(text, {}, ['treasurer'])).toEqual({ ok: true, principal: 'ana' });
    expect(await check(text, {}, ['auditor'])).toEqual(refused('has none of the roles auditor'));
    expect(claimsOfDecision(text)).toMatchObject({ v: 'holdfast.decision/4', principal: 'ana' });
  });

  it('fits into a signal, whatever its key', () => {
    const site = { origin: `https://${'a'.repeat(60)}.example`, rpId: `${'a'.repeat(60)}.example` };
    for (const alg of ALGS) {
      const roles = ['treasurer', 'approver', 'auditor', 'finance.payments-above-limit'];
      const person = enrolled(enroller, {
        principal: 'tenant/ana.lopez@example.com',
        roles,
        authenticator: new SoftAuthenticator(alg, site),
      });
      const where = {
        namespace: 'default',
        workflow_id: `turn/${'t'.repeat(60)}`,
        first_execution_run_id: 'r'.repeat(36),
        store_id: 'a'.repeat(32),
      };
      const text = signed({ aud: where, head: DIGEST, note_hash: DIGEST, decision: 'edit', input_hash: DIGEST }, {}, person);
      expect({ alg, length: text.length <= LONGEST_TOKEN }).toEqual({ alg, length: true });
      expect(readDecision('approve', { call: DIGEST, by: 'ana', attestation: text })).toMatchObject({ ok: true });
    }
  });

  it.each(ALGS)('is one text: no byte of it can be changed: %s', async (alg) => {
    const text = signed({}, {}, enrolled(enroller, { alg }));
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(...'ABCxyz019-_.=+/ \n'), async (at, char) => {
        fc.pre(text[at] !== char);
        expect(await check(text.slice(0, at) + char + text.slice(at + 1))).toMatchObject({ ok: false });
      }),
      { numRuns: runs(100, 500) },
    );
    for (const other of [`${text} `, `${text}A`, `${text}.`, text.slice(1), text.replace('wa1', 'wa2'), text.slice(4)])
      expect(await check(other)).toMatchObject({ ok: false });
  });

  it('has no byte in its assertion, client data, claims or enrolment that could be changed', async () => {
    const decision = readPasskeyDecision(signed())!;
    const { assertion, enrolmentSignature } = decision;
    const parts = { ...assertion, enrolmentSignature };
    for (const [name, bytes] of Object.entries(parts))
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1 << (at % 8);
        const other = { ...decision, assertion: { ...assertion, [name]: changed } };
        const text = writePasskeyDecision(name in assertion ? other : { ...decision, enrolmentSignature: changed });
        expect({ name, at, ...(await check(text)) }).toMatchObject({ ok: false });
      }
  });

  it('is for one call of one turn, one decision, one note and one input', async () => {
    expect(await check(signed(), { digest: 'b'.repeat(64) })).toEqual(refused('another call'));
    expect(await check(signed(), { turn: { ...turn, workflow_id: 'turn/t2' } })).toEqual(refused('another turn'));
    expect(await check(signed(), { turn: { ...turn, first_execution_run_id: 'run-2' } })).toEqual(refused('another turn'));
    expect(await check(signed({ aud: { ...aud, namespace: 'other' } }))).toEqual(refused('another turn'));
    expect(await check(signed({ aud: { ...aud, store_id: 'a'.repeat(32) } }))).toEqual(refused('store'));
    expect(await check(signed(), { decision: 'deny' })).toEqual(refused('signed to approve, not to deny'));
    expect(await check(signed(), { note_hash: DIGEST })).toEqual(refused('another note'));
    const edit = signed({ decision: 'edit', input_hash: DIGEST });
    expect(await check(edit, { decision: 'edit', input_hash: DIGEST })).toMatchObject({ ok: true });
    expect(await check(edit, { decision: 'edit', input_hash: 'b'.repeat(64) })).toEqual(refused('another input'));
    const settled = signed({ decision: 'settle', outcome: 'applied' });
    expect(await check(settled, { decision: 'settle', outcome: 'applied' })).toMatchObject({ ok: true });
    expect(await check(settled, { decision: 'settle', outcome: 'not_applied' })).toEqual(refused('outcome'));
  });

  it('needs its person present and verified, on a page of its site, in no frame', async () => {
    expect(await check(signed({}, { flags: 0x04 }))).toEqual(refused('nobody was present'));
    expect(await check(signed({}, { flags: 0x01 }))).toEqual(refused('did not verify its person'));
    expect(await check(signed({}, { origin: 'https://evil.example' }))).toEqual(refused('"https://evil.example"'));
    expect(await check(signed({}, { origin: 'https://desk.example:8443' }))).toEqual(refused('does not allow'));
    expect(await check(signed({}, { origin: 'http://desk.example' }))).toEqual(refused('does not allow'));
    expect(await check(signed({}, { rpId: 'evil.example' }))).toEqual(refused('another site than desk.example'));
    expect(await check(signed({}, { clientData: { crossOrigin: true } }))).toEqual(refused('in a frame'));
    expect(await check(signed({}, { clientData: { crossOrigin: 'false' } }))).toEqual(refused('in a frame'));
    expect(await check(signed({}, { clientData: { topOrigin: 'https://evil.example' } }))).toEqual(refused('in a frame'));
    expect(await check(signed({}, { clientData: { crossOrigin: undefined } }))).toMatchObject({ ok: true });
    expect(await check(signed({}, { clientData: { type: 'webauthn.create' } }))).toEqual(refused('not for a signature'));
    expect(await check(signed({}, { clientData: { challenge: 'AAAA' } }))).toEqual(refused('another challenge'));
    expect(await check(signed({}, { clientData: { hint: 'do not compare this with a template' } }))).toMatchObject({ ok: true });
    expect(await check(signed({}, { flags: 0x1d, counter: 7 }))).toMatchObject({ ok: true }); // a synced passkey
    expect(await check(signed({}, { flags: 0x15 }))).toEqual(refused('authenticator data'));
    expect(await check(signed({}, { flags: 0x45 }))).toEqual(refused('authenticator data'));
  });

  it('takes well-formed extensions of the authenticator, and no other bytes', async () => {
    const extensions = cbor(
      new Map<string, unknown>([
        ['credProtect', 2],
        ['hmac-secret', Buffer.alloc(32)],
      ]),
    );
    expect(await check(signed({}, { flags: 0x85, extensions }))).toMatchObject({ ok: true });
    expect(await check(signed({}, { flags: 0x05, extensions }))).toEqual(refused('authenticator data'));
    expect(await check(signed({}, { flags: 0x85 }))).toEqual(refused('authenticator data'));
    const wrong = [
      Buffer.concat([extensions, Buffer.from([0])]),
      extensions.subarray(0, -1),
      cbor('text'),
      Buffer.from('bf6161f5ff', 'hex'),
      Buffer.from('a1c00000', 'hex'),
      Buffer.from('bbffffffffffffffff', 'hex'),
      Buffer.from(`${'a100'.repeat(20)}a0`, 'hex'),
      Buffer.alloc(600, 0xa0),
    ];
    for (const bytes of wrong)
      expect(await check(signed({}, { flags: 0x85, extensions: bytes }))).toEqual(refused('authenticator data'));
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async (bytes) => {
        fc.pre(bytes[0]! >> 5 !== 5);
        expect(await check(signed({}, { flags: 0x85, extensions: bytes }))).toMatchObject({ ok: false });
      }),
      { numRuns: runs(50, 300) },
    );
  });

  it('has client data in one reading: no key twice, no other JSON, no other bytes', async () => {
    const claims = claimsFor(ana, { aud, digest: DIGEST });
    const challenge = challengeOf(claims).toString('base64url');
    const good = `{"type":"webauthn.get","challenge":"${challenge}","origin":"https://desk.example","crossOrigin":false}`;
    const answer = (clientDataText: string) =>
      check(textOf(ana, claims, ana.authenticator.assert(challenge, { clientDataText })));
    expect(await answer(good)).toMatchObject({ ok: true });
    const wrong = [
      good.replace('"type"', '"origin":"https://evil.example","type"'),
      good.replace('}', ',"origin":"https://desk.example"}'),
      good.replace('}', ',"crossOrigin":false}'),
      good.replace('}', ',"more":{}}'),
      good.replace('}', ',"more":[]}'),
      good.replace('}', ',"more":1}'),
      `\ufeff${good}`,
      `${good}x`,
      `[${good}]`,
      '',
      'null',
      good.replace('"webauthn.get"', '["webauthn.get"]'),
      good.replace('"https://desk.example"', '["https://desk.example"]'),
      good.replace('}', `,"more":"${'x'.repeat(1024)}"}`),
    ];
    for (const text of wrong) expect({ text, ...(await answer(text)) }).toMatchObject({ text, ok: false });
  });

  it('has one signature: the other one that the curve accepts is refused', async () => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const decision = readPasskeyDecision(signed())!;
    const signature = Buffer.from(decision.assertion.signature);
    const other = order - BigInt(`0x${signature.subarray(32).toString('hex')}`);
    const forged = Buffer.concat([signature.subarray(0, 32), Buffer.from(other.toString(16).padStart(64, '0'), 'hex')]);
    const text = writePasskeyDecision({ ...decision, assertion: { ...decision.assertion, signature: forged } });
    expect(await check(text)).toEqual(refused('signature of its passkey is not right'));
  });

  it('is of its own kind: neither the claims of a key under a passkey, nor those of a passkey under a key', async () => {
    const old = claimsFor(ana, { aud, digest: DIGEST, v: 'holdfast.decision/3' });
    expect(await check(textOf(ana, old, ana.authenticator.assert(challengeOf(old).toString('base64url'))))).toEqual(
      refused('format'),
    );
    const { enrolment: _, ...rest } = claimsFor(ana, { aud, digest: DIGEST });
    expect(await check(signers.gateway.token({ ...rest, kid: signers.gateway.kid }))).toEqual(refused('format'));
    expect(await check(signers.gateway.token({ ...claimsFor(ana, { aud, digest: DIGEST }), kid: signers.gateway.kid }))).toEqual(
      refused('format'),
    );
  });

  it('is good for a day at most, and only in its time', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await check(signed({ iat: now, exp: now + 24 * 3600 + 1 }))).toEqual(refused('at most 24 hours'));
    expect(await check(signed({ iat: now - 60, exp: now - 30 }))).toEqual(refused('it expired at'));
    expect(await check(signed({ iat: now + 600, exp: now + 900 }))).toEqual(refused('in the future'));
    // Found valid while it was: the second check judges by that time.
    const early = new Date((now - 50) * 1000).toISOString();
    expect(await check(signed({ iat: now - 60, exp: now - 30 }), {}, [], early)).toMatchObject({ ok: true });
  });

  it('speaks for nobody else, and in no other role than its enrolment gives', async () => {
    expect(await check(signed({ principal: 'bob' }))).toEqual(refused('speaks for "ana" only'));
    expect(await check(signed({ roles: ['treasurer', 'admin'] }))).toEqual(refused('does not give the role admin'));
    expect(await check(signed({ kid: 'b'.repeat(16) }))).toEqual(refused('another passkey or enrolment'));
    expect(await check(signed({ enrolment: DIGEST }))).toEqual(refused('another passkey or enrolment'));
    const bob = enrolled(enroller, { principal: 'bob' });
    const transplanted = { ...ana, enrolment: bob.enrolment, enrolmentSignature: bob.enrolmentSignature };
    expect(await check(signed({}, {}, transplanted))).toMatchObject({ ok: false });
  });

  it('does not count a second time under another enrolment of the same passkey', async () => {
    const decision = readPasskeyDecision(signed())!;
    const again = enrolled(enroller, { authenticator: ana.authenticator });
    const text = writePasskeyDecision({
      ...decision,
      ...{ enrolment: again.enrolment, enrolmentSignature: again.enrolmentSignature },
    });
    expect(await check(text)).toEqual(refused('another passkey or enrolment'));
  });

  it('never throws, whatever the text is', async () => {
    const junk = fc.oneof(
      fc.string(),
      fc.string().map((text) => `wa1.${text}`),
      fc
        .array(fc.string({ unit: fc.constantFrom(...'ABab01-_') }), { minLength: 6, maxLength: 6 })
        .map((all) => `wa1.${all.join('.')}`),
      fc.tuple(fc.nat(5), fc.jsonValue()).map(([at, value]) => {
        const parts = signed().split('.');
        parts[at + 1] = Buffer.from(JSON.stringify(value) ?? '').toString('base64url');
        return parts.join('.');
      }),
    );
    await fc.assert(
      fc.asyncProperty(junk, async (text) => expect(await check(text)).toMatchObject({ ok: false })),
      { numRuns: runs(100, 1000) },
    );
  });
});
