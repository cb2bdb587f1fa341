/** What stands twice of decisions, and of what admission was told and has answered (rules D1 to D6). */
import { TwiceInDecisions } from '../../../../src/audit/verify/twice-in-decisions';
import { hashJson, inputDigest } from '../../../../src/shared/digests';
import type { Json, JsonObject } from '../../../../src/shared/json';
import { carrying, GONE, type Ending, type Fields } from '../../../support/audit/hand-events';
import { HandTwice, type Setting } from '../../../support/audit/hand-twice';

const INPUT = { cents: 7 };
const CALL = {
  ...{
    id: '1.1',
    tool: 'pay',
    version: '1',
    input: INPUT,
    input_ref: 'p',
    input_hash: hashJson(INPUT),
    verdict: 'ask',
    reason: 'R',
  },
  input_digest: inputDigest({ tool: 'pay', version: '1', input: INPUT }),
};

class Scene extends HandTwice<TwiceInDecisions> {
  constructor(setting: Setting = {}) {
    const definitions = setting.definitions ?? new Map<string, JsonObject>();
    super((all, history, blocks) => new TwiceInDecisions(all, history, blocks, definitions), { ...setting, definitions });
  }

  /** A step has had the call admitted. */
  asked(more: Fields = {}): this {
    this.run.activity('takeStep', {}, { calls: [{ ...CALL, ...more }] });
    return this;
  }

  /** Admission was asked about it. */
  asks(more: Fields = {}, result: unknown = {}): string[] {
    this.run.activity('admitCall', { call: CALL, reason: 'R', ...more }, result);
    return this.faults();
  }

  gives(name: string, argument: unknown): string[] {
    this.run.scheduled(name, argument);
    return this.faults();
  }

  writes(body: unknown, ref = 'p'): string[] {
    this.part(body, ref);
    return this.faults();
  }

  view(call: Fields, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [{ id: '1.1', ...call }] });
    return this.faults();
  }

  /** Which facts somebody else has said otherwise. */
  otherwise(subject: Parameters<Scene['all']['tell']>[0], name: string, facts: Fields): string {
    this.faults();
    this.all.tell(subject, name, facts, 'somebody');
    return this.faults().map((fault) => /that (\w+) of/.exec(fault)![1]).join(' '); // oxfmt-ignore
  }
}

const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};

describe('what admission was told (D4)', () => {
  const OTHER = [
    'D4: Admission was told something else of the call than was known of it: its reason, policy, changes, or what held it back',
  ];

  it('is the reason, the policy and the changes that were answered', () => {
    const change = { hook: 'h', why: 'w' };
    const told = (more: Fields) =>
      new Scene().asked({ approval: { quorum: 1 }, changes: [change] }).asks({ approval: { quorum: 1 }, ...more });
    expect([told({}), told({ changes: [change] }), told({ approval: undefined })]).toEqual([[], [], []]);
    expect([
      told({ reason: 'S' }),
      told({ approval: {} }),
      told({ changes: [{ hook: 'x' }] }),
      told({ changes: [change, {}] }),
    ]).toEqual([OTHER, OTHER, OTHER, OTHER]);
    expect(new Scene().asks({ reason: 'S', approval: {}, changes: [{}] })).toEqual([]);
    expect(left(new Scene().asked()).asks({ reason: 'S' })).toEqual([]);
    expect(new Scene().asked({ id: '1.2' }).asks({ reason: 'S' })).toEqual([]);
    // A direct call's is admitted, too.
    const direct = new Scene();
    direct.run.activity('admitDirect', {}, { call: CALL });
    expect(direct.asks({ reason: 'S' })).toEqual(OTHER);
  });

  it('may be one of several that were answered', () => {
    const scene = new Scene().asked();
    scene.asks(
      {},
      { ok: true, decided: { ...CALL, reason: 'S', changes: [{ hook: 'x' }] }, renewed: { approval: { quorum: 2 } } },
    );
    expect([
      scene.asks({ reason: 'S' }),
      scene.asks({ reason: 'R' }),
      scene.asks({ reason: 'T' }),
      scene.asks({ changes: [{ hook: 'x' }], approval: { quorum: 2 } }),
    ]).toEqual([[], [], OTHER, []]);
    const refused = new Scene().asked();
    refused.asks({}, { ok: false, decided: { ...CALL, reason: 'S' } });
    expect(refused.asks({ reason: 'S' })).toEqual(OTHER);
  });

  it('is whether outsiders’ words had been read', () => {
    const told = (read: Json | undefined, more: Fields) => new Scene().asked({ untrusted: read }).asks(more);
    expect([
      told(true, { untrusted: true }),
      told(false, { untrusted: false }),
      told(undefined, { untrusted: false }),
      told(true, {}),
    ]).toEqual([[], [], [], []]);
    expect([told(true, { untrusted: false }), told(undefined, { untrusted: true })]).toEqual([OTHER, OTHER]);
    expect([
      told(true, { undecided: { untrusted: true }, untrusted: false }),
      told(true, { undecided: { untrusted: false } }),
    ]).toEqual([[], OTHER]);
    expect(new Scene().asks({ untrusted: true })).toEqual([]);
  });

  it('is what has held the call back', () => {
    const held = { kind: 'rule', id: 'x' };
    const back = (name: string, result: unknown) => {
      const scene = new Scene().asked();
      scene.run.activity(name, { call: CALL }, result);
      scene.faults();
      return scene.asks({ held: [held] });
    };
    expect([back('runCall', { held: [held] }), back('openSubTurn', { refused: { held: [held] } })]).toEqual([[], []]);
    expect([
      back('runCall', {}),
      back('runCall', { held: [{ ...held, id: 'y' }] }),
      back('openSubTurn', { held: [held] }),
      back('notify', { held: [held] }),
    ]).toEqual([OTHER, OTHER, OTHER, OTHER]);
    const reset = (id: string) => new Scene().asked().asks({ held: [{ kind: 'reset', id }] });
    expect([reset('r'), reset('q')]).toEqual([[], OTHER]);
  });
});

