import * as fc from 'fast-check';
import * as shared from '../../../src/shared/json/digests';
import { hashJson, inputDigest } from '../../../src/store/core/seal';
import { anyJson } from '../shared/any-json';

test('the digests of Node are those of the workflow, for whatever JSON', () => {
  fc.assert(
    fc.property(anyJson, fc.string({ unit: 'grapheme' }), (input, tool) => {
      expect(hashJson(input)).toBe(shared.hashJson(input));
      expect(inputDigest({ tool, version: '1.0.0', input })).toBe(shared.inputDigest({ tool, version: '1.0.0', input }));
    }),
  );
});

test('what has no canonical form is refused by both', () => {
  for (const hash of [hashJson, shared.hashJson]) expect(() => hash(2 ** 53)).toThrow(/beyond/);
});
