/** Messages of people (rules H9, H10, B13): each statement that a record attributes to a person must be one of these, word for word. */
import { attestDecision, attestStart } from '../../../../src/attestation/bundle-signer';
import {
  principalOf,
  DecisionMessages,
  wordsOf,
  type DecisionMessage,
  type Words,
} from '../../../../src/audit/verify/decision-messages';
import { UNKNOWN } from '../../../../src/audit/verify/values';
import { hashJson } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { ANA_KEY } from '../../../support/bundle-keys';
import { at, GONE, HandRun, payload, payloads, type Fields } from '../../../support/audit/hand-events';

const DIGEST = 'abcdef'.repeat(11).slice(0, 64);
const SAID = { call: DIGEST, by: 'ana' };
const WORDS: Words = { kind: 'approve', digest: DIGEST, by: 'ana', note: null, attestation: undefined, input: null };
const AUD = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
const token = (claims: object = {}) => {
  const about = { aud: AUD, digest: DIGEST, decision: 'approve' as const, principal: 'ana', roles: [], head: null, ...claims };
  return attestDecision(ANA_KEY, about, null, Date.parse(at(0)));
};

function heard(tell: (run: HandRun) => unknown, more: Partial<DecisionMessage> = {}): DecisionMessages {
  const sayings = new DecisionMessages();
  let place = 0;
  tell(new HandRun((event) => sayings.read(event, { place: (place += 1), run: 'r', own: true, tasks: 3, ...more })));
  return sayings;
}
const signalled = (value: unknown, name = 'approve', options = {}) => heard((run) => run.signal(name, value, options));
const updated = (value: unknown, answer?: unknown) => heard((run) => run.update('decide', value, answer));
const count = (sayings: DecisionMessages, more: Partial<Words> = {}) => sayings.of({ ...WORDS, ...more }).length;

describe('a signal', () => {
  it('is kept with all its fields', () => {
    const note = 'seen';
    const [saying] = signalled({ ...SAID, note }).about(DIGEST);
    expect(saying).toEqual({
      ...{ place: 1, run: 'r', own: true, tasks: 3, kind: 'approve', channel: 'signal', until: undefined, payloads: 1 },
      ...{ identity: 'web', call: DIGEST, calls: 1, by: 'ana', name: 'ana', note, input: null, outcome: null, attestation: null },
      ...{
        right: true,
        isAccepted: null,
        on_behalf_of: null,
        whole: hashJson({ decision: 'approve', calls: [DIGEST], by: 'ana', note }),
      },
    });
  });

  it.each(['approve', 'deny', 'settle'])('%s decides', (name) => {
    expect(count(signalled({ ...SAID, outcome: 'applied' }, name), { kind: name, outcome: 'applied' })).toBe(1);
  });

  it('of another name decides nothing', () => {
    expect(signalled(SAID, 'steer').about(DIGEST)).toEqual([]);
    expect(signalled(GONE, 'steer').unknown).toBe(false);
    const to = { signalName: 'approve', input: payloads(SAID) };
    expect(heard((run) => run.tell('SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', to)).about(DIGEST)).toEqual([]);
  });

  it('keeps the beginning of its sender’s identity', () => {
    const identity = (said: string) => signalled(SAID, 'approve', { identity: said }).about(DIGEST)[0]!.identity;
    expect(identity('a'.repeat(300))).toBe('a'.repeat(200));
    expect(identity(`${'a'.repeat(199)}😀`)).toBe(`${'a'.repeat(199)}\ufffd`);
    expect(identity(7 as never)).toBe('');
  });

  it('that was left out may have said anything', () => {
    expect([signalled(GONE).unknown, signalled(SAID).unknown]).toEqual([true, false]);
    const sayings = heard((run) => {
      run.signal('approve', GONE);
      run.signal('approve', SAID);
    });
    expect([sayings.unknown, count(sayings)]).toEqual([true, 1]);
  });

  it('is well-formed if it has the form of a decision', () => {
    const right = (value: object, name = 'approve') => signalled({ ...SAID, ...value }, name).about(DIGEST)[0]!.right;
    expect([right({}), right({ strange: 1 }), right({}, 'settle'), right({ outcome: 'applied' }, 'settle')]).toEqual([
      ...[true, false, false, true],
    ]);
    const two = heard((run) => run.tell('WORKFLOW_EXECUTION_SIGNALED', { signalName: 'approve', input: payloads(SAID, {}) }));
    expect(two.about(DIGEST)[0]).toMatchObject({ right: false, payloads: 2 });
  });
});