describe('people who were told (D4)', () => {
  const NOBODY = (what: string) => [`D4: An activity names a ${what} that nobody was asked about`];
  const known = (scene = new Scene()) => {
    scene.all.tell('call', 'd', { call_id: '1.1', tool: 'pay' }, 'the history');
    scene.all.tell('card', 'c', { call_id: '1.1' }, 'the history');
    return scene;
  };

  it('were told of a call, and a card, that somebody was asked about', () => {
    const notify = (more: Fields, scene = known()) =>
      scene.gives('notify', { digest: 'd', card_ref: 'c', call_id: '1.1', tool: 'pay', ...more });
    expect([notify({}), notify({ card_ref: null })]).toEqual([[], []]);
    expect([
      notify({ card_ref: 'x' }),
      known().gives('closeQuestion', { digest: 'x' }),
      known().gives('closeQuestion', { digest: 'd', card_ref: 'x' }),
    ]).toEqual([NOBODY('card'), NOBODY('call'), []]);
    expect([known().gives('reconcileEffect', { digest: 'x' }), left(known()).gives('closeQuestion', { digest: 'x' })]).toEqual([
      [],
      [],
    ]);
    expect(notify({ digest: 'x' })).toEqual(NOBODY('call'));
    expect(notify({ digest: 'x' }, left(known()))).toEqual([]);
    expect(notify({ tool: 'send' })[0]).toMatch(/^D4: .* tool of the call/);
    expect(notify({ call_id: '1.2' })[0]).toMatch(/^D4: .* call_id of the call/);
  });

  it('were told of the time that they were given', () => {
    const until = (asked: Json | undefined, told: Json | undefined, more: Fields = {}) => {
      const scene = new Scene().asked();
      scene.asks({ expires_at: asked });
      known(scene);
      return scene.gives('notify', { digest: 'd', call_id: '1.1', expires_at: told, ...more });
    };
    const other = ['D4: People were told of another time to decide until than they were given'];
    expect([
      until('a', 'a'),
      until(undefined, undefined),
      until(undefined, null),
      until('a', 'b', { kind: 'in_doubt' }),
      until('a', 'b', { call_id: '1.2', digest: undefined }),
    ]).toEqual([[], [], [], [], []]);
    expect([until('a', 'b'), until('a', undefined), until(undefined, 'b')]).toEqual([other, other, other]);
    expect(left(new Scene()).gives('notify', { call_id: '1.1', expires_at: 'b' })).toEqual([]);
  });

  it('decide on a call of that tool', () => {
    const check = (decision: string) => known().gives('checkDecision', { decision, digest: 'd', tool: 'send' }).length;
    expect([check('approve'), check('steer')]).toEqual([1, 0]);
  });
});

