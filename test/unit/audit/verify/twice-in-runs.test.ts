/** What the server's own events say again of a turn's activities and runs (rules D1, D3 to D6). */
import { TwiceInRuns } from '../../../../src/audit/verify/twice-in-runs';
import { hashJson } from '../../../../src/shared/digests';
import type { JsonObject } from '../../../../src/shared/json';
import { at, carrying, GONE, payload, payloads, type Ending, type Fields } from '../../../support/audit/hand-events';
import { HandTwice, type Setting } from '../../../support/audit/hand-twice';

class Scene extends HandTwice<TwiceInRuns> {
  private done = '';

  constructor(setting: Setting = {}) {
    super((all, history) => new TwiceInRuns(all, history), setting);
  }

  /** A task of the workflow that began at this time. */
  task(seconds: number): this {
    const startedEventId = this.run.tell('WORKFLOW_TASK_STARTED', {}, seconds);
    this.done = this.run.tell('WORKFLOW_TASK_COMPLETED', { startedEventId }, seconds + 1);
    return this;
  }

  /** An activity that the last task has scheduled. @returns its event */
  asks(name: string, argument: unknown, more: Fields = {}): string {
    const attributes = { activityType: { name }, input: carrying(argument), workflowTaskCompletedEventId: this.done, ...more };
    return this.run.tell('ACTIVITY_TASK_SCHEDULED', attributes);
  }

  found(name: string, argument: unknown, more: Fields = {}): string[] {
    this.asks(name, argument, more);
    return this.faults();
  }

  ends(view: Fields, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [], ...view });
    return this.faults();
  }

  next(more: Fields = {}, before = 'r', run_id = 's'): string[] {
    this.begin(run_id, { input: payloads({ turn_id: 't' }), continuedExecutionRunId: before, ...more }, 'continued');
    return this.faults();
  }
}

const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};

