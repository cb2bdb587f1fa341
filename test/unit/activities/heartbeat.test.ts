/** The heartbeat's details: the values that were shown last, from any caller. */
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { showing, showingCharacters, withHeartbeat } from '../../../src/activities/call/heartbeat';
import { settledByTimers } from '../../support/clock-ahead';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

afterEach(() => jest.useRealTimers());

/** Runs `work` as an activity would be, after an attempt with these details; returns the heartbeats. */
async function beats(heartbeatDetails: unknown, work: () => Promise<void>): Promise<unknown[]> {
  const sent: unknown[] = [];
  const context = { info: { heartbeatDetails }, heartbeat: (details: unknown) => void sent.push(details) };
  await asyncLocalStorage.run(context as unknown as Context, () => withHeartbeat(work));
  return sent;
}

it('continues by itself, with the counts of the attempt before, then with the values that were shown last', async () => {
  jest.useFakeTimers();
  const beating = beats({ retries: { NETWORK: 1 } }, async () => {
    await sleep(1500);
    showing()({ progress: null });
    await sleep(1000);
  });
  const shown = { retries: { NETWORK: 1 }, progress: null };
  expect(await settledByTimers(beating)).toEqual([{ retries: { NETWORK: 1 } }, shown, shown]);
});

it('shows what a caller outside of any activity reports, such as a connection that several calls share', async () => {
  let outside = (): void => undefined;
  const said = new Promise<void>((resolve) => (outside = resolve));
  const sent = await beats(undefined, async () => {
    const show = showing();
    asyncLocalStorage.exit(() =>
      setImmediate(() => {
        show({ progress: { message: 'half', fraction: 0.5 } });
        outside();
      }),
    );
    await said;
  });
  expect(sent).toEqual([{ progress: { message: 'half', fraction: 0.5 } }]);
});

it('keeps the values of one activity apart from those of another', async () => {
  const first = await beats({}, async () => void showing()({ characters: 1 }));
  const second = await beats({}, async () => void showing()({ progress: null }));
  expect([first, second]).toEqual([[{ characters: 1 }], [{ progress: null }]]);
});

it('shows the length of an answer twice a second, not for each of its texts', async () => {
  jest.useFakeTimers();
  const beating = beats(undefined, async () => {
    const show = showingCharacters();
    for (let texts = 0; texts < 60; texts++) {
      show('word ');
      await sleep(10);
    }
  });
  const sent = await settledByTimers(beating);
  expect(sent).toEqual([{ characters: 255 }]);
});
