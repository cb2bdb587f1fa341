/** Dispatches and outcomes in a transcript: only what history scheduled, admission let pass and people approved (rules B7 to B12). */
import { attestDecision } from '../../../../src/attestation/bundle-signer';
import { hashJson } from '../../../../src/shared/json/digests';
import type { JsonObject } from '../../../../src/shared/json/json';
import { GATEWAY_KEY } from '../../../support/bundle-keys';
import { at, callOf, carrying, GONE, HASH, type Fields } from '../../../support/audit/hand-events';
import { MESSAGE } from '../../../support/audit/hand-lines';
import { approvalOf, CALL, HandTurn, ranWith, type Given } from '../../../support/audit/hand-turn';

const ADMITTED = { call_id: '1.1', tool: 'pay', version: '1.0.0', verdict: 'ask' };

interface Way extends Given {
  /** People who approved, by the history and by the transcript. */
  people?: string[];
  written?: string[];
  /** The call in the history, and further fields of the argument of `runCall`. */
  call?: JsonObject & { digest: string };
  argument_?: Fields;
  admitted?: unknown;
  /** Blocks before the dispatch. */
  before?: (turn: HandTurn) => void;
  approvals?: JsonObject[];
}

/** A call that Ana approved and that is dispatched. Returns what is wrong with the dispatch. */
function dispatched(body: unknown = {}, way: Way = {}) {
  const { people = ['ana'], written = people, call = CALL, argument_ = {}, admitted = ADMITTED, before } = way;
  const turn = new HandTurn(way);
  const approvals = way.approvals ?? people.map((by) => approvalOf(by, { digest: call.digest }));
  ranWith(turn, approvals, argument_, call);
  turn.run.tell('TIMER_FIRED', {}, 200);
  turn.begun();
  turn.block('admission', [turn.part({}), turn.part(admitted)]);
  before?.(turn);
  for (const by of written) turn.write('decision', approvalOf(by, { digest: call.digest }));
  turn.forget();
  const [run] = turn.history.callsOf(call.digest);
  const { tool, version, input_ref, preview_ref, digest, dispatch } = call;
  const idempotency_key = run ? turn.history.keyOf(run) : null;
  const own = { call_id: call.id, tool, version, input_ref, preview_ref, digest, dispatch, idempotency_key };
  const dispatchOf = (more: object) => ({ ...own, subject: { class: 'destructive', requester: 'rita' }, ...more });
  turn.write('dispatch', body === GONE ? GONE : dispatchOf(body as object));
  return { turn, faults: turn.faults(), dispatchOf };
}
const faults = (body: Fields = {}, way: Way = {}) => dispatched(body, way).faults;

describe('a dispatch (B7)', () => {
  it('is of a call that the history has scheduled', () => {
    expect(faults()).toEqual([]);
    const unknown = 'B7: The transcript has a dispatch that the history does not know: nothing was scheduled that has its digest';
    expect(faults({ digest: HASH.other })).toEqual([unknown]);
    expect(faults({ dispatch: 2 })).toEqual([unknown]);
    expect(faults({ dispatch: 2 }, { run_id: 'later' })).toEqual([]);
  });

  it('may be of a call that was left out', () => {
    const turn = new HandTurn();
    turn.run.scheduled('runCall', GONE);
    turn.begun().forget().write('dispatch', { digest: HASH.other, dispatch: 1 });
    expect(turn.faults()).toEqual([]);
    expect(turn.blocks.unknown.dispatches).toBe(false);
    turn.write('dispatch', GONE);
    expect([turn.faults(), turn.blocks.unknown.dispatches]).toEqual([[], true]);
  });

  it('has the same id, tool, version, input and preview as the call', () => {
    const other = 'B7: What was dispatched is not the call that the history scheduled';
    for (const field of ['call_id', 'tool', 'version', 'input_ref', 'preview_ref'])
      expect([field, faults({ [field]: 'other' })[0]]).toEqual([field, other]);
  });

  it('is of a destructive call, and has its key', () => {
    const write = callOf({ class: 'write' });
    expect(faults({}, { call: write })).toEqual(['B7: A call of class "write" was dispatched, and only destructive ones are']);
    expect(faults({ idempotency_key: 'hf_other' })).toEqual(['B7: The idempotency key is not that of the call']);
  });
});

