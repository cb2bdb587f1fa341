/** Calls that were refused or stopped before they had a result, in steps and in the turn's result (rule D6). */
import type { Fields } from '../../../support/audit/hand-events';
import { Scene, unknown } from '../../../support/audit/admission-scene';

const ERROR = { code: 'PERMISSION_DENIED', reason: 'denied_by_rule', message: 'No.' };

const reset = (scene: Scene) => scene.begin('s', {}, 'reset');

describe('a call that was stopped', () => {
  const stopped = (reason = 'turn_cancelled') => ({ digest: 'd', state: 'cancelled', error: { reason } });
  const told = (more: Fields, reason?: string) => new Scene().step().told({ ...stopped(reason), ...more });
  const shown = (more: Fields, reason?: string) => new Scene().step().shown({ ...stopped(reason), ...more });
  const another = (who: string, state: string) => [`D6: ${who} says "${state}" of a call, and that it was stopped`];

  it('has the state cancelled exactly if its error says that it was stopped', () => {
    for (const reason of ['turn_cancelled', 'aborted_by_sibling'])
      expect([told({}, reason), told({ state: 'denied' }, reason), shown({}, reason), shown({ state: 'denied' }, reason)]).toEqual([[], another('The history', 'denied'), [], another("The turn's result", 'denied')]); // oxfmt-ignore
    for (const state of ['proposed', 'ready'])
      expect([told({ state }), shown({ state })]).toEqual([another('The history', state), []]);
    expect(told({ state: 'expired' }, 'expired')).toEqual([]);
    const why = (who: string, reason: string) => [`D6: ${who} says that a call was stopped, and ${reason} of why`];
    expect([told({}, 'denied'), shown({}, 'denied')]).toEqual([
      why('The history', '"denied"'),
      why("The turn's result", '"denied"'),
    ]);
    expect(told({ error: null })).toEqual(why('The history', 'null'));
    // The answer of a sub-agent could not be stored.
    expect([told({}, 'no_result'), told({ state: 'failed' }, 'no_result')]).toEqual([[], []]);
  });

  it('has no summary', () => {
    expect([told({ summary: 'paid' }), shown({ result_summary: 'paid' })]).toEqual([
      another('The history', 'cancelled'),
      another("The turn's result", 'cancelled'),
    ]);
    expect(told({ summary: undefined })).toEqual([]);
  });

  it('that has a result has a failed result', () => {
    const after = (success: boolean, tell: (scene: Scene) => string[]) => {
      const scene = new Scene().step();
      scene.all.addFacts('result', 'x', { success }, 'the history');
      return tell(scene).length;
    };
    const result = { digest: 'd', result_ref: 'x', error: null };
    for (const tell of [
      (scene: Scene) => scene.told({ ...result, state: 'cancelled' }),
      (scene: Scene) => scene.shown({ ...result, state: 'cancelled' }),
    ])
      expect([after(true, tell), after(false, tell)]).toEqual([1, 0]);
    expect(after(true, (scene) => scene.told({ ...result, state: 'succeeded' }))).toBe(0);
  });
});

