/** YAML that would exhaust the stack is refused before it is read, wherever people send rules and policies. */
import { parseProposal } from '../../../src/audit/what-if/read-proposal';
import { depthFault } from '../../../src/rules/yaml-depth';
import { parsePermissions } from '../../../src/rules/read-permissions';

const DEEP = [
  '['.repeat(2000),
  '{a: '.repeat(2000),
  '- '.repeat(2000),
  '? '.repeat(2000),
  Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
];

test.each(DEEP)('nested text is refused, and the process lives: %#', (text) => {
  expect(depthFault(text)).toMatch(/deeper than 100/);
  expect(() => parsePermissions(text, 'rules')).toThrow(/rules holds no permission rules: it is nested deeper than 100 levels/);
  for (const proposal of [{ rules: text }, { approvals: text }]) expect(() => parseProposal(proposal)).toThrow(/nested deeper/);
});

test('rules as people write them are read', () => {
  expect(
    depthFault('mode: default\nallow:\n  - pay_invoice when input.items.all(i, i in [1, 2, {"a": 3}.a])\ndeny: [bash(rm *)]\n'),
  ).toBeNull();
});