describe('a dispatch that two runs scheduled (B7, B9)', () => {
  const anas = [approvalOf('ana')];
  const bobs = [approvalOf('bob')];
  /** In the first run Ana approved it, and the call had another input and the verdict `ask`. The block was written by the run of `seconds`. */
  function twice(
    body: Fields,
    written: JsonObject[],
    { began = 'reset' as 'reset' | 'continued', seconds = 20, left = false } = {},
  ) {
    const turn = new HandTurn();
    ranWith(turn, anas, { at: at(20) });
    turn.begin({ input: carrying({ turn_id: 't' }) }, 's', began);
    ranWith(turn, bobs, { verdict: 'allow', at: at(30) }, { ...CALL, input_ref: HASH.other });
    if (left) turn.run.scheduled('runCall', GONE);
    turn.run.tell('TIMER_FIRED', {}, 200);
    turn.begun().block('admission', [turn.part({}), turn.part(ADMITTED)]);
    const [run] = turn.history.callsOf(CALL.digest);
    for (const approval of written) turn.write('decision', approval);
    turn.forget();
    const { id: call_id, tool, version, preview_ref, digest, dispatch } = CALL;
    const own = { call_id, tool, version, preview_ref, digest, dispatch, idempotency_key: turn.history.keyOf(run!) };
    const part = turn.part({ ...own, subject: { class: 'destructive', requester: 'rita' }, ...body });
    turn.block('dispatch', [part], { seconds });
    return turn.faults();
  }
  const other = 'B7: What was dispatched is not the call that the history scheduled';
  const others = 'B9: Other people approved the call by the transcript than by the history';

  it('is the call of one of them, with its input, its verdict, its time and its approvals', () => {
    for (const began of ['reset', 'continued'] as const) {
      expect(twice({ input_ref: HASH.inputRef, verdict: 'ask' }, anas, { began })).toEqual([]);
      expect(twice({ input_ref: HASH.other, verdict: 'allow' }, bobs, { began, seconds: 30 })).toEqual([]);
    }
    expect(twice({ input_ref: HASH.inputRef }, anas)).toEqual([]);
  });

  it('may be that of a call that was left out, if it has the time of neither', () => {
    const others = { input_ref: 'x', verdict: 'x' };
    expect(twice(others, anas, { seconds: 40, left: true })).toEqual([]);
    expect(twice(others, anas, { seconds: 40 })).toEqual([other]);
    expect(twice(others, anas, { seconds: 20, left: true })).toEqual([other]);
    expect(twice(others, anas, { seconds: 40, left: true, began: 'continued' })).toEqual([other]);
  });

  it('is no mixture of both', () => {
    expect(twice({ input_ref: HASH.inputRef }, bobs)).toEqual([others]);
    expect(twice({ input_ref: HASH.other }, anas)).toEqual([other]);
    expect(twice({ input_ref: HASH.inputRef }, anas, { seconds: 30 })).toEqual([other]);
    expect(twice({ input_ref: HASH.inputRef }, anas, { seconds: 30, began: 'continued' })).toEqual([]);
    expect(twice({ input_ref: HASH.inputRef, verdict: 'allow' }, anas)).toEqual([other]);
    expect(twice({ input_ref: HASH.other, verdict: 'ask' }, bobs, { seconds: 30 })).toEqual([other, others]);
    expect(twice({ input_ref: HASH.other }, [...anas, ...bobs], { seconds: 30 })).toEqual([other, others]);
  });
});

