import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCases } from '../../../src/evals/case';
import { caseFolder } from './case-folder';

const names = (files: Record<string, string>) => readCases(caseFolder(files)).map(({ name }) => name);

it('finds cases as files and as folders, and leaves other files alone', () => {
  const files = {
    'b.yaml': 'message: B',
    'a.json': '{"message": "A"}',
    'group/c.yml': 'message: C',
    'whole/case.yaml': 'message: D',
    'whole/other.json': '{}',
    'notes.md': '# Notes',
    'node_modules/x/case.yaml': 'no: case',
  };
  expect(names(files)).toEqual(['a', 'b', 'group/c', 'whole']);
});

it('reads one case by its file, and by its folder', () => {
  const folder = caseFolder({ 'whole/case.yaml': 'message: D', 'b.yaml': 'message: B' });
  expect(readCases(join(folder, 'b.yaml'))).toMatchObject([{ name: 'b', message: 'B', minutes: 10 }]);
  expect(readCases(join(folder, 'whole'))).toMatchObject([{ name: 'whole', message: 'D' }]);
});

it('takes results and turns from the recording, and results of the case before those', () => {
  const recording = { tools: { a: [{ result: 1 }], b: [{ result: 2 }] }, turns: { payables: [{ asked: 'Pay.', answers: [] }] } };
  const folder = caseFolder({
    'case.yaml': 'message: Pay.\nmodel: recorded\nrecording: recording.json\ntools: {b: [{result: 3}]}',
    'recording.json': JSON.stringify(recording),
  });
  expect(readCases(folder)[0]).toMatchObject({ tools: { a: [{ result: 1 }], b: [{ result: 3 }] }, turns: recording.turns });
});

it.each([
  ['no message', 'agent: x', /holds no case:[^]*message/],
  ['an unknown field', 'message: A\nexpects: {}', /expects/],
  ['broken YAML', 'message: [', /line \d/],
  ['an alias', 'message: &a x\nagent: *a', /a\.yaml holds no case/],
  ['a rubric that is not there', 'message: A\nrubric: ./none.ts', /do not exist: \.\/none\.ts/],
  ['recorded answers without a recording', 'message: A\nmodel: recorded', /no recording/],
  ['an error code that there is not', 'message: A\ntools: {t: [{error: {code: OOPS, message: m}}]}', /a code of INVALID_PARAMS/],
  ['a pattern that is none', 'message: A\nexpect: {text: {matches: "["}}', /must be a regular expression/],
  ['a decision that decides nothing', 'message: A\ndecisions: [{tool: t}]', /one of: approve; deny/],
])('refuses %s', (_, text, reason) => {
  expect(() => readCases(caseFolder({ 'a.yaml': text }))).toThrow(reason);
});

it('reads the case of docs/evals.md', () => {
  const page = readFileSync(join(__dirname, '../../../docs/evals.md'), 'utf8');
  const [, yaml] = /```yaml\n([^]*?)```/.exec(page)!;
  expect(readCases(caseFolder({ 'pays.yaml': yaml! }))).toMatchObject([
    { name: 'pays', agent: 'payables', decisions: [{ tool: 'pay_invoice', approve: 'ana' }], expect: { in_order: true } },
  ]);
});

it('lists the faults of all cases', () => {
  const folder = caseFolder({ 'a.yaml': 'agent: x', 'b.yaml': 'agent: y' });
  expect(() => readCases(folder)).toThrow(/a\.yaml[^]*b\.yaml/);
});

it('refuses a folder without cases, one that is not there, and two cases of one name', () => {
  expect(() => readCases(caseFolder({ 'notes.md': '' }))).toThrow('has no cases');
  expect(() => readCases('/no/such/folder')).toThrow('no folder of cases');
  expect(() => names({ 'a.yaml': 'message: A', 'a.json': '{"message": "A"}' })).toThrow('one name: a');
});
