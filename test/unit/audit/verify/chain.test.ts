/** Several bundles, deleted ones, who signed them, and a verification in words. */
import type { TrustedKey } from '../../../../src/attestation/trusted-keys';
import { chainFaults, type Link } from '../../../../src/audit/verify/chain';
import { describeVerification } from '../../../../src/audit/verify/sentence';
import { signerFault } from '../../../../src/audit/verify/signer';
import { readTombstones } from '../../../../src/audit/verify/tombstones';
import type { Verification } from '../../../../src/audit/verify';
import { canonical } from '../../../../src/shared/json/canonical';
import type { Json } from '../../../../src/shared/json/json';
import { BUNDLE_KEY, GATEWAY_KEY, STRANGER_KEY, TRUST } from '../../../support/bundle-keys';

describe('the chain of bundles', () => {
  const link = (name: string, root: string, before: string | null, more: Partial<Link> = {}): Link => ({
    name,
    agent: 'clerk',
    root,
    previous: before === null ? null : { root: before, subject: 'turn/x' },
    ...more,
  });
  const missing = (says: string, wanted: string, of = 'agent "clerk"') =>
    `${says}, and root ${wanted} was expected: a bundle of ${of} was left out, or the order is another.`;

  it('is of one agent and one tenant', () => {
    const [a, c] = [link('a', 'A', null), link('c', 'C', 'B')];
    expect(chainFaults([a, c], null)).toEqual([missing('c follows root B', 'A')]);
    expect(chainFaults([a, { ...c, agent: 'other' }], null)).toEqual([]);
    expect(chainFaults([a, { ...c, tenant: 't1' }], null)).toEqual([]);
    expect(chainFaults([a, { ...c, tenant: null }], null)).toHaveLength(1);
    expect(
      chainFaults(
        [
          { ...a, tenant: 't1' },
          { ...c, tenant: 't1' },
        ],
        null,
      ),
    ).toEqual([missing('c follows root B', 'A', 'agent "clerk" and tenant "t1"')]);
    expect(
      chainFaults(
        [
          { ...a, tenant: 't1' },
          { ...c, tenant: 't2' },
        ],
        null,
      ),
    ).toEqual([]);
    expect(chainFaults([a], 'Z')).toEqual([missing('a names none before it', 'Z')]);
    expect(chainFaults([a, link('b', 'B', null)], null)).toEqual([missing('b names none before it', 'A')]);
  });

  it('does not include a bundle that was made for reading', () => {
    const read = { chained: false };
    expect(chainFaults([link('a', 'A', null), link('r', 'R', 'X', read), link('b', 'B', 'A')], null)).toEqual([]);
    expect(chainFaults([link('r', 'R', null, read)], 'Z')).toEqual([]);
  });

  it('continues over any number of deleted bundles', () => {
    const two = new Map([
      ['C', 'B'],
      ['B', 'A'],
    ]);
    expect(chainFaults([link('a', 'A', null), link('d', 'D', 'C')], null, two)).toEqual([]);
    expect(chainFaults([link('d', 'D', 'C')], 'A', two)).toEqual([]);
    expect(chainFaults([link('d', 'D', 'C')], 'Z', new Map([['C', null]]))).toEqual([missing('d follows root C', 'Z')]);
  });
});

