/** Decisions of people that the store keeps: the next run reads the part that the run before had stored (D1). */
import { decisionsIn, StoredDecisions } from '../../../../src/audit/verify/stored-decisions';
import { carrying, GONE, payloads, type Fields } from '../../../support/audit/hand-events';
import { HandComparison, type Setting } from '../../../support/audit/hand-comparison';

class Scene extends HandComparison<StoredDecisions> {
  constructor(setting: Setting = {}) {
    super((all, history) => new StoredDecisions(all, history), setting);
  }

  keep(said_ref: unknown, name = 'keepSaid'): this {
    this.run.activity(name, {}, said_ref === GONE ? GONE : { said_ref });
    return this;
  }

  next(said_ref: unknown, before = 'r'): string[] {
    const argument = said_ref === GONE ? GONE : { turn_id: 't', resume: { said_ref } };
    this.begin('s', { input: carrying(argument), continuedExecutionRunId: before }, 'continued');
    return this.faults();
  }

  read(said_ref: unknown, name = 'readSaid'): string[] {
    this.run.scheduled(name, said_ref === GONE ? GONE : { said_ref });
    return this.faults();
  }
}

describe('the part that a run was to read', () => {
  const other = ['D1: The run was to read what people have said in another part than the run before it had kept'];

  it('is one that the run before had stored', () => {
    expect(new Scene().keep('a').keep('b').next('a')).toEqual([]);
    expect(new Scene().keep('a').keep('b').next('b')).toEqual([]);
    expect(new Scene().keep('a').next('c')).toEqual(other);
    expect(new Scene().next('a')).toEqual(other);
    expect(new Scene().keep('a', 'notify').next('a')).toEqual(other);
    expect(new Scene().keep(GONE).next('a')).toEqual(other);
    expect(new Scene().keep('a').next(undefined)).toEqual([]);
    expect(new Scene().keep('a').next(7)).toEqual([]);
    const late = new Scene();
    const id = late.run.scheduled('keepSaid', {});
    late.next(undefined);
    late.run.completed(id, { said_ref: 'a' });
    expect(late.next('a', 's')).toEqual(other);
  });

  it('is not checked if something was left out, or if the run before is missing', () => {
    expect(new Scene().next('a', 'q')).toEqual([]);
    expect(new Scene({ run_id: 'later' }).next('a')).toEqual([]);
    expect(new Scene().next(GONE)).toEqual([]);
    const left = new Scene();
    left.all.unknown = true;
    expect(left.next('a')).toEqual([]);
  });
});

describe('the part that a run has read', () => {
  const another = ['D1: What people have said was read in another part than the run was given'];
  const reads = (given: unknown, read: unknown, name?: string) => {
    const scene = new Scene().keep('a');
    scene.next(given);
    return scene.read(read, name);
  };

  it('is the part that the run was given', () => {
    expect(reads('a', 'a')).toEqual([]);
    expect(reads('a', 'b')).toEqual(another);
    expect(reads('a', undefined)).toEqual(another);
    expect(reads(undefined, 'a')).toEqual(another);
    expect([reads(undefined, undefined), reads(undefined, null)]).toEqual([[], []]);
    expect(reads('a', 'b', 'keepSaid')).toEqual([]);
    expect([reads('a', GONE), reads(GONE, 'b')]).toEqual([[], []]);
  });

  it('is not one that was given to an earlier run', () => {
    const scene = new Scene().keep('a');
    scene.next('a');
    scene.begin('u', { input: payloads({ turn_id: 't' }) });
    expect(scene.read('a')).toEqual(another);
    const unknown = new Scene();
    unknown.history.beginRun({ run_id: 'u', began: 'continued' });
    unknown.of.beginRun();
    expect(unknown.read('a')).toEqual([]);
  });
});

describe('the decisions in what the store was to keep', () => {
  const one = { decision: 'approve', by: 'ana' };
  const of = (value: unknown, texts: unknown[] = []) => decisionsIn({ texts, value } as Fields as never);

  it('are those in the list and in its inner lists, without edits', () => {
    expect(of([one, [one, { ...one, decision: 'edit' }], 'text', null])).toEqual([one, one]);
    expect(of({ one })).toEqual([]);
  });

  it('have every shared text put back in its place', () => {
    expect(of([{ ...one, by: '~1' }], ['rob', 'eve'])).toEqual([{ ...one, by: 'eve' }]);
    expect(of([{ ...one, by: '~~1' }], ['rob'])).toEqual([{ ...one, by: '~1' }]);
    expect(of([{ ...one, by: '~' + '0' }], ['rob'])).toEqual([{ ...one, by: 'rob' }]);
  });

  it.each(['~1', '~', '~x', '~01', '~0x', 'x~0~', '~-1', '~1234567890'])('are none if %j stands for no text', (by) => {
    const found = of([{ ...one, by }], ['rob']);
    expect(found).toEqual(by.startsWith('~') ? [] : [{ ...one, by }]);
  });

  it('are none if a text is not a string, or if the value is not packed', () => {
    expect(of([one, { ...one, by: '~0' }], [7])).toEqual([]);
    expect(of([{ ...one, by: '~1' }, one], ['rob'])).toEqual([]);
    expect(of(undefined)).toEqual([]);
    for (const said of [undefined, null, [one], { value: [one] }, { texts: 'none', value: [one] }])
      expect(decisionsIn(said as never)).toEqual([]);
    expect(of([one, 'x'.repeat(3), '~123456789'], [])).toEqual([]);
  });
});
