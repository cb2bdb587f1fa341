/** Calls that a history has scheduled: whether each is the one that was admitted and approved (rules H3 to H6). */
import { attestDecision } from '../../../../src/attestation/bundle-signer';
import { Attestations } from '../../../../src/audit/verify/attestations';
import { History } from '../../../../src/audit/verify/history';
import { hashJson, idempotencyKey } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { GATEWAY_KEY, TRUST } from '../../../support/bundle-keys';
import { at, callOf, GONE, HandRun, HASH, idOf, payloads, Reports, TURN, TURN_CONTEXT, type Fields } from '../../../support/audit/hand-events'; // oxfmt-ignore

function begun(run_id = 'r') {
  const history = new History(TURN, 'n', new Attestations(TRUST));
  const reports = new Reports();
  const run = new HandRun((one) => history.event(one, reports.report));
  history.beginRun({ run_id, began: run_id === 'r' ? 'start' : 'continued' });
  run.begin({ input: payloads({ turn_id: 't' }), ...(run_id === 'r' ? {} : { continuedExecutionRunId: 'r' }) });
  /** Fields of a call that was to run. */
  const runs = (
    argument: Fields,
    { id, seconds = 10, name = 'runCall' }: { id?: string; seconds?: number; name?: string } = {},
  ) => {
    const call = argument.call as JsonObject & { digest: string };
    run.scheduled(name, { turn: TURN_CONTEXT, ...argument }, { id: id ?? idOf(call), seconds });
    return reports.taken();
  };
  return { history, reports, run, runs };
}
const call = callOf();
const ms = (seconds: number) => Date.parse(at(seconds));

describe('a scheduled call (H3)', () => {
  const runs = (argument: Fields, id?: string) => begun().runs({ call, ...argument }, { id });

  it('is of this turn', () => {
    expect(runs({})).toEqual([]);
    for (const more of [{ turn_id: 'u' }, { workflow_id: 'turn/u' }, { first_execution_run_id: 's' }])
      expect(runs({ turn: { ...TURN_CONTEXT, ...more } })).toEqual(['H3: The call that was to run is of another turn']);
  });

  it('has the input that its hash names, or names the hash only', () => {
    const input = { cents: 7 };
    const with_ = callOf({ input, input_hash: hashJson(input) });
    expect(runs({ call: with_ })).toEqual([]);
    const other = 'H3: The call was to run with another input than the one that was admitted and approved';
    expect(runs({ call: { ...with_, input: { cents: 8 } } })).toEqual([other]);
  });

  it('has its own digest, and its activity has the id that follows from it', () => {
    const notNamed = 'H3: The call that was to run is not the one that its digest names';
    expect(runs({ call: { ...call, digest: HASH.other } })).toEqual([notNamed]);
    expect(runs({ call: { ...call, tool: 'send' } })).toEqual([notNamed]);
    const bound = { ...TURN_CONTEXT, store_id: 's' };
    expect(runs({ turn: bound })).toEqual([notNamed]); // of version 2 it must name a definition
    const id = 'H3: The id of the activity does not name the call that it ran';
    expect(runs({}, 'other')).toEqual([id]);
    expect(runs({ call: { ...call, dispatch: 2 } }, idOf(call))).toEqual([id]);
    expect(runs({ call: { ...call, dispatch: 2 } }, idOf({ ...call, dispatch: 2 }))).toEqual([]);
    expect(runs({ call: { ...call, dispatch: 0 } }, idOf(call))).toEqual([id]);
  });

  it('is bound to the same store as the calls before it', () => {
    const { history, runs: next } = begun();
    expect(history.store).toBeUndefined();
    expect(next({ call })).toEqual([]);
    expect(history.store).toBeNull();
    const bound = { ...TURN_CONTEXT, store_id: 's' };
    const of = callOf({ definition_ref: 'd', target_hash: null }, bound);
    const other = 'H3: The call that was to run is bound to another store than the calls before it';
    expect(next({ call: of, turn: bound })).toEqual([other]);
    const second = begun();
    expect(second.runs({ call: of, turn: bound })).toEqual([]);
    expect(second.history.store).toBe('s');
    expect(second.runs({ call })).toEqual([other]);
  });

  it('may be one of a sub-agent', () => {
    const { history, runs: next } = begun();
    expect(next({ call }, { name: 'openSubTurn', id: 'other' })).toEqual([
      'H3: The id of the activity does not name the call that it ran',
    ]);
    expect(next({ call }, { name: 'notify', id: 'other' })).toEqual([]);
    expect(history.callsOf(call.digest)).toEqual([]);
    expect(history.callsWith(HASH.inputRef)).toHaveLength(1);
  });
});

