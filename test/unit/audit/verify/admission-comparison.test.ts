/** What a bundle records twice about a call that has not run, and about a call while it is open (rules D1, D2, D4, D5 and D6). */
import { idempotencyKey } from '../../../../src/shared/json/digests';
import type { JsonObject } from '../../../../src/shared/json/json';
import { callOf, GONE, HASH, TURN_CONTEXT, type Fields } from '../../../support/audit/hand-events';
import type { Setting } from '../../../support/audit/hand-comparison';
import { ASKED, CALL, Scene, unknown } from '../../../support/audit/admission-scene';

const LATER: Setting = { run_id: 'later' };

describe('a call that admission is asked about (D4)', () => {
  const asked = (more: Fields, scene = new Scene().step(), name = 'admitCall') =>
    scene.gives(name, { call: { ...CALL, ...more } }).faults();
  const other = (what: string) => [`D4: Admission was asked about another ${what} of the call than was known of it`];

  it('has the input, policy, target and revision that are recorded of it', () => {
    expect(asked({})).toEqual([]);
    expect([asked({ input_ref: 'x' }), asked({ policy_ref: 'x' }), asked({ target_hash: 'x' })]).toEqual([
      other('input'),
      other('policy'),
      other('target'),
    ]);
    expect(asked({ revision: 2 })).toEqual(other('revision'));
    expect(asked({ input_ref: undefined, policy_ref: undefined, target_hash: undefined, revision: undefined })).toEqual([]);
    // Only admission is told what counts.
    expect(asked({ input_ref: 'x', revision: 7 }, new Scene().step(), 'notify')).toEqual([]);
    expect(asked({ target_hash: null }, new Scene().step({ target_hash: undefined }))).toEqual([]);
    expect(asked({ policy_ref: 'x' }, new Scene().step({ policy_ref: undefined }))).toEqual([]);
  });

  it('has the input, policy and target of the answers since then', () => {
    const decided = () =>
      new Scene().step().asks({ decided: { input_ref: 'j' }, renewed: { policy_ref: 'q' }, target_hash: 'u' });
    expect(asked({ input_ref: 'j', policy_ref: 'q', target_hash: 'u', revision: 2 }, decided())).toEqual([]);
    expect(asked({ revision: 3 }, decided())).toEqual(other('revision'));
    expect(asked({ revision: 'x' }, decided())).toEqual(other('revision'));
    const refused = new Scene().step().does('admitCall', { call: CALL }, { ok: false, target_hash: 'u' });
    expect([asked({ revision: 2 }, refused), asked({ target_hash: 'u' }, refused)]).toEqual([other('revision'), other('target')]);
    // A step that gives a digest has given the first revision one.
    expect(asked({ revision: 2 }, new Scene().step({ digest: 'd' }))).toEqual([]);
    expect(asked({ input_ref: 'k', revision: 1 }, new Scene().step().step({ input_ref: 'k' }))).toEqual([]);
  });

  it('was asked for by a step or by a direct call', () => {
    const none = ['D4: An activity is given call "1.7", which no step has asked for'];
    expect([asked({ id: '1.7' }), asked({ id: '1.7' }, new Scene().step(), 'notify')]).toEqual([none, none]);
    expect(asked({}, new Scene().does('admitDirect', {}, { call: ASKED }))).toEqual([]);
    expect(asked({}, new Scene().does('notify', {}, { call: ASKED, calls: [ASKED] }))).toHaveLength(1);
    expect(asked({ id: undefined })).toEqual([]);
    expect([asked({ id: '1.7' }, new Scene(LATER)), asked({ id: '1.7' }, unknown(new Scene()))]).toEqual([[], []]);
    expect(new Scene().gives('admitCall', GONE).faults()).toEqual([]);
    // What a run was to be told is no answer of another run's activity.
    const again = new Scene();
    const id = again.run.scheduled('takeStep', {});
    again.begin('s', { continuedExecutionRunId: 'r' });
    again.run.completed(id, { calls: [ASKED] });
    expect(asked({}, again)).toHaveLength(1);
    const lost = new Scene();
    lost.does('takeStep', {}, GONE);
    expect(asked({}, lost)).toHaveLength(1);
  });

  it('is shown to people under its own digest', () => {
    const call = callOf({ policy_ref: 'p', preview_ref: 'v' });
    const under = (said: Fields, argument: Fields = { turn: TURN_CONTEXT, call }) =>
      new Scene()
        .step()
        .does('admitCall', argument, { ok: true, preview_ref: 'v', ...said })
        .faults()
        .filter((fault) => fault.includes('under a digest'));
    const wrong = ['D4: People were asked about a call under a digest that is not its own'];
    expect([under({ digest: call.digest }), under({ digest: 'x' })]).toEqual([[], wrong]);
    expect(under({ digest: call.digest, preview_ref: 'w' })).toEqual(wrong);
    for (const [said, changed] of [
      [{ decided: { input_hash: HASH.other } }, { input_hash: HASH.other }],
      [{ renewed: { policy_ref: 'q' } }, { policy_ref: 'q' }],
    ] as [Fields, Fields][]) {
      expect(under({ ...said, digest: callOf({ ...call, digest: undefined, ...changed }).digest })).toEqual(wrong);
      const { digest: _, ...rest } = call;
      expect(under({ ...said, digest: callOf({ ...rest, ...changed }).digest })).toEqual([]);
    }
    const store = { ...TURN_CONTEXT, store_id: '5'.repeat(32) };
    const { digest: _, ...rest } = call;
    const bound = callOf({ ...rest, definition_ref: 'f', target_hash: 'u' }, store);
    const { target_hash: __, ...asked } = bound;
    expect(under({ digest: bound.digest, target_hash: 'u' }, { turn: store, call: asked })).toEqual([]);
    expect(under({ digest: bound.digest, target_hash: 'w' }, { turn: store, call: asked })).toEqual(wrong);
    expect([under({ digest: 'x' }, { call }), under({ digest: 'x' }, { turn: TURN_CONTEXT, call: {} })]).toEqual([[], []]);
    expect(under({ digest: 'x', ok: false })).toEqual([]);
    const gone = new Scene().step().does('admitCall', GONE, { ok: true, digest: 'x' });
    expect(gone.faults()).toEqual([]);
  });
});

