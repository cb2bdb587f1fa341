/** The facts recorded so far: a source that contradicts one is found, and a missing value is no fact. */
import { firstDifference } from '../../../../src/audit/verify/first-difference';
import type { Table } from '../../../../src/audit/verify/fact-tables';
import { Facts } from '../../../../src/audit/verify/facts';

const told = () => {
  const facts = new Facts();
  facts.addFacts('call', 'd', { state: 'waiting', by: null }, 'the history');
  return facts;
};

describe('a fact', () => {
  it('may be recorded again', () =>
    expect(told().addFacts('call', 'd', { state: 'waiting', by: null }, 'the transcript')).toBeNull());

  it('that a source contradicts is found, with both sources named', () => {
    const reason = 'The transcript says that state of the call is "denied", and the history says otherwise';
    expect(told().addFacts('call', 'd', { by: null, state: 'denied' }, 'the transcript')).toEqual({ subject: 'call', reason });
  });

  it('that is contradicted is reported first, and the other facts are kept', () => {
    const facts = told();
    const found = facts.addFacts('call', 'd', { state: 'denied', by: 'ana', note: 'n' }, 'the record');
    expect(found!.reason).toContain('state of the call');
    expect(facts.addFacts('call', 'd', { note: 'other' }, 'x')!.reason).toContain('and the record says otherwise');
  });

  it('may be left out from some time on, of one name or of all', () => {
    for (const name of ['d', undefined]) {
      const facts = told();
      facts.skip('call', 'state', name);
      expect(facts.addFacts('call', 'd', { state: 'denied' }, 'x')).toBeNull();
      expect(facts.addFacts('call', 'd', { by: 'ana' }, 'x')!.reason).toContain('by of the call');
      facts.addFacts('call', 'e', { state: 'denied' }, 'x');
      expect(facts.addFacts('call', 'e', { state: 'failed' }, 'y') === null).toBe(name === undefined);
    }
  });

  it('is known to be another', () => {
    const facts = new Facts();
    facts.addFacts('call', 'd', { input_ref: 'a' }, 'x');
    expect(facts.knowsOther('call', 'd', 'input_ref', 'b')).toBe(true);
    for (const [name, value] of [
      ['d', 'a'],
      ['d', undefined],
      ['e', 'b'],
      [7, 'b'],
    ] as const)
      // oxfmt-ignore
      expect(facts.knowsOther('call', name, 'input_ref', value)).toBe(false);
  });

  it('belongs to one subject, under one name', () => {
    expect(told().addFacts('call', 'e', { state: 'denied' }, 'x')).toBeNull();
    expect(told().addFacts('effect', 'd', { state: 'denied' }, 'x')).toBeNull();
  });

  it('needs a subject with a name', () => {
    const facts = told();
    for (const name of [undefined, null, 7])
      for (const state of ['waiting', 'denied']) expect(facts.addFacts('call', name, { state }, 'x')).toBeNull();
    expect(facts.knows('call', undefined, 'state')).toBe(false);
    expect(facts.knows('call', 7, 'state')).toBe(false);
  });

  it('that is undefined is not recorded; null and the empty text are', () => {
    const facts = told();
    expect(facts.addFacts('call', 'd', { state: undefined }, 'x')).toBeNull();
    expect(facts.addFacts('call', 'd', { by: '' }, 'x')).not.toBeNull();
    expect(facts.addFacts('call', 'd', { by: 'ana' }, 'x')).not.toBeNull();
  });

  it.each(['turn.agent', 'turn.message', 'card.text', 'call.key'])('%s is not recorded if it is empty', (place) => {
    const [subject, fact] = place.split('.') as ['turn', string];
    const facts = new Facts();
    facts.addFacts(subject, 'd', { [fact]: 'something' }, 'the history');
    for (const empty of [null, '']) expect(facts.addFacts(subject, 'd', { [fact]: empty }, 'x')).toBeNull();
    expect(facts.addFacts(subject, 'd', { [fact]: 'other' }, 'x')).not.toBeNull();
    expect(facts.addFacts(subject, 'd', { [`${fact}s`]: '' }, 'x')).toBeNull();
    expect(facts.addFacts(subject, 'd', { [`${fact}s`]: 'something' }, 'x')).not.toBeNull();
  });

  it('is compared as JSON, however long it is', () => {
    const facts = new Facts();
    const long = 'a'.repeat(200);
    facts.addFacts('call', 'd', { long, short: { b: 1, a: 2 } }, 'the history');
    expect(facts.addFacts('call', 'd', { long, short: { a: 2, b: 1 } }, 'x')).toBeNull();
    expect(facts.addFacts('call', 'd', { long: `${long}b` }, 'x')).not.toBeNull();
    expect(facts.addFacts('call', 'd', { short: { a: 2 } }, 'x')).not.toBeNull();
    // What has no canonical form is another than what has one.
    expect(facts.addFacts('call', 'd', { short: '\ud800' }, 'x')).not.toBeNull();
  });

  it('can be forgotten alone', () => {
    const facts = told();
    expect(facts.knows('call', 'd', 'state')).toBe(true);
    facts.forget('call', 'd', 'state');
    expect([facts.knows('call', 'd', 'state'), facts.knows('call', 'd', 'by')]).toEqual([false, true]);
    expect(facts.addFacts('call', 'd', { state: 'denied' }, 'x')).toBeNull();
  });

  it.each([
    ['turn', 'the turn'],
    ['run', 'the run'],
    ['asked', 'what the model asked for'],
    ['use', 'what the model asked for'],
    ['step', 'the step'],
    ['card', 'the card'],
    ['call', 'the call'],
    ['dispatch', 'the dispatch'],
    ['result', 'the result'],
    ['block', 'the block'],
    ['effect', 'the effect'],
    ['said', 'what people have said'],
  ] as const)('of %s is called that of %s', (subject, name) => {
    const facts = new Facts();
    facts.addFacts(subject, 'd', { what: 1 }, 'the history');
    expect(facts.addFacts(subject, 'd', { what: 2 }, 'x')!.reason).toContain(` what of ${name} is 2, and `);
  });
});