const approval = (more: Fields = {}): JsonObject =>
  ({
    ...{ decision: 'approve', digest: call.digest, by: 'ana', at: at(5), expires_at: at(100), ...more },
  }) as JsonObject;

/** Ana was asked, and approved. */
function approved(run_id?: string) {
  const one = begun(run_id);
  one.run.activity('admitCall', { call, expires_at: at(100) }, { ok: true });
  one.run.signal('approve', { call: call.digest, by: 'ana' }, { seconds: 4 });
  one.run.signal('approve', { call: call.digest, by: 'rob' }, { seconds: 4 });
  const runs = (...approvals: JsonObject[]) => one.runs({ call, approvals });
  return { ...one, runs };
}

describe('an approval of a scheduled call (H4)', () => {
  const runs = (more: Fields, ...others: JsonObject[]) => approved().runs(approval(more), ...others);

  it('is for this call', () => {
    expect(runs({})).toEqual([]);
    const none = 'H4: What "ana" said is no approval of this call, which ran with it';
    expect(runs({ decision: 'deny' })).toEqual([none]);
    expect(runs({ digest: HASH.other })).toEqual([none]);
  });

  it('came before its expiry', () => {
    const late = 'H4: "ana" approved the call after the approval had expired';
    expect(runs({ at: at(5), expires_at: at(100) })).toEqual([]);
    expect(runs({ at: at(10), expires_at: at(9.999) })).toContain(late);
    expect(runs({ expires_at: 'never' })).toContain(late);
    const equal = begun();
    equal.run.signal('approve', { call: call.digest, by: 'ana' });
    equal.run.activity('admitCall', { call, expires_at: at(5) }, {});
    expect(equal.runs({ call, approvals: [approval({ expires_at: at(5) })] })).toEqual([]);
  });

  it('counts once for each person', () => {
    expect(runs({}, approval({ by: 'rob' }))).toEqual([]);
    expect(runs({}, approval({ by: ' ANA' }))).toEqual(['H4: " ANA" counts twice among those who approved the call']);
  });

  it('was given before, by a signal or an update', () => {
    const unsaid = 'H4: The call ran with an approval of "eve", and no signal or update before says that "eve" approved it';
    expect(runs({ by: 'eve' })).toEqual([unsaid]);
    // If the history has lost its beginning, this is unknown.
    expect(begun('later').runs({ call, approvals: [approval()] })).toEqual([]);
  });

  it('may be the only one, in the field of older histories', () => {
    const unsaid = expect.stringContaining('an approval of "eve"') as string;
    const one = approved();
    const alone = (more: Fields) => {
      one.run.scheduled('runCall', { turn: TURN_CONTEXT, call, ...more }, { id: idOf(call) });
      return one.reports.taken();
    };
    expect(alone({ approval: approval({ by: 'eve', at: at(1) }) })).toEqual([unsaid]);
    expect(alone({ approval: null })).toEqual([]);
    expect(alone({ approvals: [], approval: approval({ by: 'eve' }) })).toEqual([]);
  });
});