describe('what an activity was given (D4)', () => {
  it('is the input that admission had let pass', () => {
    const given = (name: string, more: Fields) => new Scene().asked().gives(name, { call: { ...CALL, ...more } });
    const other = ['D4: An activity was given a call with another input than admission had let pass'];
    expect([
      given('runCall', {}),
      given('notify', { input_hash: undefined }),
      given('notify', { input_ref: 'q', input_hash: 'x' }),
    ]).toEqual([[], [], []]);
    expect([given('runCall', { input_hash: 'x' }), given('notify', { input_hash: 'x' })]).toEqual([other, other]);
  });

  it('is the verdict that admission had given', () => {
    const ran = (admitted: string, verdict: Json | undefined, name = 'runCall', ref = 'p') =>
      new Scene().asked({ verdict: admitted }).gives(name, { call: { ...CALL, input_ref: ref }, verdict });
    const other = ['D4: The call was run under another verdict than admission had given'];
    expect([
      ran('ask', 'ask'),
      ran('allow', 'allow'),
      ran('classify', 'ask'),
      ran('ask', undefined),
      ran('ask', 'allow', 'notify'),
      ran('ask', 'allow', 'runCall', 'q'),
    ]).toEqual([[], [], [], [], [], []]);
    expect([ran('ask', 'allow'), ran('allow', 'ask', 'openSubTurn'), ran('ask', 'classify')]).toEqual([other, other, other]);
  });

  it('is the definition, and the time, that the step has said (D2)', () => {
    const said = (more: Fields, scene = new Scene().asked({ definition_ref: 'd', validation_ms: 5 }), name = 'runCall') =>
      scene.gives(name, { call: { ...CALL, definition_ref: 'd' }, ...more }).length;
    expect([
      said({}),
      said({ validation_ms: 5 }),
      said({ validation_ms: 6 }),
      said({ validation_ms: 6 }, undefined, 'notify'),
    ]).toEqual([0, 0, 1, 0]);
    expect([
      said({ call: { ...CALL, definition_ref: 'e' } }),
      said({ call: { ...CALL, definition_ref: 'e' } }, undefined, 'notify'),
    ]).toEqual([1, 1]);
    expect(
      said(
        { call: { ...CALL, definition_ref: 'e' }, validation_ms: 6 },
        left(new Scene().asked({ definition_ref: 'd', validation_ms: 5 })),
      ),
    ).toBe(0);
    // Asked for anew it may be another.
    expect(
      said({}, new Scene().asked({ definition_ref: 'c', validation_ms: 1 }).asked({ definition_ref: 'd', validation_ms: 5 })),
    ).toBe(0);
  });
});

describe('a direct call (D1)', () => {
  const argument = { turn_id: 't', tool: 'pay', input_json: '{}' };
  it('is the one that the turn was started with', () => {
    const scene = (more: Fields = {}, started: Fields = {}) => new Scene({ argument: { ...argument, ...more }, started });
    expect([scene().otherwise('turn', '', { tool: 'x' }), scene().otherwise('turn', '', { input_json: 'x' })]).toEqual([
      'tool',
      'input_json',
    ]);
    expect([
      scene({ input_json: 7 }).otherwise('turn', '', { tool: 'x' }),
      new Scene({ argument: GONE }).otherwise('turn', '', { tool: 'x' }),
    ]).toEqual(['', '']);
    // A run that goes on has the tool alone.
    const next = scene({}, { continuedExecutionRunId: 'q' });
    expect([next.otherwise('turn', '', { input_json: 'x' }), next.otherwise('turn', '', { tool: 'x' })]).toEqual(['', 'tool']);
    const admitted = (name: string, more: Fields) => {
      const one = scene();
      one.run.activity(name, { tool: 'pay', input_json: '{}', ...more }, {});
      return one.faults().length;
    };
    const wrong = [{ tool: 'send' }, { input_json: '{"a":1}' }];
    expect(wrong.map((more) => admitted('admitDirect', more))).toEqual([1, 1]);
    expect([admitted('admitDirect', {}), admitted('notify', wrong[0]!)]).toEqual([0, 0]);
  });

  it('has the agent, the tool and the input that were asked for', () => {
    const direct = (call: Fields, agent = 'clerk') => {
      const one = new Scene();
      one.run.activity('admitDirect', {}, { call: { ...CALL, ...call }, agent });
      return one;
    };
    expect([
      direct({}).otherwise('turn', '', { agent: 'x' }),
      direct({}).otherwise('turn', '', { tool: 'x' }),
      direct({ verdict: 'rejected' }).otherwise('turn', '', { tool: 'x' }),
    ]).toEqual(['agent', 'tool', '']);
    const part = direct({});
    part.all.tell('turn', '', { input_json: 'x' }, 'the history');
    expect(part.writes({ asked: '{"cents":7}' }).some((fault) => fault.includes('input_json'))).toBe(true);
    const wanted = (asked: string, input: JsonObject) => {
      const hash = { input, input_hash: hashJson(input), input_digest: undefined };
      return direct(hash).writes({ asked, input, changes: [] });
    };
    const other = ['D2: The input of the call is not the one that was asked for, and nothing is said to have changed it'];
    expect([
      wanted('{"cents":7}', INPUT),
      wanted('{"cents":7}', { ...INPUT, more: 1 }),
      wanted('{"cents":8}', INPUT),
      wanted('none', INPUT),
    ]).toEqual([[], [], other, []]);
  });
});

