/** A turn's own blocks against its history: how they begin, what the model was shown, and what people have decided (rules B2 to B6, H7). */
import { attestDecision, attestStart } from '../../../../src/attestation/attest';
import { claimsOf } from '../../../../src/audit/verify/attestations';
import { hashJson } from '../../../../src/shared/digests';
import type { JsonObject } from '../../../../src/shared/json';
import { steerDigest } from '../../../../src/shared/steer';
import type { BlockKind } from '../../../../src/shared/transcript';
import { GATEWAY_KEY } from '../../../support/bundle-keys';
import { at, callOf, GONE, HASH, idOf, TURN_CONTEXT, type Fields } from '../../../support/audit/hand-events';
import { ARGUMENT, MESSAGE, START } from '../../../support/audit/hand-lines';
import { CALL, HandTurn, type Given } from '../../../support/audit/hand-turn';

const ms = (seconds: number) => Date.parse(at(seconds));

describe('the time of a block (B2)', () => {
  const outside = 'B2: The block lies before the one that it follows, or outside of the time of its turn';
  const two = (first: number, second: number, given: Given = {}) => {
    const turn = new HandTurn(given);
    turn.run.tell('TIMER_FIRED', {}, 100);
    turn.block('start', [turn.part(START)], { seconds: first });
    turn.block('end', [], { seconds: second });
    return turn.faults();
  };

  it('is that of its turn, and not before that of the block before', () => {
    expect(two(0, 100)).toEqual([]);
    expect(two(5, 5)).toEqual([]);
    expect(two(5, 4.999)).toEqual([outside]);
    expect(two(-0.001, 5)).toEqual([outside]);
    expect(two(5, 100.001)).toEqual([outside]);
  });

  it('of a turn that has lost its beginning nobody can tell', () => {
    expect(two(-5, -6, { run_id: 'later' })).toEqual([]);
  });
});

describe('own blocks', () => {
  it('begin with the start of this turn, and go on from each other', () => {
    const turn = new HandTurn();
    const before = turn.block('start', [turn.part({ ...START, first_execution_run_id: 'other', workflow_id: 'turn/u' })]);
    const message = turn.write('message', { role: 'user' });
    const own = turn.start();
    const next = turn.write('message', { role: 'user' });
    const branch = turn.block('message', [], { parent: message });
    expect([...turn.blocks.own.keys()]).toEqual([own, next]);
    expect(turn.blocks.own.get(next)).toEqual({ at: ms(5), kind: 'message', body: {}, admits: null });
    expect([before, message, branch].map((ref) => turn.blocks.written(ref))).toEqual([undefined, undefined, undefined]);
    expect(turn.blocks.written(own)).toMatchObject({ kind: 'start' });
  });

  it('of a turn that has none are those of its lines', () => {
    const turn = new HandTurn();
    const ref = turn.block('admission', ['a', 'b', 'c'], { parent: 'elsewhere' });
    const end = turn.block('end', ['a', 'b'], { parent: 'elsewhere' });
    expect(turn.blocks.written(ref)).toEqual({ kind: 'admission', admits: 'b,c' });
    expect(turn.blocks.written(end)).toEqual({ kind: 'end', admits: null });
  });

  it('are not known where a start was left out', () => {
    const turn = new HandTurn();
    turn.write('message', GONE);
    expect(turn.blocks.unknown.starts).toBe(false);
    turn.write('start', GONE);
    expect([turn.blocks.unknown.starts, turn.blocks.own.size]).toEqual([true, 0]);
    turn.write('start', START);
    expect(turn.blocks.unknown.starts).toBe(true);
  });

  it('do not begin with a start whose part stands in another turn', () => {
    const turn = new HandTurn();
    turn.block('start', ['elsewhere']);
    turn.block('start', []);
    expect([turn.blocks.unknown.starts, turn.blocks.own.size]).toEqual([false, 0]);
  });
});