describe('the times of an approval (H6)', () => {
  const runs = (more: Fields) => approved().runs(approval(more));

  it('do not go beyond the time until which people were asked', () => {
    const other = 'H6: The approval of "ana" is said to have been good until a time that nobody was asked until';
    expect(runs({ expires_at: at(101) })).toEqual([other]);
    const anew = approved();
    anew.run.activity('admitCall', { call, expires_at: at(101) }, {});
    expect(anew.runs(approval({ expires_at: at(101) }))).toEqual([]);
    expect(anew.runs(approval({ expires_at: at(100) }))).toEqual([]);
    const otherCall = approved();
    otherCall.run.activity('admitCall', { call: { ...call, id: '1.2' }, expires_at: at(101) }, {});
    expect(otherCall.runs(approval({ expires_at: at(101) }))).toEqual([other]);
    const unknown = approved();
    unknown.run.activity('admitCall', GONE, {});
    expect(unknown.runs(approval({ expires_at: at(101) }))).toEqual([]);
  });

  it('are after the signal, and before the call was scheduled', () => {
    expect(runs({ at: at(4 - 60) })).toEqual([]);
    expect(runs({ at: at(4 - 60.001) })).toEqual([
      'H6: The approval of "ana" bears a time before the signal or update that gave it',
    ]);
    expect(runs({ at: at(10 + 60) })).toEqual([]);
    expect(runs({ at: at(10 + 60.001) })).toEqual(['H6: The approval of "ana" bears a time after the call was to run with it']);
  });

  describe('may be that of the last task before the signal, since a query may have seen it first', () => {
    const early = 'H6: The approval of "ana" bears a time before the signal or update that gave it';
    /** Ana was asked in a task that began at 2 s, and sent a signal an hour later. */
    const late = (time: number, { told = {}, tell }: { told?: Fields; tell?: (run: HandRun, value: Fields) => void } = {}) => {
      const { run, runs: next } = begun();
      run.task(1);
      run.activity('admitCall', { call, expires_at: at(4000) }, { ok: true });
      run.task(2);
      const value = { call: call.digest, by: 'ana', ...told };
      if (tell) tell(run, value);
      else run.signal('approve', value, { seconds: 3600 });
      run.task(5000);
      const approvals = [approval({ at: at(time), expires_at: at(4000) })];
      return next({ call, approvals }, { seconds: 5000 });
    };
    const signalled = (seconds: number) => (run: HandRun, value: Fields) => run.signal('approve', value, { seconds });

    it('exactly', () => {
      for (const time of [2, 3540, 3700]) expect(late(time)).toEqual([]);
      for (const time of [1, 2.001, 60, 3539.999]) expect(late(time)).toEqual([early]);
    });

    it('of a signal that came before the time to decide had expired', () => {
      expect(late(2, { tell: signalled(4060) })).toEqual([]);
      expect(late(2, { tell: signalled(4060.001) })).toEqual([early]);
    });

    it('unless an activity checks the decision first', () => {
      expect(late(2, { told: { input: null, attestation: [] } })).toEqual([]);
      for (const told of [{ input: {} }, { attestation: 'a' }, { attestation: ['a'] }])
        expect(late(2, { told })).toEqual([early]);
    });

    it('of no update: a query does not see one before its task', () => {
      const decide = { decision: 'approve' };
      const tell = (run: HandRun, value: Fields) => void run.update('decide', { ...value, ...decide }, true, { seconds: 3600 });
      expect(late(2, { tell })).toEqual([early]);
      expect(late(3540, { tell })).toEqual([]);
    });

    it('of a completed task, in the same run', () => {
      const lost = (run: HandRun, value: Fields) => {
        run.tell('WORKFLOW_TASK_STARTED', {}, 50);
        run.tell('WORKFLOW_TASK_TIMED_OUT', {}, 60);
        run.signal('approve', value, { seconds: 3600 });
      };
      expect([late(2, { tell: lost }), late(50, { tell: lost })]).toEqual([[], [early]]);
      const { history, run, runs: next } = begun();
      run.activity('admitCall', { call, expires_at: at(4000) }, { ok: true });
      run.task(2);
      history.beginRun({ run_id: 's', began: 'continued' });
      run.begin({ input: payloads({ turn_id: 't' }), continuedExecutionRunId: 'r' }, 3);
      run.signal('approve', { call: call.digest, by: 'ana' }, { seconds: 3600 });
      const approvals = [approval({ at: at(2), expires_at: at(4000) })];
      expect(next({ call, approvals }, { seconds: 3700 })).toEqual([early]);
    });
  });

  it('are within the time for which the sender waited', () => {
    expect(runs({ until: at(5) })).toEqual([]);
    expect(runs({ until: at(4.999) })).toEqual(['H6: The approval of "ana" was accepted when its sender no longer waited']);
    expect(runs({ until: null })).not.toEqual([]);
  });
});

