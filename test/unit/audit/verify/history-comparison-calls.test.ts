/** What a turn's history records twice about a call: what people were asked, and its outcome (rules D3 to D6). */
import { hashOf } from '../../../../src/audit/verify/values';
import { callOf, GONE, type Fields } from '../../../support/audit/hand-events';
import { Scene, left } from '../../../support/audit/history-scene';

describe('a question to people (D3, D4)', () => {
  const CALL = callOf({ makers: ['ana'] });
  const SAID = { ok: true, digest: 'd', card_ref: 'c', card: '## d', preview_ref: 'v', target_hash: 'x', run_id: 'r' };
  const asked = (more: Fields = {}, argument: Fields = {}, scene = new Scene()) =>
    scene.does('admitCall', { call: { ...CALL, digest: undefined }, ...argument }, { ...SAID, ...more });

  it('has the facts of the card and of the call', () => {
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
    expect([...asked().all.namedRefs]).toEqual(['c', 'v']);
    expect(asked({ card_ref: null, preview_ref: null }).all.namedRefs.size).toBe(0);
    expect(asked({ ok: false }).knows('card', 'c', 'digest')).toBe('');
    expect(new Scene().does('notify', { call: CALL }, SAID).knows('card', 'c', 'digest')).toBe('');
  });

  it('has the decided and renewed facts instead, if there are any', () => {
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

  it('names the digest of its call, and a run of the turn', () => {
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

describe('the part with the input of a call, after a reset (D4)', () => {
  const CALL = callOf();
  const { digest } = CALL;
  const OTHER = /^D4: The history says that input_ref of the call is/;
  const asked = (scene: Scene) => scene.does('takeStep', {}, { calls: [{ id: '1.1', input_ref: 's', digest: null }] });
  const decided = (scene: Scene, input_ref: string, call: unknown = { ...CALL, input_ref: 's', digest: undefined }) =>
    scene.does('admitCall', { call }, { ok: true, digest, card_ref: 'c', decided: { input_ref, input_hash: CALL.input_hash } });
  const runs = (scene: Scene, input_ref: string) => scene.gives('runCall', { call: { ...CALL, input_ref } });
  const first = () => runs(decided(asked(new Scene()), 'i'), 'i');
  const again = (began: 'reset' | 'continued' = 'reset') => first().begin('s', {}, began) as Scene;
  const faults = (scene: Scene) => scene.faults().map((fault) => OTHER.test(fault) || fault);

  it('is that of its last decision', () => {
    expect(faults(runs(decided(again(), 'j'), 'j'))).toEqual([]);
    expect(faults(runs(decided(asked(again()), 'j'), 'j'))).toEqual([]);
    expect(faults(decided(again('continued'), 'j'))).toEqual([true]);
    expect(faults(decided(first(), 'j'))).toEqual([true]);
  });

  it('is not one that nobody said, nor that of another call', () => {
    expect(faults(runs(again(), 'j'))).toEqual([true]);
    const said = { ok: true, digest: 'd', card_ref: 'e', decided: { input_ref: 'j' } };
    expect(faults(runs(again().does('admitCall', { call: { id: '1.2' } }, said), 'j'))).toEqual([true]);
    expect(faults(runs(again().does('admitCall', { call: { id: '1.1' } }, { ...said, ok: false }), 'j'))).toEqual([true]);
    expect(faults(runs(again().does('admitCall', { call: { id: '1.1' } }, said), 'j'))).toEqual([]);
  });

  it('is that of the caller, in a direct call', () => {
    const direct = (scene: Scene, input_ref: string) => scene.does('admitDirect', {}, { call: { ...CALL, input_ref } });
    const before = (began: 'reset' | 'continued') => runs(direct(new Scene(), 'i'), 'i').begin('s', {}, began) as Scene;
    expect(faults(runs(direct(before('reset'), 'j'), 'j')).filter((fault) => fault === true)).toEqual([]);
    expect(faults(direct(before('continued'), 'j')).filter((fault) => fault === true)).toEqual([true]);
  });

  it('is not compared if a decision or its call was left out', () => {
    for (const name of ['takeStep', 'admitDirect', 'admitCall'])
      expect([name, faults(runs(again().does(name, { call: { id: '1.1' } }, GONE), 'j'))]).toEqual([name, []]);
    expect(faults(runs(decided(again(), 'j', undefined), 'j'))).toEqual([]);
    expect(faults(runs(again().does('runCall', { call: { id: '1.1' } }, GONE), 'j'))).toEqual([true]);
  });

  it('may have been judged otherwise (the verdict of a dispatch)', () => {
    const judged = (scene: Scene, verdict: string) => scene.gives('runCall', { call: CALL, verdict });
    const then = (began: 'reset' | 'continued') => judged(judged(new Scene(), 'ask').begin('s', {}, began) as Scene, 'allow');
    expect(then('continued').faults()).toEqual([
      'D4: The history says that verdict of the dispatch is "allow", and the history says otherwise',
    ]);
    expect(then('reset').faults()).toEqual([]);
    expect(then('reset').not('dispatch', `${digest} 2`, { verdict: 'x' })).toBe(false);
    const same = judged(judged(new Scene(), 'ask').begin('s', {}, 'reset') as Scene, 'ask');
    expect(same.not('dispatch', `${digest} 1`, { verdict: 'x' })).toBe(true);
  });
});

describe('the outcome of a call (D6)', () => {
  const CALL = callOf();
  const RESULT = { state: 'succeeded', effect: 'applied', result_ref: 'r', summary: 's', error: null, head: 'h' };
  const ran = (result: Fields = {}, call: Fields = {}, name = 'runCall') =>
    new Scene().does(name, { call: { ...CALL, ...call } }, { ...RESULT, ...result });

  it('has the facts that the activity reported', () => {
    const facts = ['state', 'effect', 'summary', 'error', 'call_id', 'tool', 'version', 'success'];
    expect([ran().faults(), ran().knows('result', 'r', ...facts), ran().knows('effect', 'h', 'effect')]).toEqual([
      [],
      facts.join(' '),
      'effect',
    ]);
    expect([[...ran().all.namedRefs], [...ran().all.heads]]).toEqual([['r'], ['h']]);
    for (const nested of [{ outcome: RESULT }, { settled: RESULT }, { refused: RESULT }])
      expect(new Scene().does('x', { call: CALL }, nested).knows('result', 'r', 'state')).toBe('state');
    for (const none of [{ result_ref: null }, { result_ref: '' }, { state: 'running' }])
      expect(ran(none).all.namedRefs.size).toBe(0);
    expect([
      ran().not('result', 'r', { success: true }),
      ran({ state: 'failed', effect: 'not_applied' }).not('result', 'r', { success: true }),
    ]).toEqual([false, true]);
    expect(new Scene().does('lookAtSubTurn', { call: CALL }, RESULT).all.namedRefs.size).toBe(0);
  });

  it('has an effect that fits the class of the call', () => {
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

  it('is unknown if an activity was left out', () => {
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

  it('names who settled the call, if it was settled with that effect', () => {
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

  it('is the one that the activity reported', () => {
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

  it('belongs to a call and a result that an activity reported', () => {
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

  it('does not change from step to step if the call did not run', () => {
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

  it('includes decisions; the transcript must have them once the step has a result', () => {
    const decision = (by: string) => ({ decision: 'approve', digest, by });
    const outcome = { decision: decision('a'), approvals: [{ ...decision('b'), revision: 2 }], earlier: [decision('c'), 7] };
    const scene = new Scene().does('takeStep', { outcomes: [outcome] }, {});
    expect(['a', 'b', 'c'].map((by) => scene.all.hasDecision(decision(by)))).toEqual([true, true, true]);
    expect([...scene.all.hashesInHistory]).toEqual(['a', 'b', 'c'].map((by) => hashOf(decision(by))));
    expect(new Scene().does('endTurn', { outcomes: [outcome] }, {}).all.hashesInHistory.size).toBe(3);
    for (const none of [
      new Scene().gives('takeStep', { outcomes: [outcome] }),
      new Scene().does('takeStep', { outcomes: [outcome] }, GONE),
      new Scene().does('compact', { outcomes: [outcome] }, {}),
    ])
      expect(none.all.hashesInHistory.size).toBe(0);
    const given = new Scene().gives('runCall', {
      approvals: [decision('a')],
      approval: decision('b'),
      call: { earlier: [decision('c')] },
    });
    expect(['a', 'b', 'c'].map((by) => given.all.hasDecision(decision(by)))).toEqual([true, true, true]);
  });
});
