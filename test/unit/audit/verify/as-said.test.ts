/** Decisions against the signals and updates that gave them (rules H9, H10, B13 and T9). */
import { attestDecision } from '../../../../src/attestation/attest';
import { AsSaid } from '../../../../src/audit/verify/as-said';
import { noteHash } from '../../../../src/shared/decision';
import { hashJson } from '../../../../src/shared/digests';
import type { JsonObject } from '../../../../src/shared/json';
import { GATEWAY_KEY } from '../../../support/bundle-keys';
import { at, GONE, HandRun, Reports, type Fields } from '../../../support/audit/hand-events';
import { HandTurn } from '../../../support/audit/hand-turn';

const DIGEST = 'abcdef'.repeat(11).slice(0, 64);
const OTHER = 'f'.repeat(64);
const SAID = { call: DIGEST, by: 'ana' };
const DECISION = { decision: 'approve', digest: DIGEST, by: 'ana', note: null, channel: 'signal', identity: 'web' };
const token = (claims: object = {}) => {
  const aud = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
  const about = { aud, digest: DIGEST, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
  return attestDecision(GATEWAY_KEY, { ...about, ...claims }, null, Date.parse(at(0)));
};

class Scene {
  readonly turn: HandTurn;
  readonly asSaid: AsSaid;
  readonly run: HandRun;
  private readonly reports = new Reports();

  constructor(run_id = 'r') {
    this.turn = new HandTurn({ run_id });
    this.asSaid = new AsSaid(this.turn.history, this.turn.blocks);
    this.run = new HandRun((event) => this.asSaid.event(event, this.reports.report));
    this.begin(run_id);
  }

  begin(run_id: string, began: 'start' | 'continued' | 'reset' = 'start', more: Fields = {}): this {
    this.asSaid.beginRun({ run_id, began });
    this.run.begin(more);
    return this;
  }

  approve(more: Fields = {}, options = {}): this {
    this.run.signal('approve', { ...SAID, ...more }, options);
    return this;
  }

  /** People were asked about the call. */
  ask(result: Fields = {}, call: Fields = {}): this {
    this.run.activity('admitCall', { call: { id: '1.1', ...call } }, { ok: true, digest: DIGEST, run_id: 'r', ...result });
    return this;
  }

  /** A worker has found a signed decision good. */
  check(attestation: string, more: Fields = {}, result: Fields = {}): this {
    const value = { decision: 'approve', digest: DIGEST, attestation, ...more };
    this.run.activity('checkDecision', value, { ok: true, principal: 'ana', ...result });
    return this;
  }

  /** A call that was to run with these approvals. */
  given(decision: Fields = {}, call: Fields = {}, more: Fields = {}): string[] {
    const approvals = [{ ...DECISION, ...decision }];
    this.run.scheduled('runCall', { call: { id: '1.1', digest: DIGEST, ...call }, approvals, ...more });
    return this.faults();
  }

  faults(): string[] {
    return this.reports.taken();
  }

  /** @returns its ref */
  part(body: unknown): string {
    const ref = this.turn.part(body);
    this.asSaid.part({ ref, part: body === GONE ? null : { v: 'holdfast.part/1', salt: 's', body: body as JsonObject } });
    return ref;
  }

  block(kind: 'decision' | 'dispatch', ...bodies: unknown[]): string[] {
    const parts = bodies.map((body) => this.part(body));
    const ref = this.turn.block(kind, parts);
    this.asSaid.block({ ref, block: { v: 'holdfast.block/1', parent: null, kind, at: at(5), parts } }, this.reports.report);
    return this.faults();
  }
}

const OTHER_WORDS = (who = 'ana') => `H9: A decision of "${who}" stands in other words than the signal or update that gave it`;

describe('a decision that an activity was given (H9)', () => {
  it('stands in the words in which it was said', () => {
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

  it('is looked at once for each call', () => {
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
  ])('stands in %s', (_where, give) => {
    const scene = new Scene();
    give(scene, { ...DECISION, note: 'n' });
    expect(scene.faults()).toEqual([OTHER_WORDS()]);
  });

  it('is one that people give', () => {
    const scene = new Scene();
    for (const decision of ['expired', 'cancelled', 'settle', undefined]) expect(scene.given({ decision })).toEqual([]);
    expect(scene.given({ digest: 7 })).toEqual([]);
    scene.run.scheduled('notify', { said: { texts: [], value: [DECISION] }, approvals: 'none' });
    scene.run.scheduled('runCall', { approvals: ['none', null] });
    expect(scene.faults()).toEqual([]);
    expect(scene.given({ decision: 'edit' })).toEqual([OTHER_WORDS()]);
  });

  it('is not known where one was left out, or the history has lost its beginning', () => {
    const gone = new Scene();
    gone.run.signal('approve', GONE);
    expect(gone.given()).toEqual([]);
    expect(new Scene('later').given()).toEqual([]);
    const argument = new Scene();
    argument.run.scheduled('notify', GONE);
    expect(argument.given()).toEqual([OTHER_WORDS()]);
  });

  it('was given in the run that it says', () => {
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

  it('was found good, as it is', () => {
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

  it('is not asked where an activity was left out', () => {
    const gone = scene();
    gone.run.activity('notify', {}, GONE);
    expect(gone.given({ attestation: signed })).toEqual([]);
  });

  it('has the principal that the worker has found', () => {
    const other = 'H9: A worker is said to have found good that "rob" signed, and another has signed it';
    expect(scene().check(signed, {}, { principal: 'rob' }).faults()).toEqual([other]);
    expect(scene().check(signed, {}, { principal: 'rob', ok: false }).faults()).toEqual([]);
    const gone = scene();
    gone.run.activity('checkDecision', GONE, { ok: true, principal: 'rob' });
    expect(gone.faults()).toEqual([]);
    expect(new Scene('later').check(signed, {}, { principal: 'rob' }).faults()).toEqual([]);
  });

  it('that a worker was to look at was said', () => {
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

  it('is that of the signal or update, of the call that people were asked about', () => {
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

  it('is the one that was admitted', () => {
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

  it('that is signed was found good', () => {
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

it('a decision that was passed on was sent (H9)', () => {
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

/** How a signed settlement is corrected by another. */
interface SignedWay {
  /** Tasks of the workflow since. */
  count?: number;
  calls?: string[];
  by?: string;
  /** The first was looked at again. */
  again?: boolean;
  begin?: (scene: Scene) => void;
  looked?: Fields;
}

describe('a settlement', () => {
  const settle = (scene: Scene, more: Fields = {}, options: { seconds?: number; identity?: string } = {}): Scene => {
    scene.run.signal('settle', { ...SAID, outcome: 'applied', ...more }, options);
    return scene;
  };
  const settled = (scene: Scene, more: Fields = {}) => {
    scene.run.scheduled('settleEffect', {
      call: { digest: DIGEST },
      by: 'ana',
      outcome: 'applied',
      note: null,
      identity: 'web',
      ...more,
    });
    return scene.faults();
  };
  const otherWords = (who = 'ana') => `H9: What "${who}" said of the call stands in other words than the signal or update has`;

  it('stands in the words in which it was said (H9)', () => {
    expect(settled(settle(new Scene()))).toEqual([]);
    for (const more of [{ note: 'n' }, { identity: 'x' }, { outcome: 'not_applied' }, { call: { digest: OTHER } }])
      expect(settled(settle(new Scene()), more)).toContain(otherWords());
    expect(settled(settle(new Scene()), { settlements: [{ by: 'rob', outcome: 'applied' }] })).toEqual([otherWords('rob')]);
    expect(settled(new Scene('later'))).toEqual([]);
  });

  it('that is signed was found good (H9)', () => {
    const attestation = token({ decision: 'settle', outcome: 'applied' });
    const scene = () => settle(new Scene(), { by: undefined, attestation });
    const notGood = 'H9: No worker has found the signed settlement of "ana" good, and it counted';
    expect(settled(scene(), { attestation })).toEqual([notGood]);
    const good = (more: Fields = {}) => {
      const one = scene().check(attestation, { decision: 'settle', outcome: 'applied', ...more });
      one.faults();
      return settled(one, { attestation });
    };
    expect([good(), good({ decision: 'approve' }), good({ outcome: 'not_applied' })]).toEqual([[], [notGood], [notGood]]);
    const gone = scene();
    gone.run.activity('notify', {}, GONE);
    expect(settled(gone, { attestation })).toEqual([]);
  });

  describe('that its author has corrected before the workflow came to it (H10)', () => {
    const corrected = 'H10: "ana" has said something else of the call since, and it was settled so';
    const tasks = (scene: Scene, count: number) => {
      for (let n = 0; n < count; n++) scene.run.tell('WORKFLOW_TASK_COMPLETED');
      return scene;
    };
    const correct = (more: Fields = {}, count = 2) =>
      tasks(settle(settle(tasks(new Scene(), 3)), { outcome: 'not_applied', ...more }), count);

    it('counts no more', () => {
      expect(settled(correct())).toEqual([corrected]);
      expect(settled(correct({ by: ' ANA ' }))).toEqual([corrected]);
      expect(settled(correct({ by: 'rob' }))).toEqual([]);
      expect(settled(correct({ outcome: 'applied' }))).toEqual([]);
      expect(settled(settle(correct(), {}))).toEqual([]);
      const approved = settle(new Scene()).approve({ outcome: 'not_applied' });
      expect(settled(tasks(approved, 2))).toEqual([]);
      expect(settled(tasks(settle(new Scene()).approve(), 2))).toEqual([]);
    });

    it('counts still where the correction may have come too late, or was not to be read', () => {
      expect(settled(correct({}, 1))).toEqual([]);
      expect(settled(correct({ strange: 1 }))).toEqual([]);
      expect(settled(correct({ attestation: token() }))).toEqual([]);
      expect(settled(correct({ note: 'n'.repeat(400) }))).toEqual([corrected]);
      expect(settled(correct({ note: 'n'.repeat(401) }))).toEqual([]);
      const gone = correct();
      gone.run.activity('notify', {}, GONE);
      expect(settled(gone)).toEqual([]);
    });

    it('by an update, once that was taken', () => {
      const updated = (answer: unknown, count: number) => {
        const scene = settle(tasks(new Scene(), 3));
        scene.run.update('decide', { ...SAID, decision: 'settle', outcome: 'not_applied' }, answer);
        return settled(tasks(scene, count));
      };
      expect([updated({ accepted: true }, 1), updated({ accepted: true }, 0)]).toEqual([[corrected], []]);
      expect([updated({ accepted: false }, 2), updated(undefined, 2)]).toEqual([[], []]);
    });

    it('in this run, or in one that it goes on from', () => {
      const run = (before: Fields) => {
        const scene = correct().begin('s', 'continued', before);
        return settled(scene);
      };
      expect(run({ continuedExecutionRunId: 'r' })).toEqual([corrected]);
      expect(run({})).toEqual([]);
    });

    it('by a signed one, once a worker has found that good', () => {
      const [first, second] = (['applied', 'not_applied'] as const).map((outcome) => token({ decision: 'settle', outcome }));
      const signed = ({ count = 2, calls, by = 'ana', again = false, begin = (_: Scene) => {}, looked = {} }: SignedWay = {}) => {
        const scene = tasks(new Scene(), 3);
        const third = token({ decision: 'settle', outcome: 'not_applied', principal: by });
        const other = by === 'ana' ? second! : third;
        settle(scene, { by: undefined, attestation: first! }).check(first!, { decision: 'settle', outcome: 'applied' });
        const named = calls ? { call: undefined, calls, attestation: calls.map(() => other) } : { attestation: other };
        settle(scene, { by: undefined, outcome: 'not_applied', ...named });
        scene.check(other, { decision: 'settle', outcome: 'not_applied', ...looked }, { principal: by });
        if (again) scene.check(first!, { decision: 'settle', outcome: 'applied' });
        tasks(scene, count);
        begin(scene);
        scene.faults();
        return settled(scene, { attestation: first! });
      };
      expect(signed()).toEqual([corrected]);
      expect(signed({ count: 1 })).toEqual([]);
      expect(signed({ calls: [DIGEST, OTHER] })).toEqual([]);
      expect(signed({ by: 'rob' })).toEqual([]);
      for (const looked of [{ decision: 'approve' }, { digest: OTHER }]) expect(signed({ looked })).toEqual([]);
      // What was looked at again counts from when it was first found good.
      expect(signed({ again: true })).toEqual([corrected]);
      expect(signed({ begin: (scene) => void scene.begin('s', 'continued', { continuedExecutionRunId: 'r' }) })).toEqual([
        corrected,
      ]);
    });
  });
});

describe('a call that ran by approvals of another run (T9)', () => {
  const SINCE = 'T9: The call was to run by an approval that nobody had given since the run had asked for it';
  const RAN = 'T9: The call ran in a run by approvals that were given in another, before the workflow was reset';

  it('was to run by an answer to the question of its run', () => {
    const approval = { run_id: 'r', at: at(1) };
    expect(new Scene().ask().approve().given(approval)).toEqual([]);
    expect(new Scene().approve().ask().given(approval)).toEqual([SINCE]);
    const sub = new Scene().approve().ask();
    sub.run.scheduled('openSubTurn', { call: { digest: DIGEST }, approvals: [{ ...DECISION, ...approval }] });
    expect(sub.faults()).toEqual([SINCE]);
    sub.run.scheduled('notify', { call: { digest: DIGEST }, approvals: [{ ...DECISION, ...approval }] });
    expect(sub.faults()).toEqual([]);
    // An older build did not say in which run people were asked.
    for (const run_id of ['', undefined]) expect(new Scene().approve().ask({ run_id }).given(approval)).toEqual([]);
    const gone = new Scene().approve().ask();
    gone.run.activity('notify', {}, GONE);
    expect(gone.given(approval)).toEqual([]);
  });

  it('was asked for by admission, and by nothing else', () => {
    const scene = new Scene().approve();
    scene.run.activity('notify', { call: { id: '1.1' } }, { ok: true, digest: DIGEST, run_id: 'r' });
    expect(scene.given({ run_id: 'r' })).toEqual([]);
    const asked = new Scene().ask({ digest: OTHER });
    asked.run.activity('notify', { card_ref: 'c' }, { digest: DIGEST, ok: true });
    asked.ask({ card_ref: 7 });
    expect(asked.approve().given({ run_id: 'r' })).toEqual([]);
    const untaken = new Scene().ask().begin('s').approve();
    untaken.run.activity('notify', { card_ref: 'c' }, { digest: DIGEST });
    expect(untaken.given({ run_id: 's' })).toEqual([SINCE]);
  });

  it('was asked for again after a reset: a copy of a question is none', () => {
    const scene = new Scene().ask();
    scene.run.activity('readCard', { card_ref: 'c' }, { digest: DIGEST });
    scene.begin('s', 'reset').ask();
    scene.run.activity('readCard', { card_ref: 'c' }, { digest: DIGEST });
    expect(scene.approve().given({ run_id: 's' })).toEqual([SINCE]);
    expect(scene.ask().approve().given({ run_id: 's' }, { id: '1.2' })).toEqual([]);
  });

  it('may be the answer to a question that the run has taken up', () => {
    const taken = (result: Fields, cards: Fields = {}) => {
      const scene = new Scene()
        .ask({ card_ref: 'c', ...cards })
        .begin('s', 'continued', {})
        .approve();
      scene.run.activity('readCard', { card_ref: 'c' }, result);
      return scene.given({ run_id: 's' });
    };
    expect([taken({ digest: DIGEST }), taken({}), taken({ digest: OTHER }), taken({}, { card_ref: 'd' })]).toEqual([
      [],
      [],
      [SINCE],
      [SINCE],
    ]);
    const never = new Scene().ask().begin('s', 'continued', {}).approve();
    expect(never.given({ run_id: 's' })).toEqual([SINCE]);
  });

  it('ran by answers of its run alone', () => {
    const ran = (name: string, call: Fields, result: unknown, run_id = 'q') => {
      const scene = new Scene().ask().approve();
      const argument = { call: { digest: DIGEST, ...call }, approvals: [{ ...DECISION, run_id }] };
      scene.run.activity(name, argument, result);
      return scene.faults();
    };
    const write = { class: 'write' };
    expect(ran('runCall', write, { state: 'succeeded' })).toEqual([RAN]);
    expect(ran('runCall', write, { state: 'succeeded' }, 'r')).toEqual([]);
    expect(ran('runCall', write, { state: 'failed' })).toEqual([]);
    expect(ran('runCall', { class: 'destructive' }, { state: 'succeeded' })).toEqual([]);
    expect(ran('openSubTurn', write, { open: true })).toEqual([RAN]);
    expect(ran('openSubTurn', write, { open: false, state: 'succeeded' })).toEqual([]);
    expect(ran('notify', write, { state: 'succeeded', open: true })).toEqual([]);
    expect(ran('runCall', write, GONE)).toEqual([]);
  });

  it('and is a copy of another run’s event is looked at there', () => {
    const scene = new Scene().ask().approve();
    const argument = { call: { digest: DIGEST, class: 'write' }, approvals: [{ ...DECISION, run_id: 'q' }] };
    const reset = () => {
      scene.begin('s', 'reset').ask().approve();
      scene.run.activity('runCall', argument, { state: 'succeeded' });
      return scene.faults();
    };
    scene.run.activity('runCall', argument, { state: 'succeeded' });
    expect([scene.faults(), reset()]).toEqual([[RAN], []]);
  });

  it('was claimed by answers of its run', () => {
    const DISPATCHED =
      'T9: The call was dispatched in a run by approvals that were given in another, before the workflow was reset';
    const claimed = (record: Fields, { run_id = 'r', named = 'r', dispatch = 1 } = {}) => {
      const scene = new Scene().ask({ run_id: named }).approve();
      scene.given({ run_id }, { dispatch });
      scene.asSaid.effect(
        { digest: DIGEST, dispatch: 1, state: 'applied', run_id: 'r', ...record } as JsonObject,
        scene.turn.reports.report,
      );
      return scene.turn.faults();
    };
    expect(claimed({})).toEqual([]);
    for (const state of ['claimed', 'applied', 'in_doubt']) expect(claimed({ state }, { run_id: 'q' })).toEqual([DISPATCHED]);
    expect(claimed({ state: 'not_applied' }, { run_id: 'q' })).toEqual([]);
    expect(claimed({ run_id: 'nowhere' }, { run_id: 'q' })).toEqual([]);
    expect(claimed({ digest: OTHER }, { run_id: 'q' })).toEqual([]);
    expect(claimed({}, { run_id: 'q', named: '' })).toEqual([]);
    expect(claimed({ dispatch: 2 })).toEqual([DISPATCHED]);
    expect(claimed({}, { dispatch: 2 })).toEqual([DISPATCHED]);
    const other = new Scene().ask().approve();
    other.given({ digest: OTHER }, { digest: OTHER });
    other.run.scheduled('notify', { call: { digest: DIGEST, dispatch: 1 }, approvals: [] });
    const record = { digest: DIGEST, dispatch: 1, state: 'applied', run_id: 'r' };
    other.asSaid.effect(record, other.turn.reports.report);
    expect(other.turn.faults()).toEqual([DISPATCHED]);
  });
});

describe('a decision of the transcript (B13)', () => {
  const body = { ...DECISION, subject: { call_id: '1.1' } };
  const unsaid = 'B13: The transcript has a decision of "ana" in other words than the signal or update that gave it';
  const written = (
    more: Fields = {},
    {
      left = true,
      own = true,
      kind = 'decision',
      tell = (_: Scene) => {},
      run_id = 'r',
    }: { left?: boolean; own?: boolean; kind?: 'decision' | 'dispatch'; tell?: (scene: Scene) => void; run_id?: string } = {},
  ) => {
    const scene = new Scene(run_id).approve();
    if (left) scene.run.activity('notify', {}, GONE);
    tell(scene);
    if (own) scene.turn.start();
    return scene.block(kind, { ...body, ...more });
  };

  it('stands in the words in which it was said, where nobody can tell what activities were given', () => {
    expect(written()).toEqual([]);
    expect(written({ note: 'n' })).toEqual([unsaid]);
    expect(written({ note: 'n' }, { left: false })).toEqual([]);
    expect(written({ note: 'n' }, { own: false })).toEqual([]);
    expect(written({ note: 'n' }, { kind: 'dispatch' })).toEqual([]);
    expect(written({ note: 'n' }, { run_id: 'later' })).toEqual([]);
    expect(written({ note: 'n' }, { tell: ({ run }) => void run.signal('deny', GONE) })).toEqual([]);
    expect(written({ note: 'n', decision: 'expired' })).toEqual([]);
    expect(written({ note: 'n', subject: 'none' })).toEqual([]);
    expect(written({ note: 'n', decision: 7 })).toEqual([]);
    const argument = new Scene();
    argument.run.scheduled('notify', GONE);
    argument.turn.start();
    expect([argument.block('decision', body), argument.block('decision', GONE), argument.block('decision')]).toEqual([
      [unsaid],
      [],
      [],
    ]);
  });
});