const token = (claims: object = {}, from = 0) => {
  const aud = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
  const about = { aud, digest: call.digest, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
  return attestDecision(GATEWAY_KEY, { ...about, ...claims }, null, ms(from));
};

it('a signed approval holds for the call and its turn (H5)', () => {
  const runs = (attestation: Json, more: Fields = {}) => approved().runs(approval({ attestation, ...more }));
  expect(runs(token())).toEqual([]);
  const why = (reason: string) => [`H5: The signed decision of "ana" does not hold: ${reason}`];
  expect(runs(token({ digest: HASH.other }))).toEqual(why('it was signed for another call'));
  expect(runs(token({ decision: 'deny' }))).toEqual(why('it was signed to deny, not to "approve"'));
  expect(runs(token({ principal: 'rob' }))).toEqual(why('it was signed by "rob"'));
  expect(runs(token(), { note: 'beside it' })).toEqual(why('it was signed with another note, or with none'));
  const elsewhere = (more: object) => ({ aud: { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r', ...more } });
  for (const more of [{ namespace: 'm' }, { workflow_id: 'turn/u' }, { first_execution_run_id: 's' }])
    expect(runs(token(elsewhere(more)))).toEqual(why('it was signed for another turn'));
  expect(runs(token({}, 1e6))).toEqual(why('it was not good at the time at which it counted'));
  const store = token(elsewhere({ store_id: '5'.repeat(32) }));
  expect(runs(store)).toEqual(why('it was signed for a turn over another store'));
});

it('the start of a turn holds as its attestation does', () => {
  const { history } = begun();
  const start = { requester: 'rita', agent: 'a', message_hash: HASH.input, workflow_ids: ['turn/t'], at: at(0) };
  expect(history.startFault('none', start)).toBe('its signed form is none that anybody writes');
});

describe('a settlement (H5, H6)', () => {
  const settle = (more: Fields = {}, seconds = 10, run_id?: string) => {
    const { run, reports } = begun(run_id);
    for (const by of ['ana', 'rob']) run.signal('settle', { call: call.digest, by, outcome: 'applied' }, { seconds: 4 });
    run.scheduled('settleEffect', { call, by: 'ana', outcome: 'applied', at: at(5), ...more }, { seconds });
    return reports.taken();
  };

  it('was given before', () => {
    expect(settle()).toEqual([]);
    const unsaid = (who: string) => `H6: "${who}" is said to have settled the call, and no signal or update before says so`;
    expect(settle({ by: 'eve' })).toContain(unsaid('eve'));
    expect(settle({ outcome: 'not_applied' })).toContain(unsaid('ana'));
    expect(settle({ outcome: undefined })).toContain(unsaid('ana'));
    expect(settle({ by: 'eve' }, 10, 'later')).toEqual([]);
  });

  it('may be one of several, each of which was given', () => {
    expect(settle({ settlements: [{ by: 'rob', outcome: 'applied' }] })).toEqual([]);
    expect(settle({ settlements: [{ by: 'rob', outcome: 'applied' }, { by: 'eve' }] })[0]).toMatch(/^H6: "eve" is said to have/);
  });

  it('has a time after the signal, and before it counted', () => {
    expect(settle({ at: at(4 - 60) })).toEqual([]);
    const early = 'H6: The settlement of "ana" bears a time before the signal or update that gave it';
    expect(settle({ at: at(4 - 60.001) })).toEqual([early]);
    expect(settle({ at: at(10 + 60) })).toEqual([]);
    const late = 'H6: The settlement of "ana" bears a time after it counted';
    expect(settle({ at: at(10 + 60.001) })).toEqual([late]);
    expect(settle({ at: 'never' })).toContain(late);
    const own = settle({ settlements: [{ by: 'rob', outcome: 'applied', at: at(4 - 61) }] });
    expect(own).toEqual(['H6: The settlement of "rob" bears a time before the signal or update that gave it']);
    // One of several settlements without a time has the time of the last.
    expect(settle({ at: at(4 - 61), settlements: [{ by: 'rob', outcome: 'applied' }] })).toHaveLength(2);
  });

  it('may have the time of the last task before the signal, since a query may have seen it first', () => {
    const late = (name: string, more: Fields = {}) => {
      const { run, reports } = begun();
      run.task(2);
      for (const by of ['ana', 'rob']) run.signal('settle', { call: call.digest, by, outcome: 'applied' }, { seconds: 3600 });
      const settlement = { by: 'ana', outcome: 'applied', at: at(2) };
      run.scheduled(
        'settleEffect',
        { call, ...settlement, settlements: [{ ...settlement, by: name, ...more }] },
        { seconds: 3700 },
      );
      return reports.taken();
    };
    expect(late('rob')).toEqual([]);
    expect(late('rob', { at: at(2.001) })).toEqual([
      'H6: The settlement of "rob" bears a time before the signal or update that gave it',
    ]);
  });

  it('that is signed is valid', () => {
    const signed = token({ decision: 'settle', outcome: 'applied' });
    expect(settle({ attestation: signed })).toEqual([]);
    expect(settle({ attestation: token({ decision: 'settle', outcome: 'not_applied' }) })).toEqual([
      'H5: The signed decision of "ana" does not hold: it was signed for another outcome',
    ]);
    expect(settle({ attestation: token() })[0]).toContain('it was signed to approve, not to "settle"');
  });
});

describe('scheduled calls are kept', () => {
  const { history, run } = begun();
  const first = { ...call, input: { a: 1 }, earlier: [], definition_ref: 'd', policy_ref: 'p' };
  const argument = {
    turn: TURN_CONTEXT,
    untrusted: true,
    verdict: 'ask',
    approvals: [{ by: 'ana', attestation: 'x', at: at(1) }],
  };
  run.scheduled('runCall', { ...argument, call: first }, { seconds: 3 });
  run.scheduled('runCall', { call: { ...call, dispatch: 2 }, untrusted: 'true' }, { seconds: 4 });
  const kept = { ...call, definition_ref: 'd', policy_ref: 'p' } as Record<string, unknown>;
  delete kept.input;

  it('by their digests, with what later rules ask of them', () => {
    const [one, two] = history.callsOf(call.digest);
    const about = { agent: 'clerk', requester: 'rita', untrusted: true, verdict: 'ask', at: ms(3) };
    expect(one).toEqual({ ...about, call: kept, approvals: [{ by: 'ana', attestation: 'x', at: '2026-11-25T10:00:01.000Z' }] });
    expect(two).toMatchObject({ untrusted: false, approvals: [], at: ms(4) });
    expect(history.callsOf(HASH.other)).toEqual([]);
    expect(history.callsOf(undefined)).toEqual([]);
  });

  it('by their inputs, and by their dispatches', () => {
    expect(history.callsWith(HASH.inputRef)).toHaveLength(2);
    expect(history.callsWith(HASH.other)).toEqual([]);
    expect(history.findDispatch(call.digest, 2)!.at).toBe(ms(4));
    expect(history.findDispatch(call.digest, 3)).toBeUndefined();
    expect(history.findDispatch(HASH.other, 1)).toBeUndefined();
  });

  it('with the rules and definitions that they name', () => expect([...history.objects]).toEqual(['p', 'd']));

  it('have a key', () => {
    const [one] = history.callsOf(call.digest);
    const identity = { workflow_id: 'turn/t', first_execution_run_id: 'r', call_id: '1.1', digest: call.digest };
    expect(history.keyOf(one!)).toBe(idempotencyKey(identity));
    const nobodys = new History({ ...TURN, first_execution_run_id: null }, 'n', new Attestations([]));
    expect(nobodys.keyOf(one!)).toBe(idempotencyKey({ ...identity, first_execution_run_id: '' }));
  });
});