describe('when an activity was scheduled (D1)', () => {
  const otherwise = (seconds: number) => [
    `D1: An activity was scheduled at "${at(seconds)}", it says, and the workflow's clock says otherwise`,
  ];
  const TIMED = ['takeStep', 'compact', 'admitDirect', 'runCall', 'openSubTurn', 'closeSubTurn', 'inspectEffect', 'reconcileEffect', 'checkDecision', 'checkSteer', 'notify', 'endTurn']; // oxfmt-ignore

  it.each(TIMED)('%s: at the time of its task', (name) => {
    expect(new Scene().task(5).found(name, { at: at(5) })).toEqual([]);
    expect(new Scene().task(5).found(name, { at: at(6) })).toEqual(otherwise(6));
  });

  it('is not asked of others, of one that does not say so, or of a task that is not there', () => {
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

  it('may be that of an earlier task, of a turn below', () => {
    expect(
      new Scene()
        .task(5)
        .task(9)
        .found('openSubTurn', { at: at(5) }),
    ).toEqual([]);
    expect(
      new Scene()
        .task(5)
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

  it('and of what was ignored, is that of a task of the turn', () => {
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

describe('from where an activity goes on (D1)', () => {
  const other = ['D1: An activity was to go on from another block than the last that the history has'];
  const from = (scene: Scene, head: unknown) => scene.found('takeStep', { head });
  const named = (...results: [name: string, result: unknown][]) => {
    const scene = new Scene({ argument: { turn_id: 't', parent_head: 'p' } });
    for (const [name, result] of results) scene.task(5).run.activity(name, {}, result);
    return scene.task(9);
  };

  it('is the head of the argument first', () => {
    expect([from(named(), 'p'), from(named(), 'x'), from(named(), null)]).toEqual([[], other, other]);
    expect([from(new Scene(), null), from(new Scene(), 'x'), from(new Scene(), undefined)]).toEqual([[], other, []]);
    expect(from(new Scene({ argument: GONE }), 'x')).toEqual([]);
    expect([from(left(named()), 'x'), new Scene({ run_id: 'later' }).found('takeStep', { head: 'x' })]).toEqual([[], []]);
  });

  it('is the last that a result has named', () => {
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

  it('may be any of several that came at once, and of one that was to stop', () => {
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

  it('is not known after a result that was left out', () => {
    expect(from(named(['x', GONE]), 'q')).toEqual([]);
    expect(from(named(['x', GONE], ['x', { head: 'a' }]), 'q')).toEqual([]);
    const stray = named();
    stray.run.completed('99', { head: 'a' });
    expect(from(stray, 'a')).toEqual([]);
  });

  it('is known to the run that goes on', () => {
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

describe('what a run hands on (D1)', () => {
  const another = (what: string) => [`D1: The run began with another ${what} than the run before it says`];
  const CONTINUED = { newExecutionRunId: 's', workflowType: { name: 'turn' }, taskQueue: { name: 'q' } };
  const goes = (told: Fields, own: Fields, run_id = 's', before = 'r') => {
    const scene = new Scene();
    scene.run.tell('WORKFLOW_EXECUTION_CONTINUED_AS_NEW', { ...CONTINUED, ...told });
    return scene.next({ workflowType: { name: 'turn' }, taskQueue: { name: 'q' }, ...own }, before, run_id);
  };

  it('is the run, its type and its queue', () => {
    expect(goes({}, {})).toEqual([]);
    expect(goes({}, {}, 'u')).toEqual(another('run'));
    expect(goes({}, { originalExecutionRunId: 's' }, 'u')).toEqual([]);
    expect(goes({}, { originalExecutionRunId: 'u' })).toEqual(another('run'));
    expect(goes({}, { workflowType: { name: 'x' } })).toEqual(another('type'));
    expect(goes({}, { taskQueue: undefined })).toEqual(another('queue'));
    expect(goes({ workflowType: undefined, taskQueue: undefined }, { workflowType: { name: 'x' } })).toEqual([]);
    expect(goes({}, { workflowType: { name: 'x' } }, 's', 'q')).toEqual([]);
  });

  it('is what both have of memo and search attributes', () => {
    const changed = (name: string) => [`D1: The run began with another ${name} than the run before it has handed on`];
    const fields = (memo: Fields, attributes: Fields = {}): Fields => ({
      memo: { fields: memo } as JsonObject,
      searchAttributes: { indexedFields: attributes } as JsonObject,
    });
    expect(goes(fields({ a: payload(1), b: payload(2) }), fields({ a: payload(1), c: payload(3) }))).toEqual([]);
    expect(goes(fields({ a: payload(1), b: payload(2) }), fields({ a: payload(1), b: payload(3) }))).toEqual(changed('b'));
    expect(goes(fields({}, { x: payload(1) }), fields({}, { x: payload(2) }))).toEqual(changed('x'));
    expect(goes(fields({ a: payload(1) }), fields({ a: { redacted: true } }))).toEqual([]);
  });
});

describe('what else is told again', () => {
  it('is the summary of the activity of a call (D4)', () => {
    const call = { id: '1.1', tool: 'pay', version: '1', class: 'write' };
    const summary = (said: unknown, name = 'runCall', of: Fields = call) => {
      const scene = new Scene();
      const userMetadata = { summary: said === GONE ? { redacted: true } : payload(said) };
      const one = { activityType: { name }, input: payloads({ call: of }) };
      // It stands in the event itself.
      const tell = scene.of.event.bind(scene.of);
      scene.of.event = (event) => tell({ ...event, userMetadata });
      scene.run.tell('ACTIVITY_TASK_SCHEDULED', one);
      return scene.faults();
    };
    const right = 'write pay@1, call 1.1';
    const wrong = ['D4: The summary of the activity says "x", and it runs another call'];
    expect([
      summary(right),
      summary(GONE),
      summary(null),
      summary('x', 'notify'),
      summary('x', 'runCall', { ...call, class: undefined }),
    ]).toEqual([[], [], [], [], []]);
    expect([summary('x'), summary('x', 'openSubTurn')]).toEqual([wrong, wrong]);
  });

  it('is how long a call may take (D2)', () => {
    const took = (
      startToCloseTimeout: unknown,
      timeout_ms = 20_000,
      scene = new Scene(),
      name = 'runCall',
      step = 'takeStep',
    ) => {
      const call = { id: '1.1', timeout_ms };
      scene.run.activity(step, {}, step === 'takeStep' ? { calls: [{}, call] } : { call });
      return scene.found(name, { call: { id: '1.1' } }, { startToCloseTimeout } as Fields).length;
    };
    expect([took('30s'), took('31s'), took('30.5s', 20_500), took('30.0006s', 20_001)]).toEqual([0, 1, 0, 0]);
    for (const none of ['30', '30sx', 'x30s', '.5s', '30.s', 'xs', undefined, 7]) expect(took(none, 1)).toBe(0);
    expect([
      took('31s', 20_000, left(new Scene())),
      took('31s', 20_000, undefined, 'openSubTurn'),
      took('31s', 20_000, undefined, 'runCall', 'admitDirect'),
    ]).toEqual([0, 0, 1]);
    const again = new Scene();
    for (const timeout_ms of [1, 20_000]) again.run.activity('takeStep', {}, { calls: [{ id: '1.1', timeout_ms }] });
    expect(again.found('runCall', { call: { id: '1.1' } }, { startToCloseTimeout: '30s' })).toEqual([]);
  });

  it('is how often the classifier has denied (D4)', () => {
    const DENIED = { ok: false, by_classifier: true };
    const denials = (scene: Scene, in_all: unknown, in_a_row: unknown = 0, name = 'admitCall') =>
      scene.found(name, { undecided: { denials: { in_all, in_a_row } as JsonObject } });
    const told = (in_all: string, n: number) => [`D4: Admission was told of ${in_all} denials, and the history has ${n}`];
    const denied = (...results: unknown[]) => {
      const scene = new Scene();
      for (const result of results) scene.run.activity('admitCall', {}, result);
      return scene;
    };
    expect([denials(denied(), 0), denials(denied(), 1), denials(denied(), undefined)]).toEqual([[], told('1', 0), []]);
    // What came since the last task need not have been looked at.
    expect([denials(denied(DENIED, DENIED), 0), denials(denied(DENIED, DENIED), 2), denials(denied(DENIED, DENIED), 3)]).toEqual([
      [],
      [],
      told('3', 2),
    ]);
    expect([denials(denied(DENIED, DENIED).task(5), 2), denials(denied(DENIED, DENIED).task(5), 1)]).toEqual([[], told('1', 2)]);
    expect(denials(denied({ ...DENIED, ok: true }, { ok: false }, { ...DENIED, by_classifier: 'x' }), 1)).toEqual(told('1', 0));
    expect([denials(denied(DENIED), 1, 1), denials(denied(DENIED), 1, 2), denials(denied(DENIED), '1')]).toEqual([
      [],
      told('1', 1),
      told('"1"', 1),
    ]);
    expect(denials(denied(), 1, 0, 'notify')).toEqual([]);
    expect(denied().found('admitCall', { undecided: 'none' })).toEqual([]);
    const other = new Scene();
    other.run.activity('admitDirect', {}, DENIED);
    expect(denials(other, 1)).toEqual(told('1', 0));
    expect(denials(left(denied()), 1)).toEqual([]);
    const next = denied(DENIED).task(5);
    next.next();
    expect([denials(next, 1), denials(next, 0)]).toEqual([[], told('0', 1)]);
    next.run.activity('admitCall', {}, DENIED);
    next.task(6).next({}, 'r', 'u');
    expect(denials(next, 2)).toEqual(told('2', 1));
    next.next({}, 'nowhere', 'v');
    expect(denials(next, 9)).toEqual([]);
  });

  it('is the run in which a card is shown (D3)', () => {
    const shown = (result: unknown, name = 'readCard') => {
      const scene = new Scene();
      scene.run.activity(name, {}, result);
      return scene.faults();
    };
    const other = ['D3: The card is shown in a run that the turn does not have'];
    expect([shown({ run_id: 'r' }), shown({}), shown({ run_id: 's' }), shown({ run_id: 's' }, 'notify')]).toEqual([
      [],
      [],
      other,
      [],
    ]);
  });

  it('is when a probe is to be believed (D6)', () => {
    const probed = (given: unknown, said: unknown, name = 'reconcileEffect') => {
      const scene = new Scene();
      scene.run.activity(name, given === GONE ? GONE : { not_applied_from: given }, { not_applied_from: said });
      return scene.faults();
    };
    const sooner = ['D6: A probe was to be believed sooner than the workflow had said'];
    expect([probed(at(5), at(5)), probed(at(5), at(6)), probed(at(5), at(4)), probed(at(5), 'never')]).toEqual([
      [],
      [],
      sooner,
      sooner,
    ]);
    expect([probed(at(5), undefined), probed(undefined, at(4)), probed(GONE, at(4)), probed(at(5), at(4), 'notify')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  it('is what people have said, and the store keeps (D5)', () => {
    const said = { texts: [], value: ['a'] };
    const scene = () => {
      const one = new Scene();
      one.run.activity('keepSaid', { said }, { said_ref: 'p' });
      return one;
    };
    const read = (value: unknown, name = 'readSaid') => {
      const one = scene();
      one.run.activity(name, { said_ref: 'p' }, { said: value });
      return one.faults().length;
    };
    expect([read(said), read({ texts: [] }), read({}, 'notify')]).toEqual([0, 1, 0]);
    const written = (body: unknown, ref = 'p') => {
      const one = scene();
      one.part(body, ref);
      return one.faults().length;
    };
    expect([written({ said }), written({ said: 'x' }), written({ said: 'x' }, 'q'), written(GONE), written('text')]).toEqual([
      0, 1, 0, 0, 0,
    ]);
    const known = scene();
    known.all.tell('said', 'p', { said: hashJson(said) }, 'x');
    expect(known.faults()).toEqual([]);
  });
});
