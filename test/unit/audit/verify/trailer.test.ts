/** The last line of a bundle: its key, its signature, and the bundle from which it was made. */
import type { EndBody } from '../../../../src/audit/format/lines';
import { beforeRedaction, carriesKey, isSigned, olderBeforeRedaction } from '../../../../src/audit/verify/trailer';
import { canonical } from '../../../../src/shared/json/canonical';
import type { Json } from '../../../../src/shared/json/json';
import { BUNDLE_KEY, REDACTOR_KEY, STRANGER_KEY } from '../../../support/bundle-keys';

function signed(more: object = {}, key = BUNDLE_KEY): EndBody {
  const about = { root: 'a'.repeat(64), lines: 4, complete: true, previous: null, redaction: null };
  const body = { ...about, kid: key.kid, public: key.public, ...more };
  const signature = key.sign(Buffer.from(canonical(body as Json))).toString('base64url');
  return { ...body, signature } as unknown as EndBody;
}

it('a trailer carries an Ed25519 key with its id', () => {
  expect(carriesKey(signed())).toBe(true);
  expect(carriesKey(signed({ kid: STRANGER_KEY.kid }))).toBe(false);
  expect(carriesKey(signed({ public: 'AAAA' }))).toBe(false);
});

it('all of a trailer is signed, in the one spelling of a signature', () => {
  const end = signed();
  expect(isSigned(end)).toBe(true);
  expect(isSigned({ ...end, lines: 5 })).toBe(false);
  expect(isSigned({ ...end, signature: `${end.signature}=` })).toBe(false);
});

describe('a redaction', () => {
  const { root, kid, signature, public: key } = signed({ root: 'b'.repeat(64) });
  const of = { root, kid, signature };
  const made = (before: object) =>
    signed({ redaction: { of: before, parts: 1, payloads: 0, reason: 'private' } }, REDACTOR_KEY) as EndBody;

  it('names the trailer that it replaces; the other fields stay as they were', () => {
    const end = made({ ...of, public: key, redaction: null });
    const before = beforeRedaction(end)!;
    expect(before).toEqual({ ...end, ...of, public: key, redaction: null });
    expect(isSigned(before)).toBe(true);
    expect(beforeRedaction(before)).toBeNull();
  });

  it('with fewer fields names no trailer', () => {
    expect(beforeRedaction(made(of))).toBeNull();
    expect(beforeRedaction(made({ ...of, public: key }))).toBeNull();
    expect(beforeRedaction(made({ ...of, redaction: null }))).toBeNull();
  });

  it('of an older version replaces the trailer that a known key, or its own key, signed', () => {
    const end = made(of);
    const before = { ...end, ...of, public: key, redaction: null };
    expect(olderBeforeRedaction(end, [REDACTOR_KEY, BUNDLE_KEY])).toEqual(before);
    expect(olderBeforeRedaction(end, [REDACTOR_KEY])).toBeNull();
    expect(olderBeforeRedaction(end, [])).toBeNull();
    const own = signed({ root: 'b'.repeat(64) }, REDACTOR_KEY);
    const twice = made({ root: own.root, kid: own.kid, signature: own.signature });
    expect(olderBeforeRedaction(twice, [])).toMatchObject({ public: REDACTOR_KEY.public, redaction: null });
  });

  it('of an older version names no trailer if the signature does not hold, or if the key has another id', () => {
    expect(olderBeforeRedaction(made({ ...of, root: 'c'.repeat(64) }), [BUNDLE_KEY])).toBeNull();
    const renamed = { kid: 'other', public: BUNDLE_KEY.public };
    const { signature: other } = signed({ root, kid: 'other' });
    expect(olderBeforeRedaction(made({ root, kid: 'other', signature: other }), [renamed])).toBeNull();
  });
});
