/** When, and from which block, activities were scheduled, and until when people may decide, by the server's own events (rules D1 and D4). */
import type { JsonObject } from '../../../../src/shared/json/json';
import { at, GONE, payloads, type Fields } from '../../../support/audit/hand-events';
import type { Setting } from '../../../support/audit/hand-comparison';
import { Scene, left } from '../../../support/audit/run-scene';

describe('when an activity was scheduled (D1)', () => {
  const otherwise = (seconds: number) => [
    `D1: An activity was scheduled at "${at(seconds)}", it says, and the workflow's clock says otherwise`,
  ];
  const TIMED = ['takeStep', 'compact', 'admitDirect', 'runCall', 'openSubTurn', 'closeSubTurn', 'inspectEffect', 'reconcileEffect', 'checkDecision', 'checkSteer', 'notify', 'endTurn']; // oxfmt-ignore

  it.each(TIMED)('is, for %s, the time of its task', (name) => {
    expect(new Scene().task(5).found(name, { at: at(5) })).toEqual([]);
    expect(new Scene().task(5).found(name, { at: at(6) })).toEqual(otherwise(6));
  });

  it('is not checked for other activities, or if the time or the task is missing', () => {
    expect(new Scene().task(5).found('settleEffect', { at: at(6) })).toEqual([]);
    expect(new Scene().task(5).found('runCall', {})).toEqual([]);
    expect(new Scene().task(5).found('runCall', GONE)).toEqual([]);
    expect(new Scene().task(5).found('runCall', { at: at(6) }, { workflowTaskCompletedEventId: '99' })).toEqual([]);
    expect(
      new Scene()
        .task(5)
        .begin('s')
        .found('runCall', { at: at(6) }),
    ).toEqual([]);
  });

  it('may be the time of the task before: a worker may have answered a query before the task', () => {
    const scene = () => new Scene().task(2).task(5).task(9);
    expect(scene().found('inspectEffect', { at: at(5) })).toEqual([]);
    expect(scene().found('inspectEffect', { at: at(9) })).toEqual([]);
    for (const seconds of [2, 7]) expect(scene().found('inspectEffect', { at: at(seconds) })).toEqual(otherwise(seconds));
    expect(new Scene().task(2).begin('s').task(5).found('inspectEffect', { at: at(2) })).toEqual(otherwise(2)); // oxfmt-ignore
  });

  it('may be the time of an earlier task, when a sub-agent’s turn is opened', () => {
    expect(
      new Scene()
        .task(5)
        .task(9)
        .found('openSubTurn', { at: at(5) }),
    ).toEqual([]);
    expect(
      new Scene()
        .task(5)
        .task(7)
        .task(9)
        .found('closeSubTurn', { at: at(5) }),
    ).toEqual(otherwise(5));
    expect(new Scene({ run_id: 'later' }).task(5).found('openSubTurn', { at: at(7) })).toEqual([]);
    const unknown = new Scene();
    const startedEventId = unknown.run.tell('WORKFLOW_TASK_STARTED', {}, 5);
    unknown.begin('s', { input: payloads({}) });
    const id = unknown.run.tell('WORKFLOW_TASK_COMPLETED', { startedEventId });
    expect(unknown.found('runCall', { at: at(5) }, { workflowTaskCompletedEventId: id })).toHaveLength(1);
  });
});

