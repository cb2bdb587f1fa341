import { CALL_TRANSITIONS, CallStateError, canMove, isFinal, move } from '../../../src/shared/turn/calls';
import { CALL_STATES } from '../../../src/shared/turn/turn-states';

// contract.md, "Call states".
const ALLOWED = [
  'proposed rejected', 'proposed ready', 'proposed waiting',
  'waiting approved', 'waiting denied', 'waiting expired', 'waiting superseded', 'waiting cancelled',
  'approved running', 'approved superseded', 'approved cancelled',
  'ready running',
  'running succeeded', 'running failed', 'running cancelled', 'running in_doubt',
  'running pending', 'pending succeeded', 'pending failed', 'pending in_doubt', 'pending cancelled',
  'running superseded', // held back right before the effect: nothing was dispatched
  'in_doubt succeeded', 'in_doubt failed',
]; // oxfmt-ignore

test('a call moves as the contract says, and in no other way', () => {
  const moves = CALL_STATES.flatMap((from) => CALL_STATES.filter((to) => canMove(from, to)).map((to) => `${from} ${to}`));
  expect(moves.sort()).toEqual([...ALLOWED].sort());
});

test('a forbidden move is refused and says what is allowed', () => {
  expect(move('approved', 'running')).toBe('running');
  expect(() => move('waiting', 'running')).toThrow(CallStateError);
  expect(() => move('waiting', 'running')).toThrow('approved, denied, expired, superseded, cancelled');
  expect(() => move('denied', 'running')).toThrow('final');
});

test('no state follows itself, and every state can be reached from proposed', () => {
  const reached = new Set(['proposed']);
  for (const from of reached) for (const to of CALL_TRANSITIONS[from as keyof typeof CALL_TRANSITIONS]) reached.add(to);
  expect([...reached].sort()).toEqual([...CALL_STATES].sort());
  expect(CALL_STATES.some((state) => canMove(state, state))).toBe(false);
  expect(CALL_STATES.filter(isFinal)).toEqual([
    'rejected',
    'denied',
    'expired',
    'superseded',
    'cancelled',
    'succeeded',
    'failed',
  ]);
});
