import fc from 'fast-check';
import { attestDecision } from '../../../src/attestation/bundle-signer';
import type { DecisionClaims } from '../../../src/attestation/claims';
import { readEnrolment, type Enrolment } from '../../../src/attestation/enrolment';
import { passkeyKey } from '../../../src/attestation/passkey-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import type { Json, JsonObject } from '../../../src/shared/json/json';
import { SoftAuthenticator } from '../../support/authenticator';
import { enrolled, passkeyDecision, type Enrolling } from '../../support/passkeys';
import { runs } from '../../support/runs';
import { AUDIENCE as aud, SIGNED_TURN as turn, Signers } from '../../support/signers';

const DIGEST = 'a'.repeat(64);

describe('the enrolment of a passkey', () => {
  let signers: Signers;
  beforeEach(() => void (signers = new Signers()));
  afterEach(() => signers.remove());

  /** Whether a decision by a passkey counts that this key has enrolled. @param at when it was found valid */
  const check = (enroller: SigningKey, enrolling: Enrolling = {}, at?: string) => {
    const person = enrolled(enroller, enrolling);
    return decided(person, at);
  };
  const decided = (person: ReturnType<typeof enrolled>, at?: string) => {
    const attestation = passkeyDecision(person, { aud, digest: DIGEST }, {});
    const said = { turn, decision: 'approve' as const, outcome: null, digest: DIGEST, tool: 'pay', input_hash: null };
    return signers.trust.check({ ...said, attestation, at: new Date().toISOString() }, [], at);
  };
  const refused = (reason: string) => ({ ok: false, reason: expect.stringContaining(reason) });

  it('counts if an enroller in the file of trusted keys signed it', async () => {
    expect(await check(signers.enroller())).toEqual({ ok: true, principal: 'ana' });
  });

  it('does not count by the word of a gateway, of a person, of a key for bundles, or of a stranger', async () => {
    expect(await check(signers.gateway)).toEqual(refused('its use is gateway, not enroller'));
    expect(await check(signers.person('ana', ['treasurer']))).toEqual(refused('its use is principal, not enroller'));
    const bundles = signers.person('bundles');
    signers.change(bundles, { use: 'bundle', principal: undefined, roles: undefined });
    expect(await check(bundles)).toEqual(refused('its use is bundle, not enroller'));
    expect(await check(SigningKey.generate())).toEqual(refused('is not trusted here'));
    signers.revokePasskey('0'.repeat(16));
    expect(await check(SigningKey.generate(), { changed: { kid: '0'.repeat(16) } })).toEqual(refused('its use is passkey'));
  });

  it('does not count if somebody else signed it, or changed a field of it afterwards', async () => {
    const enroller = signers.enroller();
    expect(await check(SigningKey.generate(), { changed: { kid: enroller.kid } })).toEqual(refused('signature of its enrolment'));
    const person = enrolled(enroller);
    const changes: Partial<Enrolment>[] = [
      { roles: ['treasurer', 'admin'] },
      { principal: 'bob' },
      { rp_id: 'example', origins: ['https://desk.example'] },
      { origins: ['https://desk.example', 'https://other.desk.example'] },
      { iat: person.enrolment.iat + 1 },
      { public: new SoftAuthenticator().public },
    ];
    for (const change of changes)
      expect(await decided({ ...person, enrolment: { ...person.enrolment, ...change } })).toMatchObject({ ok: false });
  });

  it('gives no role that its enroller may not give', async () => {
    const limited = signers.enroller(['approver', 'treasurer']);
    expect(await check(limited, { roles: ['treasurer'] })).toMatchObject({ ok: true });
    expect(await check(limited, { roles: ['treasurer', 'admin'] })).toEqual(refused('may not give the role admin'));
    expect(await check(signers.enroller([]), { roles: [] })).toMatchObject({ ok: true });
    expect(await check(signers.enroller([]), { roles: ['treasurer'] })).toEqual(refused('may not give the role treasurer'));
  });

  it('ends with its time, with its enroller’s key, and with either’s revocation', async () => {
    const enroller = signers.enroller();
    const now = Math.floor(Date.now() / 1000);
    expect(await check(enroller, { changed: { exp: now + 60 } })).toMatchObject({ ok: true });
    expect(await check(enroller, { changed: { exp: now - 60 } })).toEqual(refused('the enrolment of "ana" ended'));
    signers.change(enroller, { created_at: '2020-01-01T00:00:00.000Z', expires_at: new Date(Date.now() - 1000).toISOString() });
    expect(await check(enroller)).toEqual(refused('expired at'));
    expect(await check(enroller, { changed: { iat: now - 3600 } })).toEqual(refused('expired at'));
    signers.change(enroller, { expires_at: undefined, created_at: new Date(Date.now() - 1000).toISOString() });
    expect(await check(enroller, { changed: { iat: now - 3600 } })).toEqual(refused('in force only from'));
  });

  it('is taken back at once, whenever it was made and found valid', async () => {
    const enroller = signers.enroller();
    const person = enrolled(enroller);
    const before = new Date(Date.now() - 1000).toISOString();
    expect(await decided(person, before)).toMatchObject({ ok: true });
    signers.revokePasskey(person.kid);
    expect(await decided(person, before)).toEqual(refused(`passkey ${person.kid} was revoked at`));
    expect(await check(enroller)).toMatchObject({ ok: true });
    signers.change(enroller, { revoked_at: new Date().toISOString() });
    expect(await check(enroller, {}, before)).toEqual(refused(`key ${enroller.kid} was revoked at`));
  });

  it('names a site and pages of it, over https or on this machine', () => {
    const of = (rp_id: string, ...origins: string[]) => readEnrolment({ ...enrolled(signers.gateway).enrolment, rp_id, origins });
    expect(of('desk.example', 'https://desk.example', 'https://a.desk.example:8443')).not.toBeNull();
    expect(of('localhost', 'http://localhost:8480')).not.toBeNull();
    const wrong: [string, string][] = [
      ['desk.example', 'http://desk.example'],
      ['desk.example', 'https://evildesk.example'],
      ['desk.example', 'https://example'],
      ['desk.example', 'https://desk.example/'],
      ['desk.example', 'https://desk.example@evil.example'],
      ['desk.example', 'https://DESK.example'],
      ['desk.example', 'null'],
      ['Desk.example', 'https://desk.example'],
      ['', 'https://desk.example'],
      ['localhost', 'http://localhost.evil.example'],
      ['desk.example', 'https://desk.example:0'],
    ];
    for (const [rp, origin] of wrong) expect({ rp, origin, is: of(rp, origin) }).toEqual({ rp, origin, is: null });
    expect(of('desk.example')).toBeNull();
  });

  it('is read in one form only: no field is left out, added or otherwise', () => {
    const { enrolment } = enrolled(signers.gateway);
    const good: JsonObject = { ...enrolment };
    expect(readEnrolment(good)).not.toBeNull();
    expect(readEnrolment({ ...good, exp: 5, aaguid: '00112233-4455-6677-8899-00aabbccddee' })).not.toBeNull();
    for (const name of Object.keys(good)) {
      const { [name]: _, ...rest } = good;
      expect({ name, read: readEnrolment(rest) }).toEqual({ name, read: null });
    }
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(good), 'more', '__proto__'), fc.jsonValue(), (name, value) => {
        fc.pre(JSON.stringify(good[name]) !== JSON.stringify(value));
        const read = readEnrolment(Object.fromEntries([...Object.entries(good), [name, value as Json]]));
        if (read !== null) expect(['principal', 'roles', 'credential_id', 'iat', 'nonce']).toContain(name);
      }),
      { numRuns: runs(200, 1000) },
    );
  });
});

