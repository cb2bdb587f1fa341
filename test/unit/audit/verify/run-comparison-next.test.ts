/** What the server's own events repeat about runs, and about what calls were given (rules D1 to D6). */
import { hashJson } from '../../../../src/shared/json/digests';
import type { JsonObject } from '../../../../src/shared/json/json';
import { at, GONE, payload, payloads, type Fields } from '../../../support/audit/hand-events';
import { Scene, left } from '../../../support/audit/run-scene';

describe('a run that continues (D1)', () => {
  const another = (what: string) => [`D1: The run began with another ${what} than the run before it says`];
  const CONTINUED = { newExecutionRunId: 's', workflowType: { name: 'turn' }, taskQueue: { name: 'q' } };
  const goes = (told: Fields, own: Fields, run_id = 's', before = 'r') => {
    const scene = new Scene();
    scene.run.tell('WORKFLOW_EXECUTION_CONTINUED_AS_NEW', { ...CONTINUED, ...told });
    return scene.next({ workflowType: { name: 'turn' }, taskQueue: { name: 'q' }, ...own }, before, run_id);
  };

  it('has the run id, type and queue that the run before names', () => {
    expect(goes({}, {})).toEqual([]);
    expect(goes({}, {}, 'u')).toEqual(another('run'));
    expect(goes({}, { originalExecutionRunId: 's' }, 'u')).toEqual([]);
    expect(goes({}, { originalExecutionRunId: 'u' })).toEqual(another('run'));
    expect(goes({}, { workflowType: { name: 'x' } })).toEqual(another('type'));
    expect(goes({}, { taskQueue: undefined })).toEqual(another('queue'));
    expect(goes({ workflowType: undefined, taskQueue: undefined }, { workflowType: { name: 'x' } })).toEqual([]);
    expect(goes({}, { workflowType: { name: 'x' } }, 's', 'q')).toEqual([]);
  });

  it('has the same memo and search attributes, as far as both have them', () => {
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

describe('other facts that are recorded twice', () => {
  it('the summary of the activity of a call (D4)', () => {
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

  it('the time limit of a call (D2)', () => {
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

  it('the number of denials by the classifier (D4)', () => {
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

  it('the run in which a card is shown (D3)', () => {
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

  it('the time from which a probe counts (D6)', () => {
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

  it('the decisions that the store keeps (D5)', () => {
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
    known.all.addFacts('said', 'p', { said: hashJson(said) }, 'x');
    expect(known.faults()).toEqual([]);
  });
});
