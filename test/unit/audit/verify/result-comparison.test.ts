/** What the turn's result repeats of its history, besides its calls (rules D1 and D6). */
import { ResultComparison } from '../../../../src/audit/verify/result-comparison';
import { carrying, GONE, payloads, type Ending, type Fields } from '../../../support/audit/hand-events';
import { HandComparison, type Setting } from '../../../support/audit/hand-comparison';

class Scene extends HandComparison<ResultComparison> {
  constructor(setting: Setting = {}) {
    super((all, history) => new ResultComparison(all, history), setting);
  }

  step(result: Fields = {}, argument: unknown = {}): this {
    this.run.activity('takeStep', argument, { next: 'end', ...result });
    return this;
  }

  view(more: unknown, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, more === GONE ? GONE : { calls: [], requester: 'rita', ...(more as Fields) });
    return this.faults().map((fault) => fault.replace("The turn's result ", ''));
  }

  next(before = 'r', argument: unknown = {}): this {
    return this.begin('s', { input: carrying(argument), continuedExecutionRunId: before }, 'continued');
  }
}

const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};

it('reads an outcome with 200,000 approvals', () => {
  const approvals = Array<Fields>(200_000).fill({ decision: 'approve', by: 'ana' });
  expect(new Scene().step({}, { outcomes: [{ approvals }] }).view({})).toEqual([]);
});

