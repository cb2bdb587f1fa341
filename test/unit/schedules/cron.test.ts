import { cronFault, isTimeZone, spanInWords, timesInWords } from '../../../src/schedules/cron';
import { firingTurnId, scheduleId } from '../../../src/shared/schedule';
import { isTurnId } from '../../../src/shared/ids';

describe('a firing', () => {
  it('has a turn id of the scheduled time, to the second and in UTC, without colons', () => {
    const id = firingTurnId('morning', Date.parse('2026-11-22T08:00:00.999+01:00'));
    expect([id, isTurnId(id), scheduleId('morning')]).toEqual(['morning-20261122T070000Z', true, 'schedule/morning']);
  });
});

describe('a cron expression', () => {
  it.each(['0 7 * * 1-5', '*/15 * * * *', '0 0 1,15 jan-mar *', '5/10 0-23/2 31 12 SUN', '@daily', '0 7 1-7 * mon'])(
    'may be %s',
    (text) => expect(cronFault(text)).toBeNull(),
  );

  it.each([
    ['0 7 * *', 'five fields'],
    ['0 0 7 * * *', 'five fields'],
    ['0  7 * * *', 'five fields'],
    ['60 7 * * *', 'minute is "60"; it must be from 0 to 59'],
    ['0 24 * * *', 'hour is "24"; it must be from 0 to 23'],
    ['0 7 0 * *', 'day of month is "0"'],
    ['0 7 * foo *', 'month is "foo"'],
    ['0 7 * * 8', 'day of week is "8"; it must be from 0 to 7'],
    ['0 9-7 * * *', 'a range begins with its smaller end'],
    ['*/0 * * * *', 'a step is 1 or more'],
    ['*-5 * * * *', 'it must be *, a number'],
    ['0 7, * * *', 'hour is ""'],
    ['@every 5m', 'shorthands'],
    ['CRON_TZ=UTC 0 7 * * *', 'five fields'],
  ])('cannot be %s', (text, fault) => expect(cronFault(text)).toContain(fault));
});

it('a time zone is one that the runtime knows by name', () => {
  expect(['Europe/Berlin', 'UTC', 'America/New_York'].map(isTimeZone)).toEqual([true, true, true]);
  expect(['Europe/Bärlin', '', 'Mars', '+02:00'].map(isTimeZone)).toEqual([false, false, false, false]);
});

it('times are put into words', () => {
  const words = (cron: string | null, every_ms: number | null = null) =>
    timesInWords({ cron: cron === null ? null : [cron], every_ms, timezone: 'Europe/Berlin' }).replace(/, Europe\/Berlin$/, '');
  expect(
    ['0 7 * * *', '30 6,18 * * 1-5', '5 9 * * sun', '0 0 1 * *', '15 * * * *', '*/5 * * * *', '@daily'].map((one) => words(one)),
  ).toEqual([
    'at 07:00 every day',
    'at 06:30, 18:30 on Mon-Fri',
    'at 09:05 on Sun',
    'at 00:00 on day 1 of the month',
    'every hour at minute 15',
    'every 5 min of the hour',
    'at 00:00 every day',
  ]);
  expect(words('0 7 1-7 * 1')).toBe('cron 0 7 1-7 * 1');
  expect(words('0 7 * * */2')).toBe('at 07:00 on */2');
  expect(words(null, 90_000)).toBe('every 90 s');
  expect([1000, 60_000, 7_200_000, 172_800_000].map(spanInWords)).toEqual(['1 s', '1 min', '2 h', '2 d']);
});