describe('a tombstone', () => {
  const fields = {
    v: 'holdfast.tombstone/1',
    root: 'r1',
    previous: { root: 'r0', subject: 'turn/x' },
    kid: BUNDLE_KEY.kid,
    public: BUNDLE_KEY.public,
    deleted_at: '2026-06-01T00:00:00.000Z',
  };
  const stone = (more: Record<string, Json | undefined> = {}, key = BUNDLE_KEY) => {
    const rest = JSON.parse(JSON.stringify({ ...fields, ...more })) as Json;
    return { ...(rest as object), signature: key.sign(Buffer.from(canonical(rest))).toString('base64url') };
  };
  const read = (...stones: object[]) => readTombstones(stones.map((one) => `${JSON.stringify(one)}\n`).join(''), TRUST);
  const counts = (fault: string, n = 1) => `Tombstone ${n} counts for nothing: ${fault}.`;

  it('names the bundle that was deleted, and the one before it', () => {
    expect(read()).toEqual({ gone: new Map(), faults: [] });
    const { gone, faults } = read(stone(), stone({ root: 'r0', previous: null }));
    expect([...gone]).toEqual([
      ['r1', 'r0'],
      ['r0', null],
    ]);
    expect(faults).toEqual([]);
  });

  it.each<[string, Record<string, Json | undefined>]>([
    ['another version', { v: 'holdfast.tombstone/2' }],
    ['no root', { root: undefined }],
    ['a root that is no text', { root: 7 }],
    ['no key', { public: undefined }],
    ['no id of a key', { kid: undefined }],
    ['no time', { deleted_at: undefined }],
    ['no word of the one before', { previous: undefined }],
  ])('with %s has no form of one', (_what, more) => {
    expect(read(stone(more))).toEqual({ gone: new Map(), faults: [counts('it does not have the form of one')] });
  });

  it('without a valid signature is ignored', () => {
    const { signature, ...rest } = stone() as Record<string, unknown>;
    expect(read(rest).faults).toEqual([counts('it does not have the form of one')]);
    expect(read({ ...rest, root: 'r2', signature }).faults).toEqual([counts('its signature does not hold')]);
    expect(read({ ...rest, signature: 'AAAA' }).faults).toEqual([counts('its signature does not hold')]);
    expect(read(stone({}, STRANGER_KEY)).faults).toEqual([counts('its signature does not hold')]);
    const stranger = { kid: STRANGER_KEY.kid, public: STRANGER_KEY.public };
    expect(read(stone(stranger, STRANGER_KEY)).faults).toEqual([counts(`key ${STRANGER_KEY.kid} is not in the trust file`)]);
  });

  it('that cannot be read is reported, up to twenty', () => {
    expect(readTombstones('{"a":1\n\n[]\n', TRUST).faults).toEqual([counts('it cannot be read'), counts('it cannot be read', 3)]);
    expect(readTombstones('x\n'.repeat(25), TRUST).faults).toHaveLength(20);
  });
});

describe('the signer of a bundle', () => {
  const [bundle] = TRUST.filter(({ kid }) => kid === BUNDLE_KEY.kid) as [TrustedKey];
  const AT = '2026-06-01T00:00:00.000Z';
  const fault = (facts: Partial<TrustedKey> = {}, at = AT) => signerFault([{ ...bundle, ...facts }], BUNDLE_KEY, at);
  const { kid } = BUNDLE_KEY;

  it('is known by id and key, if the key is one for bundles', () => {
    expect(fault()).toBeNull();
    expect(signerFault([], BUNDLE_KEY, AT)).toBe(`key ${kid} is not in the trust file`);
    expect(fault({ kid: GATEWAY_KEY.kid })).toBe(`key ${kid} is not in the trust file`);
    expect(fault({ public: GATEWAY_KEY.public })).toBe(`key ${kid} is not in the trust file`);
    for (const use of ['gateway', 'principal'] as const)
      expect(fault({ use })).toBe(`key ${kid} of the trust file does not sign bundles`);
  });

  it('is unknown once the key is revoked, or while it is not in force', () => {
    const revoked_at = '2030-01-01T00:00:00.000Z';
    expect(fault({ revoked_at })).toBe(`key ${kid} was revoked at ${revoked_at}: what it signs proves nothing any more`);
    const young = `key ${kid} did not exist yet when the bundle says that it was made`;
    expect(fault({ created_at: '2026-06-01T00:01:00.000Z' })).toBeNull();
    expect(fault({ created_at: '2026-06-01T00:01:00.001Z' })).toBe(young);
    expect(fault({}, 'no time')).toBe(young);
    const old = `key ${kid} had expired when the bundle says that it was made`;
    expect(fault({ expires_at: '2026-06-01T00:00:00.001Z' })).toBeNull();
    expect(fault({ expires_at: AT })).toBe(old);
    expect(fault({ expires_at: 'no time' })).toBe(old);
  });
});

