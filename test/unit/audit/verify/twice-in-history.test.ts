/** What stands twice in a turn's history: arguments and results of activities, and the turn's own result (rules D1 to D6). */
import { TwiceInHistory } from '../../../../src/audit/verify/twice-in-history';
import { hashOf } from '../../../../src/audit/verify/values';
import { actHash, hashJson, idempotencyKey } from '../../../../src/shared/digests';
import type { Json, JsonObject } from '../../../../src/shared/json';
import { callOf, carrying, event, GONE, TURN_CONTEXT, type Ending, type Fields } from '../../../support/audit/hand-events'; // oxfmt-ignore
import { HandTwice, type Setting } from '../../../support/audit/hand-twice';

type Subject = Parameters<HandTwice<TwiceInHistory>['all']['tell']>[0];

class Scene extends HandTwice<TwiceInHistory> {
  constructor(setting: Setting = {}) {
    super((all, history, _, turn) => new TwiceInHistory(all, turn, history), { argument: { turn_id: 't' }, ...setting });
  }

  gives(name: string, argument: unknown): this {
    this.run.scheduled(name, argument);
    return this;
  }

  does(name: string, argument: unknown, result: unknown): this {
    this.run.activity(name, argument, result);
    return this;
  }

  view(more: Fields = {}, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [], ...more });
    return this.faults();
  }

  /** Which of these facts have been said, so that another value is found. */
  knows(subject: Subject, name: string, ...facts: string[]): string {
    return facts.filter((fact) => this.all.facts.knows(subject, name, fact)).join(' ');
  }

  /** Whether the fact was said otherwise than this. */
  not(subject: Subject, name: string, facts: Fields): boolean {
    this.faults();
    this.all.tell(subject, name, facts, 'somebody');
    return this.faults().length > 0;
  }
}

const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};

