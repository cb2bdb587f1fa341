/** Decisions compared with the signals and updates that gave them (rule H9). */
import { noteHash } from '../../../../src/shared/approval/decision';
import { hashJson } from '../../../../src/shared/json/digests';
import type { JsonObject } from '../../../../src/shared/json/json';
import { GONE, type Fields } from '../../../support/audit/hand-events';
import { DECISION, DIGEST, OTHER, OTHER_WORDS, SAID, Scene, token } from '../../../support/audit/decision-checks-scene';

describe('a decision that an activity was given (H9)', () => {
  it('has the words of its signal or update', () => {
    expect(new Scene().approve().given()).toEqual([]);
    for (const more of [
      { note: 'n' },
      { by: 'ANA' },
      { decision: 'deny' },
      { digest: OTHER },
      { channel: 'update' },
      { identity: 'x' },
    ])
      expect(new Scene().approve().given(more)).toEqual([OTHER_WORDS(more.by ?? 'ana')]);
  });

  it('is checked once for each call', () => {
    const scene = new Scene();
    expect([scene.given(), scene.given(), scene.given({}, { id: '1.2' })]).toEqual([[OTHER_WORDS()], [], [OTHER_WORDS()]]);
  });

  it.each<[string, (scene: Scene, one: JsonObject) => void]>([
    ['approvals', ({ run }, one) => void run.scheduled('runCall', { approvals: [one] })],
    ['approval', ({ run }, one) => void run.scheduled('runCall', { approval: one })],
    ['earlier', ({ run }, one) => void run.scheduled('openSubTurn', { call: { earlier: [one] } })],
    ['approvals of an outcome', ({ run }, one) => void run.scheduled('takeStep', { outcomes: [{ approvals: [one] }] })],
    ['decision of an outcome', ({ run }, one) => void run.scheduled('takeStep', { outcomes: [{ decision: one }] })],
    ['earlier of an outcome', ({ run }, one) => void run.scheduled('endTurn', { outcomes: [{ earlier: [one] }] })],
    ['what the store was to keep', ({ run }, one) => void run.scheduled('keepSaid', { said: { texts: [], value: [one] } })],
  ])('is checked in %s', (_where, give) => {
    const scene = new Scene();
    give(scene, { ...DECISION, note: 'n' });
    expect(scene.faults()).toEqual([OTHER_WORDS()]);
  });

  it('is one that people give: not an expiry, a cancellation or a settlement', () => {
    const scene = new Scene();
    for (const decision of ['expired', 'cancelled', 'settle', undefined]) expect(scene.given({ decision })).toEqual([]);
    expect(scene.given({ digest: 7 })).toEqual([]);
    scene.run.scheduled('notify', { said: { texts: [], value: [DECISION] }, approvals: 'none' });
    scene.run.scheduled('runCall', { approvals: ['none', null] });
    expect(scene.faults()).toEqual([]);
    expect(scene.given({ decision: 'edit' })).toEqual([OTHER_WORDS()]);
  });

  it('is not checked if a signal was left out, or if the history has lost its beginning', () => {
    const gone = new Scene();
    gone.run.signal('approve', GONE);
    expect(gone.given()).toEqual([]);
    expect(new Scene('later').given()).toEqual([]);
    const argument = new Scene();
    argument.run.scheduled('notify', GONE);
    expect(argument.given()).toEqual([OTHER_WORDS()]);
  });

  it('was given in the run that it names', () => {
    const other = 'H9: A decision of "ana" is said to have been given in another run than it was';
    expect(new Scene().approve().given({ given_in: 'r' })).toEqual([]);
    expect(new Scene().approve().given({ given_in: 'q' })).toEqual([other]);
    expect(new Scene().given({ given_in: 'q' })).toEqual([OTHER_WORDS()]);
    const gone = new Scene().approve();
    gone.run.scheduled('notify', GONE);
    expect(gone.given({ given_in: 'q' })).toEqual([]);
    const two = new Scene().approve().begin('s', 'continued', { continuedExecutionRunId: 'r' }).approve();
    expect(two.given({ given_in: 'r' })).toEqual([]);
  });
});