describe('when the turn began and ended (D1)', () => {
  const began = ['D1: The turn\'s result says that it began at "x", and its first task began otherwise'];
  const ended = (seconds: number) => [
    `D1: The turn's result says that it ended at "${at(seconds)}", when its workflow did nothing`,
  ];

  it('is the time of its first task', () => {
    const scene = () => new Scene().task(5).task(9);
    expect([
      scene().ends({ started_at: at(5) }),
      scene().ends({ started_at: at(9) }).length,
      scene().ends({ started_at: 'x' }),
    ]).toEqual([[], 1, began]);
    expect(new Scene().ends({ started_at: 'x' })).toEqual([]);
    for (const type of ['CANCELED', 'FAILED'] as const) expect(scene().ends({ started_at: 'x' }, type)).toEqual(began);
    expect(scene().ends({ started_at: 'x', calls: undefined })).toEqual([]);
    expect(new Scene({ argument: GONE }).task(5).ends({ started_at: 'x' })).toEqual([]);
  });

  it('is that of the first run', () => {
    const scene = new Scene().task(5);
    scene.next();
    expect([scene.task(9).ends({ started_at: at(5) }), scene.ends({ started_at: 'x' })]).toEqual([[], began]);
    scene.next({}, 'q', 'u');
    expect(scene.task(12).ends({ started_at: 'x' })).toEqual([]);
  });

  it('is the time of a task, after the last step', () => {
    const scene = () => new Scene().task(5);
    expect([scene().ends({ ended_at: at(5) }), scene().ends({ ended_at: at(6) })]).toEqual([[], ended(6)]);
    const stepped = (name: string) => {
      const one = scene().task(9);
      one.asks(name, {});
      return one.ends({ ended_at: at(5) });
    };
    expect([stepped('takeStep'), stepped('endTurn'), stepped('notify')]).toEqual([ended(5), ended(5), []]);
    const last = scene().task(9);
    last.asks('endTurn', {});
    last.asks('endTurn', {}, { workflowTaskCompletedEventId: '99' });
    expect(last.ends({ ended_at: at(9) })).toEqual([]);
    expect(
      scene()
        .begin('s', { input: payloads({}) })
        .task(7)
        .ends({ ended_at: at(5) }),
    ).toEqual(ended(5));
    const again = scene().task(9);
    again.asks('endTurn', {});
    expect(
      again
        .begin('s', { input: payloads({}) })
        .task(7)
        .ends({ ended_at: at(7) }),
    ).toEqual([]);
  });

  it('and when a signal was ignored, is the time of a task of the turn', () => {
    const scene = () => {
      const one = new Scene().task(5);
      one.next();
      return one.task(9);
    };
    const ignored = (one: Scene, ...times: (string | undefined)[]) =>
      one.ends({ ignored_signals: { last: times.map((time) => ({ at: time })) } as unknown as JsonObject });
    expect([ignored(scene(), at(5), at(9), undefined), ignored(scene(), at(5), at(6))]).toEqual([[], ["D1: The turn's result has a signal that was ignored when its workflow did nothing"]]); // oxfmt-ignore
    expect(ignored(new Scene({ run_id: 'later' }).task(5), at(6))).toEqual([]);
  });
});

describe('until when people may decide (D4)', () => {
  const policy = (ms: unknown) => ({ policy: { approval_expiry_ms: ms } }) as Fields;
  const asked = (
    until: unknown,
    { by = ['takeStep'], said = policy(5000), name = 'admitCall', setting = {} as Setting } = {},
  ) => {
    const scene = new Scene(setting);
    for (const activity of by) scene.run.activity(activity, {}, said);
    return scene.task(10).found(name, { expires_at: until } as Fields);
  };
  const other = (until: string) => [
    `D4: People were asked until "${until}", and by the workflow's clock and its policy until another time`,
  ];

  it('follows from the clock and from the policy of a step', () => {
    expect([asked(at(15)), asked(at(15), { by: ['admitDirect'] })]).toEqual([[], []]);
    for (const wrong of [at(14), at(16)]) expect(asked(wrong)).toEqual(other(wrong));
    expect([asked(at(15), { by: [] }), asked(at(15), { by: ['compact'] })]).toEqual([other(at(15)), other(at(15))]);
    const scene = new Scene();
    for (const ms of [5000, 7000]) scene.run.activity('takeStep', {}, policy(ms));
    scene.task(10);
    expect([15, 17].map((seconds) => scene.found('admitCall', { expires_at: at(seconds) }))).toEqual([[], []]);
    expect(scene.found('admitCall', { expires_at: at(16) })).toEqual(other(at(16)));
  });

  it('is unknown if a step does not have it, nobody is asked, or the clock is missing', () => {
    for (const ms of [undefined, '5000', null]) expect(asked(at(16), { said: policy(ms) })).toEqual([]);
    expect(asked(at(16), { by: ['takeStep', 'takeStep'], said: policy(undefined) })).toEqual([]);
    const scene = new Scene();
    for (const ms of [undefined, 5000]) scene.run.activity('takeStep', {}, policy(ms));
    expect(scene.task(10).found('admitCall', { expires_at: at(16) })).toEqual([]);
    expect([asked(null), asked(undefined), asked(at(16), { name: 'notify' })]).toEqual([[], [], []]);
    expect(asked(at(16), { setting: { run_id: 'later' } })).toEqual([]);
    const timeless = new Scene();
    timeless.run.activity('takeStep', {}, policy(5000));
    const task = timeless.run.tell('WORKFLOW_TASK_COMPLETED', { startedEventId: '77' });
    for (const workflowTaskCompletedEventId of [task, '99'])
      expect(timeless.found('admitCall', { expires_at: at(16) }, { workflowTaskCompletedEventId })).toEqual([]);
  });
});

