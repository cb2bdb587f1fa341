import { readCases } from '../../../src/evals/case';
import { expectationFaults, gradeFault, includes } from '../../../src/evals/judge';
import type { EvalCall } from '../../../src/evals/types';
import { evalCall, evalRun } from '../../support/evals';
import { caseFolder } from './case-folder';

/** The faults of a run with these calls, under expectations as a case file has them. */
function faults(expect: object, calls: EvalCall[] = [], more = {}): string[] {
  const [one] = readCases(caseFolder({ 'pays.json': JSON.stringify({ message: 'Pay.', expect }) }));
  return expectationFaults(evalRun({ calls, ...more }), one!.expect);
}

const LOOK = evalCall('look_up', { id: '1.1', input: { invoice: 'INV-7', deep: { a: 1, b: [1, { c: 2 }] } } });
const PAY = evalCall('pay_invoice', { id: '2.1', input: { invoice: 'INV-7', cents: 700 }, effect: 'applied' });

describe('a part of an input', () => {
  it.each([
    [{}, true],
    [{ invoice: 'INV-7' }, true],
    [{ invoice: 'INV-8' }, false],
    [{ deep: { a: 1 } }, true],
    [{ deep: { b: [1, {}] } }, true],
    [{ deep: { b: [1] } }, false],
    [{ deep: [] }, false],
    [{ other: null }, false],
    [{ toString: {} }, false],
  ])('%j: %s', (part, is) => expect(includes(LOOK.input, part as never)).toBe(is));

  it('a null has no fields', () => expect(includes(null, {})).toBe(false));
});

it('expects a completed turn, unless the case says otherwise', () => {
  expect(faults({})).toEqual([]);
  expect(faults({}, [], { state: 'failed', reason: 'no key' })).toEqual(['The turn is failed (no key), not completed.']);
  expect(faults({ state: 'waiting' }, [], { state: 'waiting' })).toEqual([]);
  expect(faults({ state: 'any' }, [], { state: 'timeout' })).toEqual([]);
});

it('finds expected calls in any order, each once', () => {
  const expectBoth = { calls: [{ tool: 'pay_invoice', input: { cents: 700 } }, { tool: 'look_up' }] };
  expect(faults(expectBoth, [LOOK, PAY])).toEqual([]);
  expect(faults({ calls: [{ tool: 'look_up' }, { tool: 'look_up' }] }, [LOOK])).toEqual([
    expect.stringContaining('The call look_up was not made. Calls of it: look_up {"invoice":"INV-7"'),
  ]);
  expect(faults(expectBoth, [LOOK])).toEqual(['The call pay_invoice {"cents":700} was not made. Calls were: look_up.']);
});

it('gives a call to the expectation that nothing else fits', () => {
  const other = evalCall('look_up', { id: '1.2', input: { invoice: 'INV-8' } });
  const calls = [{ tool: 'look_up' }, { tool: 'look_up', input: { invoice: 'INV-7' } }];
  expect(faults({ calls, no_other_calls: true }, [LOOK, other])).toEqual([]);
});

it('compares the order if the case says so', () => {
  const calls = [{ tool: 'look_up' }, { tool: 'pay_invoice' }];
  expect(faults({ calls, in_order: true }, [LOOK, PAY])).toEqual([]);
  expect(faults({ calls, in_order: true }, [PAY, LOOK])).toEqual([
    expect.stringContaining('The call pay_invoice was not made at this place in the order.'),
  ]);
});

it('compares state, effect and agent of an expected call', () => {
  expect(faults({ calls: [{ tool: 'pay_invoice', state: 'succeeded', effect: 'applied', agent: 'payables' }] }, [PAY])).toEqual(
    [],
  );
  for (const wrong of [{ state: 'denied' }, { effect: 'refused' }, { agent: 'clerk' }])
    expect(faults({ calls: [{ tool: 'pay_invoice', ...wrong }] }, [PAY])).toHaveLength(1);
});

it('says why a call did not succeed', () => {
  const refused = { ...PAY, state: 'rejected', effect: null, error: { code: 'PERMISSION_DENIED', message: 'A rule denies it.' } };
  expect(faults({ calls: [{ tool: 'pay_invoice', state: 'succeeded' }] }, [refused])[0]).toContain('A rule denies it.');
});

it('finds calls that the case does not expect', () => {
  expect(faults({ no_other_calls: true }, [LOOK])).toEqual([expect.stringMatching(/^The call look_up .* was not expected\.$/)]);
});

describe('forbidden calls', () => {
  const denied = { ...PAY, state: 'denied', effect: 'refused' };
  const before = { ...PAY, input: { invoice: 'INV-9' }, state: 'superseded', effect: null };

  it('must not be made, whatever becomes of them', () => {
    expect(faults({ not_called: [{ tool: 'pay_invoice' }] }, [LOOK])).toEqual([]);
    for (const call of [PAY, denied, before])
      expect(faults({ not_called: [{ tool: 'pay_invoice' }] }, [call])).toEqual([expect.stringContaining('must not be made')]);
  });

  it('or must not run', () => {
    const expectation = { not_run: [{ tool: 'pay_invoice', input: { invoice: 'INV-7' } }] };
    for (const call of [denied, before, { ...PAY, input: { invoice: 'INV-8' } }]) expect(faults(expectation, [call])).toEqual([]);
    for (const state of ['succeeded', 'failed', 'in_doubt', 'running'])
      expect(faults(expectation, [{ ...PAY, state }])).toEqual([expect.stringContaining('must not run, and it did')]);
  });
});

it('compares text and result', () => {
  expect(faults({ text: { includes: ['Paid', '.'], matches: '^Paid\\.$' } })).toEqual([]);
  expect(faults({ text: { includes: 'Denied', matches: '^No' } })).toEqual([
    'The answer does not have "Denied": Paid.',
    'The answer does not match ^No: Paid.',
  ]);
  expect(faults({ result: { cents: 700 } }, [], { result: { cents: 700, invoice: 'INV-7' } })).toEqual([]);
  expect(faults({ result: { cents: 700 } })).toEqual(['The result is null; expected: {"cents":700}.']);
});

describe('a grade', () => {
  it.each([
    [true, null],
    [false, 'Rubric r.ts: it did not pass.'],
    [1, null],
    [0.9, 'Rubric r.ts: score 0.9, less than 1.'],
    [{ pass: true }, null],
    [{ pass: false, reason: 'Too long.' }, 'Rubric r.ts: it did not pass. Too long.'],
    [{ score: 0.5, reason: 'Half.' }, 'Rubric r.ts: score 0.5, less than 1. Half.'],
  ])('%j', (grade, fault) => expect(gradeFault(grade, 'r.ts')).toBe(fault));

  it('is compared with the least score of the case', () => {
    expect(gradeFault(0.7, { file: 'r.ts', at_least: 0.7 })).toBeNull();
    expect(gradeFault(0.69, { file: 'r.ts', at_least: 0.7 })).toContain('less than 0.7');
  });

  it.each([[undefined], [null], ['yes'], [2], [NaN], [{}], [{ pass: 'yes' }]])('%j is none', (grade) =>
    expect(() => gradeFault(grade as never, 'r.ts')).toThrow('must return true, false, a score'),
  );
});
