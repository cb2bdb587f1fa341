/** The end of a turn: nothing of it is missing (rules T4, T5 and T7). */
import { Attestations } from '../../../../src/audit/verify/attestations';
import { BundleFiles } from '../../../../src/audit/verify/file-checks';
import { RecordedRules } from '../../../../src/audit/verify/recorded-rules';
import { Turn } from '../../../../src/audit/verify/turn';
import type { BlockKind } from '../../../../src/shared/turn/transcript';
import { GONE, HandRun, HASH, payloads, Reports, TURN, type Fields } from '../../../support/audit/hand-events';
import { ARGUMENT, START } from '../../../support/audit/hand-lines';
import { CALL } from '../../../support/audit/hand-turn';
import { Whole } from '../../../support/audit/whole-turn';

const REF = 'f'.repeat(64);

describe('everything that blocks and calls refer to is in the bundle (T4)', () => {
  const missing = (ref: string) => `T4: Something that the transcript refers to is missing (${ref})`;
  const t4 = (faults: string[]) => faults.filter((fault) => fault.startsWith('T4'));
  const referring = (body: Fields) => {
    const whole = new Whole().closed();
    whole.write('start', 'start', { ...START, ...body });
    return whole;
  };

  it('parts', () => {
    const whole = referring({ card_ref: REF });
    expect(t4(whole.end())).toEqual([missing(REF)]);
    expect(t4(whole.end(null, false))).toEqual([]);
    // A part in the lines of another turn does not count.
    whole.refs.parts.add(REF);
    expect(t4(whole.end())).toEqual([missing(REF)]);
    whole.part(REF, {});
    expect(t4(whole.end())).toEqual([]);
    expect(t4(referring({ input_ref: 'x'.repeat(70) }).end())).toEqual([missing('x'.repeat(64))]);
  });

  it('objects, and the objects in them', () => {
    const whole = referring({ policy_ref: REF });
    expect(t4(whole.end())).toEqual([missing(REF)]);
    whole.refs.objects.add(REF);
    expect(t4(whole.end())).toEqual([]);
    whole.rules.take({ ref: REF, value: { v: 'holdfast.policy_within/1', policy_ref: 'inner', within: [] } });
    expect(t4(whole.end())).toEqual([missing('inner')]);
  });

  it('parts that records name', () => {
    const whole = new Whole().ran(undefined).closed();
    whole.part(HASH.inputRef, {});
    whole.record({ state: 'refused', result_ref: REF });
    expect(t4(whole.end())).toEqual([missing(REF)]);
  });

  it('parts that activities of calls name, in a line of this turn', () => {
    const whole = new Whole().ran(undefined, { call: { ...CALL, policy_ref: 'rules' } }).closed();
    expect(t4(whole.end())).toEqual([missing('rules')]);
    whole.refs.objects.add('rules');
    whole.refs.parts.add(HASH.inputRef);
    expect(t4(whole.end())).toEqual([missing(HASH.inputRef)]);
    whole.part(HASH.inputRef, GONE);
    expect(t4(whole.end())).toEqual([]);
  });
});

describe('a complete turn (T5)', () => {
  const open = 'T5: The turn is said to be complete, and its history has no beginning or no end';
  it('has a history with a beginning and an end', () => {
    expect(new Whole().closed().end()).toEqual([]);
    expect(new Whole().end()).toEqual([open]);
    expect(new Whole({ run_id: 'later' }).closed().end()).toEqual([open]);
    expect(new Whole().end(null, false)).toEqual([]);
  });
});

describe('the blocks that activities wrote (T7)', () => {
  const t7 = (faults: string[]) => faults.filter((fault) => fault.startsWith('T7')).map((fault) => fault.slice(4));
  const lost = (kind: string) =>
    `The history says that a block of kind ${kind} was written, and the transcript has another, or none`;
  const noEnd = 'The turn has ended, and its transcript has no end';

  it('end with an end block', () => {
    const whole = new Whole().closed().write('start', 'start', START).write('e', 'end', {});
    expect(t7(whole.end('e'))).toEqual([]);
    expect(t7(whole.end('start'))).toEqual([noEnd]);
    expect(t7(whole.end(null))).toEqual([]);
    expect(t7(whole.end('start', false))).toEqual([]);
    expect(t7(whole.write('other', 'start', GONE).end('start'))).toEqual([]);
    expect(t7(new Whole({ run_id: 'later' }).closed().end('start'))).toEqual([]);
  });

  const step = (ref: string, kind: BlockKind, ...calls: string[]) => {
    const whole = new Whole();
    whole.run.activity('takeStep', {}, { head: 'h', next: 'calls', calls: [{ input_ref: 'i' }, { input_ref: 'j' }] });
    whole.closed().write('start', 'start', START);
    whole.block(ref, kind, whole.part('first', {}), ...calls.map((call) => whole.part(call, {})));
    return t7(whole.end(null));
  };

  it('are in the bundle, with the right kind', () => {
    expect(step('h', 'admission', 'i', 'j')).toEqual([]);
    expect(step('h', 'admission', 'j', 'i')).toEqual([lost('admission')]);
    expect(step('h', 'message', 'i', 'j')).toEqual([lost('admission')]);
    expect(step('other', 'admission', 'i', 'j')).toEqual([lost('admission')]);
  });

  it('were written once, except after a reset', () => {
    const twice = (...begin: 'reset'[]) => {
      const whole = new Whole();
      const result = { head: 'h', next: 'calls', calls: [] };
      whole.run.activity('takeStep', {}, result);
      for (const began of begin) whole.begin('s', began);
      whole.run.activity('takeStep', {}, result);
      whole.run.activity('endTurn', {}, { head: 'e' });
      whole.run.activity('endTurn', {}, { head: 'e' });
      whole.closed().write('start', 'start', START).write('h', 'admission', {}).write('e', 'end', {});
      return t7(whole.end('e'));
    };
    expect(twice()).toEqual(['Two steps of the history are said to have written the same block']);
    expect(twice('reset')).toEqual([]);
    const ended = new Whole();
    for (let n = 0; n < 2; n++) ended.run.activity('endTurn', {}, { head: 'e' });
    expect(t7(ended.closed().write('start', 'start', START).write('e', 'end', {}).end('e'))).toEqual([]);
  });
});

it('the session’s lines are required only if bundles of this version have them', () => {
  const reports = new Reports();
  const known = {
    definitions: new Map(),
    children: new Map(),
    blocks: new Set<string>(),
    rules: new RecordedRules(),
    files: new BundleFiles(),
    madeAt: 0,
  };
  const ended = (hasSessions: boolean) => {
    const turn = new Turn(TURN, 'n', new Attestations([]), { ...known, hasSessions });
    turn.beginRun({ run_id: 'r', began: 'start' });
    const run = new HandRun((event) => turn.event(event, reports.report));
    run.begin({ input: payloads({ ...ARGUMENT, session_workflow_id: 'session/s' }) });
    run.tell('WORKFLOW_EXECUTION_COMPLETED');
    reports.taken();
    turn.end({ turn_id: 't', head: null, complete: true, why: null }, { parts: new Set(), objects: new Set(), blocks: new Set() }, reports.report); // oxfmt-ignore
    return reports.taken().some((fault) => fault.startsWith('T8'));
  };
  expect([ended(true), ended(false)]).toEqual([true, false]);
});
