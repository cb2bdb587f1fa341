/** What the turn's own result repeats of its history (rules D1, D4 to D6). */
import { idempotencyKey } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { callOf, GONE, type Fields } from '../../../support/audit/hand-events';
import { Scene, left } from '../../../support/audit/history-scene';

describe('the result of the turn (D1, D4 to D6)', () => {
  const CALL = callOf();
  const { digest } = CALL;
  const RAN = { state: 'succeeded', effect: 'applied', result_ref: 'r', summary: 's', error: null, head: 'h' };
  const key = idempotencyKey({ workflow_id: 'turn/t', first_execution_run_id: 'r', call_id: '1.1', digest });
  const APPROVAL = { decisions: [], decision: null, by: [], note: null, expires_at: null };
  const SHOWN = {
    id: '1.1',
    revision: 1,
    tool: 'pay',
    version: '1.0.0',
    class: 'destructive',
    digest,
    state: 'succeeded',
    idempotency_key: key,
    effect: 'applied',
    error: null,
    result_summary: 's',
    result_ref: 'r',
    approval: APPROVAL,
  };
  const ranScene = () => new Scene().does('runCall', { call: CALL }, RAN);
  const view = (call: Fields = {}, more: Fields = {}, scene = ranScene(), type?: 'CANCELED' | 'FAILED') => {
    scene.faults();
    return scene.view({ calls: [{ ...SHOWN, ...call } as JsonObject], ...more }, type);
  };

  it('names the turn, its run and its last block', () => {
    const scene = new Scene();
    scene.view({ agent: 'clerk', run_id: 'r', head: null, state: 'completed', reason: null, usage: {}, ended_at: 'x' });
    expect(scene.knows('turn', '', 'agent', 'state', 'reason', 'usage', 'context_full', 'ended_at')).toBe(
      'agent state reason usage context_full ended_at',
    );
    expect(new Scene().view({ run_id: 'x' })[0]).toMatch(/^D1: The turn's result says that run_id/);
    const other = ["D1: The turn's result names another head of the transcript than the history"];
    const heads = (head: Json | undefined, result: unknown = { head: 'h' }) => new Scene().does('x', {}, result).view({ head });
    expect([heads('h'), heads(undefined), heads('x'), heads(null), heads('x', GONE)]).toEqual([[], [], other, other, []]);
    const block = new Scene().does('x', {}, { head: 'h' });
    block.view({ head: 'h', state: 's', reason: 'R' });
    expect(block.knows('block', 'h', 'state', 'reason')).toBe('state reason');
    const reset = new Scene().begin('s', {}, 'reset');
    reset.view({ state: 'completed' });
    expect(reset.knows('turn', '', 'state', 'context_full')).toBe('');
    expect(new Scene().view({ calls: 'none', run_id: 'x' })).toEqual([]);
    expect([new Scene().not('turn', '', { context_full: true }), (() => { const one = new Scene(); one.view({}); return one.not('turn', '', { context_full: false }); })()]).toEqual([false, false]); // oxfmt-ignore
  });

  it('shows calls as the history has them', () => {
    expect(view()).toEqual([]);
    for (const field of ['id', 'revision', 'tool', 'version', 'state', 'idempotency_key', 'result_summary'])
      expect([field, view({ [field]: 'x' }).length > 0]).toEqual([field, true]);
    for (const type of ['CANCELED', 'FAILED'] as const)
      expect(view({ tool: 'x' }, {}, undefined, type).length).toBeGreaterThan(0);
    expect(view({ digest: 'x', result_ref: null, effect: null })).toContain(
      "D4: The turn's result names a call that nobody was asked about and that never ran",
    );
    expect(view({ result_summary: 'x…' })).toContain(
      "D6: The turn's result has a shortened text that is no beginning of the whole one",
    );
  });

  it('leaves out no call that took effect', () => {
    const out = ["D6: The turn's result leaves out a call that took effect"];
    const without = (more: Fields = {}, scene = ranScene()) => {
      scene.faults();
      return scene.view(more);
    };
    expect([
      without(),
      without({ earlier_calls: { applied: 1 } }),
      without({ earlier_calls: { applied: 'one' } }),
      without({}, new Scene()),
    ]).toEqual([out, [], out, []]);
    expect([without({}, left(ranScene())), without({}, ranScene().begin('s', {}, 'reset') as Scene)]).toEqual([[], []]);
    const failed = new Scene().does('runCall', { call: CALL }, { ...RAN, state: 'failed', effect: 'not_applied' });
    expect(without({}, failed)).toEqual([]);
  });

  it('has, for a direct call, the envelope that the store has', () => {
    const envelope = { success: true };
    const answer = (more: Fields, calls: Fields = {}) => {
      const scene = ranScene();
      view(calls, more, scene);
      return scene.knows('result', 'r', 'answer');
    };
    expect([answer({ envelope }), answer({ envelope: 'x' }), answer({ envelope }, { result_ref: null })]).toEqual([
      'answer',
      '',
      '',
    ]);
    const two = ranScene();
    two.view({ calls: [SHOWN, { ...SHOWN, result_ref: 'q' }] as unknown as Json, envelope });
    expect(two.knows('result', 'r', 'answer')).toBe('');
  });

  describe('shows the decisions that activities were given (D5)', () => {
    const other = ["D5: The turn's result shows other decisions than the history has"];
    const decision = (by: string, more: Fields = {}) =>
      ({ decision: 'approve', digest, by, at: 'now', note: null, channel: 'signal', identity: 'web', ...more }) as JsonObject;
    const shown = (by: string, more: Fields = {}) =>
      ({
        decision: 'approve',
        by,
        at: 'now',
        note: null,
        channel: 'signal',
        identity: 'web',
        attested: false,
        ...more,
      }) as JsonObject;
    const with_ = (approval: Fields, given: JsonObject[], tell = (scene: Scene) => scene) => {
      const scene = tell(new Scene().does('runCall', { call: CALL, approvals: given, expires_at: 'e' }, RAN));
      return view({ approval: { ...APPROVAL, ...approval } as JsonObject }, {}, scene).filter((fault) => fault.startsWith('D5'));
    };
    const approved = { decisions: [shown('ana')], decision: 'approve', by: ['ana'] };

    it('all of them', () => {
      expect([
        with_(approved, [decision('ana')]),
        with_({}, []),
        with_({ ...approved, decisions: undefined }, [decision('ana')]),
      ]).toEqual([[], [], []]);
      expect([
        with_({}, [decision('ana')]),
        with_(approved, []),
        with_({ ...approved, by: ['rob'] }, [decision('ana')]),
        with_({ ...approved, decision: 'deny' }, [decision('ana')]),
      ]).toEqual([other, other, other, other]);
      for (const more of [{ at: 'x' }, { channel: 'x' }, { attested: true }, { note: 'n' }, { identity: 'x' }])
        expect(with_({ ...approved, decisions: [shown('ana', more)] }, [decision('ana')])).toEqual(other);
      expect(with_({}, [decision('ana')], left)).toEqual([]);
    });

    it('with the beginnings of their texts', () => {
      const long = { note: 'A long note.', identity: 'a long one' };
      const cut = { decisions: [shown('ana', { note: 'A lo…', identity: 'a lo…' })], decision: 'approve', by: ['ana'] };
      expect([
        with_({ ...cut, note: 'A l…' }, [decision('ana', long)]),
        with_({ ...cut, note: 'B…' }, [decision('ana', long)]),
        with_({ ...cut, note: null }, [decision('ana', long)]),
      ]).toEqual([[], other, other]);
    });

    it('with an outcome that fits the quorum', () => {
      const two = { decisions: [shown('ana'), shown('rob')], by: ['ana', 'rob'], quorum: 2 };
      const given = [decision('ana'), decision('rob')];
      expect([
        with_({ ...two, decision: 'approve' }, given),
        with_({ ...two, quorum: 3, decision: null }, given),
        with_({ ...two, quorum: 3, decision: 'approve' }, given),
      ]).toEqual([[], [], other]);
      const denied = { decisions: [shown('ana'), shown('rob', { decision: 'deny' })], decision: 'deny', by: ['rob'], quorum: 3 };
      expect([
        with_(denied, [given[0]!, decision('rob', { decision: 'deny' })]),
        with_({ ...denied, by: ['ana', 'rob'] }, [given[0]!, decision('rob', { decision: 'deny' })]),
      ]).toEqual([[], other]);
      const expired = { decisions: [shown('', { decision: 'expired' })], decision: 'expired', by: [] };
      expect(with_(expired, [decision('', { decision: 'expired' })])).toEqual([]);
    });

    it('with the time until which people were asked', () => {
      expect([
        with_({ ...approved, expires_at: 'e' }, [decision('ana')]),
        with_({ ...approved, expires_at: 'x' }, [decision('ana')]),
      ]).toEqual([[], other]);
    });
  });
});
