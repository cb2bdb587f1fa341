/** Names and other texts of a bundle in sentences: short, and without what would break the line. */
import { Fault, quote } from '../../../../src/audit/verify/fault';

test.each<[unknown, string]>([
  ['ana', '"ana"'],
  ['a\n"b"', '"a\\n\\"b\\""'],
  ['x'.repeat(101), `"${'x'.repeat(100)}"`],
  [`${'x'.repeat(99)}😀`, `"${'x'.repeat(99)}\ufffd"`],
  ['\n'.repeat(100), `"${'\\n'.repeat(59)}\\`],
  [7, '7'],
  [null, 'null'],
  [undefined, 'null'],
  [['x'.repeat(200)], `["${'x'.repeat(118)}`],
])('%j', (text, sentence) => expect(quote(text)).toBe(sentence));

test('a fault has its line, its rule and a sentence', () => {
  expect(new Fault(7, 'H1', 'It is so.')).toMatchObject({ name: 'Fault', line: 7, rule: 'H1', message: 'It is so.' });
});
