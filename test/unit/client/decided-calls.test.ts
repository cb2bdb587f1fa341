import { decidedCalls, describeDecision } from '../../../src/client/approvals/watch-pending';
import { CALL_STATES } from '../../../src/shared/turn/turn-states';

const [one, two, below] = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
const approval = (by: string[], quorum = 2, decision: string | null = null) => ({ by, quorum, decision });
const view = {
  calls: [
    { digest: null, state: 'rejected', approval: approval([]) },
    { digest: one, state: 'waiting', approval: approval(['ana']) },
    { digest: two, state: 'denied', approval: approval(['bob'], 2, 'deny') },
  ],
  sub_turns: [{ waiting: [{ turn_id: 't', call: { digest: below, state: 'running', approval: approval(['ana', 'bob']) } }] }],
};
const turn = (status: () => Promise<unknown>) => ({ status }) as any;

test('each call has the state that the turn shows, calls of sub-agents too', async () => {
  expect(
    await decidedCalls(
      turn(async () => view),
      [below!, one!.slice(0, 12), two!, 'f'.repeat(64)],
    ),
  ).toEqual([
    { digest: below, state: 'running', approvals: 2, quorum: 2 },
    { digest: one, state: 'waiting', approvals: 1, quorum: 2 },
    { digest: two, state: 'denied', approvals: 0, quorum: 2 },
  ]);
});

test('the answer is empty if the turn does not answer, and does not wait for long', async () => {
  expect(
    await decidedCalls(
      turn(() => Promise.reject(new Error('no worker'))),
      [one!],
    ),
  ).toEqual([]);
  jest.useFakeTimers();
  const late = decidedCalls(
    turn(() => new Promise(() => undefined)),
    [one!],
  );
  await jest.advanceTimersByTimeAsync(3000);
  jest.useRealTimers();
  expect(await late).toEqual([]);
});

test.each(CALL_STATES)('the state %s has a description', (state) => {
  const words = describeDecision({ digest: one!, state, approvals: 1, quorum: 1 });
  expect(words).toMatch(/^(the call|another revision) /);
  expect(describeDecision({ digest: one!, state: 'waiting', approvals: 1, quorum: 2 })).toBe('1 of 2 approvals, the call waits');
});
