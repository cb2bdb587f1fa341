/** The transcript, block by block: times, own blocks, the start and its signature (rules B2, B3 and H7). */
import { attestStart } from '../../../../src/attestation/bundle-signer';
import { hashJson } from '../../../../src/shared/json/digests';
import type { JsonObject } from '../../../../src/shared/json/json';
import { GATEWAY_KEY } from '../../../support/bundle-keys';
import { at, callOf, GONE, HASH, idOf, TURN_CONTEXT, type Fields } from '../../../support/audit/hand-events';
import { MESSAGE, START } from '../../../support/audit/hand-lines';
import { HandTurn, type Given } from '../../../support/audit/hand-turn';

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

  it('is within the time of its turn, and not before the time of the block before', () => {
    expect(two(0, 100)).toEqual([]);
    expect(two(5, 5)).toEqual([]);
    expect(two(5, 4.999)).toEqual([outside]);
    expect(two(-0.001, 5)).toEqual([outside]);
    expect(two(5, 100.001)).toEqual([outside]);
  });

  it('is unknown if the turn has lost its beginning', () => {
    expect(two(-5, -6, { run_id: 'later' })).toEqual([]);
  });
});

describe('a turn’s own blocks', () => {
  it('begin with the start of this turn, and go on from each other', () => {
    const turn = new HandTurn();
    const before = turn.block('start', [turn.part({ ...START, first_execution_run_id: 'other', workflow_id: 'turn/u' })]);
    const message = turn.write('message', { role: 'user' });
    const own = turn.start();
    const next = turn.write('message', { role: 'user' });
    const branch = turn.block('message', [], { parent: message });
    expect([...turn.blocks.own.keys()]).toEqual([own, next]);
    expect(turn.blocks.own.get(next)).toEqual({ at: ms(5), kind: 'message', body: {}, admits: null });
    expect([before, message, branch].map((ref) => turn.blocks.findBlock(ref))).toEqual([undefined, undefined, undefined]);
    expect(turn.blocks.findBlock(own)).toMatchObject({ kind: 'start' });
  });

  it('are those of its lines, if the turn has no start', () => {
    const turn = new HandTurn();
    const ref = turn.block('admission', ['a', 'b', 'c'], { parent: 'elsewhere' });
    const end = turn.block('end', ['a', 'b'], { parent: 'elsewhere' });
    expect(turn.blocks.findBlock(ref)).toEqual({ kind: 'admission', admits: 'b,c' });
    expect(turn.blocks.findBlock(end)).toEqual({ kind: 'end', admits: null });
  });

  it('are unknown if a start was left out', () => {
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

  it('is found if its turn begins elsewhere', () => {
    expect(stepped()).toBe(true);
    expect(stepped({}, (turn) => void turn.block('end', []))).toBe(true);
  });

  it('is not reported if its turn begins before, or if the block has no line', () => {
    expect(stepped({}, (turn) => void turn.block('start', [turn.part(START)], { ref: 'block 1' }))).toBe(false);
    expect(stepped({}, (turn) => void turn.block('admission', [], { ref: 'another' }))).toBe(false);
    const ended = new HandTurn();
    ended.run.activity('endTurn', {}, { head: 'block 1' });
    ended.block('end', []);
    expect(ended.blocks.hasStrayStep()).toBe(false);
  });

  it('is unknown if something is missing', () => {
    expect(stepped({ run_id: 'later' })).toBe(false);
    expect(stepped({}, (turn) => void [turn.block('admission', ['a']), turn.write('start', GONE)])).toBe(false);
    expect(stepped({}, (turn) => void turn.block('admission', ['a'], { parent: 'lost' }))).toBe(false);
  });
});

describe('the start block (B3)', () => {
  const started = (more: Fields, given: Given = {}) => {
    const turn = new HandTurn(given);
    turn.start(more);
    return turn.faults();
  };

  it('names this turn', () => {
    expect(started({})).toEqual([]);
    const other = 'B3: The transcript begins as that of another turn';
    expect(started({ turn_id: 'u' })).toEqual([other]);
    expect(started({ workflow_id: 'turn/u' })).toEqual([other]);
  });

  it('names its first run', () => {
    const other = 'B3: The transcript begins as that of another run of the workflow';
    expect(started({ first_execution_run_id: 's' })).toEqual([other]);
    expect(started({ first_execution_run_id: 's', workflow_id: 'turn/u' })).toEqual([]);
    expect(started({ first_execution_run_id: 's' }, { run_id: 'later' })).toEqual([]);
    const turn = new HandTurn();
    turn.write('message', { ...START, first_execution_run_id: 's' });
    expect(turn.faults()).toEqual([]);
  });

  it('names the store that the calls ran over', () => {
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

  it('names requester, message and agent', () => {
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

    it('names that call', () => {
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

describe('the signature of a start block (H7)', () => {
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

  it('is there if decisions are signed', () => {
    expect(started({})).toEqual([why('it is not signed')]);
    expect(started({}, 'signal')).toEqual([]);
    expect(started({ definition_ref: HASH.other })).toEqual([]);
    expect(started({ definition_ref: undefined })).toEqual([]);
    expect(started({ attestation: signed() })).toEqual([]);
  });

  it('is for this start', () => {
    expect(started({ attestation: signed({ requester: 'rob' }) })).toEqual([why('it was signed for "rob"')]);
    expect(started({ attestation: signed({ agent: 'other' }) })).toEqual([why('it was signed for agent "other"')]);
    expect(started({ attestation: signed({ message_hash: HASH.other }) })).toEqual([why('it was signed for another message')]);
  });

  it('may be for the session', () => {
    const attestation = signed({ aud: { namespace: 'n', workflow_id: 'session/s' } });
    expect(started({ attestation, session_id: 's' })).toEqual([]);
    expect(started({ attestation, session_id: 'u' })).toEqual([why('it was signed for another turn')]);
    expect(started({ attestation })).toEqual([why('it was signed for another turn')]);
  });

  it('may be for a call', () => {
    const argument = { turn_id: 't', requester: 'rita' };
    const signed_for = { agent: '', message_hash: HASH.other };
    const attestation = signed(signed_for);
    expect(started({ attestation, signed_for }, 'attested', { argument })).toEqual([]);
    expect(started({ attestation }, 'attested', { argument })).toEqual([why('it was signed for agent ""')]);
  });

  it("is, for a sub-agent's turn, that of the turn above", () => {
    expect(started({ parent: { turn_id: 'above' } })).toEqual([]);
  });
});
