/** What a turn's history records twice about usage, and about the end of the turn (rules D1 and D6). */
import { cutJson } from '../../../../src/shared/json/json';
import { at, carrying, event, GONE, payloads, type Fields } from '../../../support/audit/hand-events';
import { Scene, left } from '../../../support/audit/turn-in-history-scene';

describe('the usage of a turn (D1)', () => {
  const used = (n: number) => ({ usage: { input_tokens: n } });
  const says = (said: number, sum: number) => [`D1: The turn's result says input_tokens ${said}, and the steps have used ${sum}`];
  const look = (scene: Scene, report: unknown) => {
    scene.run.activity('lookAtSubTurn', { workflow_id: 'turn/b' }, report);
    return scene;
  };

  it('is the sum of its steps', () => {
    const scene = () => new Scene().step(used(3)).step(used(4));
    expect([scene().view(used(7)), scene().view(used(6)), scene().view()]).toEqual([[], says(6, 7), []]);
    expect([left(scene()).view(used(6)), new Scene({ run_id: 'later' }).step(used(3)).view(used(4))]).toEqual([[], []]);
    const compacted = scene();
    compacted.run.activity('compact', {}, used(10));
    compacted.run.activity('notify', {}, used(100));
    expect([compacted.view(used(17))]).toEqual([[]]);
    const next = scene();
    next.next();
    expect(next.step(used(1)).view(used(8))).toEqual([]);
    next.begin('u', { input: payloads({}), continuedExecutionRunId: 'r' }, 'continued');
    expect(next.step(used(1)).view(used(9))).toEqual(says(9, 8));
  });

  it('includes that of sub-agents’ turns', () => {
    const spent = { spent: used(5), ended: true };
    expect([look(new Scene().step(used(3)), spent).view(used(8)), look(new Scene().step(used(3)), spent).view(used(3))]).toEqual([
      [],
      says(3, 8),
    ]);
    expect(look(look(new Scene(), { ...spent, spent: used(9) }), spent).view(used(5))).toEqual([]);
    for (const open of [{ ...spent, ended: false }, { ended: true }, { spent: {}, ended: true }, GONE])
      expect(look(new Scene(), open).view(used(99))).toEqual([]);
  });

  it('is the same in its session', () => {
    const found = (
      result: unknown,
      tell: (scene: Scene) => unknown = (scene) => scene.view(),
      type = 'ACTIVITY_TASK_COMPLETED',
    ) => {
      const scene = new Scene().step(used(3));
      tell(scene);
      scene.faults();
      scene.of.session(event(type, { result: carrying(result) }));
      return scene.faults();
    };
    const other = ['D1: The session says input_tokens 4, and the steps have used 3'];
    expect([found(used(3)), found(used(4)), found({}), found(GONE)]).toEqual([[], other, [], []]);
    expect([found(used(4), () => undefined), found(used(4), undefined, 'TIMER_FIRED')]).toEqual([[], []]);
    expect(found(used(4), (scene) => scene.begin('s', {}, 'reset').view())).toEqual([]);
  });
});