describe('the answer of admission (D2)', () => {
  const OTHER_INPUT = 'D2: Admission has answered with another input than the one that it names';
  const OTHER_DIGEST = 'D2: The hash of tool and input is not that of the call that was admitted';
  const OTHER_CHANGES = 'D2: The transcript has other changes of the input than admission has answered';
  const OTHER_VERDICT = 'D2: The transcript has another verdict on the call than admission has answered';
  const answered = (more: Fields) => new Scene().asked(more).faults();

  it('names its input, and what the same call is known by', () => {
    expect([
      answered({}),
      answered({ input: undefined, input_hash: 'x' }),
      answered({ input: null, input_hash: 'x' }),
      answered({ input_ref: 7, input_hash: 'x' }),
    ]).toEqual([[], [], [], []]);
    expect(answered({ input_hash: 'x' })).toEqual([OTHER_INPUT]);
    // What is no object is no input of a call: it has a hash of its own.
    for (const input of [7, 'a text']) expect(answered({ input })).toEqual([OTHER_INPUT]);
    expect(answered({ input_digest: 'x' })).toEqual([OTHER_DIGEST]);
    for (const more of [
      { input_digest: undefined },
      { verdict: 'rejected', input_digest: 'x' },
      { changes: [{}], input_digest: 'x' },
    ])
      expect(answered(more)).toEqual([]);
    expect([answered({ tool: 'send' }), answered({ version: '2' })]).toEqual([[OTHER_DIGEST], [OTHER_DIGEST]]);
  });

  it('is under the policy of the definition (D4)', () => {
    const definitions = new Map<string, JsonObject>([['d', { approvals: { pay: { quorum: 2 } } }]]);
    const under = (more: Fields) => new Scene({ definitions }).asked({ definition_ref: 'd', ...more }).faults();
    const other = ["D4: A call was admitted under another approval policy than that of the agent's definition"];
    expect([
      under({ approval: { quorum: 2 } }),
      under({}),
      under({ approval: {}, definition_ref: 'e' }),
      under({ approval: {}, tool: 'send', input_digest: undefined }),
    ]).toEqual([[], [], [], []]);
    expect(under({ approval: { quorum: 1 } })).toEqual([other[0]]);
  });

  it('stands in its part, with its changes', () => {
    const changes = [{ hook: 'h', why: 'w', more: 1 }];
    const written = (body: unknown, more: Fields = {}) => new Scene().asked({ changes, ...more }).writes(body);
    expect(written({ input: INPUT, changes: [{ hook: 'h', why: 'w' }] })).toEqual([]);
    for (const other of [[], [{ hook: 'x', why: 'w' }], [{ hook: 'h' }], [...changes, {}]])
      expect(written({ input: INPUT, changes: other })).toContain(OTHER_CHANGES);
    expect([written(GONE), written('text'), new Scene().asked({ changes }).writes({ input: INPUT }, 'q')]).toEqual([[], [], []]);
    expect(new Scene().asked().writes({ input: { cents: 8 } })).toEqual([OTHER_DIGEST]);
    expect(new Scene().asked({ verdict: 'rejected' }).writes({ input: { cents: 8 } })).toEqual([]);
  });

  const decided = (more: Fields = {}, argument: Fields = {}) => {
    const scene = new Scene();
    scene.asks({ call: { id: '1.1', tool: 'pay', version: '1' }, ...argument }, { ok: true, decided: { ...CALL, ...more } });
    return scene;
  };
  const body = { call_id: '1.1', tool: 'pay', verdict: 'ask', reason: 'R', input: INPUT };

  it('that came later stands in its part, with its verdict', () => {
    expect(decided().writes(body)).toEqual([]);
    for (const field of ['call_id', 'tool', 'verdict', 'reason'])
      expect(decided().writes({ ...body, [field]: 'x' })).toEqual([OTHER_VERDICT]);
    expect(decided({ input_digest: undefined }).writes({ ...body, input: { cents: 8 } })).toEqual([OTHER_VERDICT]);
    expect(new Scene().asked().writes({ ...body, reason: 'x' })).toEqual([]);
    expect([...decided({ input_hash: 'x' }).faults()]).toEqual([]);
    const wrong = new Scene();
    expect(wrong.asks({}, { ok: true, decided: { ...CALL, input_hash: 'x' } })).toEqual([OTHER_INPUT]);
    expect(new Scene().asks({}, { ok: true, decided: 'none' })).toEqual([]);
  });

  it('on what a person wants, has that, and says who', () => {
    const edit = { by: 'ana', input: INPUT };
    const own = { hook: '', by: 'ana', why: null };
    const wants = (changes: Json[], more: Fields = {}, of: Fields = {}) => {
      const scene = new Scene();
      return [
        scene.asks({ edit: { ...edit, ...more } }, { ok: true, decided: { ...CALL, changes, ...of } }),
        scene.writes({ ...body, changes: changes.slice(1) }),
      ].flat();
    };
    const somebody = 'D2: A call was changed by somebody else than the one who wanted it so';
    const otherInput = 'D2: The input of the call is not the one that was asked for, and nothing is said to have changed it';
    expect(wants([own])).toEqual([]);
    expect([wants([{ ...own, by: 'rob' }]), wants([{ ...own, hook: 'h' }]), wants([])]).toEqual([
      [somebody],
      [somebody],
      [somebody],
    ]);
    expect(wants([own], { input: { cents: 8 } })).toEqual([otherInput]);
    expect(wants([own, { hook: 'h', why: 'w' }], { input: { cents: 8 } })).toEqual([]);
    expect(wants([own], { input: { cents: 8 } }, { verdict: 'rejected' })).toEqual([OTHER_VERDICT]);
    const plain = new Scene();
    expect(plain.asks({ edit: 'none' }, { ok: true, decided: { ...CALL, changes: [{ hook: 'h', why: 'w' }] } })).toEqual([]);
    expect(plain.writes({ ...body, changes: [{ hook: 'h', why: 'w' }] })).toEqual([]);
  });
});

