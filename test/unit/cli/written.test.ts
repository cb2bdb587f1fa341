/** The report of `audit export` on the file that it wrote. */
import { describeBundle, type WrittenBundle } from '../../../src/cli/support/write-whole';

const written: WrittenBundle = {
  lines: 40,
  bytes: 9000,
  root: 'a'.repeat(64),
  complete: true,
  contradiction: null,
  kid: 'k',
  receipts: 0,
};

it('a complete bundle: its size, its signer, its root', () => {
  expect(describeBundle('t.jsonl', written)).toEqual(['t.jsonl: 40 lines, 9000 bytes, signed by k', `root ${'a'.repeat(64)}`]);
});

it('says so for a bundle that contradicts itself, and for an incomplete one', () => {
  expect(describeBundle('t.jsonl', { ...written, contradiction: { line: 31, rule: 'D5' } }).slice(2)).toEqual([
    'It contradicts itself at line 31 (D5), and is signed as contradictory: see `holdfast audit verify`.',
  ]);
  expect(describeBundle('t.jsonl', { ...written, complete: false }).slice(2)).toEqual([
    'It is incomplete: each turn_end line says why.',
  ]);
});
