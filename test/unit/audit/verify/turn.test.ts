/** The end of a turn: its effect records, its last block, and the calls that took effect (rules T1 to T3). */
import { Attestations } from '../../../../src/audit/verify/attestations';
import { BundleFiles } from '../../../../src/audit/verify/file-checks';
import { RecordedRules } from '../../../../src/audit/verify/recorded-rules';
import { Turn } from '../../../../src/audit/verify/turn';
import { at, GONE, HASH, Reports, TURN, TURN_CONTEXT, type Fields } from '../../../support/audit/hand-events';
import { START } from '../../../support/audit/hand-lines';
import { CALL } from '../../../support/audit/hand-turn';
import { KEY, Whole } from '../../../support/audit/whole-turn';

describe('an effect record (T2)', () => {
  const ran = (more: Fields = {}, whole = new Whole()) => whole.ran(undefined).record(more);

  it('belongs to the turn, and has a known form', () => {
    expect(ran()).toEqual([]);
    expect(ran({ turn_id: 'u' })).toEqual(['T2: The effect record is of another turn']);
    expect(ran({ v: 'holdfast.effect/2' })).toEqual([
      'T2: The effect record is of a form that nobody knows: "holdfast.effect/2"',
    ]);
  });

  it('was created before it was changed', () => {
    const early = 'T2: The effect record was changed before it was made';
    expect(ran({ updated_at: at(10) })).toEqual([]);
    expect(ran({ updated_at: at(9.999) })).toEqual([early]);
    expect(ran({ updated_at: 'never' })).toContain(early);
    expect(ran({ claimed_at: 'never' })).toContain(early);
  });

  it('names a run and a call of the turn', () => {
    expect(ran({ run_id: 's' })).toEqual(['T2: The effect was claimed by a run that the turn does not have']);
    expect(ran({ digest: HASH.other })).toEqual(['T2: The effect record is of a call that the history does not know']);
    expect(ran({ idempotency_key: 'other' })).toEqual(['T2: The effect record has another idempotency key than its call']);
    const gone = new Whole();
    gone.run.scheduled('runCall', GONE);
    expect(gone.record({ digest: HASH.other })).toEqual([]);
    const wrong = { run_id: 's', digest: HASH.other, idempotency_key: 'other' };
    expect(new Whole({ run_id: 'later' }).record(wrong)).toEqual([]);
  });

  it('was claimed after its call was scheduled', () => {
    const early = 'T2: The effect was claimed before its call was scheduled: a clock was wrong, or the record was changed';
    expect(ran({ claimed_at: at(10 - 60) })).toEqual([]);
    expect(ran({ claimed_at: at(10 - 60.001) })).toEqual([early]);
    const twice = new Whole().ran(undefined);
    twice.run.scheduled('runCall', { turn: TURN_CONTEXT, call: { ...CALL, dispatch: 2 } }, { seconds: 500 });
    twice.faults();
    expect(twice.record({ claimed_at: at(10) })).toEqual([]);
  });

  it('has the key of one of the calls with its digest', () => {
    const two = new Whole().ran(undefined);
    two.run.scheduled('runCall', { turn: TURN_CONTEXT, call: { ...CALL, id: '1.2' } }, { seconds: 10 });
    two.faults();
    expect(two.record()).toEqual([]);
  });

  it('was claimed and changed before the history had its outcome', () => {
    const late = 'T2: The effect was claimed, or its record changed, after history had its outcome: a time was changed';
    const told = (more: Fields) => new Whole().ran({ head: 'h', effect: 'applied' }).record({ result_head: 'h', ...more });
    expect(told({ updated_at: at(12 + 60) })).toEqual([]);
    expect(told({ updated_at: at(12 + 60.001) })).toEqual([late]);
    expect(told({ claimed_at: at(12 + 60.001), updated_at: at(12 + 60.001) })).toEqual([late]);
    expect(told({ claimed_at: at(12 + 60.001) })).toContain(late);
  });

  it('was claimed and changed before the bundle was made, or the history ended', () => {
    const late = 'T2: The effect was claimed, or its record changed, after the bundle was made: a time was changed';
    expect(ran({ updated_at: at(1060) })).toEqual([]);
    expect(ran({ updated_at: at(1060.001) })).toEqual([late]);
    expect(ran({ updated_at: at(70) }, new Whole({ madeAt: 1 }))).toEqual([]);
    expect(ran({ updated_at: at(70.001) }, new Whole({ madeAt: 1 }))).toEqual([late]);
    const lost = new Whole({ run_id: 'later' }).ran({ head: 'h', effect: 'applied' });
    expect(lost.record({ result_head: 'h', updated_at: at(100) })).toEqual([]);
  });

  it('agrees with its block', () => {
    const written = (body: unknown, more: Fields) => {
      const whole = new Whole().ran(undefined).write('start', 'start', START).write('b', 'effect', body);
      whole.faults();
      return whole.record({ result_head: 'b', ...more });
    };
    const other = (state: string, said: string) =>
      `T2: The effect record says "${state}", and the transcript says "${said}", or has another result`;
    const body = { effect: 'applied', result_ref: 'x' };
    expect(written(body, { result_ref: 'x' })).toEqual([]);
    expect(written(body, { result_ref: 'y' })).toEqual([other('applied', 'applied')]);
    expect(written(body, { result_ref: 'x', state: 'refused' })).toEqual([other('refused', 'applied')]);
    expect(written(GONE, { result_ref: 'y' })).toEqual([]);
    expect(written(body, { result_head: 'nowhere' })).toEqual([]);
    expect(written(body, { result_head: 'start' })).toEqual([]);
  });
});