describe('the block from which an activity continues (D1)', () => {
  const other = ['D1: An activity was to go on from another block than the last that the history has'];
  const from = (scene: Scene, head: unknown) => scene.found('takeStep', { head });
  const named = (...results: [name: string, result: unknown][]) => {
    const scene = new Scene({ argument: { turn_id: 't', parent_head: 'p' } });
    for (const [name, result] of results) scene.task(5).run.activity(name, {}, result);
    return scene.task(9);
  };

  it('is first the head of the argument', () => {
    expect([from(named(), 'p'), from(named(), 'x'), from(named(), null)]).toEqual([[], other, other]);
    expect([from(new Scene(), null), from(new Scene(), 'x'), from(new Scene(), undefined)]).toEqual([[], other, []]);
    expect(from(new Scene({ argument: GONE }), 'x')).toEqual([]);
    expect([from(left(named()), 'x'), new Scene({ run_id: 'later' }).found('takeStep', { head: 'x' })]).toEqual([[], []]);
  });

  it('is the last that a result named', () => {
    for (const result of [
      { head: 'a' },
      { outcome: { head: 'a' } },
      { settled: { head: 'a' } },
      { refused: { head: 'a' } },
      { head: 'z', answer_head: 'a' },
    ])
      expect([from(named(['x', result]), 'a'), from(named(['x', result]), 'p')]).toEqual([[], other]);
    expect(from(named(['x', { head: 'a' }], ['x', { head: 'b' }]), 'a')).toEqual(other);
    expect(from(named(['x', { head: 'a' }], ['x', { head: 7 }]), 'a')).toEqual([]);
    for (const name of ['lookAtSubTurn', 'lookAtTurn', 'checkFork']) expect(from(named([name, { head: 'a' }]), 'p')).toEqual([]);
    for (const name of ['lookAtSubTurn', 'lookAtTurn', 'checkFork']) expect(from(named([name, GONE]), 'x')).toEqual(other);
  });

  it('may be any of several that came at once, and that of an activity that was to stop', () => {
    const scene = named();
    scene.run.activity('x', {}, { head: 'a' });
    scene.run.activity('x', {}, { head: 'b' });
    expect([from(scene, 'a'), from(scene, 'b'), from(scene, 'p')]).toEqual([[], [], other]);
    const stopped = named();
    const id = stopped.run.scheduled('x', {});
    stopped.run.tell('ACTIVITY_TASK_CANCEL_REQUESTED', { scheduledEventId: id });
    stopped.run.tell('ACTIVITY_TASK_CANCEL_REQUESTED', { scheduledEventId: '99' });
    stopped.run.completed(id, { head: 'a' });
    expect([from(stopped, 'a'), from(stopped, 'p')]).toEqual([[], []]);
  });

  it('is unknown after a result that was left out', () => {
    expect(from(named(['x', GONE]), 'q')).toEqual([]);
    expect(from(named(['x', GONE], ['x', { head: 'a' }]), 'q')).toEqual([]);
    const stray = named();
    stray.run.completed('99', { head: 'a' });
    expect(from(stray, 'a')).toEqual([]);
  });

  it('is known to the run that continues', () => {
    const scene = named(['x', { head: 'a' }]);
    scene.next();
    expect([from(scene, 'a'), from(scene, 'p')]).toEqual([[], other]);
    scene.run.activity('x', {}, { head: 'b' });
    scene.next({}, 'r', 'u');
    expect([from(scene, 'a'), from(scene, 'b')]).toEqual([[], other]);
    scene.next({}, 'nowhere', 'v');
    expect(from(scene, 'b')).toEqual([]);
  });
});