describe('a call without a digest', () => {
  const REJECTED = { digest: null, state: 'rejected', error: ERROR, effect: null, attempts: 0, revision: 1 };
  const told = (more: Fields, scene = new Scene().step({ error: ERROR })) => scene.told({ ...REJECTED, ...more });
  const shown = (more: Fields, scene = new Scene().step({ error: ERROR })) => scene.shown({ ...REJECTED, ...more });

  it('was refused or stopped; in the turn’s result it may also be proposed', () => {
    const state = (who: string, state: string) => `D6: ${who} says "${state}" of a call that nobody was asked about and that did not run`; // oxfmt-ignore
    expect([told({}), shown({})]).toEqual([[], []]);
    expect(told({ state: 'failed', error: null })).toEqual([state('The history', 'failed')]);
    expect(told({ state: 'proposed', error: null })).toEqual([state('The history', 'proposed')]);
    expect([shown({ state: 'proposed', error: null }), shown({ state: 'failed', error: null })]).toEqual([
      [],
      [state("The turn's result", 'failed')],
    ]);
    expect(told({ state: 'failed', error: null, digest: undefined })).toEqual([]);
    expect(shown({ state: 'proposed' })).toEqual([`D6: The turn's result says "proposed" of a call that was refused`]);
    expect(told({ state: 'cancelled', error: { reason: 'turn_cancelled' } })).toEqual([]);
  });

  it('was asked for by a step', () => {
    const none = (who: string) => [`D6: ${who} has call "1.7", which no step has asked for`];
    const other = { call_id: '1.7', id: '1.7', digest: 'd', state: 'denied' };
    expect([told(other), shown(other)]).toEqual([none('The history'), none("The turn's result")]);
    expect(told({ ...other, call_id: undefined })).toEqual([]);
    expect([told(other, unknown(new Scene())), told(other, new Scene({ run_id: 'later' }))]).toEqual([[], []]);
  });

  it('was refused for the reason that its step or admission gave', () => {
    const wrong = (who: string) => [`D6: ${who} says that a call was refused for another reason than it was`];
    const otherwise = { error: { ...ERROR, reason: 'x' } };
    expect([told(otherwise), shown(otherwise)]).toEqual([wrong('The history'), wrong("The turn's result")]);
    for (const reason of ['repeated_failure', 'too_many_questions']) expect(told({ error: { ...ERROR, reason } })).toEqual([]);
    const admission = (argument: Fields, result: Fields) => {
      const scene = new Scene().step();
      scene.run.activity('admitCall', { call: { id: '1.1' }, ...argument }, result);
      scene.faults();
      return scene;
    };
    expect(told({}, admission({}, { ok: false, error: ERROR }))).toEqual([]);
    expect(told({}, admission({ edit: {} }, { ok: false, error: ERROR }))).toEqual(wrong('The history'));
    expect(told({}, admission({}, { ok: true, error: ERROR }))).toEqual(wrong('The history'));
    expect(told({}, admission({ call: { id: '1.7' } }, { ok: false, error: ERROR }))).toEqual(wrong('The history'));
    expect(told({}, new Scene().step())).toEqual(wrong('The history'));
    // A shortened text proves nothing, and neither does an unknown one.
    expect(told({ error: { ...ERROR, message: 'N…' } }, new Scene().step())).toEqual([]);
    expect(told(otherwise, unknown(new Scene().step({ error: ERROR })))).toEqual([]);
    expect(told(otherwise, reset(new Scene().step({ error: ERROR })))).toEqual([]);
  });

  it('is recorded in the same way in step and result', () => {
    const again = (more: Fields, first: Fields = {}) => {
      const scene = new Scene().step({ error: ERROR });
      scene.told({ ...REJECTED, ...first });
      const { summary, ...rest } = more;
      return scene.shown({ ...REJECTED, ...rest, ...(summary === undefined ? {} : { result_summary: summary }) });
    };
    expect(again({})).toEqual([]);
    for (const more of [{ effect: 'refused' }, { attempts: 1 }, { revision: 2 }, { summary: 'x' }])
      expect(again(more)).toHaveLength(1);
    expect([again({ summary: 'x…' }), again({ error: { ...ERROR, message: 'N…' } })]).toEqual([[], []]);
  });
});

describe('the summary of a call that has no result', () => {
  const DENIED = { digest: 'd', state: 'denied' };
  const both = (summary: string, more: Fields = {}, scene = new Scene().step()) => {
    scene.told({ ...DENIED, ...more });
    return scene.shown({ ...DENIED, ...more, result_summary: summary }).length;
  };

  it('is the same in the next step and in the result of the turn', () => {
    expect(both('paid')).toBe(1);
    expect([both('p…'), both('paid', { result_ref: 'x' }), both('paid', {}, reset(new Scene().step()))]).toEqual([0, 0, 0]);
    const stopped = { state: 'cancelled', error: { reason: 'no_result' } };
    expect(both('paid', stopped)).toBe(0);
  });
});