describe('of the turn', () => {
  it('its line, its runs and its argument say what it is (D1)', () => {
    const argument = {
      turn_id: 't',
      agent: 'clerk',
      requester: 'rita',
      session_id: 's',
      trace_id: 'x',
      message: 'Pay.',
      attestation: 'a',
      options: {},
    };
    const scene = new Scene({ argument });
    const facts = ['workflow_id', 'first_execution_run_id', ...Object.keys(argument)];
    expect(scene.knows('turn', '', ...facts, 'other')).toBe(facts.join(' '));
    expect([scene.not('run', '1', { run_id: 'r' }), scene.not('run', '1', { run_id: 'x' })]).toEqual([false, true]);
    scene.begin('s');
    expect([scene.not('run', '2', { run_id: 's' }), scene.not('run', '1', { run_id: 'r' })]).toEqual([false, false]);
    expect(new Scene({ argument: GONE }).knows('turn', '', 'turn_id', 'agent')).toBe('turn_id');
    expect(new Scene({ turn: { first_execution_run_id: null } }).knows('turn', '', 'first_execution_run_id')).toBe('');
    expect(new Scene({ argument: { turn_id: 'u' } }).faults()[0]).toMatch(/^D1: The turn's argument says that turn_id/);
  });

  it('activities say it too (D1)', () => {
    const scene = new Scene().gives('notify', { turn: { ...TURN_CONTEXT, store_id: 's', trace_id: 'x', parent: {} } });
    expect(scene.knows('turn', '', 'agent', 'requester', 'store_id', 'trace_id', 'parent')).toBe(
      'agent requester store_id trace_id parent',
    );
    const step = new Scene().gives('takeStep', { message: 'Pay.', attestation: 'a' });
    expect(step.knows('turn', '', 'message', 'attestation')).toBe('message attestation');
    expect(new Scene().gives('takeStep', { message: null }).knows('turn', '', 'message', 'attestation')).toBe('');
    expect(
      new Scene().gives('admitDirect', { message: 'Pay.', attestation: 'a' }).knows('turn', '', 'message', 'attestation'),
    ).toBe('attestation');
    expect(new Scene().gives('notify', { message: 'Pay.', attestation: 'a' }).knows('turn', '', 'message', 'attestation')).toBe(
      '',
    );
    expect(new Scene().does('admitDirect', {}, { store_id: 's' }).knows('turn', '', 'store_id')).toBe('store_id');
    expect(new Scene().does('notify', {}, { store_id: 's' }).knows('turn', '', 'store_id')).toBe('');
  });

  it('its session says what it has found (D1, D6)', () => {
    const found = (type: string, value: unknown, tell: (scene: Scene) => unknown = () => undefined) => {
      const scene = new Scene();
      tell(scene);
      scene.of.session(event(type, { input: carrying(value), result: carrying(value) }));
      return scene;
    };
    const said = { session_id: 's', state: 'completed', reason: null, usage: {}, head: 'h', context_full: false, ended_at: 'x' };
    const facts = ['session_id', 'state', 'reason', 'usage', 'context_full', 'ended_at'];
    expect(found('ACTIVITY_TASK_SCHEDULED', said).knows('turn', '', ...facts)).toBe('session_id');
    expect(found('ACTIVITY_TASK_COMPLETED', said).knows('turn', '', ...facts)).toBe('state reason usage context_full ended_at');
    for (const type of ['ACTIVITY_TASK_SCHEDULED', 'ACTIVITY_TASK_COMPLETED'])
      expect(found(type, GONE).knows('turn', '', ...facts)).toBe('');
    expect(found('TIMER_FIRED', said).knows('turn', '', ...facts)).toBe('');
    expect(found('ACTIVITY_TASK_COMPLETED', said, (scene) => scene.begin('s', {}, 'reset')).knows('turn', '', ...facts)).toBe('');
    const closed = (scene: Scene) => scene.run.tell('WORKFLOW_EXECUTION_COMPLETED');
    expect(found('ACTIVITY_TASK_COMPLETED', said, closed).knows('block', 'h', 'state', 'reason')).toBe('state reason');
    expect(found('ACTIVITY_TASK_COMPLETED', said).knows('block', 'h', 'state', 'reason')).toBe('');
  });

  it('what a run knows of decisions is what the run before knew', () => {
    const scene = new Scene().gives('runCall', { approvals: [{ decision: 'approve', digest: 'd', by: 'ana' }] });
    expect(scene.all.decisionsOn('d')).toHaveLength(1);
    scene.begin('s', { continuedExecutionRunId: 'r' }, 'continued');
    expect(scene.all.decisionsOn('d')).toHaveLength(1);
    scene.begin('u');
    expect(scene.all.decisionsOn('d')).toHaveLength(0);
  });
});

describe('a call that an activity is given', () => {
  const CALL = callOf({ preview_ref: 'v', target_hash: 'x', makers: ['ana'] });
  const { digest } = CALL;

  it('says what it is (D3, D4)', () => {
    const scene = new Scene().gives('runCall', { call: CALL });
    const facts = [
      'call_id',
      'revision',
      'tool',
      'version',
      'class',
      'input_hash',
      'input_ref',
      'preview_ref',
      'policy_ref',
      'target_hash',
      'key',
      'act',
    ];
    expect(scene.knows('call', digest, ...facts)).toBe(facts.join(' '));
    expect(scene.knows('card', 'v', 'target_hash', 'makers')).toBe('target_hash makers');
    expect(new Scene().gives('admitCall', { call: CALL }).knows('card', 'v', 'target_hash', 'makers')).toBe('target_hash');
    expect(new Scene().gives('runCall', { call: { ...CALL, makers: undefined } }).not('card', 'v', { makers: [] })).toBe(false);
    expect(new Scene().gives('notify', { card_ref: 'c', digest: 'd' }).not('card', 'c', { digest: 'x' })).toBe(true);
    expect(new Scene().gives('notify', { call: CALL }).knows('call', digest, 'key', 'act')).toBe('');
  });

  it('has its key, its act and its verdict (D4)', () => {
    const key = idempotencyKey({ workflow_id: 'turn/t', first_execution_run_id: 'r', call_id: '1.1', digest });
    const act = actHash({ first_execution_run_id: 'r', call_id: '1.1', tool: 'pay', input_hash: CALL.input_hash as string });
    for (const name of ['runCall', 'openSubTurn']) {
      const scene = new Scene().gives(name, { call: CALL, verdict: 'ask', options: { a: 1 } });
      expect([
        scene.not('call', digest, { key }),
        scene.not('call', digest, { act }),
        scene.not('call', digest, { key: 'x' }),
        scene.not('call', digest, { act: 'x' }),
      ]).toEqual([false, false, true, true]);
      expect([scene.not('dispatch', `${digest} 1`, { verdict: 'x' }), scene.not('turn', '', { options: {} })]).toEqual([
        true,
        true,
      ]);
    }
    const nobodys = new Scene({ turn: { first_execution_run_id: null } }).gives('runCall', { call: CALL });
    expect(
      nobodys.not('call', digest, {
        key: idempotencyKey({ workflow_id: 'turn/t', first_execution_run_id: '', call_id: '1.1', digest }),
      }),
    ).toBe(false);
    const other = new Scene().gives('notify', { call: CALL, verdict: 'ask', options: {} });
    expect([other.knows('dispatch', `${digest} 1`, 'verdict'), other.knows('turn', '', 'options')]).toEqual(['', '']);
  });

  it('has its own input (D4)', () => {
    const input = { cents: 7 };
    const given = (more: Fields) => new Scene().gives('notify', { call: { ...CALL, ...more } }).faults();
    const other = ['D4: An activity was given another input than that of the call'];
    expect([
      given({ input, input_hash: hashJson(input) }),
      given({ input, input_hash: 'x' }),
      given({ input: null, input_hash: 'x' }),
      given({ input: 'a text', input_hash: 'x' }),
      given({ input: ['a list'], input_hash: 'x' }),
    ]).toEqual([[], other, [], other, other]);
  });

  it('was read where it was asked for (D2)', () => {
    const scene = (known: boolean) => {
      const one = new Scene();
      if (known) one.all.tell('asked', 'i', { call_id: '1.1' }, 'x');
      return one.gives('runCall', { call: { ...CALL, input_ref: 'i' }, untrusted: true });
    };
    expect([scene(true).knows('asked', 'i', 'untrusted'), scene(false).knows('asked', 'i', 'untrusted')]).toEqual([
      'untrusted',
      '',
    ]);
  });

  it('was dispatched, where somebody looks for that (D4)', () => {
    const looks = (name: string, more: Fields = {}, scene = new Scene()) => {
      scene.gives('runCall', { call: CALL }).faults();
      return scene.gives(name, { call: { ...CALL, ...more } }).faults();
    };
    const none = ['D4: An activity was to find out about a dispatch that there was not'];
    for (const name of ['inspectEffect', 'settleEffect', 'reconcileEffect'])
      expect([looks(name), looks(name, { dispatch: 2 })]).toEqual([[], none]);
    expect([looks('notify', { dispatch: 2 }), looks('inspectEffect', { dispatch: 2 }, left(new Scene()))]).toEqual([[], []]);
  });

  it('is of the tool that the model has asked for (D2)', () => {
    const given = (more: Fields, scene = new Scene()) => {
      scene.does(
        'takeStep',
        {},
        { calls: [{ id: '1.1', tool: 'pay', version: '1.0.0', class: 'destructive', tool_use_id: 'u' }] },
      );
      scene.faults();
      return scene.gives('notify', { call: { id: '1.1', tool: 'pay', version: '1.0.0', class: 'destructive', ...more } }).faults()
        .length;
    };
    expect([
      given({}),
      given({ tool: 'x' }),
      given({ version: 'x' }),
      given({ class: 'x' }),
      given({ tool: 'x' }, left(new Scene())),
    ]).toEqual([0, 1, 1, 1, 0]);
    const again = new Scene().does(
      'takeStep',
      {},
      { calls: [{ id: '1.1', tool: 'a', version: 'a', class: 'a', tool_use_id: 'a' }] },
    );
    expect(
      again.does('takeStep', {}, { calls: [{ id: '1.1', tool: 'b', version: 'b', class: 'b', tool_use_id: 'b' }] }).faults(),
    ).toEqual([]);
    expect(again.knows('use', '1.1', 'tool_use_id', 'tool', 'version', 'class')).toBe('tool_use_id tool version class');
  });
});

describe('a step (D2)', () => {
  const INPUT = { cents: 7 };
  const call = {
    id: '1.1',
    tool: 'pay',
    version: '1.0.0',
    class: 'write',
    tool_use_id: 'u',
    input_ref: 'i',
    input_hash: hashJson(INPUT),
    input: INPUT,
  };

  it('says what it has used, in its blocks', () => {
    const scene = new Scene().does(
      'takeStep',
      {},
      { head: 'h', answer_head: 'a', stop_reason: 's', text: 'x', store_id: 'st', usage: { input_tokens: 7 } },
    );
    for (const step of ['h', 'a'])
      expect(scene.knows('step', step, 'stop_reason', 'text', 'input_tokens')).toBe('stop_reason text input_tokens');
    expect(scene.knows('turn', '', 'store_id')).toBe('store_id');
    expect(new Scene().does('compact', {}, { head: 'h', stop_reason: 's' }).knows('step', 'h', 'stop_reason')).toBe('');
    expect([...scene.all.heads]).toEqual(['h', 'a']);
  });

  it('says which calls it has admitted, and their digests', () => {
    const scene = new Scene().does(
      'takeStep',
      { turn: TURN_CONTEXT },
      { policy: { policy_ref: 'p' }, calls: [{ ...call, digest: null, policy_ref: 'p' }] },
    );
    expect(scene.knows('asked', 'i', 'call_id', 'tool_use_id', 'tool', 'version', 'class', 'input_hash', 'policy_ref')).toBe(
      'call_id tool_use_id tool version class input_hash policy_ref',
    );
    expect(scene.faults()).toEqual([]);
    const wrong = (more: Fields, result: Fields = {}) =>
      new Scene().does('takeStep', { turn: TURN_CONTEXT }, { calls: [{ ...call, ...more }], ...result }).faults();
    expect(wrong({ digest: 'x' })).toEqual(['D2: A call has a digest that is not its own']);
    expect(wrong({ digest: null, needs_admit: false })[0]).toMatch(/^D2: A call is said to need no further admission/);
    const own = callOf({ ...call, policy_ref: 'p' });
    const { policy_ref: _, ...older } = own;
    expect(wrong(older, { policy: { policy_ref: 'p' } })).toEqual([]);
    expect(wrong(older)).not.toEqual([]);
    expect(wrong({ input: { cents: 8 } })).toHaveLength(1);
    expect(wrong({ policy_ref: 'p' }, { policy: { policy_ref: 'q' } })).toHaveLength(1);
    expect(
      new Scene()
        .does('takeStep', {}, { calls: [{ ...own }] })
        .knows('call', own.digest, 'call_id', 'tool', 'version', 'class', 'input_hash', 'input_ref'),
    ).toBe('call_id tool version class input_hash input_ref');
  });

  it('of a direct call is of the agent that takes it', () => {
    const bound = { store_id: '5'.repeat(32), agent: 'bookkeeper' };
    const own = callOf({ ...call, definition_ref: 'd', target_hash: null, policy_ref: 'p' }, { ...TURN_CONTEXT, ...bound });
    const admitted = (more: Fields) =>
      new Scene().does('admitDirect', { turn: TURN_CONTEXT }, { call: own, ...bound, ...more }).faults();
    expect([admitted({}), admitted({ agent: 'x' }), admitted({ store_id: 'x' })].map((faults) => faults.length)).toEqual([
      0, 1, 1,
    ]);
  });
});

describe('what people were asked (D3, D4)', () => {
  const CALL = callOf({ makers: ['ana'] });
  const SAID = { ok: true, digest: 'd', card_ref: 'c', card: '## d', preview_ref: 'v', target_hash: 'x', run_id: 'r' };
  const asked = (more: Fields = {}, argument: Fields = {}, scene = new Scene()) =>
    scene.does('admitCall', { call: { ...CALL, digest: undefined }, ...argument }, { ...SAID, ...more });

  it('is the card, and the call', () => {
    expect(asked().faults()).toEqual([]);
    expect(asked().knows('card', 'c', 'digest', 'text', 'call_id')).toBe('digest text call_id');
    expect(asked().knows('card', 'v', 'target_hash', 'makers')).toBe('target_hash makers');
    const facts = [
      'call_id',
      'revision',
      'tool',
      'version',
      'class',
      'input_ref',
      'input_hash',
      'policy_ref',
      'preview_ref',
      'target_hash',
    ];
    expect(asked().knows('call', 'd', ...facts)).toBe(facts.join(' '));
    expect([...asked().all.shown]).toEqual(['c', 'v']);
    expect(asked({ card_ref: null, preview_ref: null }).all.shown.size).toBe(0);
    expect(asked({ ok: false }).knows('card', 'c', 'digest')).toBe('');
    expect(new Scene().does('notify', { call: CALL }, SAID).knows('card', 'c', 'digest')).toBe('');
  });

  it('has what was decided and renewed instead', () => {
    const scene = asked({ decided: { input_ref: 'j', input_hash: 'k' }, renewed: { policy_ref: 'l' } });
    expect([
      scene.not('call', 'd', { input_ref: 'j', input_hash: 'k', policy_ref: 'l' }),
      scene.not('call', 'd', { input_ref: 'x' }),
    ]).toEqual([false, true]);
    const makers = (argument: Fields) => asked({}, argument).not('card', 'v', { makers: [] });
    expect([makers({}), makers({ call: { id: '1.1' } }), asked({}, { call: {} }).knows('card', 'v', 'makers')]).toEqual([
      true,
      false,
      '',
    ]);
  });

  it('names the digest, in a run of the turn', () => {
    const noDigest = ['D3: The card that people were shown does not name the digest of its call'];
    expect([asked({ card: '' }).faults(), asked({ card: 7 }).faults(), asked({ card: 'Pay.' }).faults()]).toEqual([
      [],
      [],
      noDigest,
    ]);
    const otherRun = ['D3: People were asked in a run that the turn does not have'];
    expect(['', null, undefined].map((run_id) => asked({ run_id }).faults())).toEqual([[], [], []]);
    expect([
      asked({ run_id: 'x' }).faults(),
      asked({ run_id: 7 }).faults(),
      asked({ run_id: 'x' }, {}, new Scene({ run_id: 'later' })).faults(),
    ]).toEqual([otherRun, otherRun, []]);
    const card = new Scene().does('readCard', { card_ref: 'c' }, { card: 'Pay.', digest: 'd' });
    expect([
      card.knows('card', 'c', 'text', 'digest'),
      new Scene().does('notify', { card_ref: 'c' }, { card: 'Pay.' }).knows('card', 'c', 'text'),
    ]).toEqual(['text digest', '']);
  });
});

describe('what became of a call (D6)', () => {
  const CALL = callOf();
  const RESULT = { state: 'succeeded', effect: 'applied', result_ref: 'r', summary: 's', error: null, head: 'h' };
  const ran = (result: Fields = {}, call: Fields = {}, name = 'runCall') =>
    new Scene().does(name, { call: { ...CALL, ...call } }, { ...RESULT, ...result });

  it('is told by the activity', () => {
    const facts = ['state', 'effect', 'summary', 'error', 'call_id', 'tool', 'version', 'success'];
    expect([ran().faults(), ran().knows('result', 'r', ...facts), ran().knows('effect', 'h', 'effect')]).toEqual([
      [],
      facts.join(' '),
      'effect',
    ]);
    expect([[...ran().all.shown], [...ran().all.heads]]).toEqual([['r'], ['h']]);
    for (const nested of [{ outcome: RESULT }, { settled: RESULT }, { refused: RESULT }])
      expect(new Scene().does('x', { call: CALL }, nested).knows('result', 'r', 'state')).toBe('state');
    for (const none of [{ result_ref: null }, { result_ref: '' }, { state: 'running' }]) expect(ran(none).all.shown.size).toBe(0);
    expect([
      ran().not('result', 'r', { success: true }),
      ran({ state: 'failed', effect: 'not_applied' }).not('result', 'r', { success: true }),
    ]).toEqual([false, true]);
    expect(new Scene().does('lookAtSubTurn', { call: CALL }, RESULT).all.shown.size).toBe(0);
  });

  it('has the effect of its class', () => {
    const other = (kind: string, state: string, effect: string) => [
      `D6: A ${kind} call is said to have ${state}, with the effect ${effect}`,
    ];
    expect([
      ran({ state: 'failed', effect: 'not_applied' }).faults(),
      ran({ state: 'in_doubt', effect: 'in_doubt' }).faults(),
      ran({ effect: null }, { class: 'write' }).faults(),
      ran({ effect: 'x' }, { class: undefined }).faults(),
    ]).toEqual([[], [], [], []]);
    expect([ran({ effect: 'not_applied' }).faults(), ran({ effect: 'applied' }, { class: 'write' }).faults()]).toEqual([
      other('destructive', 'succeeded', '"not_applied"'),
      other('write', 'succeeded', '"applied"'),
    ]);
  });

  it('is not known where an activity was left out', () => {
    const unknown = (tell: (scene: Scene) => unknown) => {
      const scene = new Scene();
      tell(scene);
      return scene.all.unknown;
    };
    expect([
      unknown((scene) => scene.gives('x', GONE)),
      unknown((scene) => scene.does('x', {}, GONE)),
      unknown((scene) => scene.does('x', {}, {})),
      unknown((scene) => scene.does('lookAtSubTurn', {}, GONE)),
    ]).toEqual([true, true, false, false]);
    const stays = new Scene().does('x', {}, GONE).does('x', {}, {});
    expect(stays.all.unknown).toBe(true);
    expect(new Scene().gives('x', GONE).gives('x', {}).all.unknown).toBe(true);
  });

  it('has who settled it, where it was settled so', () => {
    const settled = (effect: string, name = 'settleEffect') =>
      new Scene()
        .does(name, { outcome: 'applied', by: 'ana', note: 'n', identity: 'i' }, { head: 'h', effect })
        .knows('effect', 'h', 'by', 'note', 'identity');
    expect([settled('applied'), settled('refused'), settled('applied', 'x')]).toEqual(['by note identity', '', '']);
  });
});

describe('the outcome of a call, as the next step is told (D4 to D6)', () => {
  const CALL = callOf();
  const { digest } = CALL;
  const RAN = { state: 'succeeded', effect: 'applied', result_ref: 'r', summary: 'It was paid.', error: null, head: 'h' };
  const OUTCOME = {
    call_id: '1.1',
    digest,
    tool: 'pay',
    version: '1.0.0',
    class: 'destructive',
    state: 'succeeded',
    effect: 'applied',
    result_ref: 'r',
    summary: 'It was paid.',
    error: null,
    revision: 1,
  };
  const told = (more: Fields, scene = new Scene().does('runCall', { call: CALL }, RAN)) => {
    scene.faults();
    return scene.gives('takeStep', { outcomes: [{ ...OUTCOME, ...more }] }).faults();
  };

  it('is the same', () => {
    expect(told({})).toEqual([]);
    for (const field of ['call_id', 'tool', 'version', 'state', 'summary', 'revision'])
      expect([field, told({ [field]: 'x' }).length > 0]).toEqual([field, true]);
    expect(told({ error: { code: 'X' } })).toHaveLength(1);
    expect(told({ call_id: 'x', digest: null }).join()).toMatch(/D6: The history says that call_id of the result/);
    expect(told({ state: 'cancelled' })).toEqual([]);
    expect(told({ summary: 'It was…' })).toEqual([]);
    const short = 'D6: The history has a shortened text that is no beginning of the whole one';
    expect(told({ summary: 'Other…' })).toEqual([short]);
    expect(told({ error: { message: 'x…' } })).toEqual([short]);
  });

  it('is of what an activity has had', () => {
    const named = 'D4: The history names a call that nobody was asked about and that never ran';
    const given = 'D6: The history names a result that no activity has given';
    const took = 'D6: The history does not say of a call whether it took effect as the activity did that ran it';
    expect(told({ digest: 'x', effect: null, result_ref: null })).toContain(named);
    expect(told({ result_ref: 'x' })).toContain(given);
    expect(told({ effect: 'not_applied' })).toContain(took);
    expect(told({}, new Scene())).toEqual([named, given, took]);
    expect(told({ digest: null, result_ref: null, effect: null }, new Scene())).toEqual([]);
    expect(told({ effect: 'applied', class: 'write' })).toContain(
      'D6: The history gives a call of class "write" an effect, and only destructive ones have one',
    );
    expect(told({ effect: 'applied', class: undefined })).toEqual([]);
    expect(told({ digest: 'x', result_ref: 'x' }, left(new Scene()))).toEqual([]);
    const reset = new Scene().does('runCall', { call: CALL }, RAN).begin('s', {}, 'reset');
    expect(told({ effect: 'not_applied' }, reset)).not.toContain(took);
    const later = new Scene()
      .does('runCall', { call: CALL }, RAN)
      .does('settleEffect', { call: CALL }, { ...RAN, state: 'failed', effect: 'not_applied', result_ref: 'q', head: 'i' });
    expect(told({}, later)).toContain(took);
  });

  it('of one that did not run is the same each time', () => {
    const twice = (more: Fields, begin = (scene: Scene) => scene) => {
      const scene = new Scene().gives('notify', { call: CALL });
      const refused = { ...OUTCOME, state: 'denied', effect: null, result_ref: null, summary: null };
      scene.gives('takeStep', { outcomes: [refused] });
      begin(scene).faults();
      const faults = scene.gives('takeStep', { outcomes: [{ ...refused, ...more }] }).faults();
      return faults.filter((fault) => /^D6: The history says that (state|effect|error) of the result/.test(fault)).length;
    };
    expect([
      twice({}),
      twice({ state: 'expired' }),
      twice({ error: { code: 'X' } }),
      twice({ state: 'cancelled' }),
      twice({ digest: null, state: 'expired' }),
    ]).toEqual([0, 1, 1, 0, 0]);
    expect(twice({ state: 'cancelled', error: { code: 'X' } })).toBe(0);
    expect(twice({ state: 'expired' }, (scene) => scene.begin('s', {}, 'reset') as Scene)).toBe(0);
  });

  it('has decisions, which are heard, and owed once the step has a result', () => {
    const decision = (by: string) => ({ decision: 'approve', digest, by });
    const outcome = { decision: decision('a'), approvals: [{ ...decision('b'), revision: 2 }], earlier: [decision('c'), 7] };
    const scene = new Scene().does('takeStep', { outcomes: [outcome] }, {});
    expect(['a', 'b', 'c'].map((by) => scene.all.heard(decision(by)))).toEqual([true, true, true]);
    expect([...scene.all.owed]).toEqual(['a', 'b', 'c'].map((by) => hashOf(decision(by))));
    expect(new Scene().does('endTurn', { outcomes: [outcome] }, {}).all.owed.size).toBe(3);
    for (const none of [
      new Scene().gives('takeStep', { outcomes: [outcome] }),
      new Scene().does('takeStep', { outcomes: [outcome] }, GONE),
      new Scene().does('compact', { outcomes: [outcome] }, {}),
    ])
      expect(none.all.owed.size).toBe(0);
    const given = new Scene().gives('runCall', {
      approvals: [decision('a')],
      approval: decision('b'),
      call: { earlier: [decision('c')] },
    });
    expect(['a', 'b', 'c'].map((by) => given.all.heard(decision(by)))).toEqual([true, true, true]);
  });
});

describe('the result of the turn (D1, D4 to D6)', () => {
  const CALL = callOf();
  const { digest } = CALL;
  const RAN = { state: 'succeeded', effect: 'applied', result_ref: 'r', summary: 's', error: null, head: 'h' };
  const key = idempotencyKey({ workflow_id: 'turn/t', first_execution_run_id: 'r', call_id: '1.1', digest });
  const APPROVAL = { decisions: [], decision: null, by: [], note: null, expires_at: null };
  const SHOWN = {
    id: '1.1',
    revision: 1,
    tool: 'pay',
    version: '1.0.0',
    class: 'destructive',
    digest,
    state: 'succeeded',
    idempotency_key: key,
    effect: 'applied',
    error: null,
    result_summary: 's',
    result_ref: 'r',
    approval: APPROVAL,
  };
  const ranScene = () => new Scene().does('runCall', { call: CALL }, RAN);
  const view = (call: Fields = {}, more: Fields = {}, scene = ranScene(), type?: 'CANCELED' | 'FAILED') => {
    scene.faults();
    return scene.view({ calls: [{ ...SHOWN, ...call } as JsonObject], ...more }, type);
  };

  it('is of the turn, its run and its last block', () => {
    const scene = new Scene();
    scene.view({ agent: 'clerk', run_id: 'r', head: null, state: 'completed', reason: null, usage: {}, ended_at: 'x' });
    expect(scene.knows('turn', '', 'agent', 'state', 'reason', 'usage', 'context_full', 'ended_at')).toBe(
      'agent state reason usage context_full ended_at',
    );
    expect(new Scene().view({ run_id: 'x' })[0]).toMatch(/^D1: The turn's result says that run_id/);
    const other = ["D1: The turn's result names another head of the transcript than the history"];
    const heads = (head: Json | undefined, result: unknown = { head: 'h' }) => new Scene().does('x', {}, result).view({ head });
    expect([heads('h'), heads(undefined), heads('x'), heads(null), heads('x', GONE)]).toEqual([[], [], other, other, []]);
    const block = new Scene().does('x', {}, { head: 'h' });
    block.view({ head: 'h', state: 's', reason: 'R' });
    expect(block.knows('block', 'h', 'state', 'reason')).toBe('state reason');
    const reset = new Scene().begin('s', {}, 'reset');
    reset.view({ state: 'completed' });
    expect(reset.knows('turn', '', 'state', 'context_full')).toBe('');
    expect(new Scene().view({ calls: 'none', run_id: 'x' })).toEqual([]);
    expect([new Scene().not('turn', '', { context_full: true }), (() => { const one = new Scene(); one.view({}); return one.not('turn', '', { context_full: false }); })()]).toEqual([false, false]); // oxfmt-ignore
  });

  it('shows calls as they were', () => {
    expect(view()).toEqual([]);
    for (const field of ['id', 'revision', 'tool', 'version', 'state', 'idempotency_key', 'result_summary'])
      expect([field, view({ [field]: 'x' }).length > 0]).toEqual([field, true]);
    for (const type of ['CANCELED', 'FAILED'] as const)
      expect(view({ tool: 'x' }, {}, undefined, type).length).toBeGreaterThan(0);
    expect(view({ digest: 'x', result_ref: null, effect: null })).toContain(
      "D4: The turn's result names a call that nobody was asked about and that never ran",
    );
    expect(view({ result_summary: 'x…' })).toContain(
      "D6: The turn's result has a shortened text that is no beginning of the whole one",
    );
  });

  it('leaves out no call that took effect', () => {
    const out = ["D6: The turn's result leaves out a call that took effect"];
    const without = (more: Fields = {}, scene = ranScene()) => {
      scene.faults();
      return scene.view(more);
    };
    expect([
      without(),
      without({ earlier_calls: { applied: 1 } }),
      without({ earlier_calls: { applied: 'one' } }),
      without({}, new Scene()),
    ]).toEqual([out, [], out, []]);
    expect([without({}, left(ranScene())), without({}, ranScene().begin('s', {}, 'reset') as Scene)]).toEqual([[], []]);
    const failed = new Scene().does('runCall', { call: CALL }, { ...RAN, state: 'failed', effect: 'not_applied' });
    expect(without({}, failed)).toEqual([]);
  });

  it('of a direct call has the envelope that the store has', () => {
    const envelope = { success: true };
    const answer = (more: Fields, calls: Fields = {}) => {
      const scene = ranScene();
      view(calls, more, scene);
      return scene.knows('result', 'r', 'answer');
    };
    expect([answer({ envelope }), answer({ envelope: 'x' }), answer({ envelope }, { result_ref: null })]).toEqual([
      'answer',
      '',
      '',
    ]);
    const two = ranScene();
    two.view({ calls: [SHOWN, { ...SHOWN, result_ref: 'q' }] as unknown as Json, envelope });
    expect(two.knows('result', 'r', 'answer')).toBe('');
  });

  describe('shows the decisions that activities were given (D5)', () => {
    const other = ["D5: The turn's result shows other decisions than the history has"];
    const decision = (by: string, more: Fields = {}) =>
      ({ decision: 'approve', digest, by, at: 'now', note: null, channel: 'signal', identity: 'web', ...more }) as JsonObject;
    const shown = (by: string, more: Fields = {}) =>
      ({
        decision: 'approve',
        by,
        at: 'now',
        note: null,
        channel: 'signal',
        identity: 'web',
        attested: false,
        ...more,
      }) as JsonObject;
    const with_ = (approval: Fields, given: JsonObject[], tell = (scene: Scene) => scene) => {
      const scene = tell(new Scene().does('runCall', { call: CALL, approvals: given, expires_at: 'e' }, RAN));
      return view({ approval: { ...APPROVAL, ...approval } as JsonObject }, {}, scene).filter((fault) => fault.startsWith('D5'));
    };
    const approved = { decisions: [shown('ana')], decision: 'approve', by: ['ana'] };

    it('all of them', () => {
      expect([
        with_(approved, [decision('ana')]),
        with_({}, []),
        with_({ ...approved, decisions: undefined }, [decision('ana')]),
      ]).toEqual([[], [], []]);
      expect([
        with_({}, [decision('ana')]),
        with_(approved, []),
        with_({ ...approved, by: ['rob'] }, [decision('ana')]),
        with_({ ...approved, decision: 'deny' }, [decision('ana')]),
      ]).toEqual([other, other, other, other]);
      for (const more of [{ at: 'x' }, { channel: 'x' }, { attested: true }, { note: 'n' }, { identity: 'x' }])
        expect(with_({ ...approved, decisions: [shown('ana', more)] }, [decision('ana')])).toEqual(other);
      expect(with_({}, [decision('ana')], left)).toEqual([]);
    });

    it('with the beginnings of their texts', () => {
      const long = { note: 'A long note.', identity: 'a long one' };
      const cut = { decisions: [shown('ana', { note: 'A lo…', identity: 'a lo…' })], decision: 'approve', by: ['ana'] };
      expect([
        with_({ ...cut, note: 'A l…' }, [decision('ana', long)]),
        with_({ ...cut, note: 'B…' }, [decision('ana', long)]),
        with_({ ...cut, note: null }, [decision('ana', long)]),
      ]).toEqual([[], other, other]);
    });

    it('as many as were asked for', () => {
      const two = { decisions: [shown('ana'), shown('rob')], by: ['ana', 'rob'], quorum: 2 };
      const given = [decision('ana'), decision('rob')];
      expect([
        with_({ ...two, decision: 'approve' }, given),
        with_({ ...two, quorum: 3, decision: null }, given),
        with_({ ...two, quorum: 3, decision: 'approve' }, given),
      ]).toEqual([[], [], other]);
      const denied = { decisions: [shown('ana'), shown('rob', { decision: 'deny' })], decision: 'deny', by: ['rob'], quorum: 3 };
      expect([
        with_(denied, [given[0]!, decision('rob', { decision: 'deny' })]),
        with_({ ...denied, by: ['ana', 'rob'] }, [given[0]!, decision('rob', { decision: 'deny' })]),
      ]).toEqual([[], other]);
      const expired = { decisions: [shown('', { decision: 'expired' })], decision: 'expired', by: [] };
      expect(with_(expired, [decision('', { decision: 'expired' })])).toEqual([]);
    });

    it('until a time that was given', () => {
      expect([
        with_({ ...approved, expires_at: 'e' }, [decision('ana')]),
        with_({ ...approved, expires_at: 'x' }, [decision('ana')]),
      ]).toEqual([[], other]);
    });
  });
});
