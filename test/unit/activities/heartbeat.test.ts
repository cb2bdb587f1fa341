/** The heartbeat's details: what was shown last, whoever shows it. */
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

it('goes on by itself, with what the attempt before has counted, then with what was shown last', async () => {
  jest.useFakeTimers();
  const beating = beats({ retries: { NETWORK: 1 } }, async () => {
    await sleep(1500);
    showing()({ progress: null });
    await sleep(1000);
  });
  const shown = { retries: { NETWORK: 1 }, progress: null };
  expect(await settledByTimers(beating)).toEqual([{ retries: { NETWORK: 1 } }, shown, shown]);
});

it('shows what somebody says who belongs to no activity, as a connection that several calls share', async () => {
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

it('keeps what one activity shows from another one', async () => {
  const first = await beats({}, async () => void showing()({ characters: 1 }));
  const second = await beats({}, async () => void showing()({ progress: null }));
  expect([first, second]).toEqual([[{ characters: 1 }], [{ progress: null }]]);
});

it('shows how much of an answer has come twice a second, not for each of its texts', async () => {
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
