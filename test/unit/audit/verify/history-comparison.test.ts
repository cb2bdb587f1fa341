/** What a turn's history records twice: about the turn, about what activities are given, and about its steps (rules D1 to D4). */
import { actHash, hashJson, idempotencyKey } from '../../../../src/shared/json/digests';
import { callOf, carrying, event, GONE, TURN_CONTEXT, type Fields } from '../../../support/audit/hand-events';
import { Scene, left } from '../../../support/audit/history-scene';

describe('facts of the turn', () => {
  it('come from its line, its runs and its argument (D1)', () => {
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

  it('come from activities too (D1)', () => {
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

  it('come from its session too (D1, D6)', () => {
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

  it('include, in a run that continues, the decisions of the run before', () => {
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

  it('has the facts of the call (D3, D4)', () => {
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

  it('records whether its input was untrusted, if it was asked for (D2)', () => {
    const scene = (known: boolean) => {
      const one = new Scene();
      if (known) one.all.addFacts('asked', 'i', { call_id: '1.1' }, 'x');
      return one.gives('runCall', { call: { ...CALL, input_ref: 'i' }, untrusted: true });
    };
    expect([scene(true).knows('asked', 'i', 'untrusted'), scene(false).knows('asked', 'i', 'untrusted')]).toEqual([
      'untrusted',
      '',
    ]);
  });

  it('was dispatched, if the activity is to find out about a dispatch (D4)', () => {
    const looks = (name: string, more: Fields = {}, scene = new Scene()) => {
      scene.gives('runCall', { call: CALL }).faults();
      return scene.gives(name, { call: { ...CALL, ...more } }).faults();
    };
    const none = ['D4: An activity was to find out about a dispatch that there was not'];
    for (const name of ['inspectEffect', 'settleEffect', 'reconcileEffect'])
      expect([looks(name), looks(name, { dispatch: 2 })]).toEqual([[], none]);
    expect([looks('notify', { dispatch: 2 }), looks('inspectEffect', { dispatch: 2 }, left(new Scene()))]).toEqual([[], []]);
  });

  it('has the tool that the model asked for (D2)', () => {
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

  it('records its usage, in its blocks', () => {
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

  it('records the calls that it admitted, and their digests', () => {
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

  it('of a direct call belongs to the agent that runs the call', () => {
    const bound = { store_id: '5'.repeat(32), agent: 'bookkeeper' };
    const own = callOf({ ...call, definition_ref: 'd', target_hash: null, policy_ref: 'p' }, { ...TURN_CONTEXT, ...bound });
    const admitted = (more: Fields) =>
      new Scene().does('admitDirect', { turn: TURN_CONTEXT }, { call: own, ...bound, ...more }).faults();
    expect([admitted({}), admitted({ agent: 'x' }), admitted({ store_id: 'x' })].map((faults) => faults.length)).toEqual([
      0, 1, 1,
    ]);
  });
});