describe('the calls that the result shows as waiting (D1)', () => {
  const waits = (state: string) =>
    new Scene().view({
      pending: ['d'],
      calls: [
        { digest: 'd', state },
        { digest: 'e', state: 'waiting' },
      ],
    });
  const none = ['D1: says that "d" waits for a person, and no such call waits'];

  it('are calls that wait', () => {
    expect([waits('waiting'), waits('in_doubt'), new Scene().view({ pending: [] }), new Scene().view({})]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect([waits('running'), new Scene().view({ pending: ['d'] })]).toEqual([none, none]);
    for (const type of ['CANCELED', 'FAILED'] as const) expect(new Scene().view({ pending: ['d'] }, type)).toEqual(none);
  });

  it('may be calls of a sub-agent’s turn', () => {
    const below = (digest: string) => new Scene().view({ pending: ['d'], sub_turns: [{}, { waiting: [{ call: { digest } }] }] });
    expect([below('d'), below('e')]).toEqual([[], none]);
  });

  it('are checked only in a result that has calls', () => {
    expect(new Scene().view({ calls: undefined, pending: ['d'] })).toEqual([]);
    expect(new Scene().view(GONE)).toEqual([]);
  });
});

describe('whether the conversation is full (D1)', () => {
  const says = (said: string) => [`D1: says ${said} of whether the conversation is full, and the steps say otherwise`];
  const full = (scene: Scene, context_full?: unknown) => scene.view({ context_full });

  it('is what the last step recorded', () => {
    expect(full(new Scene().step({ context_full: true }), true)).toEqual([]);
    expect(full(new Scene().step({ context_full: true }))).toEqual(says('false'));
    expect(full(new Scene().step(), true)).toEqual(says('true'));
    expect(full(new Scene().step({ context_full: true }).step())).toEqual([]);
    expect(full(new Scene().step({ context_full: 'yes' }), true)).toEqual(says('true'));
    expect(full(new Scene(), true)).toEqual(says('true'));
    const argument = { argument: { turn_id: 't', context_full: true } };
    expect([full(new Scene(argument), true), full(new Scene(argument))]).toEqual([[], says('false')]);
  });

  it('is false after a compaction, and unknown during one', () => {
    const scene = new Scene().step({ context_full: true });
    const id = scene.run.scheduled('compact', {});
    expect([full(scene, true), full(scene, false)]).toEqual([[], []]);
    scene.run.completed(id, {});
    expect([full(scene, true), full(scene, false)]).toEqual([says('true'), []]);
  });

  it('is unknown if a step was left out, or was to be cancelled', () => {
    const gone = new Scene();
    gone.run.activity('takeStep', {}, GONE);
    expect(full(gone, true)).toEqual([]);
    const cancelled = new Scene();
    const id = cancelled.run.scheduled('takeStep', {});
    cancelled.run.tell('ACTIVITY_TASK_CANCEL_REQUESTED', { scheduledEventId: id });
    cancelled.run.tell('ACTIVITY_TASK_CANCEL_REQUESTED', { scheduledEventId: '99' });
    cancelled.run.completed(id, { context_full: false });
    expect(full(cancelled, true)).toEqual([]);
    const other = new Scene().step({ context_full: true });
    other.run.activity('notify', {}, GONE);
    other.run.activity('notify', {}, {});
    expect(full(other)).toEqual(says('false'));
    expect(full(new Scene({ argument: GONE }), true)).toEqual([]);
    other.run.completed('77', { context_full: false });
    expect(full(other)).toEqual(says('false'));
  });

  it('is known to the run that continues', () => {
    expect(full(new Scene().step({ context_full: true }).next())).toEqual(says('false'));
    expect(full(new Scene().step({ context_full: true }).next('q'))).toEqual([]);
    const late = new Scene().step({ context_full: true });
    const id = late.run.scheduled('compact', {});
    late.next().run.completed(id, {});
    expect(full(late, true)).toEqual([]);
    // A step that was left out there says nothing of the conversation here.
    const gone = new Scene().step({ context_full: true });
    gone.run.activity('takeStep', {}, GONE);
    expect([full(gone.next(), true), full(gone.next(), false)]).toEqual([[], []]);
  });
});

describe('signals that changed nothing (D1)', () => {
  const ignored = (count: unknown, last: unknown[] = [], scene = new Scene()) => scene.view({ ignored_signals: { count, last } });
  const scene = () => {
    const one = new Scene();
    one.run.signal('approve', {});
    one.run.update('decide', {}, undefined, { identity: 'api' });
    one.run.tell('WORKFLOW_EXECUTION_UPDATE_ADMITTED', { request: { input: { name: 'steer' }, meta: { identity: 'ui' } } });
    return one;
  };

  it('are counted, and shown up to fifty', () => {
    expect(ignored(0)).toEqual([]);
    expect(ignored(1)).toEqual(['D1: says that 1 signals were ignored, and shows 0']);
    expect(ignored(0, [{ signal: 'approve' }])).toEqual(['D1: says that 0 signals were ignored, and shows 1']);
    const many = new Scene();
    for (let n = 0; n < 51; n++) many.run.signal('approve', {});
    const shown = (n: number) => Array.from({ length: n }, () => ({ signal: 'approve', identity: 'web' }));
    expect([ignored(51, shown(50), many), ignored(50, shown(50), many)]).toEqual([[], []]);
    expect(ignored(51, shown(51), many)).toEqual(['D1: says that 51 signals were ignored, and shows 51']);
    expect(new Scene().view({ ignored_signals: 'none' })).toEqual([]);
  });

  it('arrived', () => {
    const one = { signal: 'approve', identity: 'web' };
    expect(ignored(3, [one, { signal: 'decide', identity: 'api' }, { signal: 'steer', identity: 'ui' }], scene())).toEqual([]);
    expect(ignored(4, [one, one, one, one], scene())).toEqual(['D1: says that 4 signals were ignored, and 3 came']);
    const gone = new Scene({ argument: GONE });
    gone.run.signal('approve', {});
    expect(ignored(4, [one, one, one, one], gone)).toEqual([]);
    expect(ignored(4, [one, one, one, one], scene().next('q'))).toEqual([]);
    expect(ignored(3, [one, one, one], scene().next())).toEqual([]);
    // The run before does not know what arrived later.
    const split = scene().next();
    split.run.signal('approve', {});
    expect(ignored(4, [one, one, one, one], split)).toEqual([]);
    expect(ignored(4, [one, one, one, one], split.next())).toHaveLength(1);
  });

  it('have the name and the sender of a signal that arrived', () => {
    const nobody = (signal: unknown) => [`D1: has an ignored signal ${JSON.stringify(signal)} that nobody has sent`];
    const shown = (signal: unknown, identity?: unknown) => ignored(1, [{ signal, identity }], scene());
    expect([shown('approve', 'web'), shown('approve', ''), shown('approve')]).toEqual([[], [], []]);
    expect([shown('deny', 'web'), shown('deny')]).toEqual([nobody('deny'), nobody('deny')]);
    expect([shown('approve', 'api'), shown('decide', 'web')]).toEqual([nobody('approve'), nobody('decide')]);
    // Shortened texts are not compared.
    expect([
      shown('x'.repeat(100), 'y'),
      shown('x…', 'y'),
      shown(7),
      shown('approve', 'y'.repeat(200)),
      shown('approve', 'y…'),
    ]).toEqual([[], [], [], [], []]);
    expect([shown('x'.repeat(99), 'y'), shown('approve', 'y'.repeat(199))]).toEqual([nobody('x'.repeat(99)), nobody('approve')]);
  });
});

describe('who changed the call or steered the turn (D1)', () => {
  const others = (...steered_by: string[]) => ({ steered_by });
  const no = (who: string) => [`D1: says that "${who}" changed the call or steered the turn, and the history does not`];
  const lost = (who: string) => [`D1: does not say that "${who}" changed the call or steered the turn, and the history does`];
  const given = (name: string, argument: unknown) => {
    const scene = new Scene();
    scene.run.scheduled(name, argument);
    return scene;
  };

  it('includes everybody whose words the model reads', () => {
    const steered = () => given('takeStep', { steers: [{ by: 'ana' }] });
    expect([steered().view(others('ANA')), steered().view(others()), steered().view(others('ana', 'eve'))]).toEqual([
      [],
      lost('ana'),
      no('eve'),
    ]);
    expect(given('takeStep', { steers: [{ by: 'Rita' }] }).view(others())).toEqual([]);
    const before = () => new Scene().step({ said_before: ['ana', '', 7] });
    expect([before().view(others('ana')), before().view(others())]).toEqual([[], lost('ana')]);
    const made = () => new Scene({ argument: { turn_id: 't', parent: { makers: ['ana', 7] } } });
    expect([made().view(others('ana')), made().view(others())]).toEqual([[], lost('ana')]);
    expect(new Scene().view({})).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['settleEffect', { note: 'n', by: 'ana' }],
    ['admitCall', { edit: { by: 'ana' } }],
    ['runCall', { approvals: [{ by: 'ana' }] }],
    ['runCall', { approval: { by: 'ana' } }],
    ['runCall', { call: { earlier: [{ by: 'ana' }] } }],
    ['takeStep', { outcomes: [{ approvals: [{ by: 'ana' }] }] }],
    ['takeStep', { outcomes: [{ decision: { by: 'ana' } }] }],
    ['takeStep', { outcomes: [{ earlier: [{ by: 'ana' }] }] }],
    ['settleEffect', { settlements: [{ by: 'ana' }] }],
  ])('may include those who decided: %s %j', (name, argument) => {
    expect([given(name, argument).view(others('ana')), given(name, argument).view(others())]).toEqual([[], []]);
    expect(given(name, argument).view(others('eve'))).toEqual(no('eve'));
  });

  it('does not include those who settled without a note, or an empty name', () => {
    expect(given('settleEffect', { by: 'ana' }).view(others('ana'))).toEqual(no('ana'));
    expect(given('runCall', { by: 'ana', note: 'n' }).view(others('ana'))).toEqual(no('ana'));
    expect(given('admitCall', { edit: 'ana' }).view(others('ana'))).toEqual(no('ana'));
    expect(given('runCall', { approval: { by: '' } }).view(others(''))).toEqual(no(''));
  });

  it('has at most forty names', () => {
    const people = Array.from({ length: 41 }, (_, n) => `p${n}`);
    const heard = () => new Scene().step({ said_before: people });
    expect(heard().view(others(...people.slice(0, 40)))).toEqual([]);
    expect(heard().view(others(...people.slice(0, 39)))).toEqual(lost('p39'));
  });

  it('is unknown if something was left out, or if a sub-agent was asked', () => {
    expect(given('openSubTurn', {}).view(others('eve'))).toEqual([]);
    expect(given('notify', GONE).view(others('eve'))).toEqual([]);
    expect(
      given('takeStep', { steers: [{ by: 'ana' }] })
        .next('q')
        .view(others('eve')),
    ).toEqual([]);
    expect(left(new Scene()).view(others('eve'))).toEqual([]);
    expect(new Scene({ run_id: 'later' }).view(others('eve'))).toEqual([]);
    const gone = new Scene();
    gone.run.activity('takeStep', {}, GONE);
    expect(gone.step({ said_before: ['ana'] }).view(others())).toEqual([]);
  });

  it('is known to the run that continues', () => {
    const scene = () => given('takeStep', { steers: [{ by: 'ana' }] });
    expect([scene().next().view(others()), scene().next().view(others('ana'))]).toEqual([lost('ana'), []]);
    const decided = given('runCall', { approval: { by: 'ana' } });
    expect(decided.next().view(others('ana'))).toEqual([]);
    // What came later belongs to that run alone.
    decided.run.scheduled('runCall', { approval: { by: 'eve' } });
    decided.run.scheduled('takeStep', { steers: [{ by: 'ina' }] });
    expect(decided.next('r').view(others('eve'))).toEqual(no('eve'));
    expect(decided.next('r').view(others())).toEqual([]);
  });
});

describe('calls that the result leaves out (D6)', () => {
  const asked = (...ids: string[]) => new Scene().step({ next: 'calls', calls: ids.map((id) => ({ id })) });
  const counts = (count: number, were: number) => [`D6: counts ${count} calls that it leaves out, and there were ${were}`];
  const leaves = (were: number, count: number) => [`D6: leaves out ${were} calls, and counts ${count}`];
  const shown = (...ids: string[]) => ids.map((id) => ({ id }));

  it('are counted', () => {
    expect(asked('1.1', '1.2').view({ calls: shown('1.1', '1.2') })).toEqual([]);
    expect(asked('1.1', '1.2').view({ calls: shown('1.1') })).toEqual(leaves(1, 0));
    expect(asked('1.1', '1.2').view({ calls: shown('1.1'), earlier_calls: { count: 1 } })).toEqual([]);
    expect(asked('1.1', '1.2').view({ calls: shown('1.1', '1.2'), earlier_calls: { count: 1 } })).toEqual(counts(1, 0));
    expect(
      asked('1.1')
        .step({ next: 'calls', calls: [{ id: '2.1' }] })
        .view({ calls: [] }),
    ).toEqual(leaves(2, 0));
    expect(new Scene().step({ calls: [{ id: '1.1' }] }).view({})).toEqual([]);
    const direct = new Scene();
    direct.run.activity('admitDirect', {}, { call: { id: '1.1' } });
    expect(direct.view({})).toEqual(leaves(1, 0));
    const other = new Scene();
    other.run.activity('admitCall', {}, { call: { id: '1.1' }, next: 'calls', calls: [{ id: '1.2' }] });
    expect(other.view({})).toEqual([]);
  });

  it('may be more in a turn that was cancelled, or if a call was revised', () => {
    expect(asked('1.1').view({ state: 'cancelled' })).toEqual([]);
    expect(asked('1.1').view({ state: 'cancelled', earlier_calls: { count: 2 } })).toEqual(counts(2, 1));
    expect(asked().view({ calls: [{ id: '1.1', revision: 2 }], earlier_calls: { count: 1 } })).toEqual([]);
    expect(asked().view({ calls: [{ id: '1.1', revision: 1 }], earlier_calls: { count: 1 } })).toEqual(counts(1, 0));
    const given = (argument: unknown) => {
      const scene = asked();
      scene.run.scheduled('takeStep', argument);
      return scene.view({ earlier_calls: { count: 1 } });
    };
    expect([given({ call: { revision: 2 } }), given({ outcomes: [{}, { revision: 2 }] })]).toEqual([[], []]);
    expect([given({ call: { revision: 1 } }), given({ outcomes: [{ revision: 1 }] })]).toEqual([counts(1, 0), counts(1, 0)]);
  });

  it('do not have more effects than there are calls', () => {
    const more = ['D6: counts more effects than calls that it leaves out'];
    const effects = (of: Fields) => asked('1.1', '1.2', '1.3', '1.4').view({ earlier_calls: { count: 4, ...of } as never });
    expect(effects({ applied: 1, not_applied: 1, refused: 1, in_doubt: 1 })).toEqual([]);
    for (const field of ['applied', 'not_applied', 'refused', 'in_doubt'])
      expect(effects({ applied: 1, not_applied: 1, refused: 1, in_doubt: 1, [field]: 2 })).toEqual(more);
    expect(asked().view({ earlier_calls: { applied: 1 } })).toEqual(more);
  });

  it('are those of the run and of the runs that it continues', () => {
    expect(asked('1.1').next().view({})).toEqual(leaves(1, 0));
    const revised = new Scene();
    revised.run.scheduled('runCall', { call: { revision: 2 } });
    expect(revised.next().view({ earlier_calls: { count: 1 } })).toEqual([]);
    const split = asked('1.1').next().step({ next: 'calls', calls: [{ id: '2.1' }] }); // oxfmt-ignore
    expect(split.next('r').view({ earlier_calls: { count: 1 } })).toEqual([]);
    const gone = asked('1.1');
    gone.run.activity('takeStep', {}, GONE);
    expect(gone.view({})).toEqual(leaves(1, 0));
  });

  it('are unknown after a reset, or if something was left out', () => {
    expect(left(asked('1.1')).view({})).toEqual([]);
    expect(
      asked('1.1')
        .begin('s', { input: payloads({}) }, 'reset')
        .view({ earlier_calls: { count: 9 } }),
    ).toEqual([]);
  });
});
