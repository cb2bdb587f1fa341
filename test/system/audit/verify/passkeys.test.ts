/** Decisions by passkey in a bundle, offline: both verifiers accept them, and find each change of them under the stolen key for bundles. */
import { randomBytes } from 'node:crypto';
import { enrolmentHash, type Enrolment } from '../../../../src/attestation/enrolment';
import { readPasskeyDecision, writePasskeyDecision, type PasskeyDecision } from '../../../../src/attestation/passkey-decision';
import { SigningKey } from '../../../../src/attestation/signing-key';
import { verifyBundle } from '../../../../src/audit/verify';
import { describeVerification } from '../../../../src/audit/verify/sentence';
import { forged } from '../../../support/audit/forge';
import { cbor, type Signed } from '../../../support/authenticator';
import { ANA_KEY, BUNDLE_KEY, ENROLLER_KEY, GATEWAY_KEY, sample, TRUST } from '../../../support/bundle-keys';
import { enrolled, passkeyDecision, type Enrolling } from '../../../support/passkeys';
import { sampled } from '../../../support/runs';
import { pythonVerifier } from '../../support/python-verifier';
import { judgedByPython, type Case } from '../support/python';

const python = pythonVerifier();
const both = python === null ? 'ours (the second needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : 'both';

let bundle: string;
/** Ana's, of a security key with ES256, and Bob's, with RS256. */
let texts: string[];
beforeAll(async () => {
  bundle = await sample('passkeys');
  const found = Buffer.concat(
    [...bundle.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map(([, data]) => Buffer.from(data!, 'base64')),
  );
  texts = [...new Set(found.toString().match(/wa1\.[A-Za-z0-9_.-]+/g))];
  expect(texts).toHaveLength(2);
});

const parsed = (which: number) => readPasskeyDecision(texts[which]!)!;

/** The bundle with another text in all places of this one, and all hashes made right. */
function replaced(which: number, text: string): Buffer {
  const edit = (lines: object[]) => {
    const other = JSON.parse(JSON.stringify(lines).replaceAll(texts[which]!, text));
    lines.splice(0, lines.length, ...other);
  };
  return Buffer.from(forged(bundle, edit).text);
}

/** Judged by both; they agree. */
async function judged(cases: Case[]) {
  const ours = [];
  for (const { bytes } of cases) ours.push(await verifyBundle([bytes], TRUST));
  const brief = (one: { verdict: string; line: number | null; rule: string | null }, index: number) =>
    `${cases[index]!.name}: ${one.verdict} at ${one.line} by ${one.rule}`;
  if (python !== null) expect((await judgedByPython(python, cases)).map(brief)).toEqual(ours.map(brief));
  return ours;
}

test(`they hold for ${both}, which say whose passkey it was and who enrolled it`, async () => {
  const [found] = await judged([{ name: 'whole', bytes: Buffer.from(bundle) }]);
  expect(found).toMatchObject({ verdict: 'intact', unchecked_decisions: 0, unsigned_notes: 0 });
  const people = found!.passkeys.map(({ principal, enrolled_by }) => [principal, enrolled_by]).sort();
  expect(people).toEqual([
    ['ana', ENROLLER_KEY.kid],
    ['bob', ENROLLER_KEY.kid],
  ]);
  const words = describeVerification(found!).join('\n');
  expect(words).toContain(`Decisions by passkey ${parsed(0).claims.kid} of "ana", enrolled by ${ENROLLER_KEY.kid}`);
  if (python === null) return;
  const [theirs] = await judgedByPython(python, [{ name: 'whole', bytes: Buffer.from(bundle) }]);
  expect(theirs).toMatchObject({ passkeys: found!.passkeys });
});

test('they need the enroller in the trust file; without anybody’s key they are not checked', async () => {
  const bytes = [Buffer.from(bundle)];
  const without = (...kids: string[]) => TRUST.filter(({ kid }) => !kids.includes(kid));
  expect(await verifyBundle(bytes, without(ENROLLER_KEY.kid))).toMatchObject({ verdict: 'broken', rule: 'H5' });
  const nobody = without(ENROLLER_KEY.kid, GATEWAY_KEY.kid, ANA_KEY.kid);
  expect(await verifyBundle(bytes, nobody)).toMatchObject({ verdict: 'intact', passkeys: [] });
  expect((await verifyBundle(bytes, nobody)).unchecked_decisions).toBeGreaterThan(1);
});

test('a gateway that decides nothing is needed for none of it, and its word counts for no approval', async () => {
  const trust = TRUST.map((key) => (key.kid === GATEWAY_KEY.kid ? { ...key, decides: false as const } : key));
  expect(await verifyBundle([Buffer.from(bundle)], trust)).toMatchObject({ verdict: 'intact', bad_starts: 0 });
  expect(await verifyBundle([Buffer.from(await sample('quorum'))], trust)).toMatchObject({ verdict: 'broken', rule: 'H5' });
});

test('a passkey or an enroller that was revoked before counts no more, and one that was revoked afterwards does', async () => {
  const bytes = [Buffer.from(bundle)];
  const { kid } = parsed(0).claims;
  for (const [revoked_at, verdict] of [
    ['2026-02-01T00:00:00.000Z', 'broken'],
    ['2100-01-01T00:00:00.000Z', 'intact'],
  ] as const) {
    expect(await verifyBundle(bytes, [...TRUST, { kid, use: 'passkey', revoked_at }])).toMatchObject({ verdict });
    const enroller = TRUST.map((key) => (key.kid === ENROLLER_KEY.kid ? { ...key, revoked_at } : key));
    expect(await verifyBundle(bytes, enroller)).toMatchObject({ verdict });
  }
});

describe.each([
  ['ES256', 0],
  ['RS256', 1],
] as const)('each byte that is changed is found by %s', (alg, which) => {
  const parts = ['claims', 'authenticator data', 'client data', 'signature', 'enrolment', 'signature of the enrolment'];
  it.each(parts.map((name, index) => [name, index] as const))(`in the %s, ${alg}`, async (name, index) => {
    const bytes = Buffer.from(texts[which]!.split('.')[index + 1]!, 'base64url');
    const all = Array.from({ length: bytes.length }, (_, at): Case => {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      const text = texts[which]!.split('.')
        .toSpliced(index + 1, 1, changed.toString('base64url'))
        .join('.');
      return { name: `byte ${at} of the ${name}`, bytes: replaced(which, text) };
    });
    const isAssertion = index >= 1 && index <= 3;
    // Short parts have some cases on each day as well.
    const cases = sampled(all, isAssertion && alg === 'ES256' ? 15 : Math.min(80, Math.floor(all.length / 3)));
    const found = await judged(cases);
    expect(found.filter(({ verdict }) => verdict !== 'broken')).toEqual([]);
    expect(cases.length).toBeGreaterThan(1);
  });
});

describe('a decision in the place of Ana’s', () => {
  /** Signed anew by a passkey that this key enrols, for the same call. */
  const anew = (key: SigningKey, enrolling: Enrolling = {}, changed: Partial<Signed> = {}, claims: object = {}): string => {
    const { kid: _, enrolment: __, nonce: ___, ...said } = parsed(0).claims;
    const person = enrolled(key, enrolling);
    return passkeyDecision(person, { ...said, nonce: randomBytes(16).toString('base64url'), ...claims }, changed);
  };
  /** Ana's own, with something else in it. */
  const changed = (change: (decision: PasskeyDecision) => PasskeyDecision): string => writePasskeyDecision(change(parsed(0)));
  const at = () => parsed(0).claims.iat;
  const enrolledThen = (more: Partial<Enrolment> = {}): Enrolling => ({ changed: { iat: at(), ...more } });

  const right: [string, () => string][] = [
    ['by another passkey of hers', () => anew(ENROLLER_KEY, enrolledThen())],
    ['by EdDSA', () => anew(ENROLLER_KEY, { ...enrolledThen(), alg: 'EdDSA' })],
    ['by a synced passkey', () => anew(ENROLLER_KEY, enrolledThen(), { flags: 0x1d, counter: 0 })],
    ['with extensions', () => anew(ENROLLER_KEY, enrolledThen(), { flags: 0x85, extensions: cbor(new Map([['a', 1]])) })],
    ['with another member in the client data', () => anew(ENROLLER_KEY, enrolledThen(), { clientData: { more: 'é' } })],
    ['in an enrolment that ends later', () => anew(ENROLLER_KEY, enrolledThen({ exp: at() + 86_400 }))],
  ];
  const wrong: [string, () => string][] = [
    ['enrolled by a gateway', () => anew(GATEWAY_KEY, enrolledThen())],
    ['enrolled by herself', () => anew(ANA_KEY, enrolledThen())],
    ['enrolled by a key for bundles', () => anew(BUNDLE_KEY, enrolledThen())],
    ['enrolled by a stranger', () => anew(SigningKey.generate(), enrolledThen())],
    ['enrolled by a stranger in the enroller’s name', () => anew(SigningKey.generate(), enrolledThen({ kid: ENROLLER_KEY.kid }))],
    [
      'of another person’s passkey',
      () => anew(ENROLLER_KEY, { ...enrolledThen(), principal: 'mallory' }, {}, { principal: 'ana' }),
    ],
    ['in a role that the enrolment does not give', () => anew(ENROLLER_KEY, { ...enrolledThen(), roles: [] })],
    ['in an enrolment that had ended', () => anew(ENROLLER_KEY, enrolledThen({ exp: at() - 5 }))],
    [
      'in an enrolment from before its enroller',
      () => anew(ENROLLER_KEY, enrolledThen({ iat: Date.parse('2025-06-01') / 1000 })),
    ],
    ['without verification of its person', () => anew(ENROLLER_KEY, enrolledThen(), { flags: 0x01 })],
    ['without its person', () => anew(ENROLLER_KEY, enrolledThen(), { flags: 0x04 })],
    ['with a key in the authenticator data', () => anew(ENROLLER_KEY, enrolledThen(), { flags: 0x45 })],
    ['backed up, and never to be', () => anew(ENROLLER_KEY, enrolledThen(), { flags: 0x15 })],
    ['on another page', () => anew(ENROLLER_KEY, enrolledThen(), { origin: 'https://evil.example' })],
    ['for another site', () => anew(ENROLLER_KEY, enrolledThen(), { rpId: 'evil.example' })],
    ['in a frame', () => anew(ENROLLER_KEY, enrolledThen(), { clientData: { crossOrigin: true } })],
    [
      'in a frame, by another member',
      () => anew(ENROLLER_KEY, enrolledThen(), { clientData: { topOrigin: 'https://evil.example' } }),
    ],
    ['as a registration', () => anew(ENROLLER_KEY, enrolledThen(), { clientData: { type: 'webauthn.create' } })],
    ['with another challenge', () => anew(ENROLLER_KEY, enrolledThen(), { clientData: { challenge: 'AAAA' } })],
    ['with a list in the client data', () => anew(ENROLLER_KEY, enrolledThen(), { clientData: { more: [] } })],
    ['with a number in the client data', () => anew(ENROLLER_KEY, enrolledThen(), { clientData: { more: 1 } })],
    ['with client data that says its origin twice', () => anew(ENROLLER_KEY, enrolledThen(), { clientDataText: twice() })],
    ['with bytes after the authenticator data', () => anew(ENROLLER_KEY, enrolledThen(), { extensions: Buffer.from([0]) })],
    [
      'with extensions that are none',
      () => anew(ENROLLER_KEY, enrolledThen(), { flags: 0x85, extensions: Buffer.from('a1', 'hex') }),
    ],
    ['for another call', () => anew(ENROLLER_KEY, enrolledThen(), {}, { digest: 'a'.repeat(64) })],
    [
      'for another turn',
      () => anew(ENROLLER_KEY, enrolledThen(), {}, { aud: { ...parsed(0).claims.aud, workflow_id: 'turn/x' } }),
    ],
    ['to deny', () => anew(ENROLLER_KEY, enrolledThen(), {}, { decision: 'deny' })],
    ['with a note', () => anew(ENROLLER_KEY, enrolledThen(), {}, { note_hash: 'a'.repeat(64) })],
    ['of before', () => anew(ENROLLER_KEY, enrolledThen(), {}, { iat: at() - 7200, exp: at() - 3600 })],
    ['by the signature of Bob', () => changed((one) => ({ ...one, assertion: parsed(1).assertion }))],
    ['in the enrolment of Bob', () => changed((one) => ({ ...parsed(1), claims: one.claims, assertion: one.assertion }))],
    ['in the claims of a key', () => changed((one) => ({ ...one, claims: { ...one.claims, v: 'holdfast.decision/3' } }))],
    ['by the other signature of its curve', () => changed(otherSignature)],
    ['under another enrolment of the same passkey', () => changed(enrolledAgain)],
    ['that is no text of this kind', () => texts[0]!.replace('wa1.', 'wa2.')],
    ['without its last part', () => texts[0]!.split('.').slice(0, -1).join('.')],
  ];
  const twice = () => {
    const challenge = 'AAAA';
    return `{"type":"webauthn.get","challenge":"${challenge}","origin":"https://evil.example","origin":"https://desk.example"}`;
  };
  const otherSignature = (one: PasskeyDecision): PasskeyDecision => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const [r, s] = [one.assertion.signature.subarray(0, 32), Buffer.from(one.assertion.signature.subarray(32))];
    const other = (order - BigInt(`0x${s.toString('hex')}`)).toString(16).padStart(64, '0');
    return { ...one, assertion: { ...one.assertion, signature: Buffer.concat([r, Buffer.from(other, 'hex')]) } };
  };
  const enrolledAgain = (one: PasskeyDecision): PasskeyDecision => {
    const enrolment = { ...one.enrolment, nonce: 'b'.repeat(22) };
    expect(enrolmentHash(enrolment)).not.toBe(one.claims.enrolment);
    const [, seal] = ENROLLER_KEY.token(enrolment).split('.');
    return { ...one, enrolment, enrolmentSignature: Buffer.from(seal!, 'base64url') };
  };

  it(`holds for ${both} if a passkey of hers signed it`, async () => {
    const cases = right.map(([name, text]) => ({ name, bytes: replaced(0, text()) }));
    const found = await judged(cases);
    expect(found.map(({ verdict }, index) => `${cases[index]!.name}: ${verdict}`)).toEqual(
      cases.map(({ name }) => `${name}: intact`),
    );
  });

  it(`is found by ${both}, at the same line, if none did`, async () => {
    const cases = wrong.map(([name, text]) => ({ name, bytes: replaced(0, text()) }));
    const found = await judged(cases);
    expect(found.map(({ verdict }, index) => `${cases[index]!.name}: ${verdict}`)).toEqual(
      cases.map(({ name }) => `${name}: broken`),
    );
  });
});
