/** What a bundle records twice about what admission, people and activities were told (rules D1, D2 and D4). */
import { hashJson } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { GONE, type Fields } from '../../../support/audit/hand-events';
import { CALL, INPUT, Scene, left } from '../../../support/audit/decision-scene';

describe('what admission was told (D4)', () => {
  const OTHER = [
    'D4: Admission was told something else of the call than was known of it: its reason, policy, changes, or what held it back',
  ];

  it('is the reason, the policy and the changes that were recorded before', () => {
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

  it('may be one of several recorded answers', () => {
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

  it('includes whether outsiders’ words had been read', () => {
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

  it('includes what held the call back', () => {
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

describe('an activity about a question (D4)', () => {
  const NOBODY = (what: string) => [`D4: An activity names a ${what} that nobody was asked about`];
  const known = (scene = new Scene()) => {
    scene.all.addFacts('call', 'd', { call_id: '1.1', tool: 'pay' }, 'the history');
    scene.all.addFacts('card', 'c', { call_id: '1.1' }, 'the history');
    return scene;
  };

  it('names a call, and a card, that people were asked about', () => {
    const notify = (more: Fields, scene = known()) =>
      scene.given('notify', { digest: 'd', card_ref: 'c', call_id: '1.1', tool: 'pay', ...more });
    expect([notify({}), notify({ card_ref: null })]).toEqual([[], []]);
    expect([
      notify({ card_ref: 'x' }),
      known().given('closeQuestion', { digest: 'x' }),
      known().given('closeQuestion', { digest: 'd', card_ref: 'x' }),
    ]).toEqual([NOBODY('card'), NOBODY('call'), []]);
    expect([known().given('reconcileEffect', { digest: 'x' }), left(known()).given('closeQuestion', { digest: 'x' })]).toEqual([
      [],
      [],
    ]);
    expect(notify({ digest: 'x' })).toEqual(NOBODY('call'));
    expect(notify({ digest: 'x' }, left(known()))).toEqual([]);
    expect(notify({ tool: 'send' })[0]).toMatch(/^D4: .* tool of the call/);
    expect(notify({ call_id: '1.2' })[0]).toMatch(/^D4: .* call_id of the call/);
  });

  it('tells people the time that they were given to decide', () => {
    const until = (asked: Json | undefined, told: Json | undefined, more: Fields = {}) => {
      const scene = new Scene().asked();
      scene.asks({ expires_at: asked });
      known(scene);
      return scene.given('notify', { digest: 'd', call_id: '1.1', expires_at: told, ...more });
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
    expect(left(new Scene()).given('notify', { call_id: '1.1', expires_at: 'b' })).toEqual([]);
  });

  it('checks a decision under the tool of its call', () => {
    const check = (decision: string) => known().given('checkDecision', { decision, digest: 'd', tool: 'send' }).length;
    expect([check('approve'), check('steer')]).toEqual([1, 0]);
  });
});

describe('a call that an activity was given (D4)', () => {
  it('has the input that admission let pass', () => {
    const given = (name: string, more: Fields) => new Scene().asked().given(name, { call: { ...CALL, ...more } });
    const other = ['D4: An activity was given a call with another input than admission had let pass'];
    expect([
      given('runCall', {}),
      given('notify', { input_hash: undefined }),
      given('notify', { input_ref: 'q', input_hash: 'x' }),
    ]).toEqual([[], [], []]);
    expect([given('runCall', { input_hash: 'x' }), given('notify', { input_hash: 'x' })]).toEqual([other, other]);
  });

  it('has the verdict of admission', () => {
    const ran = (admitted: string, verdict: Json | undefined, name = 'runCall', ref = 'p') =>
      new Scene().asked({ verdict: admitted }).given(name, { call: { ...CALL, input_ref: ref }, verdict });
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

  it('has the definition and the time that the step recorded (D2)', () => {
    const said = (more: Fields, scene = new Scene().asked({ definition_ref: 'd', validation_ms: 5 }), name = 'runCall') =>
      scene.given(name, { call: { ...CALL, definition_ref: 'd' }, ...more }).length;
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
  it('is the one with which the turn was started', () => {
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

  it('has the agent, the tool and the input of the request', () => {
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
    part.all.addFacts('turn', '', { input_json: 'x' }, 'the history');
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
