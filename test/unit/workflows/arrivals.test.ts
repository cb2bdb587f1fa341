/** Messages that arrive while a run takes over the questions of the run before, and completions. That they count is tried in whole turns. */
import { Arrivals, Completions, InFlight, readOffer } from '../../../src/workflows/sandbox/signals';

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

describe('completions of a call that ends later', () => {
  const ref = (letter: string) => letter.repeat(64);
  const offer = (letter: string) => ({ call: '1.1', completion_ref: ref(letter) });
  const given = (state: string, open: object = {}) => {
    const data = { calls: [{ id: '1.1', state }], open: { calls: [{ id: '1.1' }], outcomes: {}, progress: {}, ...open } };
    const inFlight = new InFlight();
    return { data, inFlight, completions: new Completions(data as never, inFlight) };
  };

  it('are taken one after the other, each with its own answer', async () => {
    const { completions, inFlight } = given('pending');
    const first = completions.take(offer('a'));
    expect(completions.offered('1.1')).toBe(ref('a'));
    expect(inFlight.none).toBe(false);
    expect(await completions.take(offer('b'))).toMatch(/^another completion of the call is being checked/);
    completions.answer('1.1', 'the result does not fit');
    await activationEnds();
    expect([await first, completions.offered('1.1'), inFlight.none]).toEqual(['the result does not fit', null, true]);
    const second = completions.take(offer('c'));
    completions.answer('1.1', null);
    await activationEnds();
    expect(await second).toBeNull();
  });

  it('wait until the call is pending, and do not keep the run from ending', async () => {
    const { completions, inFlight } = given('waiting');
    void completions.take(offer('a'));
    expect([completions.offered('1.1'), inFlight.none]).toEqual([ref('a'), true]);
  });

  it('that were sent to an earlier run leave no answer to the next', async () => {
    const { completions } = given('pending', { offered: { '1.1': ref('a') } });
    completions.answer('1.1', 'the result does not fit');
    const next = completions.take(offer('b'));
    await activationEnds();
    completions.answer('1.1', null);
    await activationEnds();
    expect(await next).toBeNull();
  });

  it.each([
    ['of a call that has ended', 'succeeded', { outcomes: { '1.1': {} } }, 'the call has ended'],
    ['of no call of the step', 'pending', { calls: [] }, 'the call has ended'],
    ['of a call in doubt', 'in_doubt', {}, 'the call is in doubt: a person settles it'],
  ])('%s are not taken', async (_what, state, open, reason) => {
    expect(await given(state, open).completions.take(offer('a'))).toBe(reason);
  });

  it.each([null, 'x', {}, { call: '1.1' }, { call: '1.1', completion_ref: 'x' }, { ...offer('a'), more: 1 }])(
    '%j is none',
    async (body) => {
      expect(readOffer(body as never)).toBeNull();
      expect(await given('pending').completions.take(body as never)).toContain('completion_ref');
    },
  );
});
