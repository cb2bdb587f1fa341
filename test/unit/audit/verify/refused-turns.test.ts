/** Whether a turn ended as refused, as its own calls say it (rule D6). */
import { TwiceInView } from '../../../../src/audit/verify/twice-in-view';
import { carrying, GONE, type Ending, type Fields } from '../../../support/audit/hand-events';
import { HandTwice } from '../../../support/audit/hand-twice';

class Scene extends HandTwice<TwiceInView> {
  constructor() {
    super((all, history) => new TwiceInView(all, history), {});
  }

  /** A step, after which the turn ends if nothing else is said. */
  step(result: unknown = { next: 'end' }): this {
    this.run.activity('takeStep', {}, result);
    return this;
  }

  next(): this {
    return this.begin('s', { input: carrying({}), continuedExecutionRunId: 'r' }, 'continued');
  }

  ends(state: string, view: object = {}, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { state, calls: [], earlier_calls: { count: 9 }, ...(view as Fields) });
    return this.faults().filter((fault) => fault.includes('do not say so'));
  }
}

const fault = (state: string) => [`D6: The turn's result says "${state}", and its calls do not say so`];
const REFUSED = { digest: 'd', class: 'destructive', state: 'denied', effect: 'refused' };
const APPLIED = { ...REFUSED, state: 'succeeded', effect: 'applied' };
const READ = { digest: 'd', class: 'read', state: 'succeeded', effect: null };

/** Which of the two ends these calls allow: both where nobody can tell. */
const may = (calls: Fields[], earlier?: Fields[string], scene = () => new Scene().step()) => {
  const given = { calls, ...(earlier === undefined ? {} : { earlier_calls: earlier }) };
  return ['refused', 'completed'].filter((state) => {
    const faults = scene().ends(state, given);
    if (faults.length > 0) expect(faults).toEqual(fault(state));
    return faults.length === 0;
  });
};

describe('a turn ended as refused', () => {
  it('exactly where there were destructive calls, and all of them were refused', () => {
    expect([may([REFUSED]), may([REFUSED, REFUSED, READ])]).toEqual([['refused'], ['refused']]);
    expect([may([]), may([READ]), may([APPLIED])]).toEqual([['completed'], ['completed'], ['completed']]);
    expect([may([REFUSED, APPLIED]), may([APPLIED, REFUSED])]).toEqual([['completed'], ['completed']]);
    for (const effect of [null, undefined, 'in_doubt', 'not_applied'])
      expect(may([{ ...REFUSED, effect }])).toEqual(['completed']);
  });

  it('whatever became of calls that were rejected, or that another revision has superseded', () => {
    const rejected = { ...APPLIED, digest: null };
    const superseded = { ...APPLIED, state: 'superseded', effect: null };
    for (const one of [rejected, superseded]) {
      expect([may([one]), may([one, REFUSED])]).toEqual([['completed'], ['refused']]);
      expect(may([{ ...one, effect: 'refused' }])).toEqual(['completed']);
    }
  });

  it('by the calls that are counted and not shown too', () => {
    expect([may([], { refused: 1 }), may([REFUSED], { refused: 2 })]).toEqual([['refused'], ['refused']]);
    for (const effect of ['applied', 'not_applied', 'in_doubt'])
      expect([may([REFUSED], { [effect]: 1 }), may([REFUSED], { [effect]: 0 })]).toEqual([['completed'], ['refused']]);
    expect([may([], { refused: 0 }), may([], { refused: '1' }), may([], 'x')]).toEqual([
      ['completed'],
      ['completed'],
      ['completed'],
    ]);
  });

  it('is not known where a call does not say its class, or the last step was not the end', () => {
    const both = ['refused', 'completed'];
    expect(may([{ ...APPLIED, class: undefined }, REFUSED])).toEqual(both);
    expect(may([{ ...APPLIED, class: undefined, digest: null }, REFUSED])).toEqual(['refused']);
    expect(may([APPLIED], undefined, () => new Scene())).toEqual(both);
    expect(may([APPLIED], undefined, () => new Scene().step().step({ next: 'calls' }))).toEqual(both);
    expect(may([APPLIED], undefined, () => new Scene().step().step(GONE))).toEqual(both);
    expect(may([APPLIED], undefined, () => new Scene().step({ next: 'calls' }).step())).toEqual(['completed']);
  });

  it('or in another state, of which its calls say nothing', () => {
    for (const state of ['cancelled', 'failed', 'limit'])
      expect([new Scene().step().ends(state), new Scene().step().ends(state, { calls: [REFUSED] })]).toEqual([[], []]);
  });

  it('in the run that goes on from the one of the last step', () => {
    expect(may([APPLIED], undefined, () => new Scene().step().next())).toEqual(['completed']);
    expect(may([APPLIED], undefined, () => new Scene().step().step(GONE).next())).toEqual(['refused', 'completed']);
  });
});