describe('a verification in words', () => {
  const intact = {
    verdict: 'intact',
    complete: true,
    line: null,
    rule: null,
    why: '',
    signed_by: 'KEY',
    redactions: 0,
    made_of: null,
    unchecked_decisions: 0,
    unsigned_notes: 0,
    passkeys: [],
    receipts: [],
    not_before: null,
    signatures: new Map(),
    bad_starts: 0,
    chained: true,
    previous: null,
  } as unknown as Verification;
  const words = (more: object = {}) => describeVerification({ ...intact, ...more });
  const beyond = 'completeness not proven beyond the turns in it';
  const none = `${beyond} (it names no bundle before it)`;

  it('names the signer, and says how far completeness is proved', () => {
    expect(words()).toEqual([`intact since signing by KEY; ${none}; 0 redactions.`]);
    expect(words({ verdict: 'signer_unknown', why: 'so', signed_by: null })).toEqual([
      `consistent, signer unknown: so; ${none}; 0 redactions.`,
    ]);
    expect(words({ previous: { root: 'R' } })[0]).toContain(`${beyond} (the bundle before it has root R); `);
    expect(words({ chained: false, previous: { root: 'R' } })[0]).toContain(
      `${beyond} (it was made to be read, and is no link of the chain); `,
    );
    expect(words({ complete: false })[0]).toBe(
      `intact since signing by KEY; incomplete, as its turn_end lines say; ${none}; 0 redactions.`,
    );
  });

  it('says only where the bundle is broken, if it is', () => {
    const broken = { verdict: 'broken', complete: null, line: 7, rule: 'H3', why: 'it is so', signed_by: null, redactions: 3 };
    expect(words(broken)).toEqual(['broken at line 7 (H3): it is so.']);
  });

  it('says where the bundle contradicts itself, and whether that is signed', () => {
    const told = { verdict: 'contradictory', line: 7, rule: 'H3', why: 'it is so', redactions: 1 };
    const out = 'What was left out could not be checked; its hashes are kept.';
    expect(words(told)).toEqual([
      `contradictory at line 7 (H3): it is so; signed as contradictory by KEY; ${none}; 1 redaction.`,
      out,
    ]);
    expect(words({ ...told, signed_by: null })[0]).toContain('it is so; nobody that you trust has signed it; ');
  });

  it('adds what was left out, what it was made from, and which signatures were not checked', () => {
    expect(words({ redactions: 2, made_of: { root: 'R', signed_by: null } })).toEqual([
      expect.stringMatching(/; 2 redactions\.$/),
      'What was left out could not be checked; its hashes are kept.',
      'It was made of the bundle with root R; nobody can tell whether a key that you trust had signed that.',
    ]);
    expect(words({ made_of: { root: 'R', signed_by: 'OLD' } })[1]).toBe(
      'It was made of the bundle with root R, which OLD had signed.',
    );
    expect(words({ unchecked_decisions: 1 })).toEqual([
      expect.any(String),
      '1 signatures of people were not checked: the trust file has no key of anybody who decides.',
    ]);
    expect(words({ passkeys: [{ kid: 'a1', principal: 'ana', enrolled_by: 'e1' }] })[1]).toBe(
      'Decisions by passkey a1 of "ana", enrolled by e1: their signatures hold.',
    );
    expect(words({ unsigned_notes: 1 })[1]).toBe('1 note beside signed decisions: note not signed.');
    expect(words({ unsigned_notes: 2 })[1]).toBe('2 notes beside signed decisions: note not signed.');
    expect(words({ bad_starts: 1 })[1]).toBe('1 signature on the start of a turn does not hold: who started it is not proved.');
    expect(words({ bad_starts: 2 })[1]).toBe('2 signatures on starts of turns do not hold: who started it is not proved.');
  });
});