describe('a settlement (D6)', () => {
  const settlements = [{ by: 'rob' }];
  const settled = (
    argument: Fields,
    result: Fields,
    body: Fields,
    { own = true, kind = 'settlement' as 'settlement' | 'effect' } = {},
  ) => {
    const scene = new Scene();
    scene.run.activity('settleEffect', { outcome: 'applied', ...argument }, { head: 's', effect: 'applied', ...result });
    if (own) scene.start();
    scene.faults();
    scene.block(kind, [scene.part({ idempotency_key: 'k', outcome: 'applied', ...body })], { ref: 's' });
    return scene.faults().length;
  };

  it('says with whom it was settled', () => {
    expect([
      settled({ settlements }, {}, { settlements }),
      settled({}, {}, {}),
      settled({ settlements }, {}, {}),
      settled({}, {}, { settlements }),
    ]).toEqual([0, 0, 1, 1]);
    expect([
      settled({ settlements }, { effect: 'refused' }, {}),
      settled({ settlements }, {}, {}, { own: false }),
      settled({ settlements }, {}, {}, { kind: 'effect' }),
    ]).toEqual([0, 0, 0]);
    expect([settled({ settlements }, {}, { idempotency_key: 7 }), settled({ settlements }, {}, { outcome: undefined })]).toEqual([
      0, 0,
    ]);
  });
});

