/** What stands in for Node in the browser's verifier answers as Node does. */
import { isUtf8 as isUtf8InNode } from 'node:buffer';
import * as node from 'node:crypto';
import fc from 'fast-check';
import { isUtf8, PageBuffer } from '../../../packages/page/src/verifier/buffer';
import { createHash, createPublicKey, verify } from '../../../packages/page/src/verifier/node-crypto';
import { runs } from '../../support/runs';

const bytes = fc.uint8Array({ maxLength: 80 });
const ENCODINGS = ['utf8', 'hex', 'base64', 'base64url'] as const;

describe('its buffer', () => {
  it('writes and reads texts as Node does, whatever stands in them', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[A-Za-z0-9+/_=-]*$/),
      fc.stringMatching(/^[0-9a-fA-F]*$/),
    );
    fc.assert(
      fc.property(text, bytes, fc.constantFrom(...ENCODINGS), (input, content, encoding) => {
        fc.pre(input.isWellFormed());
        expect([...PageBuffer.from(input, encoding)]).toEqual([...Buffer.from(input, encoding)]);
        expect(PageBuffer.from(content).toString(encoding)).toBe(Buffer.from(content).toString(encoding));
      }),
      // A character whose low bytes are digits: Node reads those.
      { examples: [['\u{dd261}', new Uint8Array(), 'hex']] },
    );
  });

  it('joins, compares and cuts as Node does', () => {
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const [mine, theirs] = [PageBuffer.concat([PageBuffer.from(one), other]), Buffer.concat([one, other])];
        expect([...mine]).toEqual([...theirs]);
        expect(mine.equals(theirs)).toBe(true);
        expect(PageBuffer.from(one).equals(other)).toBe(Buffer.from(one).equals(other));
        expect(mine.subarray(1)).toBeInstanceOf(PageBuffer);
        expect(isUtf8(one)).toBe(isUtf8InNode(one));
      }),
    );
    const view = Uint8Array.from([0, 1, 2, 3, 4, 5]).buffer;
    expect([...PageBuffer.from(view, 1, 4)]).toEqual([1, 2, 3, 4]);
    expect(PageBuffer.from([0, 1, 2, 3, 4, 5]).readUInt32BE(1)).toBe(0x01020304);
  });
});

describe('its cryptography', () => {
  const pairs = {
    ed25519: node.generateKeyPairSync('ed25519'),
    es256: node.generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    rs256: node.generateKeyPairSync('rsa', { modulusLength: 2048 }),
  };

  it.each(Object.entries(pairs))(
    'accepts signatures by %s, and none of which a byte was changed',
    (kind, { publicKey, privateKey }) => {
      const algorithm = kind === 'ed25519' ? null : 'sha256';
      const key = createPublicKey({ key: publicKey.export({ format: 'jwk' }) as Record<string, unknown>, format: 'jwk' });
      const of = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
      fc.assert(
        fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (data, place, change) => {
          const signature = node.sign(algorithm, data, of);
          expect(verify(algorithm, data, key, signature)).toBe(true);
          const forged = Uint8Array.from(signature);
          forged[place % forged.length]! ^= change;
          expect(verify(algorithm, data, key, forged)).toBe(false);
          expect(verify(algorithm, Uint8Array.from([...data, 0]), key, signature)).toBe(false);
        }),
        { numRuns: runs(20, 200) },
      );
      for (const junk of [new Uint8Array(0), new Uint8Array(64), new Uint8Array(256), new Uint8Array(1000)])
        expect(verify(algorithm, new Uint8Array(1), key, junk)).toBe(false);
    },
  );

  it('reads the keys of trust files', () => {
    const der = pairs.ed25519.publicKey.export({ format: 'der', type: 'spki' });
    const data = Uint8Array.from([1, 2, 3]);
    const key = createPublicKey({ key: der, format: 'der' });
    expect(verify(null, data, key, node.sign(null, data, pairs.ed25519.privateKey))).toBe(true);
  });

  it('refuses points that are on no curve', () => {
    const jwk = pairs.es256.publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
    expect(() => createPublicKey({ key: { ...jwk, y: jwk.x }, format: 'jwk' })).toThrow();
    expect(() => createPublicKey({ key: { kty: 'oct', k: 'AAAA' }, format: 'jwk' })).toThrow();
  });

  it('hashes as Node does', () => {
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const theirs = node.createHash('sha256').update(one).update(other).digest('hex');
        expect(createHash('sha256').update(one).update(other).digest('hex')).toBe(theirs);
      }),
    );
  });
});