describe('a step that has written a block which is not of its turn', () => {
  const stepped = (given: Given = {}, tell: (turn: HandTurn) => void = (turn) => void turn.block('admission', ['a'])) => {
    const turn = new HandTurn(given);
    turn.run.activity('takeStep', {}, { head: 'block 1', next: 'calls', calls: [] });
    tell(turn);
    return turn.blocks.hasStrayStep();
  };

  it('is found, where its turn begins elsewhere', () => {
    expect(stepped()).toBe(true);
    expect(stepped({}, (turn) => void turn.block('end', []))).toBe(true);
  });

  it('is none, where its turn begins before, or it has no line', () => {
    expect(stepped({}, (turn) => void turn.block('start', [turn.part(START)], { ref: 'block 1' }))).toBe(false);
    expect(stepped({}, (turn) => void turn.block('admission', [], { ref: 'another' }))).toBe(false);
    const ended = new HandTurn();
    ended.run.activity('endTurn', {}, { head: 'block 1' });
    ended.block('end', []);
    expect(ended.blocks.hasStrayStep()).toBe(false);
  });

  it('is not known, where something is missing', () => {
    expect(stepped({ run_id: 'later' })).toBe(false);
    expect(stepped({}, (turn) => void [turn.block('admission', ['a']), turn.write('start', GONE)])).toBe(false);
    expect(stepped({}, (turn) => void turn.block('admission', ['a'], { parent: 'lost' }))).toBe(false);
  });
});

describe('the start (B3)', () => {
  const started = (more: Fields, given: Given = {}) => {
    const turn = new HandTurn(given);
    turn.start(more);
    return turn.faults();
  };

  it('is that of the turn', () => {
    expect(started({})).toEqual([]);
    const other = 'B3: The transcript begins as that of another turn';
    expect(started({ turn_id: 'u' })).toEqual([other]);
    expect(started({ workflow_id: 'turn/u' })).toEqual([other]);
  });

  it('is that of its first run', () => {
    const other = 'B3: The transcript begins as that of another run of the workflow';
    expect(started({ first_execution_run_id: 's' })).toEqual([other]);
    expect(started({ first_execution_run_id: 's', workflow_id: 'turn/u' })).toEqual([]);
    expect(started({ first_execution_run_id: 's' }, { run_id: 'later' })).toEqual([]);
    const turn = new HandTurn();
    turn.write('message', { ...START, first_execution_run_id: 's' });
    expect(turn.faults()).toEqual([]);
  });

  it('is over the store that the calls ran over', () => {
    const other = 'B3: The transcript begins over another store than the calls ran over';
    const over = (store_id: string | undefined, started: Fields) => {
      const turn = new HandTurn();
      const of = store_id === undefined ? TURN_CONTEXT : { ...TURN_CONTEXT, store_id };
      const call = callOf({ definition_ref: 'd', target_hash: null }, of);
      turn.run.scheduled('runCall', { turn: of, call }, { id: idOf(call) });
      turn.forget().start(started);
      return turn.faults();
    };
    expect(over('s', { store_id: 's' })).toEqual([]);
    expect(over('s', { store_id: 'other' })).toEqual([other]);
    expect(over('s', {})).toEqual([other]);
    expect(over(undefined, {})).toEqual([]);
    expect(over(undefined, { store_id: 's' })).toEqual([other]);
    expect(started({ store_id: 's' })).toEqual([]);
  });

  it('says who asked for what', () => {
    expect(started({ requester: 'rob' })).toEqual(['B3: The transcript says that "rob" asked, and the history says "rita"']);
    expect(started({ message_hash: HASH.other })).toEqual(['B3: The transcript begins with another message than the history']);
    expect(started({ agent: { name: 'other' } })).toEqual(['B3: The transcript is of another agent than the history']);
    const wrong = { requester: 'rob', message_hash: HASH.other, agent: {} };
    expect(started(wrong, { argument: GONE })).toEqual([]);
    expect(started(wrong, { run_id: 'later' })).toEqual([]);
    const silent = { turn_id: 't', requester: 'rita' };
    expect(started({ message_hash: HASH.other, agent: {} }, { argument: silent })).toEqual([]);
  });

  describe('of a direct call', () => {
    const argument = { turn_id: 't', requester: 'rita', tool: 'pay', input_json: '{"cents":7}', agent: 'clerk' };
    const call = { tool: 'pay', asked_hash: hashJson('{"cents":7}') };
    const signed_for = { agent: 'clerk', message_hash: hashJson({ tool: 'pay', input_json: '{"cents":7}' }) };
    const direct = (more: Fields, asked: Fields = {}) => {
      const { message_hash: _, ...start } = START;
      const turn = new HandTurn({ argument: { ...argument, ...asked } });
      turn.write('start', { ...start, call, ...more });
      return turn.faults();
    };

    it('is of that call', () => {
      const other = 'B3: The transcript begins with another call than the history';
      expect(direct({})).toEqual([]);
      expect(direct({ call: { ...call, tool: 'send' } })).toEqual([other]);
      expect(direct({ call: { ...call, asked_hash: HASH.other } })).toEqual([other]);
      expect(direct({ call: undefined })).toEqual([other]);
      expect(direct({ call: undefined }, { input_json: undefined })).toEqual([]);
    });

    it('was signed for that call', () => {
      const other = 'B3: The transcript says that the start was signed for another call than the history has';
      expect(direct({ signed_for })).toEqual([]);
      expect(direct({ signed_for: { ...signed_for, agent: 'other' } })).toEqual([other]);
      expect(direct({ signed_for: { ...signed_for, message_hash: HASH.other } })).toEqual([other]);
      expect(direct({ signed_for: { ...signed_for, agent: '' } }, { agent: undefined })).toEqual([]);
      expect(direct({ signed_for }, { agent: undefined })).toEqual([other]);
    });
  });
});