describe('a record', () => {
  const table = { state: 'call.state', run: 'run.id', more: 'call.more' } as unknown as Table;
  const names = { call: 'd', run: 'r' };

  it('has all the facts of its table, for the subjects that have names', () => {
    const facts = new Facts();
    expect(facts.addRecord(table, { state: 'waiting', run: 'one', more: 1, other: 2 }, names, 'the history')).toBeNull();
    expect([facts.knows('call', 'd', 'state'), facts.knows('run', 'r', 'id'), facts.knows('call', 'd', 'other')]).toEqual([
      ...[true, true, false],
    ]);
    expect(facts.addRecord(table, { state: 'denied', run: 'one', more: 1 }, { run: 'r' }, 'x')).toBeNull();
  });

  it('with two contradictions is reported by the first', () => {
    const facts = new Facts();
    facts.addRecord(table, { state: 'waiting', run: 'one', more: 1 }, names, 'the history');
    expect(facts.addRecord(table, { state: 'waiting', run: 'two', more: 2 }, names, 'x')).toMatchObject({ subject: 'run' });
  });
});

it('two records are compared in the fields that both have, each field in its own way', () => {
  expect(firstDifference({ a: 1, b: 2 }, { a: 1, b: 2 })).toBeNull();
  expect(firstDifference({ a: 1, b: 2, c: 3 }, { a: 1, b: 3, c: 4 })).toBe('b');
  expect(firstDifference({ a: undefined, b: 2 }, { a: 1, b: undefined })).toBeNull();
  expect(firstDifference({ a: null }, { a: 1 })).toBe('a');
  expect(firstDifference({}, { a: 1 })).toBeNull();
});