describe('a card that an activity reads (D4)', () => {
  const read = (card_ref: unknown, tell: (scene: Scene) => unknown = () => undefined, name = 'readCard') => {
    const scene = new Scene();
    scene.all.addFacts('card', 'c', { call_id: '1.1' }, 'the history');
    tell(scene);
    return scene.gives(name, { card_ref }).faults();
  };

  it('belongs to a question that people were asked', () => {
    expect([read('c'), read('x')]).toEqual([[], ['D4: An activity reads a card that nobody was asked with']]);
    expect([read(7), read('x', unknown), read('x', undefined, 'notify')]).toEqual([[], [], []]);
  });
});

describe('a recorded decision (D5)', () => {
  const SAID = { decision: 'approve', digest: 'd', card_ref: 'c', run_id: 'r' };
  const card = ['D5: A decision is said to be on another card than people were shown of its call'];
  const run = ['D5: A decision is said to be of a run that has not asked about its call'];
  const given = (said: Fields, scene = new Scene().step().asks(), where = 'approvals') => {
    const one = { ...SAID, ...said };
    const value = {
      approvals: { approvals: [one] },
      approval: { approval: one },
      earlier: { call: { earlier: [one] } },
    }[where];
    return scene.gives('runCall', value).faults();
  };

  it('names a card of its call, and a run that asked with this card', () => {
    for (const where of ['approvals', 'approval', 'earlier'])
      expect([given({}, undefined, where), given({ card_ref: 'x' }, undefined, where), given({ run_id: 'x' }, undefined, where)]).toEqual([[], card, run]); // oxfmt-ignore
    expect([given({ card_ref: null }), given({ run_id: null }), given({ digest: 'e', card_ref: 'x' })]).toEqual([[], [], []]);
    expect(given({ digest: 7, card_ref: 'x' })).toEqual([]);
    expect(given({ card_ref: 'x' }, unknown(new Scene().step().asks()))).toEqual([]);
    // The `approval` of another activity is a policy.
    const policy = new Scene().step().asks();
    expect(policy.gives('admitCall', { approval: { digest: 'd', card_ref: 'x' } }).faults()).toEqual([]);
    expect(given({ run_id: 'x' }, new Scene().step().asks({ run_id: undefined }))).toEqual([]);
    expect(given({ run_id: 'x' }, new Scene().step().asks({ run_id: '' }))).toEqual([]);
    expect(given({ run_id: 'x' }, new Scene().step().asks().asks({ run_id: undefined }))).toEqual([]);
    expect(given({ run_id: 'r' }, new Scene().step().asks().asks({ run_id: 's' }))).toEqual([]);
    expect(given({ card_ref: 'x' }, new Scene().step().asks({ ok: false }))).toEqual([]);
    expect(given({ digest: undefined, card_ref: 'x' }, new Scene().step().asks({ digest: undefined }))).toEqual([]);
  });

  it('may name a run in which the question goes on with the same card', () => {
    const taken = (argument: Fields, said: Fields, name = 'readCard') => {
      const scene = new Scene().step().asks();
      scene.all.addFacts('card', 'c', { call_id: '1.1' }, 'the history');
      scene.all.addFacts('card', 'e', { call_id: '1.1' }, 'the history');
      return scene.does(name, argument, said);
    };
    expect(given({ run_id: 's' }, taken({ card_ref: 'c' }, { run_id: 's' }))).toEqual([]);
    expect(given({ card_ref: 'e', run_id: 's' }, taken({ card_ref: 'e' }, { digest: 'd', run_id: 's' }))).toEqual([]);
    expect(given({ run_id: 's' }, taken({ card_ref: 'e' }, { digest: 'x', run_id: 's' }))).toEqual(run);
    expect(given({ run_id: 'x' }, taken({ card_ref: 'c' }, {}))).toEqual([]);
    expect(given({ run_id: 's' }, taken({ card_ref: 'c' }, { run_id: 's' }, 'notify'))).toEqual(run);
  });

  it('is on the call of which the next step is told it', () => {
    const none = 'D5: A step is told of a decision on a call that is none, or is one on another';
    const told = (outcome: Fields, scene = new Scene().step().asks()) =>
      scene.gives('takeStep', { outcomes: [{ call_id: '1.1', digest: 'd', result_ref: 'x', ...outcome }] }).faults();
    for (const decision of ['approve', 'deny', 'expired'])
      expect([told({ decision: { ...SAID, decision } }), told({ approvals: [{ ...SAID, decision }] })]).toEqual([[], []]);
    for (const decision of ['approve', { ...SAID, decision: 'edit' }, { ...SAID, digest: 'e' }])
      expect([told({ decision } as Fields), told({ approvals: [decision] } as Fields)]).toEqual([[none], [none]]);
    expect(told({ digest: null, decision: { ...SAID, digest: 'e' }, state: 'cancelled', result_ref: 'x' })).toEqual([]);
    expect([told({ decision: null }), told({ decision: null, approvals: ['x'] })]).toEqual([[], [none]]);
    expect(told({ decision: { ...SAID, card_ref: 'x' }, approvals: [{ ...SAID, run_id: 'x' }] })).toEqual([...card, ...run]);
    expect(told({ earlier: [{ ...SAID, card_ref: 'x' }] })).toEqual(card);
  });
});

