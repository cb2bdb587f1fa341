import fc from 'fast-check';
import { changedFields, changedLines } from '../../../packages/page/src/lib/diff';
import type { Json } from '../../../src/shared/json/json';

it('names each field that differs, with both values', () => {
  const before = { payee: 'Acme', cents: 100, lines: [{ item: 'a' }, { item: 'b' }], 'odd name': 1 };
  const after = { payee: 'Bolt', cents: 100, lines: [{ item: 'a' }], note: 'x', 'odd name': 2 };
  expect(changedFields(before, after)).toEqual([
    { path: 'payee', before: 'Acme', after: 'Bolt' },
    { path: 'lines[1]', before: { item: 'b' } },
    { path: '["odd name"]', before: 1, after: 2 },
    { path: 'note', after: 'x' },
  ]);
});

it('finds nothing in equal values, and something in all others', () => {
  const value = fc.jsonValue().map((one) => JSON.parse(JSON.stringify(one)) as Json);
  fc.assert(fc.property(value, (one) => expect(changedFields(one, structuredClone(one))).toEqual([])));
  fc.assert(
    fc.property(value, value, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      const sameFields = changedFields(one, other).length === 0;
      // Objects that differ only in the order of their fields are equal.
      expect(sameFields).toBe(sortedText(one) === sortedText(other));
    }),
  );
});

function sortedText(value: Json): string {
  return JSON.stringify(value, (_key, one: Json) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

it('has both texts in the lines that changed', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 30 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = changedLines(before, after);
      const of = (...kinds: string[]) => changes.filter(({ is }) => kinds.includes(is)).map((change) => change.text);
      expect(of('same', 'removed').join('\n')).toBe(before);
      expect(of('same', 'added').join('\n')).toBe(after);
    }),
  );
});

it('shows a line that was added as one added line', () => {
  expect(changedLines('a\nb\nc', 'a\nb\nx\nc').filter(({ is }) => is !== 'same')).toEqual([{ is: 'added', text: 'x' }]);
});

it('compares long texts as two blocks', () => {
  const lines = (mark: string) => Array.from({ length: 1000 }, (_, index) => `${mark}${index}`).join('\n');
  const changes = changedLines(lines('a'), lines('b'));
  expect(changes).toHaveLength(2000);
});