describe('a gateway’s key that decides nothing', () => {
  it('signs denials and messages, and no approval, edit or settlement; a passkey signs those', async () => {
    const signers = new Signers();
    signers.change(signers.gateway, { decides: false });
    const { gateway } = signers;
    const said = { turn, digest: DIGEST, tool: 'pay', at: new Date().toISOString() };
    const check = (decision: DecisionClaims['decision'], more: Pick<DecisionClaims, 'outcome' | 'input_hash'> = {}) => {
      const claims = { aud, digest: DIGEST, decision, principal: 'ana', roles: [], head: null, ...more };
      const { outcome = null, input_hash = null } = more;
      return signers.trust.check(
        { ...said, decision, outcome, input_hash, attestation: attestDecision(gateway, claims, null) },
        [],
      );
    };
    const refused = { ok: false, reason: expect.stringContaining('signs no decisions here') };
    expect(await check('approve')).toEqual(refused);
    expect(await check('edit', { input_hash: DIGEST })).toEqual(refused);
    expect(await check('settle', { outcome: 'applied' })).toEqual(refused);
    expect(await check('deny')).toMatchObject({ ok: true });
    expect(await check('steer')).toMatchObject({ ok: true });
    const attestation = passkeyDecision(enrolled(signers.enroller()), { aud, digest: DIGEST }, {});
    expect(await signers.trust.check({ ...said, decision: 'approve', outcome: null, input_hash: null, attestation }, [])).toEqual(
      {
        ok: true,
        principal: 'ana',
      },
    );
    signers.remove();
  });
});

describe('the key of a passkey', () => {
  const jwks = (['ES256', 'EdDSA', 'RS256'] as const).map((alg) => ({ alg, jwk: new SoftAuthenticator(alg).public }));

  it.each(jwks)('is read in its one spelling: $alg', ({ alg, jwk }) => {
    expect(passkeyKey(jwk)).toMatchObject({ alg, kid: expect.stringMatching(/^[0-9a-f]{16}$/) });
    for (const name of Object.keys(jwk)) {
      const { [name]: value, ...rest } = jwk;
      expect(passkeyKey(rest)).toBeNull();
      expect(passkeyKey({ ...jwk, [name]: `${String(value)}=` })).toBeNull();
      expect(passkeyKey({ ...jwk, [name]: 7 })).toBeNull();
    }
    expect(passkeyKey({ ...jwk, d: 'AAAA' })).toBeNull();
    expect(passkeyKey({ ...jwk, alg })).toBeNull();
  });

  it('is on its curve, and of no weak size', () => {
    const { jwk } = jwks[0]!;
    expect(passkeyKey({ ...jwk, x: jwk.y! })).toBeNull();
    expect(passkeyKey({ kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xff).toString('base64url') })).toBeNull();
    expect(passkeyKey({ kty: 'RSA', e: 'AQAB', n: Buffer.alloc(512, 0xff).toString('base64url') })).toBeNull();
    expect(passkeyKey({ kty: 'RSA', e: 'Aw', n: Buffer.alloc(256, 0xff).toString('base64url') })).toBeNull();
  });
});
