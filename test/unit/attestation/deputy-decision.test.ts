import fc from 'fast-check';
import { attestDecision } from '../../../src/attestation/bundle-signer';
import type { DecisionClaims } from '../../../src/attestation/claims';
import { claimsOfDecision, writeDeputyDecision } from '../../../src/attestation/deputy-decision';
import { deputyshipId, readSignedDeputyship, type Deputyship } from '../../../src/attestation/deputyship';
import { LONGEST_TOKEN } from '../../../src/attestation/claims';
import type { SigningKey } from '../../../src/attestation/signing-key';
import type { CheckDecisionInput } from '../../../src/shared/io/activities';
import { approvedBy, named, namedByPasskey, steadOf } from '../../support/deputies';
import { enrolled, passkeyDecision } from '../../support/passkeys';
import { runs } from '../../support/runs';
import { AUDIENCE as aud, SIGNED_TURN as turn, Signers } from '../../support/signers';

const digest = 'a'.repeat(64);
const HOUR = 3600;

describe('an approval of a deputy', () => {
  let signers: Signers;
  let ana: SigningKey;
  beforeEach(() => {
    signers = new Signers();
    ana = signers.person('ana', ['treasurer', 'auditor']);
  });
  afterEach(() => signers.remove());

  const check = (attestation: string, roles: string[] = [], at?: string, more: Partial<CheckDecisionInput> = {}) => {
    const said = { turn, decision: 'approve' as const, outcome: null, digest, tool: 'pay', input_hash: null };
    return signers.trust.check({ ...said, attestation, at: new Date().toISOString(), ...more }, roles, at);
  };
  const approved = (statement: string, claims: Partial<DecisionClaims> = {}, key = signers.gateway) =>
    approvedBy(key, statement, { aud, digest, ...claims });
  const refused = (reason: string) => ({ ok: false, reason: expect.stringContaining(reason) });
  const good = (isRecord = false) => ({
    ok: true,
    principal: 'bob',
    on_behalf_of: 'ana',
    deputyship: { id: expect.stringMatching(/^[0-9a-f]{16}$/), isRecord },
  });
  const now = () => Math.floor(Date.now() / 1000);

  it('counts in the roles of the person who named the deputy, by a gateway, a key or a passkey of the deputy', async () => {
    const statement = named(ana);
    expect(await check(approved(statement), ['treasurer'])).toEqual(good());
    const bob = signers.person('bob', []);
    expect(await check(approved(statement, {}, bob), ['treasurer'])).toEqual(good());
    const own = enrolled(signers.enroller(), { principal: 'bob', roles: [] });
    const claims = { ...steadOf(statement), aud, digest, v: 'holdfast.decision/6' as const, roles: ['treasurer'] };
    const text = writeDeputyDecision(statement, passkeyDecision(own, claims, {}));
    expect(await check(text, ['treasurer'])).toEqual(good());
    expect(claimsOfDecision(text)).toMatchObject({ principal: 'bob', on_behalf_of: 'ana' });
  });

  it('counts if a passkey of the person signed the statement, or an enroller for somebody who is absent', async () => {
    const enroller = signers.enroller();
    const passkey = enrolled(enroller, { principal: 'ana' });
    expect(await check(approved(namedByPasskey(passkey)), ['treasurer'])).toEqual(good());
    expect(await check(approved(named(enroller)), ['treasurer'])).toEqual(good());
    expect(await check(approved(named(enroller, { roles: undefined as never })))).toEqual(refused('names no roles'));
    const limited = signers.enroller(['auditor']);
    expect(await check(approved(named(limited)))).toEqual(refused('does not give a deputy the role treasurer'));
  });

  it('is known as a gateway’s own word where only the gateway says so', async () => {
    const record = named(signers.gateway, {}, true);
    expect(await check(approved(record), ['treasurer'])).toEqual(good(true));
    signers.change(signers.gateway, { decides: false });
    const bob = signers.person('bob', []);
    expect(await check(approved(record, {}, bob))).toEqual(refused('signs no decisions here'));
  });

  it('does not count by a statement that somebody else signed', async () => {
    const eve = signers.person('eve', ['treasurer']);
    expect(await check(approved(named(eve)))).toEqual(refused('names deputies of "eve" only'));
    // A gateway may not sign in the person's place, and nobody else may make a gateway's record.
    expect(await check(approved(named(signers.gateway)))).toEqual(refused('its use is gateway'));
    expect(await check(approved(named(ana, {}, true)))).toEqual(refused('its use is principal'));
    const unknown = new Signers();
    expect(await check(approved(named(unknown.gateway)))).toEqual(refused('is not trusted here'));
    const foreign = enrolled(unknown.enroller(), { principal: 'ana' });
    expect(await check(approved(namedByPasskey(foreign)))).toEqual(refused('is not trusted here'));
    unknown.remove();
    const other = enrolled(signers.enroller(), { principal: 'eve' });
    expect(await check(approved(namedByPasskey(other)))).toEqual(refused('names deputies of "eve" only'));
    const unverified = enrolled(signers.enroller(), { principal: 'ana' });
    expect(await check(approved(namedByPasskey(unverified, {}, { flags: 0x01 })))).toEqual(refused('did not verify its person'));
  });

  it('counts only within the period, by the time at which it was found valid', async () => {
    const past = named(ana, { from: now() - 2 * HOUR, until: now() - HOUR });
    expect(await check(approved(past))).toEqual(refused('the deputyship for "ana" ended at'));
    const later = named(ana, { from: now() + HOUR, until: now() + 2 * HOUR });
    expect(await check(approved(later))).toEqual(refused('only from'));
    const short = named(ana, { until: now() + 60 });
    const text = approved(short);
    const found = new Date().toISOString();
    signers.now = () => Date.now() + 2 * HOUR * 1000;
    expect(await check(text, [], found)).toEqual(good());
    expect(await check(text)).toMatchObject({ ok: false });
  });

  it('gives no more roles than the statement, and than its signer has', async () => {
    expect(await check(approved(named(ana), { roles: ['treasurer', 'auditor'] }))).toEqual(refused('no deputy the role auditor'));
    expect(await check(approved(named(ana, { roles: ['cfo'] }), { roles: ['cfo'] }))).toEqual(refused('the role cfo'));
    const all = named(ana, { roles: undefined as never });
    expect(await check(approved(all, { roles: ['auditor'] }), ['auditor'])).toEqual(good());
    expect(await check(approved(all, { roles: ['cfo'] }))).toEqual(refused('no deputy the role cfo'));
    signers.change(ana, { roles: ['auditor'] });
    expect(await check(approved(named(ana)))).toEqual(refused('does not give a deputy the role treasurer'));
    // The roles of the deputy do not add to them.
    const bob = signers.person('bob', ['cfo']);
    expect(await check(approved(all, { roles: ['cfo'] }, bob))).toEqual(refused('no deputy the role cfo'));
    const none = approved(named(ana, { roles: [] }), { roles: [] });
    expect(await check(none, ['treasurer'])).toEqual(refused('has none of the roles treasurer'));
  });

  it('is not carried to another deputy, another person, another namespace or another statement', async () => {
    const statement = named(ana);
    expect(await check(approved(statement, { principal: 'carl' }))).toEqual(refused('its deputyship is that of "bob"'));
    expect(await check(approved(statement, { on_behalf_of: 'dora' }))).toEqual(refused('its deputyship is for "ana"'));
    expect(await check(approved(statement, { deputyship: 'b'.repeat(64) }))).toEqual(refused('another deputyship'));
    const other = approved(statement).split('.').slice(3).join('.');
    expect(await check(writeDeputyDecision(named(ana), other))).toEqual(refused('another deputyship'));
    expect(await check(approved(named(ana, { namespace: 'staging' })))).toEqual(refused('another namespace'));
    // Without its statement it is nobody's, and a plain decision is not made a deputy's by a statement before it.
    expect(await check(other)).toMatchObject({ ok: false });
    const own = { aud, digest, decision: 'approve' as const, principal: 'bob', roles: [], head: null };
    expect(await check(writeDeputyDecision(statement, attestDecision(signers.gateway, own, null)))).toMatchObject({
      ok: false,
    });
  });

  it('makes no chain: what a deputy signs names a deputy of the deputy only', async () => {
    const bob = signers.person('bob', ['auditor']);
    const passedOn = named(bob, { deputy: 'carl' });
    expect(await check(approved(passedOn, { principal: 'carl' }))).toEqual(refused('names deputies of "bob" only'));
    const own = named(bob, { for: 'bob', deputy: 'carl', roles: ['treasurer'] });
    expect(await check(approved(own, { principal: 'carl' }))).toEqual(refused('does not give a deputy the role treasurer'));
    const nested = writeDeputyDecision(passedOn, approved(named(ana)));
    expect(await check(nested)).toMatchObject({ ok: false });
  });

  it('stays within one tenant, and nobody is their own deputy', () => {
    const read = (changed: Partial<Deputyship>) => readSignedDeputyship(named(ana, changed));
    expect(read({ deputy: 'acme/bob', for: 'acme/ana' })).not.toBeNull();
    expect(read({ deputy: 'acme/bob', for: 'beta/ana' })).toBeNull();
    expect(read({ deputy: 'bob', for: 'beta/ana' })).toBeNull();
    expect(read({ deputy: 'ANA ', for: 'ana' })).toBeNull();
    expect(read({ until: now() + 400 * 24 * HOUR })).toBeNull();
    expect(read({ until: now() - 2 * HOUR })).toBeNull();
    expect(read({ tools: [] })).toBeNull();
  });

  it('reaches only the agents and tools that the statement names', async () => {
    expect(await check(approved(named(ana, { tools: ['pay'], agents: ['payables'] })))).toEqual(good());
    expect(await check(approved(named(ana, { tools: ['send'] })))).toEqual(refused('not for calls of "pay"'));
    expect(await check(approved(named(ana, { agents: ['other'] })))).toEqual(refused('not for calls of agent "payables"'));
  });

  it('only approves: a deputy denies, edits and settles in their own name', async () => {
    for (const decision of ['deny', 'settle', 'edit', 'answer', 'steer'] as const) {
      const more = decision === 'settle' ? { outcome: 'applied' as const } : {};
      const text = approved(named(ana), { decision, ...more });
      expect(claimsOfDecision(text)).toBeNull();
      expect(await check(text, [], undefined, { decision })).toMatchObject({ ok: false });
    }
  });

  it('does not count once the statement, or the key that signed it, is revoked', async () => {
    const statement = named(ana);
    const text = approved(statement);
    const found = new Date().toISOString();
    signers.revokeDeputy(deputyshipId(readSignedDeputyship(statement)!.hash));
    expect(await check(text, [], found)).toEqual(refused('deputyship'));
    const other = approved(named(ana));
    expect(await check(other)).toEqual(good());
    signers.change(ana, { revoked_at: new Date(Date.now() - 1000).toISOString() });
    expect(await check(other, [], found)).toEqual(refused(`key ${ana.kid} was revoked`));
  });

  it('is one text: no character of it can be changed', async () => {
    const passkey = enrolled(signers.enroller(), { principal: 'ana' });
    for (const text of [approved(named(ana)), approved(namedByPasskey(passkey))])
      await fc.assert(
        fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(...'ABCxyz019-_.=+/ \n'), async (at, char) => {
          fc.pre(text[at] !== char);
          expect(await check(text.slice(0, at) + char + text.slice(at + 1))).toMatchObject({ ok: false });
        }),
        { numRuns: runs(100, 300) },
      );
  });

  it('fits into a signal with two passkeys, and says so where it does not', () => {
    const enroller = signers.enroller();
    const decision = (alg: 'ES256' | 'RS256') => {
      const statement = namedByPasskey(enrolled(enroller, { alg, principal: 'ana' }));
      const bob = enrolled(enroller, { alg, principal: 'bob' });
      return writeDeputyDecision(
        statement,
        passkeyDecision(
          bob,
          { ...steadOf(statement), aud: { ...aud, store_id: 'c'.repeat(32) }, digest, v: 'holdfast.decision/6' },
          {},
        ),
      );
    };
    expect(decision('ES256').length).toBeLessThan(LONGEST_TOKEN);
    expect(() => decision('RS256')).toThrow('is too long');
  });
});