describe('the calls of a decision', () => {
  it('are named by at least twelve characters of their digests', () => {
    const named = (call: string, digest = DIGEST) => signalled({ ...SAID, call }).about(digest).length;
    expect([named(DIGEST.slice(0, 12)), named(DIGEST.slice(0, 11)), named(`${DIGEST.slice(0, 13)}0`)]).toEqual([1, 0, 0]);
    expect(named(DIGEST.slice(0, 11), DIGEST.slice(0, 11))).toBe(0);
    expect(signalled(SAID).about(undefined)).toEqual([]);
  });

  it('may be several, decided together', () => {
    const other = 'f'.repeat(64);
    const sayings = signalled({ calls: [other, 7, DIGEST], by: 'ana' });
    expect(sayings.about(DIGEST)).toMatchObject([{ call: DIGEST, calls: 2 }]);
    expect(sayings.about(other)).toMatchObject([{ call: other, calls: 2 }]);
    expect(signalled({ call: DIGEST, calls: [other], by: 'ana' }).about(other)).toMatchObject([{ calls: 2 }]);
  });

  it('are all listed', () => {
    const sayings = heard((run) => [run.signal('approve', SAID), run.signal('deny', SAID), run.signal('approve', SAID)]);
    expect(sayings.about(DIGEST).map(({ kind }) => kind)).toEqual(['approve', 'deny', 'approve']);
    expect(count(sayings)).toBe(2);
  });

  it('are none if the value is not an object', () => {
    for (const value of [null, 'text', [DIGEST]]) expect(signalled(value).about(DIGEST)).toEqual([]);
  });
});

describe('a signed decision', () => {
  it('belongs to the principal who signed it, not to its sender', () => {
    const sayings = signalled({ call: DIGEST, by: 'eve', attestation: token() });
    expect(sayings.about(DIGEST)[0]).toMatchObject({ by: 'ana' });
    expect(signalled({ call: DIGEST, by: 'eve', attestation: 'none' }).about(DIGEST)[0]).toMatchObject({
      by: '',
      attestation: 'none',
    });
  });

  it('has one signature for each call', () => {
    const [one, two] = [token(), token({ principal: 'rob' })];
    const other = 'f'.repeat(64);
    const sayings = signalled({ calls: [DIGEST, other], attestation: [one, two] });
    expect(sayings.about(DIGEST)).toMatchObject([{ by: 'ana', attestation: one }]);
    expect(sayings.about(other)).toMatchObject([{ by: 'rob', attestation: two }]);
    expect(signalled({ calls: [DIGEST, other], attestation: one }).about(DIGEST)).toEqual([]);
    expect(signalled({ call: DIGEST, attestation: [one, two] }).about(DIGEST)).toEqual([]);
  });

  it('names its principal; a token of another kind does not', () => {
    expect(principalOf(token())).toBe('ana');
    const start = { aud: AUD, requester: 'ana', agent: 'a', message_hash: DIGEST };
    for (const none of ['', 'x', attestStart(ANA_KEY, start, Date.parse(at(0)))]) expect(principalOf(none)).toBeNull();
  });
});