describe('a signed decision (H9)', () => {
  const signed = token();
  const scene = () => new Scene().approve({ by: undefined, attestation: signed });
  const notGood = 'H9: No worker has found the signed decision of "ana" good, and it counted';

  it('was found valid by a worker', () => {
    expect(scene().check(signed).given({ attestation: signed })).toEqual([]);
    expect(scene().given({ attestation: signed })).toEqual([notGood]);
    expect(scene().check(signed, {}, { ok: false }).given({ attestation: signed })).toEqual([notGood]);
    for (const more of [
      { decision: 'deny' },
      { digest: OTHER },
      { outcome: 'applied' },
      { attestation: token({ head: OTHER }) },
    ]) {
      const other = scene().check(signed, more);
      other.faults();
      expect(other.given({ attestation: signed })).toEqual([notGood]);
    }
    const another = scene().check(signed, {}, { principal: 'rob' });
    another.faults();
    expect(another.given({ attestation: signed })).toEqual([notGood]);
  });

  it('is not checked if an activity was left out', () => {
    const gone = scene();
    gone.run.activity('notify', {}, GONE);
    expect(gone.given({ attestation: signed })).toEqual([]);
  });

  it('has the principal that the worker found', () => {
    const other = 'H9: A worker is said to have found good that "rob" signed, and another has signed it';
    expect(scene().check(signed, {}, { principal: 'rob' }).faults()).toEqual([other]);
    expect(scene().check(signed, {}, { principal: 'rob', ok: false }).faults()).toEqual([]);
    const gone = scene();
    gone.run.activity('checkDecision', GONE, { ok: true, principal: 'rob' });
    expect(gone.faults()).toEqual([]);
    expect(new Scene('later').check(signed, {}, { principal: 'rob' }).faults()).toEqual([]);
  });

  it('that a worker was to check was sent by a signal or an update', () => {
    const nobody = ['H9: A worker was to look at a signed decision that no signal or update has'];
    const looked = (more: Fields, said: Fields = {}, kind = 'approve') => {
      const one = new Scene();
      one.run.signal(kind, { call: DIGEST, attestation: signed, ...said });
      one.run.scheduled('checkDecision', { decision: kind, digest: DIGEST, attestation: signed, ...more });
      return one.faults();
    };
    expect(looked({})).toEqual([]);
    for (const more of [
      { decision: 'deny' },
      { digest: OTHER },
      { attestation: 'x' },
      { input_hash: 'x' },
      { outcome: 'applied' },
    ])
      expect(looked(more)).toEqual(nobody);
    const input = { cents: 7 };
    const input_hash = hashJson(input);
    expect(looked({ decision: 'edit', input_hash }, { input })).toEqual([]);
    expect(looked({ decision: 'edit', input_hash: 'x' }, { input })).toEqual(nobody);
    expect(looked({ decision: 'edit' })).toEqual(nobody);
    expect(looked({ input_hash }, { input })).toEqual(nobody);
    expect(looked({ outcome: 'applied' }, { outcome: 'applied' }, 'settle')).toEqual([]);
    expect(looked({ outcome: 'not_applied' }, { outcome: 'applied' }, 'settle')).toEqual(nobody);
    expect(looked({ note_hash: noteHash('n') }, { note: 'n' })).toEqual([]);
    expect(looked({ note_hash: noteHash('n') }, { note: 'm' })).toEqual(nobody);
    expect([looked({ note_hash: null }), looked({ note_hash: null }, { note: 'n' }), looked({}, { note: 'n' })]).toEqual([
      [],
      nobody,
      [],
    ]);
    expect(looked({ decision: 'steer', attestation: 'x' })).toEqual([]);
    const later = new Scene('later');
    later.run.scheduled('checkDecision', { decision: 'approve', digest: DIGEST, attestation: signed });
    expect(later.faults()).toEqual([]);
  });
});

