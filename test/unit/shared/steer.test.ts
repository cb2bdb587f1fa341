import * as fc from 'fast-check';
import { canonical } from '../../../src/shared/json/canonical';
import type { Json } from '../../../src/shared/json/json';
import { readSteer, steerDigest } from '../../../src/shared/approval/decision';
import { anyJson } from './any-json';

describe('reading a message to a turn', () => {
  it('takes the fields of the contract', () => {
    const plain = { text: 'Stop.', by: 'bob', attestation: null };
    expect(readSteer({ text: 'Stop.', by: 'bob' })).toEqual({ ok: true, fields: plain });
    expect(readSteer({ text: 'x'.repeat(4000), attestation: 'e30.abc_-' })).toMatchObject({
      ok: true,
      fields: { by: '', attestation: 'e30.abc_-' },
    });
  });

  it('refuses every message that could not be stored, and says why', () => {
    const near = fc.record(
      { text: fc.oneof(anyJson, fc.string({ unit: 'binary' })), by: fc.oneof(anyJson, fc.string()), attestation: anyJson },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anyJson, near as fc.Arbitrary<Json>), (value) => {
        const read = readSteer(value);
        if (!read.ok) return expect(read.reason.length).toBeLessThan(200);
        expect(read.fields.text.length).toBeLessThanOrEqual(4000);
        canonical(read.fields as unknown as Json); // it goes into the transcript
      }),
    );
    expect(readSteer({ text: 'half \ud83d', by: 'bob' }).ok).toBe(false);
    expect(readSteer({ text: 'whole', by: 'bob \udc00' }).ok).toBe(false);
    expect(readSteer(JSON.parse('{"__proto__": {"text": "x"}, "text": "x", "by": "bob"}') as Json).ok).toBe(false);
  });

  it('names a text by a hash that no call’s digest is', () => {
    expect(steerDigest('Stop.')).not.toBe(steerDigest('Stop. '));
    expect(steerDigest('Stop.')).toMatch(/^[0-9a-f]{64}$/);
  });
});
