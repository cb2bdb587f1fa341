/** Approvals compared with the run in which they were given, and decisions of the transcript (rules T9 and B13). */
import type { JsonObject } from '../../../../src/shared/json/json';
import { at, GONE, type Fields } from '../../../support/audit/hand-events';
import { DECISION, DIGEST, OTHER, Scene } from '../../../support/audit/decision-checks-scene';

describe('a call that ran by approvals (T9)', () => {
  const SINCE = 'T9: The call was to run by an approval that nobody had given since the run had asked for it';
  const RAN = 'T9: The call ran in a run by approvals that were given in another, before the workflow was reset';

  it('has an approval that answers the question of its run', () => {
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

  it('has a question that admission asked, and no other activity', () => {
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

  it('has a question that was asked again after a reset: a copied question does not count', () => {
    const scene = new Scene().ask();
    scene.run.activity('readCard', { card_ref: 'c' }, { digest: DIGEST });
    scene.begin('s', 'reset').ask();
    scene.run.activity('readCard', { card_ref: 'c' }, { digest: DIGEST });
    expect(scene.approve().given({ run_id: 's' })).toEqual([SINCE]);
    expect(scene.ask().approve().given({ run_id: 's' }, { id: '1.2' })).toEqual([]);
  });

  it('may have an approval of a question that the run took over', () => {
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

  it('ran only by approvals of its own run', () => {
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

  it('is judged in the earlier run if its event is a copy', () => {
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

  it('was dispatched by approvals of its own run', () => {
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

  it('has the words of its signal or update, if it is unknown what activities were given', () => {
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
