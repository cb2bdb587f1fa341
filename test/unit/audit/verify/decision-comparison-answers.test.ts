/** What a bundle records twice about answers of admission, about settlements, and about who had to approve (rules D2, D4 to D6). */
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { carrying, GONE, type Fields } from '../../../support/audit/hand-events';
import { CALL, INPUT, Scene, left } from '../../../support/audit/decision-scene';

describe('the answer of admission (D2)', () => {
  const OTHER_INPUT = 'D2: Admission has answered with another input than the one that it names';
  const OTHER_DIGEST = 'D2: The hash of tool and input is not that of the call that was admitted';
  const OTHER_CHANGES = 'D2: The transcript has other changes of the input than admission has answered';
  const OTHER_VERDICT = 'D2: The transcript has another verdict on the call than admission has answered';
  const answered = (more: Fields) => new Scene().asked(more).faults();

  it('has the input that it names, and the hash of tool and input that the call has', () => {
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

  it('is under the approval policy of the definition (D4)', () => {
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

  it('agrees with its part, changes included', () => {
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

  it('to a later request agrees with its part, verdict included', () => {
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

  it('to an edit has the input that the person wanted, and names that person', () => {
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

  it('names the same people in its argument and in its block', () => {
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

describe('the number of attempts of a call (D6)', () => {
  const tried = (tell: (scene: Scene) => unknown, name: string) => {
    const scene = new Scene();
    tell(scene);
    return scene.otherwise('result', name, { attempts: 9 });
  };
  const outcome = { digest: 'd', attempts: 2, result_ref: 'r' };

  it('is the same in the activity, in the outcome and in the result of the turn', () => {
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

describe('the approvals that a call took (D5)', () => {
  const shown = (approval: Fields, tell: (scene: Scene) => unknown = () => undefined) => {
    const scene = new Scene();
    tell(scene);
    scene.faults();
    return scene.view({ digest: 'd', approval: approval as JsonObject });
  };
  const nobody = ["D5: The turn's result says that nobody had to approve a call that people were asked about"];
  const other = ["D5: The turn's result says that a call took other approvals than admission has answered"];
  const heard = (scene: Scene) => scene.all.noteDecisions([{ decision: 'deny', digest: 'd', by: 'ana' }]);

  it('are not none if people were asked', () => {
    expect([
      shown({ required: false }),
      shown({ required: true, expires_at: 'x' }),
      shown({ required: false, expires_at: null }),
    ]).toEqual([[], [], []]);
    expect([shown({ required: false, expires_at: 'x' }), shown({ required: false }, heard)]).toEqual([nobody, nobody]);
    expect(shown({ required: false, expires_at: 'x' }, left)).toEqual([]);
  });

  it('have the number and the channel that admission answered', () => {
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

  it('are unknown if the result was left out', () => {
    const scene = new Scene();
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: carrying(GONE) });
    expect(scene.faults()).toEqual([]);
  });
});