describe('the signature of a start (H7)', () => {
  const DEFINITION = 'd'.repeat(64);
  const definitions = (channel: string) =>
    new Map<string, JsonObject>([[DEFINITION, { approvals: { other: {}, pay: { channel } } }]]);
  const signed = (claims: object = {}) =>
    attestStart(
      GATEWAY_KEY,
      {
        ...{ aud: { namespace: 'n', workflow_id: 'turn/t' }, requester: 'rita', agent: 'clerk' },
        ...{ message_hash: hashJson(MESSAGE), ...claims },
      },
      ms(0),
    );
  const started = (more: Fields, channel = 'attested', given: Given = {}) => {
    const turn = new HandTurn({ around: { definitions: definitions(channel) }, ...given });
    turn.start({ definition_ref: DEFINITION, ...more });
    return turn.faults();
  };
  const why = (reason: string, who = 'rita') =>
    `H7: Decisions on calls of this agent are signed, and the start of the turn by "${who}" does not hold: ${reason}`;

  it('is there where decisions are signed', () => {
    expect(started({})).toEqual([why('it is not signed')]);
    expect(started({}, 'signal')).toEqual([]);
    expect(started({ definition_ref: HASH.other })).toEqual([]);
    expect(started({ definition_ref: undefined })).toEqual([]);
    expect(started({ attestation: signed() })).toEqual([]);
  });

  it('is that of this start', () => {
    expect(started({ attestation: signed({ requester: 'rob' }) })).toEqual([why('it was signed for "rob"')]);
    expect(started({ attestation: signed({ agent: 'other' }) })).toEqual([why('it was signed for agent "other"')]);
    expect(started({ attestation: signed({ message_hash: HASH.other }) })).toEqual([why('it was signed for another message')]);
  });

  it('may be of the session', () => {
    const attestation = signed({ aud: { namespace: 'n', workflow_id: 'session/s' } });
    expect(started({ attestation, session_id: 's' })).toEqual([]);
    expect(started({ attestation, session_id: 'u' })).toEqual([why('it was signed for another turn')]);
    expect(started({ attestation })).toEqual([why('it was signed for another turn')]);
  });

  it('may be of a call', () => {
    const argument = { turn_id: 't', requester: 'rita' };
    const signed_for = { agent: '', message_hash: HASH.other };
    const attestation = signed(signed_for);
    expect(started({ attestation, signed_for }, 'attested', { argument })).toEqual([]);
    expect(started({ attestation }, 'attested', { argument })).toEqual([why('it was signed for agent ""')]);
  });

  it("of a sub-agent's turn is that of the turn above", () => {
    expect(started({ parent: { turn_id: 'above' } })).toEqual([]);
  });
});