const REF = 'f'.repeat(64);

describe('the last block of a turn (T1)', () => {
  const otherEnd = 'T1: The transcript does not end where the history says that it ends';

  it('is the last head of the history', () => {
    const whole = new Whole();
    expect(whole.end(null, false)).toEqual([]);
    whole.run.activity('takeStep', {}, { head: 'h' });
    expect(whole.end('h', false)).toEqual([]);
    expect(whole.end('other', false)).toEqual([otherEnd]);
    expect(whole.end(null, false)).toEqual([otherEnd]);
    whole.run.activity('takeStep', {}, GONE);
    expect(whole.end('other', false)).toEqual([]);
  });

  it('may be any, if the turn has no history', () => {
    const known = {
      definitions: new Map(),
      children: new Map(),
      blocks: new Set<string>(),
      rules: new RecordedRules(),
      files: new BundleFiles(),
    };
    const turn = new Turn(TURN, 'n', new Attestations([]), { ...known, hasSessions: false, madeAt: 0 });
    const { report, all } = new Reports();
    turn.end(
      { turn_id: 't', head: 'any', complete: false, why: 'w' },
      { parts: new Set(), objects: new Set(), blocks: new Set() },
      report,
    );
    expect(all).toEqual([]);
  });

  it('and all blocks from which the history continued are in the bundle', () => {
    const whole = new Whole().closed();
    whole.write('start', 'start', START).write('e', 'end', {});
    whole.run.scheduled('takeStep', { head: REF });
    const lost = `T1: The history went on from a block that is not in the transcript (${REF})`;
    expect(whole.closed().end(null)).toContain(lost);
    expect(whole.end(null, false)).toEqual([]);
    whole.refs.blocks.add(REF);
    expect(whole.end(null)).not.toContain(lost);
    whole.run.scheduled('takeStep', { head: 'x'.repeat(70) });
    expect(whole.closed().end(null)).toContain(lost.replace(REF, 'x'.repeat(64)));
  });
});

/** A complete turn: a call was dispatched at 10 s, and took effect. */
function acted({
  run = true,
  dispatch = true,
  effect = true,
}: { run?: boolean; dispatch?: boolean; effect?: boolean } = {}): Whole {
  const whole = new Whole();
  if (run) whole.ran({ head: 'b', effect: 'applied' });
  whole.write('start', 'start', START);
  const body = { digest: CALL.digest, idempotency_key: KEY, dispatch: 1 };
  if (dispatch) whole.write('d', 'dispatch', body);
  if (effect) whole.write('b', 'effect', { ...body, effect: 'applied', result_ref: null });
  whole.faults();
  whole.part(HASH.inputRef, {});
  return whole;
}
const t3 = (faults: string[]) => faults.filter((fault) => fault.startsWith('T3')).map((fault) => fault.slice(4));