describe('an update', () => {
  const decide = { ...SAID, decision: 'approve' };

  it('has the kind of its decision', () => {
    expect(updated(decide).about(DIGEST)[0]).toMatchObject({
      ...{ kind: 'approve', channel: 'update', identity: 'api', right: true, isAccepted: null, until: undefined },
    });
    expect(updated({ ...decide, decision: 'deny' }).about(DIGEST)[0]).toMatchObject({ kind: 'deny', right: true });
    expect(updated({ ...decide, decision: 'other' }).about(DIGEST)[0]).toMatchObject({ kind: 'other', right: false });
    expect(updated({ ...SAID }).about(DIGEST)[0]).toMatchObject({ kind: '', right: false });
  });

  it('counts if it was admitted or accepted, and if it decides', () => {
    const input = { name: 'decide', args: payloads(decide) };
    const told = (type: string, attributes: Fields) => heard((run) => run.tell(type, attributes)).about(DIGEST).length;
    expect(told('WORKFLOW_EXECUTION_UPDATE_ADMITTED', { request: { input } })).toBe(1);
    expect(told('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { acceptedRequest: { input } })).toBe(1);
    expect(told('WORKFLOW_EXECUTION_UPDATE_REJECTED', { acceptedRequest: { input } })).toBe(0);
    expect(told('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { acceptedRequest: { input: { ...input, name: 'steer' } } })).toBe(0);
  });

  it('that was left out may have said anything', () => expect(updated(GONE).unknown).toBe(true));

  it('has the answer that it got', () => {
    const answered = (answer: unknown) => updated(decide, answer).about(DIGEST)[0]!.isAccepted;
    expect([true, false, undefined, GONE, 'yes'].map((accepted) => answered(accepted === GONE ? GONE : { accepted }))).toEqual([
      ...[true, false, null, null, null],
    ]);
    expect(count(updated(decide, { accepted: false }))).toBe(0);
    expect(count(updated(decide, { accepted: true }))).toBe(1);
    // Another's answer.
    const other = heard((run) => {
      run.update('decide', decide);
      run.tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', {
        acceptedEventId: '7',
        outcome: { success: payloads({ accepted: false }) },
      });
    });
    expect(count(other)).toBe(1);
    const notAnAnswer = heard((run) => {
      const acceptedEventId = run.update('decide', decide);
      run.tell('WORKFLOW_EXECUTION_UPDATE_REJECTED', { acceptedEventId, outcome: { success: payloads({ accepted: false }) } });
    });
    expect(count(notAnAnswer)).toBe(1);
  });

  it('takes its answer from its own run', () => {
    const sayings = new DecisionMessages();
    const answer = { outcome: { success: payloads({ accepted: false }) } };
    const told = (run: string) => new HandRun((event) => sayings.read(event, { place: 1, run, own: true, tasks: 0 }));
    told('r').update('decide', decide);
    told('s').tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', { acceptedEventId: '1', ...answer });
    expect(count(sayings)).toBe(1);
    told('r').tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', { acceptedEventId: '1', ...answer });
    expect(count(sayings)).toBe(0);
  });

  it('keeps the time until which its sender waits', () => {
    const until = (...args: JsonObject[]) => {
      const acceptedRequest = { input: { name: 'decide', args: { payloads: [payload(decide), ...args] } } };
      return heard((run) => run.tell('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { acceptedRequest })).about(DIGEST)[0]!.until;
    };
    expect(until(payload({ until: at(9) }))).toBe(at(9));
    expect(until({ redacted: true })).toBe(UNKNOWN);
    expect(until(payload('none'))).toBeUndefined();
    expect(until()).toBeUndefined();
  });
});

describe('the words of a message', () => {
  const said = { ...SAID, note: 'seen' };

  it.each<[string, Partial<Words>]>([
    ['kind', { kind: 'deny' }],
    ['person', { by: 'Ana' }],
    ['note', { note: 'other' }],
    ['no note', { note: undefined }],
    ['signature', { attestation: 'x' }],
    ['input', { input: 'x' }],
    ['some input', { input: undefined }],
    ['channel', { channel: 'update' }],
    ['identity', { identity: 'other' }],
    ['time to wait', { until: at(9) }],
    ['call', { digest: 'f'.repeat(64) }],
  ])('differ with another %s', (_what, more) => {
    expect(count(signalled(said), { note: 'seen', ...more })).toBe(0);
  });

  it.each<[string, Partial<Words>]>([
    ['channel', { channel: 'signal' }],
    ['identity', { identity: 'web' }],
    ['identity that an older build did not know', { identity: '' }],
    ['time to wait that there was not', { until: null }],
    ['outcome, where nothing settles', { outcome: 'applied' }],
  ])('are the same with the %s', (_what, more) => {
    expect(count(signalled(said), { note: 'seen', ...more })).toBe(1);
  });

  it('include the outcome of a settlement', () => {
    const settled = signalled({ ...SAID, outcome: 'applied' }, 'settle');
    const outcomes = ['applied', 'not_applied', undefined];
    expect(outcomes.map((outcome) => count(settled, { kind: 'settle', outcome }))).toEqual([1, 0, 0]);
  });

  it('include the input of an edit', () => {
    const input = { cents: 7 };
    const changed = signalled({ ...SAID, input });
    expect([null, undefined, hashJson(input), 'x'].map((one) => count(changed, { input: one }))).toEqual([0, 1, 1, 0]);
  });

  it('include the time until which the sender of an update waits, if it is known', () => {
    const until = (wait: JsonObject, wanted: Json) => {
      const acceptedRequest = {
        input: { name: 'decide', args: { payloads: [payload({ ...SAID, decision: 'approve' }), wait] } },
      };
      return count(
        heard((run) => run.tell('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { acceptedRequest })),
        { until: wanted },
      );
    };
    expect([until(payload({ until: 'a' }), 'a'), until(payload({ until: 'a' }), 'b'), until({ redacted: true }, 'b')]).toEqual([
      1, 0, 1,
    ]);
  });

  it('are compared with a decision as it is stored', () => {
    const decision = {
      decision: 'approve',
      digest: DIGEST,
      by: 'ana',
      note: 'n',
      attestation: 'a',
      channel: 'c',
      identity: 'i',
      until: 'u',
    };
    const { decision: _, ...words } = decision;
    expect(wordsOf(decision)).toEqual({ ...words, kind: 'approve', input: null });
    expect(wordsOf({ ...decision, decision: 'edit' })).toEqual({ ...words, kind: 'approve' });
    expect(wordsOf({ decision: 7 })).toMatchObject({ kind: '', input: null });
  });
});

describe('a decision that is passed on', () => {
  const passed = { decision: 'approve', calls: [DIGEST], by: 'ana' };

  it('must have been sent, with all its fields', () => {
    const sayings = updated({ ...SAID, decision: 'approve' });
    expect([sayings.wasSent(passed), sayings.wasSent({ ...passed, by: 'rob' }), sayings.wasSent(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    const other = { ...passed, calls: [DIGEST, 'f'.repeat(64)], note: 'n', outcome: 'applied', attestation: [token(), token()] };
    const { by: _, ...signed } = other;
    expect(updated({ ...signed, call: DIGEST, calls: ['f'.repeat(64)] }).wasSent(signed)).toBe(true);
    expect(updated({ ...SAID, decision: 'approve', input: { a: 1 } }).wasSent({ ...passed, input: { a: 1 } })).toBe(true);
    expect(updated({ ...SAID, decision: 'approve', note: null, outcome: null }).wasSent(passed)).toBe(true);
  });
});