describe('what the model was shown (B4)', () => {
  const notShown = 'B4: The model was not shown the message that the turn was started with';
  const admitted = (given: Given, ...bodies: unknown[]) => {
    const turn = new HandTurn(given);
    turn.run.activity('takeStep', {}, { calls: [] });
    turn.start();
    turn.write('message', ...bodies);
    turn.write('admission', {});
    return turn.faults();
  };

  it('is the message that the turn was started with', () => {
    const text = { type: 'text', text: MESSAGE };
    expect(admitted({}, { role: 'user' }, text)).toEqual([]);
    expect(admitted({}, text)).toEqual([]);
    for (const other of [{ ...text, text: 'other' }, { ...text, type: 'image' }, { ...text, more: 1 }, [text], MESSAGE])
      expect(admitted({}, { role: 'user' }, other)).toEqual([notShown]);
    expect(admitted({})).toEqual([notShown]);
  });

  it('may have been left out', () => {
    expect(admitted({}, { role: 'user' }, GONE)).toEqual([]);
    expect(admitted({}, GONE, { type: 'text', text: 'other' })).toEqual([]);
  });

  it('is not known where the argument was left out, or has none, or the beginning is lost', () => {
    expect(admitted({ argument: GONE }, {})).toEqual([]);
    const { message: _, ...silent } = ARGUMENT;
    expect(admitted({ argument: silent }, {})).toEqual([]);
    expect(admitted({ run_id: 'later' }, {})).toEqual([]);
  });
});

describe('what the model asked for (B5)', () => {
  const other = 'B5: What the model asked for is not what the history says that it asked for';
  const asked = (inputs: string[], parts: unknown[], run_id?: string) => {
    const turn = new HandTurn(run_id === undefined ? {} : { run_id });
    turn.run.activity('takeStep', {}, { calls: inputs.map((input_ref) => ({ input_ref })) });
    turn.begun().forget();
    const refs = parts.map((body, index) => turn.part(body, `call ${index}`));
    turn.block('admission', [turn.part({}), ...refs]);
    return { faults: turn.faults(), unknown: turn.blocks.unknown.admissions };
  };

  it('is what a step says, in its order', () => {
    const call = { call_id: '1.1' };
    expect(asked([], []).faults).toEqual([]);
    expect(asked(['call 0', 'call 1'], [call, call])).toEqual({ faults: [], unknown: false });
    expect(asked(['call 1', 'call 0'], [call, call]).faults).toEqual([other]);
    expect(asked(['call 0'], [call, call]).faults).toEqual([other]);
    expect(asked(['call 0'], [GONE])).toEqual({ faults: [], unknown: true });
    expect(asked(['call 9'], [call], 'later').faults).toEqual([]);
  });

  it('is not known where a step was left out', () => {
    const turn = new HandTurn();
    turn.run.activity('takeStep', {}, GONE);
    turn.begun().write('admission', {}, { call_id: '1.1' });
    expect(turn.faults()).toEqual([]);
  });
});

const decision = (more: Fields = {}): Fields => ({
  ...{
    decision: 'approve',
    digest: CALL.digest,
    by: 'ana',
    at: at(5),
    expires_at: at(100),
    subject: { call_id: '1.1' },
    ...more,
  },
});