describe('a changed input (H9)', () => {
  const input = { cents: 7 };
  const edit = { by: 'ana', note: null, identity: 'web', input };
  const changed = (more: Fields = {}, scene = new Scene().ask().approve({ input }), call: Fields = {}) => {
    scene.run.scheduled('admitCall', { call: { id: '1.1', revision: 2, ...call }, edit: { ...edit, ...more } });
    return scene.faults();
  };
  const other = 'H9: The input that "ana" is said to want is not that of the signal or update';

  it('is that of the signal or update, for the call that people were asked about', () => {
    expect(changed()).toEqual([]);
    expect(changed({ input: { cents: 8 } })).toEqual([other]);
    expect(changed({ note: 'n' })).toEqual([other]);
    expect(changed({ identity: 'x' })).toEqual([other]);
    expect(changed({}, new Scene().approve({ input }))).toEqual([other]);
    expect(changed({}, new Scene().ask({}, { id: '1.2' }).approve({ input }))).toEqual([other]);
    expect(changed({}, new Scene().ask({ digest: OTHER }).ask().approve({ input }))).toEqual([]);
    expect(changed({}, new Scene().ask({ ok: false }).approve({ input }))).toEqual([other]);
    expect(changed({}, new Scene('later').approve())).toEqual([]);
    const gone = new Scene();
    gone.run.activity('notify', {}, GONE);
    expect(changed({}, gone)).toEqual([]);
    gone.run.scheduled('runCall', { call: {}, edit });
    expect(gone.faults()).toEqual([]);
  });

  it('is the change that was admitted', () => {
    const none = 'H9: The change that "ana" is said to have made is none that was admitted';
    const made = (more: Fields = {}, call: Fields = {}) => {
      const scene = new Scene().ask().approve({ input });
      changed({}, scene, call);
      return scene.given({ decision: 'edit', revision: 1, ...more });
    };
    expect(made()).toEqual([]);
    expect(made({ revision: 2 })).toEqual([none]);
    expect(made({}, { id: '1.2' })).toEqual([none]);
    expect(made({ revision: undefined })).toEqual([]);
    const without = new Scene().ask().approve({ input });
    expect(without.given({ decision: 'edit', revision: 1 })).toEqual([none]);
    const bare = new Scene().ask().approve();
    expect(bare.given({ revision: 1 })).toEqual([]);
    const elsewhere = new Scene().ask().approve({ input }).approve({ input }, { identity: 'x' });
    changed({ identity: 'x' }, elsewhere);
    expect(elsewhere.given({ decision: 'edit', revision: 1 })).toEqual([none]);
  });

  it('that is signed was found valid as an edit', () => {
    const attestation = token({ decision: 'edit', input_hash: hashJson(input) });
    const given = (decision: string) => {
      const scene = new Scene().ask().approve({ by: undefined, input, attestation });
      scene.check(attestation, { decision, input_hash: hashJson(input) });
      changed({ attestation }, scene);
      scene.faults();
      return scene.given({ decision: 'edit', revision: 1, attestation });
    };
    expect(given('edit')).toEqual([]);
    expect(given('approve')).toEqual(['H9: No worker has found the signed decision of "ana" good, and it counted']);
  });
});

it('a decision that was passed on to a sub-agent was sent by somebody (H9)', () => {
  const passed = (body: Fields, run_id = 'r') => {
    const scene = new Scene(run_id);
    scene.run.update('decide', { ...SAID, decision: 'approve' });
    scene.run.scheduled('forwardDecision', { body });
    return scene.faults();
  };
  const body = { decision: 'approve', calls: [DIGEST], by: 'ana' };
  const nobody = 'H9: A decision was passed on to a turn below that nobody has sent';
  expect([passed(body), passed({ ...body, by: 'rob' }), passed({ ...body, by: 'rob' }, 'later')]).toEqual([[], [nobody], []]);
});
