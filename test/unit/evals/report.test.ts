import { changeOf, rowsWithBefore, isGood, parseReport, reportLines, reportOf, type Row } from '../../../src/evals/report';
import { runResult } from '../../support/evals';

const AT = new Date('2026-11-29T12:00:00Z');
const report = (...results: Parameters<typeof runResult>[0][]) =>
  reportOf(
    results.map((one) => runResult(one)),
    AT,
  );

it('sums the runs of a case with a model', () => {
  const { rows } = report({}, { repetition: 2, faults: ['wrong'], durationMs: 500 }, { model: 'haiku', costUsd: null });
  expect(rows).toEqual([
    { case: 'pays', model: 'opus', runs: 2, passed: 1, skipped: 0, cost_usd: 0.02, mean_ms: 1000, faults: ['wrong'] },
    { case: 'pays', model: 'haiku', runs: 1, passed: 1, skipped: 0, cost_usd: null, mean_ms: 1500, faults: [] },
  ]);
});

it('is good if all passed, and none was left out', () => {
  expect(isGood(report({}))).toBe(true);
  expect(isGood(report({}, { faults: ['wrong'] }))).toBe(false);
  expect(isGood(report({}, { skipped: 'too much' }))).toBe(false);
});

it.each([
  ['same', [2, 2], [2, 2]],
  ['same', [1, 2], [2, 4]],
  ['fixed', [2, 2], [1, 2]],
  ['better', [1, 2], [0, 2]],
  ['broken', [1, 2], [2, 2]],
  ['worse', [0, 2], [1, 2]],
  ['same', [0, 0], [1, 2]],
] as const)('%s: %j after %j', (change, [passed, runs], [before, of]) => {
  const row = (some: Partial<Row>): Row => ({ ...report({}).rows[0]!, ...some });
  expect(changeOf(row({ passed, runs }), { ...report({}), rows: [row({ passed: before, runs: of })] })).toBe(change);
});

it('gives programs the earlier figures beside each row', () => {
  const now = report({}, { case: 'other' });
  expect(rowsWithBefore(now, report({ faults: ['wrong'] }))).toMatchObject([
    { case: 'pays', passed: 1, before: { passed: 0, runs: 1 }, change: 'fixed' },
    { case: 'other', before: null, change: 'new' },
  ]);
  expect(rowsWithBefore(now, null)[0]).toMatchObject({ before: null, change: null });
});

it('prints a table, what is wrong, and how it was before', () => {
  const before = report({}, { case: 'gone' });
  expect(reportLines(report({ faults: ['The call was not made.'] }, { case: 'a long name', costUsd: null }), before)).toEqual([
    'case         model  passed  cost     time   before',
    'pays         opus   0/1     $0.0100  1.5 s  1/1, broken',
    'a long name  opus   1/1     unknown  1.5 s  new',
    '',
    'pays, opus:',
    '  - The call was not made.',
    'Not run now, but before: gone with opus.',
    '1 of 2 runs passed; cost $0.0100, and an unknown cost.',
  ]);
});

it('says what was not run', () => {
  expect(reportLines(report({ skipped: 'The others have cost $2.' }), null)[1]).toContain('0/0 (1 not run)');
});

it('reads its own file, and no other', () => {
  const one = report({});
  expect(parseReport(JSON.stringify(one))).toEqual(one);
  expect(() => parseReport('{"rows": []}')).toThrow();
});