describe('the admission of a dispatched call (B8)', () => {
  const none = 'B8: Call "1.1" was dispatched, and no rule had let it pass';
  it('names the call that was dispatched', () => {
    for (const more of [{ tool: 'send' }, { version: '2.0.0' }, { verdict: 'rejected' }, { call_id: '1.2' }])
      expect(faults({}, { admitted: { ...ADMITTED, ...more } })).toEqual([none]);
    expect(faults({}, { admitted: { ...ADMITTED, verdict: 'allow' } })).toEqual([]);
  });

  it('may be one of several of that id, or have been left out', () => {
    const again = (more: Fields) => (turn: HandTurn) =>
      void turn.block('admission', [turn.part({}), turn.part({ ...ADMITTED, ...more })]);
    const rejected = { ...ADMITTED, verdict: 'rejected' };
    expect(faults({}, { admitted: rejected, before: again({}) })).toEqual([]);
    expect(faults({}, { before: again({ verdict: 'rejected' }) })).toEqual([]);
    expect(faults({}, { admitted: GONE })).toEqual([]);
  });
});

describe('the people who approved a call (B9)', () => {
  const others = 'B9: Other people approved the call by the transcript than by the history';

  it('are the same by history and transcript', () => {
    expect(faults({}, { people: ['ana', 'rob'], written: ['ROB', ' ana'] })).toEqual([]);
    expect(faults({}, { people: ['ana', 'rob'], written: ['ana'] })).toEqual([others]);
    expect(faults({}, { people: ['ana'], written: ['ana', 'rob'] })).toEqual([others]);
    expect(faults({}, { people: ['ana'], written: ['rob'] })).toEqual([others]);
    const about =
      (digest: string, decision = 'approve') =>
      (turn: HandTurn) =>
        void turn.write('decision', approvalOf('rob', { digest, decision }));
    expect(faults({}, { before: about(HASH.other) })).toEqual([]);
    expect(faults({}, { before: about(CALL.digest, 'deny') })).toEqual([]);
    expect(faults({}, { before: about(CALL.digest) })).toEqual([others]);
    expect(faults({}, { written: [], before: (turn) => void turn.write('decision', GONE) })).toEqual([]);
  });

  it('are those in the chain of the dispatch', () => {
    const branch = (turn: HandTurn) => {
      const parent = turn.write('message', { role: 'user' });
      turn.write('decision', approvalOf('rob'));
      turn.block('message', [turn.part({ role: 'user' })], { parent });
    };
    expect(faults({}, { before: branch })).toEqual([]);
    expect(faults({}, { before: branch, people: ['ana', 'rob'], written: ['ana'] })).toEqual([others]);
  });

  it('are as many as were asked for', () => {
    const few = (people: number, wanted: number) => `B9: The call ran with ${people} approvals, and ${wanted} were asked for`;
    expect(faults({}, { people: [] })).toEqual([few(0, 1)]);
    expect(faults({ approval: { quorum: 2 } })).toEqual([few(1, 2)]);
    expect(faults({ approval: { quorum: 2 } }, { people: ['ana', 'rob'] })).toEqual([]);
    expect(faults({ approval: { quorum: 'two' } })).toEqual([]);
  });

  it('are required if the call, or the admission that decided it, asks for them', () => {
    const nobody = (verdict: string, admitted: Fields) =>
      faults({}, { people: [], argument_: { verdict }, admitted: { ...ADMITTED, ...admitted } });
    const few = ['B9: The call ran with 0 approvals, and 1 were asked for'];
    expect(nobody('allow', { verdict: 'allow' })).toEqual([]);
    expect(nobody('ask', { verdict: 'allow' })).toEqual(few);
    expect(nobody('allow', { verdict: 'ask' })).toEqual(few);
    expect(nobody('allow', { verdict: 'ask', undecided: {} })).toEqual([]);
  });

  it('are people, and no schedules or triggers', () => {
    const fault = 'B9: "schedule/morning" approved the call, and is a schedule';
    expect(faults({}, { people: ['Schedule/morning'] })).toEqual([fault]);
    expect(faults({}, { people: ['trigger/x'] })).toEqual(['B9: "trigger/x" approved the call, and is a trigger']);
  });

  describe('under four eyes', () => {
    const approval = { four_eyes: true };
    const both = (who: string) => [`B9: "${who}" approved the call, and had asked for it, changed it or steered the turn`];

    it('did not ask for it', () => {
      expect(faults({ approval })).toEqual([]);
      expect(faults({ approval }, { people: ['rita'] })).toEqual(both('rita'));
      expect(faults({ approval: { four_eyes: false } }, { people: ['rita'] })).toEqual([]);
      const other = { subject: { class: 'destructive', requester: 'ANA ' } };
      expect(faults({ approval, ...other })).toEqual(both('ana'));
      const argument = { turn_id: 't', requester: 'ana', agent: 'clerk', message: MESSAGE };
      expect(faults({ approval }, { argument })).toEqual(both('ana'));
      expect(faults({ approval }, { argument: GONE })).toEqual([]);
      expect(faults({ approval, subject: { class: 'destructive' } }, { people: [''] })).toEqual([]);
    });

    it('are not makers of it', () => {
      expect(faults({ approval }, { call: callOf({ makers: ['eve', 'ana'] }) })).toEqual(both('ana'));
      expect(faults({ approval }, { call: callOf({ makers: ['eve'] }) })).toEqual([]);
    });

    it('did not edit it', () => {
      const edits = (by: string, call_id: string) => (turn: HandTurn) =>
        void turn.write('decision', { decision: 'edit', digest: HASH.other, by, at: at(5), subject: { call_id } });
      expect(faults({ approval }, { before: edits('Ana', '1.1') })).toEqual(both('ana'));
      expect(faults({ approval }, { before: edits('ana', '1.2') })).toEqual([]);
      expect(faults({ approval }, { before: edits('eve', '1.1') })).toEqual([]);
      const two = (turn: HandTurn) => [edits('ana', '1.1'), edits('eve', '1.1')].forEach((edit) => edit(turn));
      expect(faults({ approval }, { before: two })).toEqual(both('ana'));
    });

    it('did not steer the turn', () => {
      const steers = (by: string) => (turn: HandTurn) =>
        void turn.write('message', { role: 'user', steer: { by, at: at(5) } }, { type: 'text', text: 'Go.' });
      expect(faults({ approval }, { before: steers('ANA') })).toEqual(both('ana'));
      expect(faults({ approval }, { before: steers('eve') })).toEqual([]);
    });
  });

  it('signed it, in a required role, if the policy says so', () => {
    const token = (roles: string[]) => {
      const aud = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
      const claims = { aud, digest: CALL.digest, decision: 'approve' as const, principal: 'ana', roles, head: null };
      return attestDecision(GATEWAY_KEY, claims, null, Date.parse(at(0)));
    };
    const signed = (attestation: string | undefined, approval: Fields) =>
      faults({ approval: { channel: 'attested', ...approval } }, { approvals: [approvalOf('ana', { attestation })] });
    const notSigned = 'B9: The approval of "ana" is not signed, and this call takes signed ones only';
    expect(signed(token([]), {})).toEqual([]);
    expect(signed(undefined, {})).toEqual([notSigned]);
    expect(signed('none', {})).toEqual([notSigned]);
    expect(signed(undefined, { channel: 'signal' })).toEqual([]);
    const role = { roles: ['treasurer', 'auditor'] };
    expect(signed(token(['clerk', 'auditor']), role)).toEqual([]);
    expect(signed(token(['clerk']), role)).toEqual(['B9: "ana" has none of the roles that may approve this call']);
    expect(signed(token(['clerk']), { roles: [] })).toEqual([]);
  });
});

