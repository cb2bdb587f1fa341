/** Which workers change schedules: those of the current version. */
import { keepSchedules } from '../../../src/schedules/at-start';
import type { ScheduleDefinition } from '../../../src/schedules/definition';
import { capturedLog } from '../../support/captured-log';

const schedule = (message: string): ScheduleDefinition[] => [{ name: 'nightly', cron: '@daily', agent: 'payables', message }];

/** A server without schedules that notes the messages of those that are made. */
function place() {
  const made: string[] = [];
  const missing = Object.assign(new Error('missing'), { name: 'ScheduleNotFoundError' });
  const client = {
    schedule: {
      create: async ({ action }: { action: { args: [{ schedule: { message: string } }] } }) =>
        void made.push(action.args[0].schedule.message),
      getHandle: () => ({ describe: () => Promise.reject(missing) }),
      list: async function* () {},
    },
  };
  const captured = capturedLog();
  return {
    made,
    lines: () => captured.lines().map(({ msg }) => msg),
    of: { client: client as never, taskQueue: 'q', log: captured.log },
  };
}

const minutes = (count: number) => jest.advanceTimersByTimeAsync(count * 60_000);
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('a worker', () => {
  it('without a version changes schedules at its start, and when it serves another app', async () => {
    const { made, of } = place();
    const serve = await keepSchedules(of, schedule('one'));
    expect(made).toEqual(['one']);
    await serve(schedule('two'));
    await serve(undefined);
    await minutes(5);
    expect(made).toEqual(['one', 'two']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('of a version changes them when its version becomes the current one, each time', async () => {
    const { made, lines, of } = place();
    let isCurrent = false;
    let hasEnded = false;
    const version = { isCurrent: async () => isCurrent, hasEnded: () => hasEnded };
    const serve = await keepSchedules(of, schedule('one'), version);
    await serve(schedule('two'));
    await minutes(5);
    expect(made).toEqual([]);
    expect(lines()).toEqual(['schedules stay as they are: this version is not the current one']);
    isCurrent = true;
    await minutes(3);
    expect(made).toEqual(['two']);
    await serve(schedule('three'));
    expect(made).toEqual(['two', 'three']);
    isCurrent = false;
    await minutes(2);
    isCurrent = true;
    await minutes(2);
    expect(made).toEqual(['two', 'three', 'three']);
    hasEnded = true;
    await minutes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('changes nothing while Temporal does not say which version is current, and looks again', async () => {
    const { made, lines, of } = place();
    let answers = false;
    const version = {
      isCurrent: async () => answers || Promise.reject(new Error('no answer')),
      hasEnded: () => false,
    };
    await keepSchedules(of, schedule('one'), version);
    expect([made, lines()]).toEqual([[], ['schedules stay as they are: the current version is not known']]);
    answers = true;
    await minutes(1);
    expect(made).toEqual(['one']);
  });
});