describe('how often a call was tried (D6)', () => {
  const tried = (tell: (scene: Scene) => unknown, name: string) => {
    const scene = new Scene();
    tell(scene);
    return scene.otherwise('result', name, { attempts: 9 });
  };
  const outcome = { digest: 'd', attempts: 2, result_ref: 'r' };

  it('is told by the activity, by the outcome and by the result of the turn', () => {
    for (const name of ['runCall', 'settleEffect'])
      expect(tried(({ run }) => run.activity(name, {}, { result_ref: 'r', attempts: 2 }), 'r')).toBe('attempts');
    expect(tried(({ run }) => run.activity('notify', {}, { result_ref: 'r', attempts: 2 }), 'r')).toBe('');
    expect(tried(({ run }) => run.scheduled('takeStep', { outcomes: [outcome] }), 'r')).toBe('attempts');
    for (const type of ['COMPLETED', 'CANCELED', 'FAILED'] as const)
      expect(tried((scene) => scene.view(outcome, type), 'r')).toBe('attempts');
    expect(tried((scene) => scene.view({ ...outcome, result_ref: null }), 'of d')).toBe('attempts');
    expect([
      tried((scene) => scene.view({ ...outcome, result_ref: null, digest: null }), 'of null'),
      tried((scene) => scene.view({ ...outcome, state: 'cancelled' }), 'r'),
      tried((scene) => scene.view({ ...outcome, attempts: undefined }), 'r'),
    ]).toEqual(['', '', '']);
    const reset = (scene: Scene) => scene.begin('s', {}, 'reset');
    expect([
      tried((scene) => reset(scene).view(outcome), 'r'),
      tried((scene) => reset(scene).run.activity('runCall', {}, { result_ref: 'r', attempts: 2 }), 'r'),
    ]).toEqual(['', '']);
    expect(tried(({ run }) => run.activity('runCall', GONE, { result_ref: 'r', attempts: 2 }), 'r')).toBe('');
    expect(tried(({ run }) => run.activity('runCall', {}, { result_ref: '', attempts: 2 }), '')).toBe('');
  });
});

describe('who had to approve (D5)', () => {
  const shown = (approval: Fields, tell: (scene: Scene) => unknown = () => undefined) => {
    const scene = new Scene();
    tell(scene);
    scene.faults();
    return scene.view({ digest: 'd', approval: approval as JsonObject });
  };
  const nobody = ["D5: The turn's result says that nobody had to approve a call that people were asked about"];
  const other = ["D5: The turn's result says that a call took other approvals than admission has answered"];
  const heard = (scene: Scene) => scene.all.hear([{ decision: 'deny', digest: 'd', by: 'ana' }]);

  it('is not nobody where people were asked', () => {
    expect([
      shown({ required: false }),
      shown({ required: true, expires_at: 'x' }),
      shown({ required: false, expires_at: null }),
    ]).toEqual([[], [], []]);
    expect([shown({ required: false, expires_at: 'x' }), shown({ required: false }, heard)]).toEqual([nobody, nobody]);
    expect(shown({ required: false, expires_at: 'x' }, left)).toEqual([]);
  });

  it('is as many, and by the way, as admission has answered', () => {
    const answered = (approval: Fields) => (scene: Scene) => scene.asked({ approval: approval as JsonObject });
    const policy = { quorum: 2, channel: 'attested' };
    expect([
      shown(policy, answered(policy)),
      shown({ quorum: null }, answered({})),
      shown({}, answered(policy)),
      shown(policy),
    ]).toEqual([[], [], [], []]);
    expect([
      shown({ ...policy, quorum: 1 }, answered(policy)),
      shown({ quorum: 2 }, answered(policy)),
      shown(policy, answered({})),
    ]).toEqual([other, other, other]);
    expect(shown({ ...policy, quorum: 1 }, (scene) => left(scene.asked({ approval: policy })))).toEqual([]);
    const renewed = (scene: Scene) => scene.asked({ approval: {} }).asks({}, { ok: true, renewed: { approval: policy } });
    expect(shown(policy, renewed)).toEqual([]);
  });

  it('is not known where the result was left out', () => {
    const scene = new Scene();
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: carrying(GONE) });
    expect(scene.faults()).toEqual([]);
  });
});