describe('the policy of a dispatch (B10)', () => {
  const REF = 'd'.repeat(64);
  const under = (definition: JsonObject, body: Fields) =>
    faults({ definition_ref: REF, ...body }, { around: { definitions: new Map([[REF, definition]]) } });

  it('is that of the definition', () => {
    const other = "B10: The call was dispatched under another approval policy than that of the agent's definition";
    const definition = { approvals: { pay: { quorum: 1, four_eyes: false } } };
    expect(under(definition, { approval: { four_eyes: false, quorum: 1 } })).toEqual([]);
    expect(under(definition, { approval: { quorum: 1 } })).toEqual([other]);
    expect(under(definition, {})).toEqual([other]);
    expect(under({ approvals: { send: {} } }, { approval: { quorum: 1 } })).toEqual([]);
    expect(under({ approvals: { pay: null } }, {})).toEqual([]);
    expect(under({}, { approval: { quorum: 1 } })).toEqual([]);
    expect(faults({ definition_ref: REF, approval: { quorum: 1 } })).toEqual([]);
  });

  it('is for a destructive tool', () => {
    const notDestructive = (kind: string) =>
      `B10: What was dispatched is said to be of class "${kind}", which is not that of the tool in the agent's definition`;
    const of = (kind: string, version = '1.0.0', name = 'pay') => ({ tools: [{ name, version, class: kind }] });
    expect(faults({ subject: { class: 'write' } })).toEqual([notDestructive('write')]);
    expect(faults({ subject: {} })).toEqual([]);
    expect(faults({ subject: undefined })).toEqual([]);
    expect(under(of('destructive'), {})).toEqual([]);
    expect(under(of('write'), {})).toEqual([notDestructive('destructive')]);
    expect(under(of('write', '2.0.0'), {})).toEqual([]);
    expect(under(of('write', '1.0.0', 'send'), {})).toEqual([]);
    expect(under({ tools: [...of('write').tools, ...of('destructive').tools] }, {})).toEqual([]);
  });

  it('takes signed decisions only if the recorded rules do', () => {
    const turn = new HandTurn();
    turn.rules.take({ ref: REF, value: { v: 'holdfast.policy/1', channel: 'attested' } });
    turn.run.scheduled('runCall', GONE);
    turn.begun();
    const under = (policy_ref: string, channel: string) => {
      turn.forget().write('dispatch', { policy_ref, approval: { channel } });
      return turn.faults();
    };
    expect(under(REF, 'attested')).toEqual([]);
    expect(under(REF, 'signal')).toEqual([
      'B10: The call was dispatched as if any name approved it, and the recorded rules take signed decisions only',
    ]);
    expect(under(HASH.other, 'signal')).toEqual([]);
  });
});

