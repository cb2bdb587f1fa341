/** Signed statements checked with the auditor's keys (rules H5 and H7). Each case changes one claim of the statement that counted. */
import { attestDecision, attestStart } from '../../../../src/attestation/bundle-signer';
import type { TrustedKey } from '../../../../src/attestation/trusted-keys';
import { Attestations, claimsOf, type Audience, type SignedStatement } from '../../../../src/audit/verify/attestations';
import { noteHash } from '../../../../src/shared/approval/decision';
import { ANA_KEY, BUNDLE_KEY, GATEWAY_KEY, STRANGER_KEY, TRUST } from '../../../support/bundle-keys';
import { at } from '../../../support/audit/hand-events';

const DIGEST = 'd'.repeat(64);
const HERE: Audience = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r', store_id: null };
const NOW = Date.parse(at(0));

const token = (claims: object = {}, key = GATEWAY_KEY): string => {
  const { store_id: _, ...aud } = HERE;
  const about = { aud, digest: DIGEST, decision: 'approve' as const, principal: 'ana', roles: ['treasurer'], head: null };
  return attestDecision(key, { ...about, ...claims }, null, NOW);
};
const said = (more: Partial<SignedStatement> = {}): SignedStatement => ({
  ...{ attestation: token(), decision: 'approve', digest: DIGEST, note: null, outcome: null, by: 'ana', at: at(1) },
  ...more,
});
const fault = (more: Partial<SignedStatement> = {}, here: Partial<Audience> = {}, trust = TRUST) =>
  new Attestations(trust).fault(said(more), { ...HERE, ...here });

describe('a signed decision', () => {
  const settled = {
    attestation: token({ decision: 'settle', outcome: 'applied' }),
    decision: 'settle',
    outcome: 'applied',
  };

  it('holds', () => expect(fault()).toBeNull());

  it.each<[string, Partial<SignedStatement>, Partial<Audience>]>([
    ['turn', {}, { workflow_id: 'turn/other' }],
    ['turn', {}, { first_execution_run_id: 'other' }],
    ['turn', {}, { namespace: 'other' }],
    ['call', { digest: 'e'.repeat(64) }, {}],
    ['outcome', { ...settled, outcome: null }, {}],
    ['outcome', { ...settled, outcome: 'not_applied' }, {}],
    ['outcome', { outcome: 'applied' }, {}],
  ])('for another %s does not', (what, more, here) => expect(fault(more, here)).toBe(`it was signed for another ${what}`));

  it('that settles holds for its outcome', () => expect(fault(settled)).toBeNull());

  it('to do something else does not hold', () => {
    expect(fault({ decision: 'deny' })).toBe('it was signed to approve, not to "deny"');
  });

  it('of somebody else does not hold; spelling variants of a name are the same name', () => {
    expect(fault({ by: ' Ana' })).toBeNull();
    expect(fault({ by: 'rob' })).toBe('it was signed by "ana"');
    expect(fault({ by: undefined })).toBe('it was signed by "ana"');
  });

  it('for another store does not hold, if the store is known', () => {
    const other = 'it was signed for a turn over another store';
    const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
    const bound = { attestation: token({ aud: { ...HERE, store_id: one } }) };
    expect(fault(bound, { store_id: one })).toBeNull();
    expect(fault(bound, { store_id: two })).toBe(other);
    expect(fault(bound)).toBe(other);
    expect(fault({}, { store_id: one })).toBe(other);
    expect(fault(bound, { store_id: undefined })).toBeNull();
  });

  it('covers its note; in an older version the note is not covered', () => {
    const another = 'it was signed with another note, or with none';
    const noted = token({ note_hash: noteHash('seen') });
    expect(fault({ attestation: noted, note: 'seen' })).toBeNull();
    expect(fault({ attestation: noted, note: 'other' })).toBe(another);
    expect(fault({ attestation: noted })).toBe(another);
    expect(fault({ note: 'seen' })).toBe(another);
    expect(fault({ attestation: noted, note: '\ud800' })).toBe(another);
  });

  it('must have the right form, a known key and a valid signature', () => {
    const form = 'its signed form is none that anybody writes';
    for (const attestation of ['', 'a.b', 7, null, token().split('.')[0]!]) expect(fault({ attestation })).toBe(form);
    const start = { aud: { namespace: 'n', workflow_id: 'turn/t' }, requester: 'rita', agent: 'a', message_hash: DIGEST };
    expect(fault({ attestation: attestStart(GATEWAY_KEY, start, NOW) })).toBe(form);
    const unknown = (kid: string) => `key ${kid}, which signed it, is not in the trust file`;
    expect(fault({ attestation: token({}, STRANGER_KEY) })).toBe(unknown(STRANGER_KEY.kid));
    expect(fault({ attestation: token({}, BUNDLE_KEY) })).toBe(unknown(BUNDLE_KEY.kid));
    const [claims] = token().split('.');
    const [, other] = token({ digest: 'e'.repeat(64) }).split('.');
    expect(fault({ attestation: `${claims}.${other}` })).toBe('its signature is not right');
  });

  it('counts while it is valid and its key is in force', () => {
    const late = 'it was not good at the time at which it counted';
    const { iat, exp } = claimsOf(token())!;
    expect(fault({ at: new Date(iat * 1000 - 60_000).toISOString() })).toBeNull();
    expect(fault({ at: new Date(iat * 1000 - 60_001).toISOString() })).toBe(late);
    expect(fault({ at: new Date(exp * 1000 - 1).toISOString() })).toBeNull();
    expect(fault({ at: new Date(exp * 1000).toISOString() })).toBe(late);
    expect(fault({ at: 'never' })).not.toBeNull();
    const revoked = TRUST.map((key) => ({ ...key, revoked_at: at(-100) }));
    expect(fault({}, {}, revoked)).toContain('was revoked');
  });
});

