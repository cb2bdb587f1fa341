import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { plainSha256Hex, sha256Hex } from '../../../src/shared/json/sha256';
import { utf8 } from '../../../src/shared/text/utf8';
import { runs } from '../../support/runs';

function reference(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

// NIST, "Secure Hash Standard" example values and the million-a vector of FIPS 180-2.
test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  [
    'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
    'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
  ],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
])('a NIST vector hashes as published (%#)', (text, hash) => {
  expect(plainSha256Hex(text)).toBe(hash);
  expect(sha256Hex(text)).toBe(hash);
});

test('every length around the block boundaries agrees with Node', () => {
  for (let length = 0; length <= 200; length++) expect(plainSha256Hex('x'.repeat(length))).toBe(reference('x'.repeat(length)));
});

test('any text agrees with Node, also one with lone surrogates', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), units), (text) =>
      [sha256Hex, plainSha256Hex].every((hash) => hash(text) === reference(text)),
    ),
    {
      numRuns: runs(200, 1000),
    },
  );
});

test('any text has the UTF-8 bytes that Node gives it', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Buffer.from(utf8(text)).equals(Buffer.from(text, 'utf8'))));
});

test('one megabyte has the hash that Node gives it', () => {
  const text = 'é'.repeat(1 << 19);
  expect(plainSha256Hex(text)).toBe(reference(text));
});

test('bytes have the hash that Node gives them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) =>
      [sha256Hex, plainSha256Hex].every((hash) => hash(bytes) === createHash('sha256').update(bytes).digest('hex')),
    ),
    { numRuns: runs(100, 1000) },
  );
});