describe('a decision (B6)', () => {
  const decided = (
    more: Fields,
    { said = 'approve', seconds = 4, ...given }: Given & { said?: string; seconds?: number } = {},
  ) => {
    const turn = new HandTurn(given);
    turn.run.signal(said, { call: CALL.digest, by: 'ana' }, { seconds });
    turn.run.tell('TIMER_FIRED', {}, 200);
    turn.begun().write('decision', decision(more));
    return turn.faults();
  };

  it('was said', () => {
    expect(decided({})).toEqual([]);
    expect(decided({ decision: 'edit' })).toEqual([]);
    expect(decided({ decision: 'deny' }, { said: 'deny' })).toEqual([]);
    const unsaid = (kind: string, who = 'ana') =>
      `B6: The transcript has a decision (${kind}) of "${who}", and no signal or update says so`;
    expect(decided({ decision: 'deny' })).toEqual([unsaid('deny')]);
    expect(decided({ by: 'eve' })).toEqual([unsaid('approve', 'eve')]);
    expect(decided({ decision: 'edit' }, { said: 'deny' })).toEqual([unsaid('edit')]);
    expect(decided({ by: 'eve' }, { run_id: 'later' })).toEqual([]);
    expect(decided({ decision: 'cancelled', by: 'eve' })).toEqual([]);
  });

  it('bears a time after what gave it', () => {
    const early = 'B6: The decision of "ana" bears a time before the signal or update that gave it';
    expect(decided({}, { seconds: 65 })).toEqual([]);
    expect(decided({}, { seconds: 65.001 })).toEqual([early]);
    expect(decided({}, { seconds: 65.001, run_id: 'later' })).toEqual([]);
  });

  it('bears a time before it was written down', () => {
    const late = 'B6: The decision of "ana" bears a time after it was written down';
    expect(decided({ at: at(65) })).toEqual([]);
    expect(decided({ at: at(65.001) })).toEqual([late]);
    expect(decided({ at: at(65.001) }, { run_id: 'later' })).toEqual([late]);
  });

  it('came before the time to decide had expired', () => {
    const late = 'B6: The decision of "ana" came after the time to decide had expired';
    expect(decided({ expires_at: at(5) })).toEqual([]);
    expect(decided({ expires_at: at(4.999) })).toEqual([late]);
    expect(decided({ expires_at: undefined })).toEqual([late]);
    expect(decided({ decision: 'edit', expires_at: at(4) })).toEqual([]);
  });

  it('that nobody has decided came after it', () => {
    const early = 'B6: The time to decide is said to have expired before it had';
    expect(decided({ decision: 'expired', expires_at: at(65) })).toEqual([]);
    expect(decided({ decision: 'expired', expires_at: at(65.001) })).toEqual([early]);
    expect(decided({ decision: 'expired', expires_at: at(4) })).toEqual([]);
  });

  it('may have been left out', () => {
    const turn = new HandTurn();
    turn.begun();
    expect(turn.blocks.unknown.decisions).toBe(false);
    turn.write('decision', GONE);
    expect([turn.faults(), turn.blocks.unknown.decisions]).toEqual([[], true]);
  });
});

