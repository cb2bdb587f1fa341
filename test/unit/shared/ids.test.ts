import * as fc from 'fast-check';
import {
  asTurnId,
  activityId,
  callId,
  isTurnId,
  newTurnId,
  sessionOfTurn,
  sessionTurnId,
  traceId,
  turnIdFromKey,
  workflowId,
} from '../../../src/shared/ids';

const random = '0123456789abcdef';

test('a default turn id is valid and sorts by time', () => {
  const time = fc.integer({ min: 0, max: Date.UTC(9999, 0, 1) });
  fc.assert(
    fc.property(time, time, (a, b) => {
      const [first, second] = [newTurnId(a, random), newTurnId(b, random)];
      expect(isTurnId(first)).toBe(true);
      expect(first < second).toBe(a < b);
    }),
  );
  expect(newTurnId(Date.UTC(2026, 0, 31, 9, 59, 59, 123), random)).toBe('20260131T095959123Z-0123456789ab');
});

test.each(['inv-7', 'a', 'A.b_c~d-1', 'x'.repeat(128), 'session.3'])('%s is a turn id', (id) => expect(isTurnId(id)).toBe(true));
test.each(['', 'a b', 'a/b', '.', '..', 'é', 'x'.repeat(129), 'a\n', 'a%2f'])('%j is no turn id', (id) =>
  expect(isTurnId(id)).toBe(false),
);

test('ids of calls, activities, workflows and traces read as the contract says', () => {
  const digest = `0123456789abcdef${'0'.repeat(48)}`;
  expect(callId(2, 1)).toBe('2.1');
  expect(activityId('2.1', 'pay_invoice', digest)).toBe('2.1:pay_invoice:0123456789abcdef');
  expect(activityId('2.1', 'pay_invoice', digest, 1)).toBe('2.1:pay_invoice:0123456789abcdef');
  expect(activityId('2.1', 'pay_invoice', digest, 2)).toBe('2.1:pay_invoice:0123456789abcdef:2');
  expect(workflowId('inv-7')).toBe('turn/inv-7');
  expect(traceId(Date.UTC(2026, 0, 31, 23), random)).toBe('trace_20260131_0123456789ab');
});

test('steps and indexes count from 1, and a bad digest or too little randomness is refused', () => {
  for (const [step, index] of [[0, 1], [1, 0], [1.5, 1], [1, NaN]] as const) expect(() => callId(step, index)).toThrow(RangeError); // oxfmt-ignore
  expect(() => activityId('1.1', 't', 'abc')).toThrow(RangeError);
  expect(() => activityId('1.1', 't', 'a'.repeat(64), 0)).toThrow(RangeError);
  expect(() => newTurnId(0, 'abc')).toThrow(RangeError);
  expect(() => traceId(0, 'ABCDEF012345')).toThrow(RangeError);
});

test('a local key that is a valid id is the id of the turn', () => {
  expect(turnIdFromKey('local', 'inv-7')).toBe('inv-7');
});

test('any other key becomes a valid id that is the same every time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (principal, key) => {
      const id = turnIdFromKey(principal, key);
      expect(isTurnId(id)).toBe(true);
      expect(turnIdFromKey(principal, key)).toBe(id);
      if (principal !== 'local') expect(id).toMatch(/^k_[0-9a-f]{40}$/);
    }),
  );
});

test('two principals never share a turn by the same key, and nobody reaches another’s turn by naming the hash', () => {
  const ofAna = turnIdFromKey('ana', 'inv-7');
  expect(turnIdFromKey('bob', 'inv-7')).not.toBe(ofAna);
  expect(turnIdFromKey('local', ofAna)).not.toBe(ofAna);
  expect(turnIdFromKey('local', '..')).toMatch(/^k_/);
});

test('an id from a link is the id of the call', () => {
  expect(asTurnId('call%2Fx')).toBe('call/x');
  expect(asTurnId('call%2fx')).toBe('call/x');
  expect(['call/x', 'x', 'x%2Fcall'].map(asTurnId)).toEqual(['call/x', 'x', 'x%2Fcall']);
});

test('a session is found from the id of its turn', () => {
  expect([sessionTurnId('talk', 7), sessionTurnId('a.2', 3, '0123abcd')].map((id) => sessionOfTurn(id))).toEqual(['talk', 'a.2']);
  expect(['talk', 'talk.0', '.1', 'talk.1-xyz', 'talk.1~a'].map((id) => sessionOfTurn(id))).toEqual(Array(5).fill(null));
});