describe('the end of a turn', () => {
  const TEXT = "D1: The turn's result has another text than the last step that said something";

  it('has the steps and the text of its history (D1)', () => {
    const scene = () => new Scene().step({ text: 'First.' }).step({ text: 'Paid.' }).step({ text: '' });
    expect([scene().view({ step: 3, text: 'Paid.' }), scene().view()]).toEqual([[], []]);
    expect(scene().view({ step: 2 })).toEqual(["D1: The turn's result says step 2, and the history has 3"]);
    for (const text of ['First.', '', 7]) expect(scene().view({ text })).toEqual([TEXT]);
    expect(left(scene()).view({ step: 9, text: 'x' })).toEqual([]);
    const long = 'a'.repeat(20_000);
    const cut = (text: string) => new Scene().step({ text: long }).view({ text });
    expect([cut(long), cut('a'.repeat(12_000 - 2)), cut('a'.repeat(11_000))].map((faults) => faults.length)).toEqual([0, 1, 1]);
    expect([cut(cutJson(long, 12_000)), cut(cutJson(long, 12_001))]).toEqual([[], [TEXT]]);
  });

  it('is the one that Temporal has (D1)', () => {
    const ends = (type: 'COMPLETED' | 'CANCELED' | 'FAILED', state: string) =>
      new Scene()
        .end(type, { calls: [], state, reason: undefined }, { message: 'x' })
        .filter((fault) => fault.includes('Temporal has'));
    const other = (state: string) => [`D1: The turn's result is "${state}", and Temporal has another end of it`];
    expect([
      ends('COMPLETED', 'completed'),
      ends('COMPLETED', 'cancelled'),
      ends('COMPLETED', 'refused'),
      ends('FAILED', 'failed'),
      ends('CANCELED', 'cancelled'),
    ]).toEqual([[], [], [], [], []]);
    expect([ends('COMPLETED', 'failed'), ends('FAILED', 'completed'), ends('CANCELED', 'completed')]).toEqual([
      other('failed'),
      other('completed'),
      other('completed'),
    ]);
    expect(new Scene().end('COMPLETED', { state: 'failed' })).toEqual([]);
    expect(new Scene().end('FAILED', GONE)).toEqual([]);
  });

  it('has the reason that Temporal has (D1)', () => {
    const fails = (reason: unknown, failure: Fields) =>
      new Scene().end('FAILED', { calls: [], state: 'failed', reason }, failure);
    const other = ['D1: The turn has failed for another reason than its result says'];
    expect([fails('R', { message: 'R' }), fails(null, { message: 'failed' }), fails(undefined, { message: 'x' })]).toEqual([
      [],
      [],
      [],
    ]);
    expect([fails('R', { message: 'S' }), fails('R', {}), fails('', {}), fails(null, { message: 'x' })]).toEqual([
      other,
      other,
      [],
      other,
    ]);
    expect([fails('R', { message: 'Encoded', encodedAttributes: {} }), fails('R', { message: '(redacted)' })]).toEqual([[], []]);
    expect(new Scene().end('COMPLETED', { calls: [], state: 'completed', reason: 'R' }, { message: 'S' })).toEqual([]);
  });

  it('is cancelled if Temporal says so and there is no view (D1)', () => {
    const cancelled = (facts: Fields, tell: (scene: Scene) => unknown = () => undefined, details: unknown = {}) => {
      const scene = new Scene();
      tell(scene);
      scene.end('CANCELED', details);
      return scene.otherwise(facts);
    };
    const closed = (state: string) => (scene: Scene) => scene.run.activity('endTurn', { state, reason: 'R' }, { head: 'e' });
    expect([cancelled({ state: 'x' }), cancelled({ state: 'cancelled' }), cancelled({ reason: 'x' })]).toEqual(['state', '', '']);
    expect([cancelled({ reason: 'x' }, closed('cancelled')), cancelled({ reason: 'x' }, closed('failed'))]).toEqual([
      'reason',
      '',
    ]);
    expect(cancelled({ state: 'x' }, (scene) => scene.begin('s', {}, 'reset'))).toBe('');
    expect(cancelled({ state: 'x' }, undefined, { calls: [] })).toBe('');
    expect(cancelled({ state: 'x' }, undefined, GONE)).toBe('state');
    const run = new Scene();
    run.end('CANCELED', {});
    expect(run.otherwise({ state: 'x' }, '1')).toBe('state');
    const next = new Scene();
    closed('cancelled')(next);
    next.next();
    next.end('CANCELED', {});
    expect(next.otherwise({ reason: 'x' })).toBe('');
  });

  it('is the one that was to be stored (D6)', () => {
    const ended = (argument: Fields, result: Fields | typeof GONE, facts: Fields) => {
      const scene = new Scene();
      scene.run.activity('endTurn', argument, result);
      return scene.otherwise(facts, '1');
    };
    const argument = { state: 's', reason: 'R', at: at(5) };
    expect([ended(argument, { head: 'e' }, { state: 'x' }), ended(argument, { head: 'e' }, { reason: 'x' })]).toEqual([
      'state',
      'reason',
    ]);
    expect([
      ended({}, { envelope: { a: 1 } }, { envelope: 'x' }),
      ended({ envelope: true }, {}, { envelope: 'x' }),
      ended({}, {}, { envelope: 'x' }),
    ]).toEqual(['envelope', 'envelope', '']);
    expect(ended({ envelope: true }, GONE, { envelope: 'x' })).toBe('');
    const block = (result: unknown, facts: Fields) => {
      const scene = new Scene();
      scene.run.activity('endTurn', argument, result);
      scene.faults();
      scene.all.addFacts('block', 'e', facts, 'the transcript');
      return scene.faults().length;
    };
    expect([
      block({ head: 'e' }, { at: at(6) }),
      block({ head: 'e' }, { state: 'x' }),
      block({ head: 'e' }, { reason: 'x' }),
      block(GONE, { state: 'x' }),
    ]).toEqual([1, 1, 1, 0]);
    const second = new Scene();
    second.next();
    second.run.activity('endTurn', { state: 's', reason: 'R' }, {});
    expect([second.otherwise({ reason: 'x' }, '2'), second.otherwise({ reason: 'x' }, '1')]).toEqual(['reason', '']);
    expect(new Scene().view({ state: 'completed', reason: 'R' })).toEqual([]);
    const viewed = new Scene();
    viewed.view({ state: 'completed', reason: 'R', envelope: { a: 1 } });
    for (const fact of ['state', 'reason', 'envelope']) expect(viewed.otherwise({ [fact]: 'x' }, '1')).toBe(fact);
  });

  it('of a direct call that did not run has the error of the call (D6)', () => {
    const error = { code: 'X' };
    const answers = (envelope: unknown, outcome: Fields = { error }, state = 's') => {
      const scene = new Scene();
      scene.run.activity(
        'endTurn',
        { state, outcomes: [outcome, { error: { code: 'Y' } }] },
        envelope === undefined ? {} : { envelope },
      );
      return scene.faults();
    };
    const other = ['D6: A direct call answers with something else than why it did not run'];
    expect([
      answers({ success: false, error }),
      answers(undefined),
      answers({}, { error: null }),
      answers({}, {}),
      answers({}, { error, result_ref: 'r' }),
    ]).toEqual([[], [], [], [], []]);
    expect([answers({ success: true, error }), answers({ success: false, error: { code: 'Z' } }), answers({})]).toEqual([
      other,
      other,
      other,
    ]);
  });

  it('includes the first message, if no step had it', () => {
    const scene = new Scene();
    scene.run.scheduled('endTurn', { begin: { message: 'Pay.', attestation: 'a' } });
    expect([scene.otherwise({ message: 'x' }), scene.otherwise({ attestation: 'x' })]).toEqual(['message', 'attestation']);
    const other = new Scene();
    other.run.scheduled('takeStep', { begin: { message: 'Pay.' } });
    expect(other.otherwise({ message: 'x' })).toBe('');
  });
});
