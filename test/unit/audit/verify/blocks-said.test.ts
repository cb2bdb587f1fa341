/** The transcript, block by block: what the model was shown, what it asked for, and decisions (rules B4 to B6 and H5). */
import { attestDecision } from '../../../../src/attestation/bundle-signer';
import { claimsOf } from '../../../../src/audit/verify/attestations';
import { steerDigest } from '../../../../src/shared/approval/decision';
import type { BlockKind } from '../../../../src/shared/turn/transcript';
import { GATEWAY_KEY } from '../../../support/bundle-keys';
import { at, GONE, HASH, type Fields } from '../../../support/audit/hand-events';
import { ARGUMENT, MESSAGE, START } from '../../../support/audit/hand-lines';
import { CALL, HandTurn, type Given } from '../../../support/audit/hand-turn';

const ms = (seconds: number) => Date.parse(at(seconds));

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

  it('is unknown if the argument was left out or has no message, or if the beginning is lost', () => {
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

  it('is what the step recorded, in the same order', () => {
    const call = { call_id: '1.1' };
    expect(asked([], []).faults).toEqual([]);
    expect(asked(['call 0', 'call 1'], [call, call])).toEqual({ faults: [], unknown: false });
    expect(asked(['call 1', 'call 0'], [call, call]).faults).toEqual([other]);
    expect(asked(['call 0'], [call, call]).faults).toEqual([other]);
    expect(asked(['call 0'], [GONE])).toEqual({ faults: [], unknown: true });
    expect(asked(['call 9'], [call], 'later').faults).toEqual([]);
  });

  it('is unknown if a step was left out', () => {
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

  it('was given by a signal or an update', () => {
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

  it('has a time after the signal or update that gave it', () => {
    const early = 'B6: The decision of "ana" bears a time before the signal or update that gave it';
    expect(decided({}, { seconds: 65 })).toEqual([]);
    expect(decided({}, { seconds: 65.001 })).toEqual([early]);
    expect(decided({}, { seconds: 65.001, run_id: 'later' })).toEqual([]);
  });

  it('may have the time of the last task before the signal, since a query may have seen it first', () => {
    const early = 'B6: The decision of "ana" bears a time before the signal or update that gave it';
    const decidedLate = (time: number, kind: string, expires = 4000) => {
      const turn = new HandTurn();
      turn.run.task(2);
      turn.run.signal(kind, { call: CALL.digest, by: 'ana' }, { seconds: 3600 });
      turn.begun().write('decision', decision({ decision: kind, at: at(time), expires_at: at(expires) }));
      return turn.faults();
    };
    for (const kind of ['approve', 'deny']) {
      expect(decidedLate(2, kind)).toEqual([]);
      expect(decidedLate(3, kind)).toEqual([early]);
      expect(decidedLate(2, kind, 3539)).toEqual([early]);
    }
  });

  it('has a time before it was written down', () => {
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

  it('of expiry came after that time', () => {
    const early = 'B6: The time to decide is said to have expired before it had';
    expect(decided({ decision: 'expired', expires_at: at(65) })).toEqual([]);
    expect(decided({ decision: 'expired', expires_at: at(65.001) })).toEqual([early]);
    expect(decided({ decision: 'expired', expires_at: at(4) })).toEqual([]);
  });

  it('of expiry may have the time of the last task before the timer, since a query may have seen that first', () => {
    const early = 'B6: The time to decide is said to have expired before it had';
    const expired = (fired: number | null, time = 2) => {
      const turn = new HandTurn();
      turn.run.task(2);
      if (fired !== null) turn.run.tell('TIMER_FIRED', {}, fired);
      turn.run.task(4000);
      turn.begun().write('decision', decision({ decision: 'expired', by: '', at: at(time), expires_at: at(3600) }));
      return turn.faults();
    };
    for (const fired of [3540, 3600, 3700]) expect(expired(fired)).toEqual([]);
    for (const fired of [null, 3539.999]) expect(expired(fired)).toEqual([early]);
    expect(expired(3600, 2.001)).toEqual([early]);
  });

  it('of expiry may have been in a run that Temporal no longer has', () => {
    const early = 'B6: The time to decide is said to have expired before it had';
    const expired = (time: number, more: Fields = {}, run_id = 'later') =>
      decided({ decision: 'expired', by: '', at: at(time), expires_at: at(3600), ...more }, { run_id });
    expect(expired(-1)).toEqual([]);
    expect(expired(0)).toEqual([early]);
    expect(expired(-1, {}, 'r')).toEqual([early]);
    expect(expired(-1, { expires_at: undefined })).toEqual([early]);
  });

  it('may have been left out', () => {
    const turn = new HandTurn();
    turn.begun();
    expect(turn.blocks.unknown.decisions).toBe(false);
    turn.write('decision', GONE);
    expect([turn.faults(), turn.blocks.unknown.decisions]).toEqual([[], true]);
  });
});

describe('a signed statement (H5)', () => {
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

  it('holds for its decision', () => {
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

describe('parts that blocks refer to', () => {
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

  it('are in the lines of the turn, or are not', () => {
    const turn = new HandTurn();
    turn.part(GONE, 'one');
    expect([turn.blocks.hasPart('one'), turn.blocks.hasPart('other')]).toEqual([true, false]);
  });
});
