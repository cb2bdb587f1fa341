/** The attempts of a step: waits for the limits of its model are no attempts. */
import { ApplicationFailure, asyncLocalStorage, type Context } from '@temporalio/activity';
import { createActivities } from '../../../src/activities';
import { withAttempts } from '../../../src/activities/call/heartbeat';
import type { Dependencies } from '../../../src/activities/ports';
import { MODEL_WAITS } from '../../../src/shared/turn/turn-states';

/** Runs `work` as that attempt, after so many waits. */
function attempt(number: number, waits: number, work: () => Promise<unknown>): Promise<unknown> {
  const info = { attempt: number, heartbeatDetails: waits === 0 ? undefined : { waits } };
  const context = { info, cancellationSignal: new AbortController().signal };
  return asyncLocalStorage.run(context as unknown as Context, () => withAttempts(3, work));
}

const fails = () => Promise.reject(ApplicationFailure.create({ message: 'overloaded', type: 'model.overloaded' }));
const waits = () => Promise.reject(ApplicationFailure.create({ message: 'waits', type: MODEL_WAITS, nextRetryDelay: 5000 }));

it('ends the retries with the last attempt, and keeps the failure and its type', async () => {
  await expect(attempt(2, 0, fails)).rejects.toMatchObject({ nonRetryable: false });
  await expect(attempt(3, 0, fails)).rejects.toMatchObject({
    message: 'overloaded',
    type: 'model.overloaded',
    nonRetryable: true,
  });
});

it('counts no waits, however many', async () => {
  await expect(attempt(500, 499, fails)).rejects.toMatchObject({ nonRetryable: false, nextRetryDelay: 1000 });
  await expect(attempt(502, 499, fails)).rejects.toMatchObject({ nonRetryable: true });
  await expect(attempt(503, 502, waits)).rejects.toMatchObject({ type: MODEL_WAITS, nonRetryable: false, nextRetryDelay: 5000 });
  await expect(attempt(3, 0, waits)).rejects.toMatchObject({ type: MODEL_WAITS, nonRetryable: false });
});

it('counts no attempts on a worker with another store', async () => {
  const shown: object[] = [];
  const { takeStep } = createActivities({ store: { identity: { id: 'other' } } } as unknown as Dependencies);
  const context = {
    info: { attempt: 7, heartbeatDetails: { waits: 5 } },
    heartbeat: (details: object) => void shown.push(details),
  };
  const turn = { turn_id: 'inv-7', store_id: 'mine' };
  const run = () => takeStep({ turn } as unknown as Parameters<typeof takeStep>[0]);
  await expect(asyncLocalStorage.run(context as unknown as Context, run)).rejects.toMatchObject({ type: 'holdfast.other_store' });
  expect(shown).toEqual([{ waits: 6 }]);
});

it('counts attempts whose worker was lost, and then does not begin', async () => {
  let begun = false;
  const work = async () => {
    begun = true;
  };
  await expect(attempt(4, 0, work)).rejects.toMatchObject({ type: 'holdfast.step_lost', nonRetryable: true });
  expect(begun).toBe(false);
});
