/** Messages that arrive while a run takes over the questions of the run before. That they count then is tried in whole turns. */
import { Arrivals } from '../../../src/workflows/sandbox/signals';

let isPatched = true;
const waits: { met: () => boolean; resolve: (met: unknown) => void }[] = [];
jest.mock('@temporalio/workflow', () => ({
  patched: () => isPatched,
  CancellationScope: { nonCancellable: (work: () => Promise<unknown>) => work() },
}));
jest.mock('../../../src/workflows/sandbox/condition', () => ({
  condition: (met: () => boolean) => new Promise((resolve) => waits.push({ met, resolve })),
}));
beforeEach(() => {
  isPatched = true;
  waits.length = 0;
});

/** As the SDK ends each activation. */
async function activationEnds(): Promise<void> {
  for (const { met, resolve } of waits) if (met()) resolve(true);
  await new Promise(setImmediate);
}

it('are taken in the order in which they came, once the questions are asked again', async () => {
  const arrivals = new Arrivals(true);
  const taken: string[] = [];
  const answers = ['a', 'b', 'c'].map(async (one) => arrivals.inTurn(() => (taken.push(one), one)));
  await activationEnds();
  expect([taken, arrivals.none, waits.length]).toEqual([[], false, 1]);
  arrivals.takenUp();
  await Promise.resolve();
  expect(taken).toEqual([]); // the questions are asked in this activation
  await activationEnds();
  expect([await Promise.all(answers), taken, arrivals.none]).toEqual([['a', 'b', 'c'], ['a', 'b', 'c'], true]);
  expect(arrivals.inTurn(() => 'd')).toBe('d');
});

it('do not wait longer because one of them fails', async () => {
  const arrivals = new Arrivals(true);
  const fails = Promise.resolve(arrivals.inTurn(() => Promise.reject(new Error('no worker')))).catch(String);
  const next = arrivals.inTurn(() => 'next');
  arrivals.takenUp();
  await activationEnds();
  expect([await fails, await next, arrivals.none]).toEqual(['Error: no worker', 'next', true]);
});

it.each([
  ['in the first run of a turn', false, true],
  ['in a history from before it waited', true, false],
])('are taken at once %s', (_where, takingUp, patched) => {
  isPatched = patched;
  const arrivals = new Arrivals(takingUp);
  expect([arrivals.inTurn(() => 'taken'), arrivals.none]).toEqual(['taken', true]);
});