describe('a call that took effect (T3)', () => {
  const NOT_WRITTEN = 'The history says that a call took effect, and the transcript does not have it';
  const NO_RECORD = 'The history says that a call took effect, and there is no effect record of it';
  const NOT_TOLD = 'There is the record of an effect that the history does not know';
  const OPEN = 'A call was dispatched, and nothing says what became of it';
  const NOT_SAID = 'The transcript says what became of a call, and neither history nor effect record say so';

  it('is in history, transcript and record', () => {
    const whole = acted();
    expect(whole.record({ result_head: 'b' })).toEqual([]);
    expect(t3(whole.closed().end('b'))).toEqual([]);
  });

  it('is in the transcript', () => {
    const whole = acted({ effect: false, dispatch: false });
    whole.record({ result_head: 'b' });
    expect(t3(whole.closed().end('b'))).toEqual([NOT_WRITTEN]);
    const other = acted({ effect: false }).write('b', 'effect', { digest: CALL.digest, idempotency_key: KEY, effect: 'refused' });
    other.record({ result_head: 'b' });
    expect(t3(other.closed().end('b'))).toEqual([NOT_WRITTEN]);
    const gone = acted({ effect: false }).write('b', 'effect', GONE);
    gone.record({ result_head: 'b' });
    expect(t3(gone.closed().end('b'))).toEqual([]);
  });

  it('is not required if it had no effect', () => {
    const whole = new Whole().ran({ head: 'b', effect: 'refused' }).write('start', 'start', START);
    whole.part(HASH.inputRef, {});
    expect(t3(whole.closed().end('b'))).toEqual([]);
  });

  it('has a record, by its digest or by its block', () => {
    expect(t3(acted().closed().end('b'))).toEqual([NO_RECORD]);
    const refused = acted();
    refused.record({ result_head: 'b', state: 'refused' });
    expect(t3(refused.closed().end('b'))).toEqual([NO_RECORD]);
    const byBlock = acted();
    byBlock.record({ result_head: 'b', digest: HASH.other });
    expect(t3(byBlock.closed().end('b'))).toEqual([NOT_TOLD]);
    const byDigest = acted();
    byDigest.record({ result_head: 'c' });
    expect(t3(byDigest.closed().end('b'))).toEqual([]);
    // The digest of an argument that was left out is unknown.
    const unknown = new Whole().write('start', 'start', START);
    unknown.run.completed(unknown.run.scheduled('runCall', GONE), { head: 'b', effect: 'applied' });
    unknown.write('b', 'effect', { effect: 'applied' });
    expect(t3(unknown.closed().end('b'))).toEqual([]);
  });

  it('has a record by its key, if a reset gave the call another digest', () => {
    const byKey = (began: 'continued' | 'reset', block: unknown) => {
      const whole = acted();
      whole.record({ result_head: 'b' });
      whole.begin('s', began);
      whole.ran({ head: 'c', effect: 'applied' }, { call: { ...CALL, digest: HASH.other } });
      whole.write('c', 'effect', block);
      return t3(whole.closed().end('c'));
    };
    const block = { digest: HASH.other, idempotency_key: KEY, dispatch: 1, effect: 'applied', result_ref: null };
    expect(byKey('reset', block)).toEqual([]);
    expect(byKey('reset', GONE)).toEqual([]);
    expect(byKey('reset', { ...block, idempotency_key: `hf_${'0'.repeat(40)}` })).toEqual([NO_RECORD]);
    expect(byKey('continued', block)).toEqual([NO_RECORD]);
  });

  it('is in the history', () => {
    const whole = acted({ run: false });
    whole.record({ result_head: 'b' });
    expect(t3(whole.closed().end(null))).toEqual([NOT_TOLD]);
    const unknown = acted({ run: false });
    unknown.run.scheduled('runCall', GONE);
    unknown.record({ result_head: 'b' });
    expect(t3(unknown.closed().end(null))).toEqual([]);
    const reset = acted({ run: false });
    reset.record({ result_head: 'b' });
    reset.begin('s', 'reset');
    expect(t3(reset.closed().end(null))).toEqual([]);
    const gone = acted({ run: false });
    gone.record({ result_head: 'b' });
    gone.run.activity('runCall', { call: {} }, GONE);
    expect(t3(gone.closed().end(null))).toEqual([]);
  });

  it('has an outcome for each dispatch', () => {
    const open = acted({ run: false, effect: false });
    expect(t3(open.closed().end(null))).toEqual([OPEN]);
    const claimed = acted({ run: false, dispatch: false, effect: false });
    claimed.record({ state: 'claimed' });
    expect(t3(claimed.closed().end(null))).toEqual([OPEN]);
    expect(t3(open.end(null, false))).toEqual([]);
  });

  it('is in the history, or in a record, if the transcript has it', () => {
    const alone = acted({ run: false });
    expect(t3(alone.closed().end(null))).toEqual([NOT_SAID]);
    const recorded = acted({ run: false });
    recorded.record({ result_head: 'b', state: 'refused' });
    expect(t3(recorded.closed().end(null))).toEqual([]);
    const settled = acted({ run: false, dispatch: false, effect: false }).write('s', 'settlement', { outcome: 'not_applied' });
    expect(t3(settled.closed().end(null))).toEqual([NOT_SAID]);
  });

  it('is not checked if a start was left out', () => {
    const whole = acted({ effect: false, dispatch: false });
    whole.write('other', 'start', GONE);
    expect(t3(whole.closed().end('b'))).toEqual([]);
  });
});
