import * as fc from 'fast-check';
import { readDecision } from '../../../src/shared/approval/decision';
import type { Json } from '../../../src/shared/json/json';

const call = 'a'.repeat(64);

describe('reading a decision', () => {
  it('takes the fields of the contract', () => {
    const plain = { calls: [call], by: 'ana', note: null, input: null, outcome: null, attestations: [] };
    expect(readDecision('approve', { call, by: 'ana' })).toEqual({ ok: true, fields: plain });
    const other = 'b'.repeat(12);
    expect(readDecision('approve', { calls: [call, other], by: 'ana' })).toEqual({
      ok: true,
      fields: { ...plain, calls: [call, other] },
    });
    expect(readDecision('approve', { call, attestation: 'e30.abc_-' })).toMatchObject({ ok: true, fields: { by: '' } });
    expect(readDecision('deny', { call: call.slice(0, 12), by: 'ana', note: 'no' })).toMatchObject({
      ok: true,
      fields: { note: 'no' },
    });
    expect(readDecision('settle', { call, by: 'ana', outcome: 'applied' })).toMatchObject({
      ok: true,
      fields: { outcome: 'applied' },
    });
  });

  it.each<[string, Json]>([
    ['nothing', null],
    ['text', 'approve'],
    ['a list', [{ call, by: 'ana' }]],
    ['no name', { call }],
    ['a blank name', { call, by: '  ' }],
    ['a short digest', { call: 'abcdef12345', by: 'ana' }],
    ['a digest in capitals', { call: call.toUpperCase(), by: 'ana' }],
    ['a field of its own', { call, by: 'ana', approved: true }],
    ['no call', { by: 'ana' }],
    ['a call and a list', { call, calls: [call], by: 'ana' }],
    ['a list that names a call twice', { calls: [call, call], by: 'ana' }],
    ['an empty list', { calls: [], by: 'ana' }],
    [
      'more calls than one step has',
      { calls: Array.from({ length: 65 }, (_, i) => i.toString(16).padStart(12, '0')), by: 'ana' },
    ],
    ['another input for two calls', { calls: [call, 'b'.repeat(12)], by: 'ana', input: {} }],
    ['an input that is no object', { call, by: 'ana', input: [1] }],
    ['fewer signatures than calls', { calls: [call, 'b'.repeat(12)], attestation: 'abc' }],
    ['a note that is no text', { call, by: 'ana', note: 1 }],
    ['half a character in a note', { call, by: 'ana', note: 'half \ud83d' }],
    ['half a character in a name', { call, by: 'ana \udc00' }],
    ['half a character in another input', { call, by: 'ana', input: { list: [{ '\ud83d': 1 }] } }],
    ['a number that is not kept exactly', { call, by: 'ana', input: { cents: 2 ** 53 } }],
  ])('refuses %s, and says why', (_what, value) => {
    const read = readDecision('approve', value);
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.reason).not.toBe('');
  });

  it('never throws, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('approve', 'deny', 'settle'), (value, kind) => {
        const read = readDecision(kind as 'approve', value as Json);
        if (!read.ok) expect(read.reason.length).toBeLessThan(300);
      }),
    );
  });
});