describe('the outcome of a call (B11)', () => {
  const never = 'B11: The transcript says what became of a call that was never dispatched';

  it('belongs to a call that was dispatched', () => {
    const { turn, dispatchOf } = dispatched();
    const { digest, idempotency_key, dispatch } = dispatchOf({}) as JsonObject;
    const told = (kind: 'effect' | 'settlement', more: Fields) => {
      turn.write(kind, { digest, idempotency_key, dispatch, effect: 'applied', outcome: 'applied', ...more });
      return turn.faults();
    };
    expect(told('effect', {})).toEqual([]);
    for (const more of [{ digest: HASH.other }, { idempotency_key: 'other' }, { dispatch: 2 }])
      expect(told('effect', more)).toEqual([never]);
    for (const more of [{}, { dispatch: 2 }]) expect(told('settlement', more)).toEqual([]);
    for (const more of [{ digest: HASH.other }, { idempotency_key: 'other' }]) expect(told('settlement', more)).toEqual([never]);
  });

  it('belongs after a reset to the dispatch of the same act under another digest', () => {
    const told = (began: 'continued' | 'reset', call?: Fields) => {
      const { turn, dispatchOf } = dispatched();
      const { idempotency_key, dispatch, digest } = dispatchOf({}) as JsonObject;
      turn.begin({}, 'next', began);
      const next = callOf({ policy_ref: HASH.other, ...call });
      if (call) turn.run.scheduled('runCall', { turn: {}, call: next });
      turn.forget().write('dispatch', { ...dispatchOf({}), input_hash: CALL.input_hash });
      turn.forget().write('effect', { digest: next.digest, idempotency_key, dispatch, effect: 'applied' });
      expect(next.digest).not.toBe(digest);
      return turn.faults();
    };
    expect(told('reset', {})).toEqual([]);
    expect(told('continued', {})).toEqual([never]);
    expect(told('reset')).toEqual([never]);
    for (const other of [{ id: '1.2' }, { tool: 'book' }, { input_hash: HASH.other }])
      expect(told('reset', other)).toEqual([never]);
  });

  it('may belong to a dispatch that was left out', () => {
    const turn = new HandTurn();
    turn.begun().write('dispatch', GONE);
    turn.write('effect', { digest: HASH.other });
    turn.write('effect', GONE);
    expect(turn.faults()).toEqual([]);
  });

  it('is the one that the history has', () => {
    const other = (state: string) => `B11: The transcript says that the call is ${state}, and the history says "applied"`;
    const told = (kind: 'effect' | 'settlement', more: Fields, run_id = 'r', told_of = 'block 9') => {
      const turn = new HandTurn({ run_id });
      turn.run.activity('runCall', { call: { digest: 'd' } }, { head: told_of, effect: 'applied' });
      turn.begun().write('dispatch', GONE);
      turn.forget();
      const ref = turn.write(kind, { digest: 'd', ...more });
      return ref === told_of ? turn.faults() : [ref];
    };
    expect(told('effect', { effect: 'applied' })).toEqual([]);
    expect(told('effect', { effect: 'refused', recorded: 'applied', outcome: 'applied' })).toEqual([other('"refused"')]);
    expect(told('effect', {})).toEqual([other('null')]);
    expect(told('settlement', { outcome: 'applied', effect: 'refused' })).toEqual([]);
    expect(told('settlement', { recorded: 'applied', outcome: 'not_applied' })).toEqual([]);
    expect(told('settlement', { recorded: 'in_doubt', outcome: 'applied' })).toEqual([other('"in_doubt"')]);
    expect(told('effect', { effect: 'refused' }, 'later')).toEqual([]);
    expect(told('effect', { effect: 'refused' }, 'r', 'block 1')).toEqual(['block 9']);
  });

  it('is, for the effect record, the state in its block', () => {
    const turn = new HandTurn();
    const start = turn.start();
    const effect = turn.write('effect', { effect: 'applied', recorded: 'in_doubt', result_ref: 'r' });
    const settlement = turn.write('settlement', { outcome: 'not_applied', effect: 'in_doubt' });
    const gone = turn.write('effect', GONE);
    expect(turn.blocks.stateIn(effect)).toEqual({ state: 'applied', result_ref: 'r' });
    expect(turn.blocks.stateIn(settlement)).toEqual({ state: 'not_applied', result_ref: undefined });
    expect(turn.blocks.stateIn(gone)).toBe('unknown');
    for (const none of [start, 'nowhere', undefined, 7]) expect(turn.blocks.stateIn(none)).toBeUndefined();
  });

  it('is open until a block records it', () => {
    const unended = (...kinds: ['message' | 'dispatch' | 'effect' | 'settlement', unknown][]) => {
      const turn = new HandTurn();
      turn.start();
      for (const [kind, body] of kinds) turn.write(kind, body);
      return turn.blocks.hasOpenDispatch();
    };
    const [one, two] = [
      { digest: 'a', idempotency_key: 'k', dispatch: 1 },
      { digest: 'b', idempotency_key: 'k' },
    ];
    expect(unended()).toBe(false);
    expect(unended(['dispatch', one])).toBe(true);
    expect(unended(['dispatch', one], ['effect', { ...one, dispatch: 2 }])).toBe(false);
    expect(unended(['dispatch', one], ['settlement', one])).toBe(false);
    expect(unended(['dispatch', one], ['effect', two])).toBe(true);
    expect(unended(['dispatch', one], ['effect', { ...one, idempotency_key: 'other' }])).toBe(true);
    expect(unended(['dispatch', one], ['dispatch', two], ['effect', one])).toBe(true);
    // If one was left out, this is unknown.
    expect(unended(['dispatch', one], ['dispatch', GONE])).toBe(false);
    expect(unended(['dispatch', one], ['message', GONE])).toBe(true);
  });
});

it('the rules are asked again about each call whose input stands in a part (B12)', () => {
  const turn = new HandTurn();
  const input = { cents: 7 };
  const call = callOf({ input_hash: hashJson(input), input_ref: 'one' });
  turn.run.scheduled('runCall', { call });
  turn.forget().part({ input: { cents: 8 } }, 'one');
  const why = 'B12: The rules were asked about another input than the one that ran';
  expect(turn.faults()).toEqual([why]);
  turn.part({ input }, 'one');
  turn.part({ input: { cents: 8 } }, 'two');
  turn.part(GONE, 'one');
  turn.part('text', 'two');
  expect(turn.faults()).toEqual([]);
  turn.part('text', 'one');
  expect(turn.faults()).toEqual([why]);
});
