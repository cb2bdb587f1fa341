import * as fc from 'fast-check';
import { readDecision } from '../../src/shared/decision';
import type { Json } from '../../src/shared/json';

const call = 'a'.repeat(64);

describe('reading a decision', () => {
  it('takes the fields of the contract', () => {
    expect(readDecision('approve', { call, by: 'ana' })).toEqual({ ok: true, fields: { call, by: 'ana' } });
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
    ['a note that is no text', { call, by: 'ana', note: 1 }],
  ])('refuses %s, and says why', (_what, value) => {
    const read = readDecision('approve', value);
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.reason).not.toBe('');
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('approve', 'deny', 'settle'), (value, kind) => {
        const read = readDecision(kind as 'approve', value as Json);
        if (!read.ok) expect(read.reason.length).toBeLessThan(300);
      }),
    );
  });
});