describe('what people have signed (H5)', () => {
  const token = (claims: object = {}) => {
    const aud = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
    const about = { aud, digest: CALL.digest, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
    return attestDecision(GATEWAY_KEY, { ...about, ...claims }, null, ms(0));
  };
  const decided = (more: Fields) => {
    const turn = new HandTurn();
    turn.run.signal('approve', { call: CALL.digest, by: 'ana' });
    turn.run.tell('TIMER_FIRED', {}, 200);
    turn.begun().write('decision', decision(more));
    return turn.faults();
  };

  it('holds for the decision', () => {
    expect(decided({ attestation: token() })).toEqual([]);
    const why = (reason: string) => [`H5: The signed decision of "ana" does not hold: ${reason}`];
    expect(decided({ attestation: token({ digest: HASH.other }) })).toEqual(why('it was signed for another call'));
    expect(decided({ attestation: token({ principal: 'rob' }) })).toEqual(why('it was signed by "rob"'));
    expect(decided({ attestation: token({ decision: 'deny' }) })).toEqual(why('it was signed to deny, not to "approve"'));
    const settled = token({ decision: 'settle', outcome: 'applied' });
    expect(decided({ attestation: settled })).toEqual(why('it was signed to settle, not to "approve"'));
  });

  it('was signed over this transcript', () => {
    const turn = new HandTurn();
    turn.run.signal('approve', { call: CALL.digest, by: 'ana' });
    turn.run.tell('TIMER_FIRED', {}, 200);
    turn.begun();
    turn.there.add(HASH.head);
    const over = (head: string) => {
      turn.write('decision', decision({ attestation: token({ head }) }));
      return turn.faults();
    };
    expect(over(HASH.head)).toEqual([]);
    expect(over(HASH.other)).toEqual(['H5: "ana" signed the decision over another transcript than this one']);
    expect(claimsOf(token())!.head).toBeNull();
  });

  it('holds for a message to the turn', () => {
    const steer = { by: 'ana', at: at(3) };
    const steered = (text: unknown, claims: object, more: Fields = {}) => {
      const turn = new HandTurn();
      turn.run.tell('TIMER_FIRED', {}, 200);
      const attestation = token({ decision: 'steer', digest: steerDigest('Wait.'), ...claims });
      turn.begun().write('message', { role: 'user', steer: { ...steer, attestation, ...more } }, text);
      return turn.faults();
    };
    const said = { type: 'text', text: 'Wait.' };
    expect(steered(said, {})).toEqual([]);
    expect(steered({ ...said, text: 'Go.' }, {})).toEqual(['H5: The signed decision of "ana" does not hold: it was signed for another call']); // oxfmt-ignore
    expect(steered(said, { decision: 'approve' })[0]).toContain('it was signed to approve, not to "steer"');
    expect(steered(said, {}, { by: 'rob' })).toEqual(['H5: The signed decision of "rob" does not hold: it was signed by "ana"']);
    expect(steered(GONE, {}, { by: 'rob' })).toEqual([]);
    expect(steered({ type: 'image', text: 'Wait.' }, {})).not.toEqual([]);
    expect(steered({ type: 'text', text: 7 }, {})).not.toEqual([]);
  });
});

it('messages say which turns have answered calls', () => {
  const turn = new HandTurn();
  const sub_turns = [{ turn_id: 'below' }, 7];
  turn.begun().write('message', { role: 'user', sub_turns }, { sub_turns: [{ turn_id: 'other' }] });
  turn.write('end', { sub_turns });
  expect(turn.blocks.subTurns).toEqual([{ turn_id: 'below' }, {}]);
});

describe('what blocks refer to', () => {
  const refs = { card_ref: 'c', input_ref: 'i', preview_ref: 'p', result_ref: null, policy_ref: 'o', definition_ref: 'd' };
  const referred = (kind: BlockKind) => {
    const turn = new HandTurn({ run_id: 'later' });
    turn.start();
    turn.write(kind, { ...START, ...refs });
    return [[...turn.blocks.refs.parts].join(''), [...turn.blocks.refs.objects].join('')];
  };

  it.each(['start', 'decision', 'dispatch', 'effect', 'settlement'] as const)('%s', (kind) => {
    expect(referred(kind)).toEqual(['cip', 'od']);
  });

  it.each(['message', 'admission', 'summary', 'end'] as const)('not %s', (kind) => expect(referred(kind)).toEqual(['', '']));

  it('and records do', () => {
    const { blocks } = new HandTurn();
    blocks.refer({ ...refs, result_ref: 'r', policy_ref: 7 });
    expect([[...blocks.refs.parts], [...blocks.refs.objects]]).toEqual([['c', 'i', 'p', 'r'], ['d']]);
  });

  it('stands in the lines of the turn, or not', () => {
    const turn = new HandTurn();
    turn.part(GONE, 'one');
    expect([turn.blocks.hasPart('one'), turn.blocks.hasPart('other')]).toEqual([true, false]);
  });
});
