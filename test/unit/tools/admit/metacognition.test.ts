import type { Json } from '../../../../src/shared/json/json';
import { checkByRules, metacognition, type CheckRules } from '../../../../src/tools/admit/after-hooks';
import { silent } from '../../../support/silent';

const turn = { untrusted: false, requester: 'ana', agent: 'a', step: 1 };
const result = (data: Json, input = {}, ok = true) => ({
  tool: 'search',
  version: '1.0.0',
  class: 'read' as const,
  input,
  turn,
  ok,
  data,
  error: null,
});
const ctx = { signal: new AbortController().signal, log: silent };
const now = () => Date.parse('2026-11-21T00:00:00Z');
const check = (rules: CheckRules, data: Json, input = {}) => checkByRules(rules, now)(result(data, input), ctx);

describe('metacognition', () => {
  it('records that a result was checked, what is wrong with it, and how to correct it; the model reads the correction', async () => {
    const { run } = metacognition(checkByRules({ empty: true }));
    expect(await run(result([1]), ctx)).toEqual({ metadata: { metacognition: { checked: true, needs_correction: false } } });
    expect(await run(result([]), ctx)).toMatchObject({
      note: expect.stringContaining('empty'),
      metadata: { metacognition: { checked: true, needs_correction: true, correction: expect.stringContaining('empty') } },
    });
  });

  it('does not check failed results, and lets a check ask somebody else', async () => {
    const asking = jest.fn(async () => ({ needs_correction: true }));
    const { run } = metacognition(asking);
    expect(await run(result(null, {}, false), ctx)).toBeUndefined();
    expect(asking).not.toHaveBeenCalled();
    expect(await run(result(1), ctx)).toMatchObject({ metadata: { metacognition: { needs_correction: true } } });
  });
});

describe('the check by rules', () => {
  it.each<[string, CheckRules, Json, object, RegExp | null]>([
    ['nothing found', { empty: true }, { hits: [], total: 0 }, {}, /empty/],
    ['nothing at all', { empty: true }, null, {}, /empty/],
    ['something found', { empty: true }, { hits: [1] }, {}, null],
    ['a stale date', { maxAgeDays: 7 }, { price: { as_of: '2026-11-01' } }, {}, /20 days old/],
    ['a fresh date', { maxAgeDays: 7 }, { as_of: '2026-11-20T10:00:00Z' }, {}, null],
    ['a stale date of another name', { maxAgeDays: 7, asOfField: 'at' }, [{ at: '2020-01-01' }], {}, /days old/],
    ['what is no date', { maxAgeDays: 7 }, { as_of: 'today' }, {}, null],
    ['a figure out of bounds', { bounds: { ratio: { min: 0, max: 1 } } }, { rows: [{ ratio: 1.5 }] }, {}, /ratio is 1.5/],
    ['a figure within', { bounds: { ratio: { min: 0, max: 1 } } }, { ratio: 1 }, {}, null],
    ['another subject', { mentions: ['ticker'] }, { ticker: 'MSFT' }, { ticker: 'AAPL' }, /does not mention ticker "AAPL"/],
    ['the subject, in another case', { mentions: ['ticker'] }, 'about aapl', { ticker: 'AAPL' }, null],
    ['a field that was not asked', { mentions: ['ticker'] }, {}, {}, null],
  ])('%s', (_what, rules, data, input, correction) => {
    const finding = check(rules, data, input);
    expect(finding).toEqual(
      correction === null
        ? { needs_correction: false }
        : { needs_correction: true, correction: expect.stringMatching(correction) },
    );
  });
});
