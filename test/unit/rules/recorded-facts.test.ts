/** The facts for the rules, written down and read back. */
import { readRecordedFacts, recordedFacts } from '../../../src/rules/recorded-facts';
import type { CallFacts } from '../../../src/rules';
import type { Json, JsonObject } from '../../../src/shared/json/json';

const turn = { untrusted: true, requester: 'rita', agent: 'payables', step: 3 };
const tool = {
  name: 'pay',
  version: '1.2.0',
  class: 'destructive' as const,
  target: 'text' as const,
  schema: { type: 'object' },
};
const call: CallFacts = { tool, input: { a: 1 }, targets: ['x'], turn };
const part = { tool: 'pay', version: '1.2.0', class: 'destructive' as const, input: { a: 1 } };

const read = (facts: Json | undefined) => readRecordedFacts(part, facts, tool.schema);

it('has the tool, the targets of the call, and the turn', () => {
  expect(recordedFacts(call)).toEqual({ egress: false, group: null, read_only: false, target: 'text', targets: ['x'], turn });
  const whole = { ...call, tool: { ...tool, egress: true, group: 'bank', class: 'read' as const }, targets: null };
  expect(recordedFacts(whole)).toEqual({ egress: true, group: 'bank', read_only: true, target: 'text', targets: null, turn });
  expect(recordedFacts({ ...call, tool: { ...tool, class: 'compute' } }).read_only).toBe(true);
  expect(recordedFacts({ ...call, tool: { ...tool, class: 'write' } }).read_only).toBe(false);
  const extra = { ...call, turn: { ...turn, more: 1 } };
  expect(recordedFacts(extra).turn).toEqual(turn);
});

it('has the files that were read, with their hashes at that time', () => {
  const looked: Record<string, string | null> = { '/a': null };
  const facts = recordedFacts({ ...call, files: { hashOf: () => undefined, looked } });
  looked['/b'] = 'x';
  expect(facts.files).toEqual({ '/a': null });
});

it('has as much of each target as a pattern looks at, and no targets if they are too many or malformed', () => {
  const targets = (of: string[]) => recordedFacts({ ...call, targets: of }).targets;
  expect(targets(['x'.repeat(5000)])).toEqual(['x'.repeat(4097)]);
  expect(targets(Array(200).fill('x'))).toHaveLength(200);
  expect(recordedFacts({ ...call, targets: Array(201).fill('x') as string[] })).not.toHaveProperty('targets');
  expect(recordedFacts({ ...call, targets: ['x', '\ud800'] })).not.toHaveProperty('targets');
  expect(targets([`${'x'.repeat(4097)}\ud800`])).toEqual(['x'.repeat(4097)]);
});

it('is read back unchanged', () => {
  const files = { '/a': 'b'.repeat(64), '/b': null };
  const recorded = recordedFacts({ ...call, files: { hashOf: () => null, looked: files } });
  const found = read(recorded)!;
  expect(found).toMatchObject({ tool: { ...tool, egress: false }, input: { a: 1 }, targets: ['x'], turn });
  expect(found.tool).not.toHaveProperty('group');
  expect(found.files!.looked).toEqual(files);
  expect([
    found.files!.hashOf('/a'),
    found.files!.hashOf('/b'),
    found.files!.hashOf('/c'),
    found.files!.hashOf('toString'),
  ]).toEqual(['b'.repeat(64), null, undefined, undefined]);
  expect(read(recordedFacts({ ...call, tool: { ...tool, group: 'bank' } }))!.tool.group).toBe('bank');
  expect(read(recordedFacts(call))).not.toHaveProperty('files');
  for (const target of ['path', 'text', 'command', null] as const)
    expect(read(recordedFacts({ ...call, tool: { ...tool, target } }))!.tool.target).toBe(target);
  expect(read(recordedFacts({ ...call, targets: null }))!.targets).toBeNull();
});

const whole = recordedFacts(call) as JsonObject;
it.each<[string, Json | undefined]>([
  ['egress', undefined],
  ['egress', 'yes'],
  ['target', 'shell'],
  ['target', undefined],
  ['targets', undefined],
  ['targets', 'x'],
  ['targets', ['x', 7]],
  ['turn', undefined],
  ['turn', 'x'],
  ...Object.keys(turn).flatMap((field): [string, Json][] => [
    ['turn', { ...turn, [field]: null }],
    ['turn', { ...turn, [field]: ['x'] }],
  ]),
  ['turn', { ...turn, step: 1.5 }],
  ['turn', { ...turn, step: '3' }],
])('cannot be read if %s is %j', (field, value) => {
  const { [field]: _, ...rest } = whole;
  expect(read(value === undefined ? rest : { ...rest, [field]: value })).toBeNull();
});

it.each([undefined, null, 'x', []])('cannot be read from %j', (facts) => {
  expect(read(facts)).toBeNull();
});

it.each<Json>(['x', ['x'], { '/a': 7 }, { '/a': ['x'] }])('has no files if their place holds %j', (files) => {
  expect(read({ ...whole, files })).not.toHaveProperty('files');
});