describe('a key of a person', () => {
  const hers = (claims: object = {}) => token(claims, ANA_KEY);

  it('speaks for that person, with the roles that it gives', () => {
    expect(fault({ attestation: hers() })).toBeNull();
    expect(fault({ attestation: hers({ principal: 'ANA' }) })).toBeNull();
    expect(fault({ attestation: hers({ principal: 'rob' }), by: 'rob' })).toBe(`key ${ANA_KEY.kid} speaks for "ana" only`);
    const more = `key ${ANA_KEY.kid} does not give the role auditor`;
    expect(fault({ attestation: hers({ roles: ['treasurer', 'auditor'] }) })).toBe(more);
    expect(fault({ attestation: hers({ roles: [] }) })).toBeNull();
  });

  it('gives no role and speaks for nobody if the file does not say so', () => {
    const without = TRUST.map(({ roles: _, ...key }) => key);
    expect(fault({ attestation: hers() }, {}, without)).toBe(`key ${ANA_KEY.kid} does not give the role treasurer`);
    const nobody = TRUST.map(({ principal: _, ...key }) => key) as TrustedKey[];
    expect(fault({ attestation: hers() }, {}, nobody)).toMatch(/ speaks for .* only$/);
  });

  it('does not limit what a gateway’s key may sign', () => {
    expect(fault({ attestation: token({ principal: 'rob', roles: ['auditor'] }), by: 'rob' })).toBeNull();
  });
});

describe('the signed start of a turn', () => {
  const HASH = 'a'.repeat(64);
  const signed = (claims: object = {}, key = GATEWAY_KEY) => {
    const about = { aud: { namespace: 'n', workflow_id: 'session/s' }, requester: 'rita', agent: 'clerk', message_hash: HASH };
    return attestStart(key, { ...about, ...claims }, NOW);
  };
  const start = { requester: 'rita', agent: 'clerk', message_hash: HASH, workflow_ids: ['turn/t', 'session/s'], at: at(1) };
  const startFault = (more: object = {}, attestation = signed(), namespace = 'n') => {
    const attestations = new Attestations(TRUST);
    const found = attestations.startFault(attestation, { ...start, ...more }, namespace);
    expect(attestations.badStarts).toBe(found === null ? 0 : 1);
    return found;
  };

  it('holds for the turn, or for its session', () => {
    expect(startFault()).toBeNull();
    expect(startFault({}, signed({ aud: { namespace: 'n', workflow_id: 'turn/t' } }))).toBeNull();
    expect(startFault({ requester: 'RITA' })).toBeNull();
  });

  it('does not hold for another', () => {
    const turn = 'it was signed for another turn';
    expect(startFault({ workflow_ids: ['turn/t'] })).toBe(turn);
    expect(startFault({}, signed(), 'other')).toBe(turn);
    expect(startFault({ requester: 'rob' })).toBe('it was signed for "rita"');
    expect(startFault({ requester: undefined })).toBe('it was signed for "rita"');
    expect(startFault({ agent: 'other' })).toBe('it was signed for agent "clerk"');
    expect(startFault({ message_hash: 'b'.repeat(64) })).toBe('it was signed for another message');
    expect(startFault({}, token())).toBe('its signed form is none that anybody writes');
    expect(startFault({ at: at(1e7) })).toBe('it was not good at the time at which it counted');
    expect(startFault({ requester: 'rob' }, signed({ requester: 'rob' }, ANA_KEY))).toBe(
      `key ${ANA_KEY.kid} speaks for "ana" only`,
    );
    expect(startFault({ requester: 'ana' }, signed({ requester: 'ana' }, ANA_KEY))).toBeNull();
  });
});

describe('the state of signatures', () => {
  it('is unchecked without a key of anybody who decides', () => {
    const attestations = new Attestations(TRUST.filter(({ use }) => use === 'bundle'));
    const { attestation } = said();
    expect(attestations.fault(said({ attestation, digest: 'e'.repeat(64) }), HERE)).toBeNull();
    expect(attestations.uncheckedCount).toBe(1);
    expect([...attestations.states]).toEqual([[attestation, 'not checked']]);
  });

  it('says whether each holds; a signature that failed once does not hold', () => {
    const attestations = new Attestations(TRUST);
    const state = () => attestations.states.get(token);
    const { attestation } = said();
    const token = attestation as string;
    expect(state()).toBeUndefined();
    attestations.fault(said({ attestation }), HERE);
    expect(state()).toBe('holds');
    attestations.fault(said({ attestation, by: 'rob' }), HERE);
    expect(state()).toBe('does not hold');
    attestations.fault(said({ attestation }), HERE);
    expect(state()).toBe('does not hold');
    expect(attestations.uncheckedCount).toBe(0);
    attestations.fault(said({ attestation: 7 }), HERE);
    expect(attestations.states.size).toBe(1);
  });

  it('includes the notes that no signature covers', () => {
    const beyond = (more: Partial<SignedStatement>) => {
      const attestations = new Attestations(TRUST);
      attestations.fault(said(more), HERE);
      return attestations.unsignedNotes.size;
    };
    const older = 'an older one';
    expect(beyond({ attestation: older, note: 'seen' })).toBe(1);
    expect(beyond({ attestation: older })).toBe(0);
    expect(beyond({ note: 'seen' })).toBe(0);
    expect(beyond({ attestation: 7, note: 'seen' })).toBe(0);
  });

  it('a token in another form has no claims', () => {
    expect(claimsOf(token())).toMatchObject({ principal: 'ana' });
    for (const none of [undefined, 7, 'x']) expect(claimsOf(none)).toBeNull();
  });
});