describe('rules that a step names (D1)', () => {
  const ended = (
    policy_ref: unknown,
    { objects = ['p'], definitions = new Map<string, JsonObject>(), name = 'takeStep' } = {},
  ) => {
    const scene = new Scene({ definitions }).does(name, {}, { policy: { policy_ref } });
    scene.faults();
    scene.of.end({ objects: new Set(objects) });
    return scene.faults();
  };

  it('are in the bundle, and are rules', () => {
    const lost = (ref: string) => [`D1: A step names rules that the bundle does not have (${ref})`];
    for (const name of ['takeStep', 'admitDirect'])
      expect([ended('p', { name }), ended('q'.repeat(70), { name })]).toEqual([[], lost('q'.repeat(64))]);
    expect(ended('p', { definitions: new Map([['p', {}]]) })).toEqual(lost('p'));
    expect([ended(7), ended('q', { name: 'notify' })]).toEqual([[], []]);
  });
});

describe('the state in which an activity leaves a call (D6)', () => {
  const ran = (result: Fields, scene = new Scene(), name = 'inspectEffect') =>
    scene.does(name, {}, { result_ref: 'x', state: 'succeeded', ...result }).faults();

  it('is succeeded, failed or in doubt', () => {
    for (const state of ['succeeded', 'failed', 'in_doubt']) expect(ran({ state })).toEqual([]);
    const other = ['D6: An activity has a result of a call, and leaves it "denied"'];
    expect(ran({ state: 'denied' })).toEqual(other);
    for (const field of ['outcome', 'settled', 'refused'])
      expect(new Scene().does('notify', {}, { [field]: { result_ref: 'x', state: 'denied' } }).faults()).toEqual(other);
    const silent = [{ result_ref: '' }, { result_ref: null }, { state: undefined }];
    for (const more of silent) expect(ran({ state: 'denied', ...more })).toEqual([]);
  });

  it('comes after one attempt if it is in doubt', () => {
    const several = ['D6: A call is in doubt after 2 attempts, and a dispatch is one'];
    const doubt = { effect: 'in_doubt', state: 'in_doubt' };
    expect([ran({ ...doubt, attempts: 2 }), ran({ ...doubt, attempts: 1 }), ran(doubt)]).toEqual([several, [], []]);
    expect(ran({ effect: 'applied', attempts: 2 })).toEqual([]);
  });

  it('comes with the number of attempts, if the activity ended the call', () => {
    const tries = (name: string, tell: (scene: Scene) => unknown = () => undefined) => {
      const scene = new Scene();
      tell(scene);
      ran({ attempts: 2 }, scene, name);
      return scene.all.facts.knows('result', 'x', 'attempts');
    };
    expect(['inspectEffect', 'closeSubTurn'].map((name) => tries(name))).toEqual([true, true]);
    expect(['runCall', 'settleEffect'].map((name) => tries(name))).toEqual([false, false]);
    expect(tries('inspectEffect', (scene) => scene.begin('s', {}, 'reset'))).toBe(false);
  });
});

describe('the key of a call, in the result of the turn (D4)', () => {
  const identity = { workflow_id: 'turn/t', first_execution_run_id: 'r', call_id: '1.1', digest: 'd' };
  const wrong = ["D4: The turn's result has an idempotency key of a call that does not follow from its digest"];
  const keyed = (call: Fields, setting: Setting = {}) =>
    new Scene(setting).step().shown({ result_ref: 'x', digest: 'd', ...call });

  it('follows from its digest', () => {
    const key = idempotencyKey(identity);
    expect([keyed({ idempotency_key: key }), keyed({ idempotency_key: 'x' })]).toEqual([[], wrong]);
    expect([keyed({ idempotency_key: null }), keyed({})]).toEqual([[], []]);
    expect(keyed({ idempotency_key: key, digest: 7 })).toEqual(wrong);
    const lost = idempotencyKey({ ...identity, first_execution_run_id: '' });
    expect(keyed({ idempotency_key: lost }, { turn: { first_execution_run_id: null } })).toEqual([]);
    const none = idempotencyKey({ ...identity, digest: '' });
    expect(keyed({ idempotency_key: none, digest: 7 })).toEqual(wrong);
  });
});
