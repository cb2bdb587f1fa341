/** Signed decisions by somebody who knows the format and has a key. Each test is named after what it prevents. */
import { createHmac, createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { attestDecision } from '../../../src/attestation/bundle-signer';
import { readDeputyship } from '../../../src/attestation/deputyship';
import { GatewayWord, trustedEntry } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import { LONGEST_TOKEN, readToken, startClaims } from '../../../src/attestation/claims';
import { parseTrustedKeys } from '../../../src/attestation/trusted-keys';
import { samePerson } from '../../../src/shared/approval/approval';
import { canonical } from '../../../src/shared/json/canonical';
import { readDecision } from '../../../src/shared/approval/decision';
import type { Json } from '../../../src/shared/json/json';
import { AUDIENCE as aud, SIGNED_TURN as turn, Signers } from '../../support/signers';

const DIGEST = 'a'.repeat(64);
const approval = { aud, digest: DIGEST, decision: 'approve' as const, principal: 'mallory', roles: [], head: null };
/** Order of the group that Ed25519 signatures are made in (RFC 8032, 5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

describe('nobody can', () => {
  let signers: Signers;
  /** Trusted, and for mallory only: what is signed with it bears a good signature. */
  let own: SigningKey;
  let secret: KeyObject;
  beforeEach(async () => {
    signers = new Signers();
    own = signers.person('mallory');
    secret = createPrivateKey(readFileSync(await signers.file(own)));
  });
  afterEach(() => signers.remove());

  const check = (attestation: string, digest = DIGEST) => {
    const at = new Date().toISOString();
    const said = { turn, decision: 'approve' as const, outcome: null, digest, tool: 'pay', attestation, input_hash: null, at };
    return signers.trust.check(said, []);
  };
  const claims = () => readToken(attestDecision(own, approval, null))!.claims as Record<string, Json>;
  /** Signs exactly these bytes, as no client of ours would. */
  const signedText = (text: string) =>
    `${Buffer.from(text).toString('base64url')}.${sign(null, Buffer.from(text), secret).toString('base64url')}`;
  const form = { ok: false, reason: expect.stringContaining('form') };

  it('make the decision that these tests vary fail for another reason: unchanged, it counts', async () => {
    expect(await check(signedText(canonical(claims())))).toEqual({ ok: true, principal: 'mallory' });
  });

  it('use what a gateway says of a sign-in as a decision, nor a decision as a sign-in', async () => {
    const { v: _, ...rest } = claims();
    const statement = { ...rest, v: 'holdfast.gateway-says/sign-in' } as const;
    const word = new GatewayWord(signers.gateway, 'store', async () => []);
    const { signature } = word.say(statement);
    const said = canonical({ ...statement, store_id: 'store' });
    expect(await check(`${Buffer.from(said).toString('base64url')}.${signature}`)).toEqual(form);
    expect(startClaims(JSON.parse(said) as Json)).toBeNull();
    expect(readDeputyship(JSON.parse(said) as Json)).toBeNull();
    const decision = attestDecision(signers.gateway, approval, null).split('.')[1]!;
    const isSaid = await word.check();
    expect(isSaid(statement, { kid: signers.gateway.kid, signature })).toBe(true);
    expect(isSaid(statement, { kid: signers.gateway.kid, signature: decision })).toBe(false);
  });

  it('choose the algorithm: there is one, and no field for it', async () => {
    for (const alg of ['none', 'HS256', 'EdDSA', 'ES256'])
      expect(await check(signedText(canonical({ ...claims(), alg })))).toEqual(form);
    const body = Buffer.from(canonical(claims())).toString('base64url');
    const mac = createHmac('sha256', own.public).update(body).digest();
    const headers = ['none', 'HS256'].map((alg) => Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url'));
    for (const header of headers) {
      for (const token of [`${header}.${body}.`, `${header}.${body}.${mac.toString('base64url')}`])
        expect(await check(token)).toEqual(form);
    }
    // A MAC that is as long as a signature, keyed with what everybody knows.
    const long = Buffer.concat([mac, mac]).toString('base64url');
    expect(await check(`${body}.${long}`)).toEqual({ ok: false, reason: 'its signature is not right' });
    expect(await check(`${body}.`)).toEqual(form);
    expect(await check(`${body}.${Buffer.alloc(64).toString('base64url')}`)).toMatchObject({ ok: false });
  });

  it('say one thing to one reader and another to the next: fields twice, other orders, other spellings', async () => {
    const text = canonical(claims());
    const spellings = [
      text.replace('"principal":"mallory"', '"principal":"ana","principal":"mallory"'),
      text.replace('"principal":"mallory"', '"principal":"mallory","principal":"ana"'),
      text.replace(/^\{/, '{"digest":"x",'),
      text.replace('mallory', '\\u006dallory'),
      text.replace('"iat":', '"iat": '),
      text.replace(/"iat":(\d+)/, '"iat":$1.0'),
      `${text}\n`,
      `\ufeff${text}`,
      JSON.stringify(Object.fromEntries(Object.entries(claims()).reverse())),
      `[${text}]`,
    ];
    for (const other of spellings) {
      expect(other).not.toBe(text);
      expect(await check(signedText(other))).toEqual(form);
    }
  });

  it('make a second signature out of a first one', async () => {
    const [body, seal] = signedText(canonical(claims())).split('.') as [string, string];
    const bytes = Buffer.from(seal, 'base64url');
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + ORDER;
    const other = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
    const forged = Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url');
    expect(forged).toHaveLength(86);
    expect(await check(`${body}.${forged}`)).toEqual({ ok: false, reason: 'its signature is not right' });
  });

  it('sign for longer than a day, for ever, or for a malformed time', async () => {
    const now = Math.floor(Date.now() / 1000);
    const never: [Json, Json][] = [
      [now, now + 24 * 3600 + 1],
      [now, 253402300800],
      [now, Number.MAX_SAFE_INTEGER],
      [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
      [0, now + 60],
      [now + 60, now],
      [-1, now + 60],
      [now - 0.5, now + 60],
      [now, '9999999999'],
      [now, null],
      [now, [now + 60]],
    ];
    for (const [iat, exp] of never)
      expect(await check(signedText(canonical({ ...claims(), iat, exp })))).toMatchObject({ ok: false });
  });

  it('use one nonce to have one signature count for two calls', async () => {
    const other = 'b'.repeat(64);
    const first = claims();
    const second = { ...first, digest: other };
    const tokens = [first, second].map((each) => signedText(canonical(each))) as [string, string];
    expect(await check(tokens[0])).toMatchObject({ ok: true });
    expect(await check(tokens[1], other)).toMatchObject({ ok: true }); // signed, each for its own
    expect(await check(tokens[0], other)).toMatchObject({ ok: false, reason: 'it was signed for another call' });
    expect(await check(tokens[1])).toMatchObject({ ok: false, reason: 'it was signed for another call' });
  });

  it('sign under the id of somebody else’s key, or have one id stand for two people', async () => {
    const posing = { ...claims(), kid: signers.gateway.kid, principal: 'ana' };
    expect(await check(signedText(canonical(posing)))).toEqual({ ok: false, reason: 'its signature is not right' });
    const entry = trustedEntry(own, { principal: 'mallory' });
    const list = (...entries: object[]) => parseTrustedKeys(JSON.stringify(entries), 'trusted.json');
    expect(() => list(entry, { ...entry, principal: 'ana' })).toThrow('stands in it twice');
    expect(() => list({ ...entry, kid: signers.gateway.kid })).toThrow('kid must be');
    expect(() => list({ ...entry, use: 'gateway' })).toThrow('names no principal');
    expect(list(entry)).toHaveLength(1);
  });

  it('be somebody else by a name that looks the same', async () => {
    const ana = signers.person('ana');
    for (const principal of ['\u0430na', 'an\u03b1', 'ana.', 'αna', '4na'])
      expect(await check(attestDecision(ana, { ...approval, principal }, null))).toMatchObject({
        ok: false,
        reason: expect.stringContaining('speaks for "ana" only'),
      });
    // What differs only in what nobody sees is one person, who counts once.
    for (const alike of ['ANA', 'ａｎａ', ' ana\t', 'a\u200bna', '\u202eana', 'ana\ufe0f', 'a\u00adna', '\u0000ana'])
      expect(samePerson('ana', alike)).toBe(true);
    expect(samePerson('ana maria', 'anamaria')).toBe(false);
    expect(samePerson('jose\u0301', 'jos\u00e9')).toBe(true);
  });

  it('be nobody, under a name that shows nothing', () => {
    for (const by of ['', ' ', '\u200b', '\ufeff\u2060', '\u0000'])
      expect(readDecision('approve', { call: DIGEST, by })).toMatchObject({ ok: false });
  });

  it('hand in more than is accepted: longer texts, longer lists, other fields', async () => {
    const token = attestDecision(own, approval, null);
    const padded = `${'A'.repeat(LONGEST_TOKEN)}${token}`;
    expect(await check(padded)).toEqual(form);
    expect(() => SigningKey.generate().token({ ...claims(), principal: 'x'.repeat(4000) })).toThrow(RangeError);
    const many = Array.from({ length: 10_000 }, (_, n) => n.toString(16).padStart(64, '0'));
    const decisions: Json[] = [
      { call: DIGEST, attestation: padded },
      { call: DIGEST, attestation: { token } },
      { call: DIGEST, attestation: [token, token] },
      { call: DIGEST, attestation: null },
      { call: token },
      { call: DIGEST, by: token },
      { call: DIGEST, note: token },
      { call: DIGEST, attestations: token },
      { call: DIGEST, Attestation: token },
      { call: DIGEST, by: 'ana', principal: 'ana' },
      { calls: many, by: 'ana' },
      { calls: [DIGEST, DIGEST], by: 'ana' },
      { calls: [DIGEST], attestation: [token, `${token}A`] },
    ];
    for (const decision of decisions) {
      const read = readDecision('approve', decision);
      expect(read).toMatchObject({ ok: false });
      if (!read.ok) expect(read.reason.length).toBeLessThan(300);
    }
    // In the place of the note it is text, and the decision is a bare one.
    const noted = readDecision('approve', { call: DIGEST, by: 'ana', note: token });
    expect(noted).toMatchObject({ ok: true, fields: { by: 'ana', attestations: [] } });
  });
});
