/** Whether all destructive calls of a turn were refused, as its steps and its result have it, and outcomes of revisions (rule D6). */
import { ResultComparison } from '../../../../src/audit/verify/result-comparison';
import type { Json } from '../../../../src/shared/json/json';
import { carrying, GONE, type Ending, type Fields } from '../../../support/audit/hand-events';
import { HandComparison, type Setting } from '../../../support/audit/hand-comparison';

class Scene extends HandComparison<ResultComparison> {
  constructor(setting: Setting = {}) {
    super((all, history) => new ResultComparison(all, history), setting);
  }

  /** What an activity is told about calls, and about whether all were refused. */
  tells(outcomes: Fields[], all_refused?: boolean, name = 'takeStep'): this {
    this.run.scheduled(name, { outcomes: outcomes as Json[], ...(all_refused === undefined ? {} : { all_refused }) });
    return this;
  }

  /** A step, after which the turn ends unless stated otherwise. */
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

/** Which of the two ends these calls allow: both if it is unknown. */
const may = (calls: Fields[], earlier?: Fields[string], scene = () => new Scene().step()) => {
  const given = { calls, ...(earlier === undefined ? {} : { earlier_calls: earlier }) };
  return ['refused', 'completed'].filter((state) => {
    const faults = scene().ends(state, given);
    if (faults.length > 0) expect(faults).toEqual(fault(state));
    return faults.length === 0;
  });
};

describe('a turn ended as refused', () => {
  it('exactly if there were destructive calls, and all of them were refused', () => {
    expect([may([REFUSED]), may([REFUSED, REFUSED, READ])]).toEqual([['refused'], ['refused']]);
    expect([may([]), may([READ]), may([APPLIED])]).toEqual([['completed'], ['completed'], ['completed']]);
    expect([may([REFUSED, APPLIED]), may([APPLIED, REFUSED])]).toEqual([['completed'], ['completed']]);
    for (const effect of [null, undefined, 'in_doubt', 'not_applied'])
      expect(may([{ ...REFUSED, effect }])).toEqual(['completed']);
  });

  it('without regard to calls that were rejected, or that another revision superseded', () => {
    const rejected = { ...APPLIED, digest: null };
    const superseded = { ...APPLIED, state: 'superseded', effect: null };
    for (const one of [rejected, superseded]) {
      expect([may([one]), may([one, REFUSED])]).toEqual([['completed'], ['refused']]);
      expect(may([{ ...one, effect: 'refused' }])).toEqual(['completed']);
    }
  });

  it('with the calls that the result counts but does not show', () => {
    expect([may([], { refused: 1 }), may([REFUSED], { refused: 2 })]).toEqual([['refused'], ['refused']]);
    for (const effect of ['applied', 'not_applied', 'in_doubt'])
      expect([may([REFUSED], { [effect]: 1 }), may([REFUSED], { [effect]: 0 })]).toEqual([['completed'], ['refused']]);
    expect([may([], { refused: 0 }), may([], { refused: '1' }), may([], 'x')]).toEqual([
      ['completed'],
      ['completed'],
      ['completed'],
    ]);
  });

  it('cannot be judged if a call has no class, or if the last step was not the end', () => {
    const both = ['refused', 'completed'];
    expect(may([{ ...APPLIED, class: undefined }, REFUSED])).toEqual(both);
    expect(may([{ ...APPLIED, class: undefined, digest: null }, REFUSED])).toEqual(['refused']);
    expect(may([APPLIED], undefined, () => new Scene())).toEqual(both);
    expect(may([APPLIED], undefined, () => new Scene().step().step({ next: 'calls' }))).toEqual(both);
    expect(may([APPLIED], undefined, () => new Scene().step().step(GONE))).toEqual(both);
    expect(may([APPLIED], undefined, () => new Scene().step({ next: 'calls' }).step())).toEqual(['completed']);
  });

  it('is not required of a turn that ended in another state', () => {
    for (const state of ['cancelled', 'failed', 'limit'])
      expect([new Scene().step().ends(state), new Scene().step().ends(state, { calls: [REFUSED] })]).toEqual([[], []]);
  });

  it('is judged in a run that continues after the last step, too', () => {
    expect(may([APPLIED], undefined, () => new Scene().step().next())).toEqual(['completed']);
    expect(may([APPLIED], undefined, () => new Scene().step().step(GONE).next())).toEqual(['refused', 'completed']);
  });
});

describe('a step is told whether all that might take effect was refused', () => {
  const other = (said: boolean) => [
    `D6: A step is told ${said} of whether all that might take effect was refused, and it was not so`,
  ];
  /** What a step may be told. */
  const may = (outcomes: Fields[], scene = () => new Scene()) =>
    [true, false].filter((said) => {
      const faults = scene().tells(outcomes, said).faults();
      if (faults.length > 0) expect(faults).toEqual(other(said));
      return faults.length === 0;
    });
  const both = [true, false];

  it('by the calls that steps were told of', () => {
    expect([may([]), may([REFUSED]), may([APPLIED]), may([REFUSED, APPLIED])]).toEqual([[false], [true], [false], [false]]);
    expect([may([APPLIED, REFUSED]), may([READ]), may([READ, REFUSED])]).toEqual([[false], [false], [true]]);
    expect(may([{ ...APPLIED, digest: null }, REFUSED])).toEqual([true]);
    expect(may([{ ...APPLIED, digest: null, class: undefined }, REFUSED])).toEqual([true]);
    const before = (outcomes: Fields[], name?: string) => () => new Scene().tells(outcomes, undefined, name);
    expect([may([REFUSED], before([APPLIED])), may([], before([REFUSED], 'endTurn'))]).toEqual([[false], [true]]);
    expect(new Scene().tells([APPLIED], true, 'endTurn').faults()).toEqual([]);
  });

  it('only if each has an outcome, and nothing is missing', () => {
    for (const state of ['cancelled', 'superseded']) {
      expect(may([{ ...REFUSED, state }])).toEqual(both);
      expect(may([REFUSED], () => new Scene().tells([{ ...REFUSED, digest: null, state }]))).toEqual(both);
    }
    expect(may([{ ...REFUSED, class: undefined }])).toEqual(both);
    expect(may([REFUSED], () => new Scene().step(GONE))).toEqual(both);
    expect(may([REFUSED], () => new Scene({ argument: GONE }))).toEqual(both);
    const unknown = () => {
      const scene = new Scene();
      scene.all.unknown = true;
      return scene;
    };
    expect(may([REFUSED], unknown)).toEqual(both);
  });

  it('in a continued run too, without what came later', () => {
    const went = (outcomes: Fields[]) => () => new Scene().tells(outcomes).next();
    expect([may([], went([REFUSED])), may([REFUSED], went([APPLIED])), may([], went([]))]).toEqual([[true], [false], [false]]);
    expect(may([], went([{ ...REFUSED, state: 'cancelled' }]))).toEqual(both);
    const again = () => new Scene().tells([REFUSED]).next().tells([APPLIED]).next();
    expect(may([], again)).toEqual([true]);
  });
});

describe('a call that another revision superseded', () => {
  const NOTHING = { id: '1.1', state: 'superseded', error: null, result_summary: null, result_ref: null, effect: null };
  const LAST = { id: '1.1', state: 'succeeded', attempts: 2 };
  const shown = (first: Fields, rest: Fields[] = [LAST], scene = new Scene()) => {
    scene.run.ends('COMPLETED', { calls: [{ ...NOTHING, ...first }, ...rest] as Json[], earlier_calls: { count: 0 } });
    return scene.faults().map((fault) => fault.replace("D6: The turn's result ", ''));
  };
  const became = ['says that something became of a call that another revision has superseded'];

  it('has the state superseded', () => {
    const says = ['says "denied" of a call that another revision has superseded'];
    expect([shown({}), shown({ state: 'denied' })]).toEqual([[], says]);
    expect([shown({ state: 'denied' }, []), shown({ state: 'denied' }, [{ ...LAST, id: '1.2' }])]).toEqual([[], []]);
    expect(shown({ state: 'denied' }, [{ ...LAST, id: '1.2' }, LAST])).toEqual(says);
    for (const id of ['', undefined]) expect(shown({ id, state: 'denied' }, [{ ...LAST, id }])).toEqual([]);
  });

  it('has no result, error or effect', () => {
    expect(shown({ error: undefined, result_summary: undefined, result_ref: undefined, effect: undefined })).toEqual([]);
    for (const field of ['error', 'result_summary', 'result_ref', 'effect']) expect(shown({ [field]: 'x' })).toEqual(became);
    const reset = () => new Scene().begin('s', {}, 'reset');
    expect([shown({ effect: 'x' }, [LAST], reset()), shown({ error: 'x' }, [LAST], reset())]).toEqual([[], became]);
  });

  it('was not tried more often than the next revision', () => {
    const tried = (times: number) => [
      `says that a call was tried ${times} times, and less often once another revision had superseded it`,
    ];
    expect([shown({ attempts: 1 }), shown({ attempts: 2 }), shown({ attempts: '3' })]).toEqual([[], [], []]);
    expect(shown({ attempts: 3 })).toEqual(tried(3));
    expect(shown({ attempts: 1 }, [{ ...LAST, attempts: undefined }])).toEqual(tried(1));
  });

  it('is checked unless something was left out', () => {
    const scene = new Scene();
    scene.all.unknown = true;
    expect(shown({ state: 'denied' }, [LAST], scene)).toEqual([]);
  });
});
