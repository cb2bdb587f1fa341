/** What the sources of one turn record, and the rule under which a contradiction is reported (D1 to D6). */
import { SUBJECTS } from '../../../../src/audit/verify/fact-tables';
import { SourceComparison } from '../../../../src/audit/verify/source-comparison';
import type { JsonObject } from '../../../../src/shared/json/json';
import { Reports } from '../../../support/audit/hand-events';
import { HandTurn } from '../../../support/audit/hand-turn';

const testimony = (run_id?: string) => {
  const all = new SourceComparison(new HandTurn(run_id === undefined ? {} : { run_id }).history);
  const reports = new Reports();
  all.report = reports.report;
  return { all, reports };
};

it.each([
  ['turn', 'D1'],
  ['run', 'D1'],
  ['asked', 'D2'],
  ['use', 'D2'],
  ['step', 'D2'],
  ['card', 'D3'],
  ['call', 'D4'],
  ['dispatch', 'D4'],
  ['said', 'D5'],
  ['result', 'D6'],
  ['block', 'D6'],
  ['effect', 'D6'],
] as const)('a contradiction about a %s is reported under rule %s', (subject, rule) => {
  const { all, reports } = testimony();
  all.addFacts(subject, 'd', { a: 1 }, 'the history');
  all.addRecord({ a: `${subject}.a` as never }, { a: 1 }, { [subject]: 'd' }, 'x');
  expect(reports.taken()).toEqual([]);
  all.addFacts(subject, 'd', { a: 2 }, 'x');
  all.addRecord({ a: `${subject}.a` as never }, { a: 3 }, { [subject]: 'd' }, 'y');
  expect(reports.taken()).toEqual([expect.stringMatching(`^${rule}: X says`), expect.stringMatching(`^${rule}: Y says`)]);
  expect(SUBJECTS).toContain(subject);
});

it('is whole if the history is, and if nothing was left out', () => {
  const { all } = testimony();
  expect([all.whole, testimony('later').all.whole]).toEqual([true, false]);
  all.unknown = true;
  expect(all.whole).toBe(false);
});

it('reports nothing before it has a reporter', () => {
  const all = new SourceComparison(new HandTurn().history);
  expect(() => all.report('D1', 'x')).not.toThrow();
});

it('keeps the heads that are named', () => {
  const { all } = testimony();
  for (const head of ['a', null, undefined, 7, 'b']) all.names(head);
  expect([...all.heads]).toEqual(['a', 'b']);
});

const DECISION = { decision: 'approve', digest: 'd', by: 'ana', at: 'now', channel: 'signal', identity: 'web' };

describe('decisions that activities were given', () => {
  it('are known; their revision does not matter', () => {
    const { all } = testimony();
    all.noteDecisions([{ ...DECISION, revision: 2 }, null, 'text'], [{ ...DECISION, by: 'rob' }]);
    const heard = (more: object) => all.hasDecision({ ...DECISION, ...more });
    expect([heard({}), heard({ by: 'rob' }), heard({ revision: 2 }), heard({ by: 'eve' })]).toEqual([true, true, false, false]);
  });

  it('are listed by call, each once, in order', () => {
    const { all } = testimony();
    const shown = { decision: 'approve', by: 'ana', at: 'now', note: null, channel: 'signal', identity: 'web', attested: false };
    all.noteDecisions([DECISION, { ...DECISION, revision: 2 }, { ...DECISION, by: 'rob', note: 'n', attestation: 'x' }]);
    all.noteDecisions([{ ...DECISION, digest: 'e', identity: undefined } as unknown as JsonObject]);
    const rob = { ...shown, by: 'rob', note: 'n', attested: true };
    expect(all.decisionsOn('d')).toEqual([shown, rob]);
    expect(all.decisionsOn('e')).toEqual([{ ...shown, identity: null }]);
    expect([all.decisionsOn('f'), all.decisionsOn(undefined)]).toEqual([[], []]);
  });

  it('that edit a call, or name none, are not listed', () => {
    const { all } = testimony();
    all.noteDecisions([
      { ...DECISION, decision: 'edit' },
      { ...DECISION, digest: null },
    ]);
    expect([all.decisionsOn('d'), all.decisionsOn(''), all.hasDecision({ ...DECISION, decision: 'edit' })]).toEqual([
      [],
      [],
      true,
    ]);
  });

  it('are known to the run that continues, but not to other runs', () => {
    const { all } = testimony();
    const by = () => all.decisionsOn('d').map(({ by }) => by);
    all.goOn('r', null);
    all.noteDecisions([DECISION]);
    all.goOn('s', 'r');
    all.noteDecisions([{ ...DECISION, by: 'rob' }]);
    expect(by()).toEqual(['ana', 'rob']);
    all.goOn('u', 'r');
    expect(by()).toEqual(['ana']);
    all.goOn('v', 'nowhere');
    expect(by()).toEqual([]);
    all.goOn('w', null);
    expect(by()).toEqual([]);
    all.goOn('x', 's');
    expect(by()).toEqual(['ana', 'rob']);
  });
});

describe('a shortened text', () => {
  const { all } = testimony();
  all.wholeTexts('r', { summary: 'It was paid.', error: { message: 'It was slow.' } });
  all.wholeTexts('r', { summary: 'Other.', error: { message: 'Other.' } });
  all.wholeTexts('s', {});

  it('is the beginning of the text that was recorded first', () => {
    const short = (ref: string | undefined, summary?: string, message?: string) =>
      all.isShortForm(ref, summary, message === undefined ? undefined : { message });
    expect([
      short('r', 'It was…'),
      short('r', 'Other…'),
      short('r', undefined, 'It was s…'),
      short('r', undefined, 'Oth…'),
    ]).toEqual([...[true, false, true, false]]);
    expect([short('r', 'It was…', 'Oth…'), short('r', 'Oth…', 'It was…')]).toEqual([false, false]);
    // Texts that were not shortened are compared elsewhere.
    expect([short('r', 'Other.'), short('r', undefined, 'Other.'), short('r')]).toEqual([true, true, true]);
    expect([short('nowhere', 'Oth…'), short(undefined, 'Oth…'), short('s', 'Oth…')]).toEqual([true, true, false]);
  });
});
