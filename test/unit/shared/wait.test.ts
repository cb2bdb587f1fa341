import fc from 'fast-check';
import { durationText, inputFault, instantMs, timeFault, wakeTime, type WaitInput } from '../../../src/shared/turn/turn-states';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-29T09:00:00Z');
const reason = 'The transfer settles.';

describe('a time', () => {
  it.each([
    ['2026-12-03T09:00:00+01:00', '2026-12-03T08:00:00.000Z'],
    ['2026-12-03T09:00Z', '2026-12-03T09:00:00.000Z'],
    ['2028-02-29T00:00:00.5-05:30', '2028-02-29T05:30:00.500Z'],
  ])('is %s', (text, at) => expect(new Date(instantMs(text)!).toISOString()).toBe(at));

  it.each(['2026-12-03', '2026-12-03T09:00:00', '2026-02-30T09:00:00Z', '2026-12-03T25:00:00Z', 'Thursday', '', '1764406800'])(
    'is not %j',
    (text) => expect(instantMs(text)).toBeNull(),
  );
});

describe('an input of wait_until', () => {
  it.each<[string, WaitInput, string]>([
    ['neither at nor after', { reason }, 'at_or_after'],
    ['both', { at: '2026-12-03T09:00:00Z', after: '1h', reason }, 'at_or_after'],
    ['a time without an offset', { at: '2026-12-03T09:00:00', reason }, 'bad_at'],
    ['a text that is no duration', { after: 'soon', reason }, 'bad_after'],
    ['a duration of nothing', { after: '0h', reason }, 'bad_after'],
    ['a longer wait than the agent lets it', { after: '8 days', reason }, 'wait_too_long'],
    ['a blank reason', { after: '1h', reason: ' \n' }, 'empty_reason'],
  ])('may not have %s', (_, input, fault) => expect(inputFault(input, 7 * DAY)).toMatchObject({ reason: fault }));

  it.each(['30m', '2h', '3 days', '1 day', '7d', '90 seconds'])('may wait for %s', (after) =>
    expect(inputFault({ after, reason }, 7 * DAY)).toBeUndefined(),
  );

  it('may name only a time that comes, within the longest wait', () => {
    const fault = (at: string) => timeFault({ at }, 7 * DAY, NOW);
    expect(fault('2026-11-29T09:00:00Z')).toMatchObject({
      reason: 'not_in_future',
      message: 'at is 2026-11-29T09:00:00Z, and it is 2026-11-29T09:00:00.000Z now.',
    });
    expect(fault('2026-12-06T09:00:01Z')).toMatchObject({
      reason: 'wait_too_long',
      message: expect.stringContaining('7 days at most'),
    });
    expect(fault('2026-12-06T09:00:00Z')).toBeUndefined();
  });
});

test('no input makes a wait longer than the longest, or end before it begins', () => {
  const far = new Date('+200000-01-01T00:00:00Z').getTime();
  const times = fc.date({ min: new Date(0), max: new Date(far), noInvalidDate: true }).map((date) => date.toISOString());
  const durations = fc.tuple(fc.nat(), fc.constantFrom('s', 'm', 'h', 'd', ' days', ' hour', '')).map((parts) => parts.join(''));
  const value = fc.oneof(times, durations, fc.string(), fc.integer(), fc.constant(null));
  const input = fc.option(fc.record({ at: value, after: value }, { requiredKeys: [] }));
  const longest = fc.integer({ min: 1, max: 365 * DAY });
  fc.assert(
    fc.property(input, longest, fc.integer({ min: 0, max: 4e12 }), (input, longestMs, now) => {
      const until = wakeTime(input as never, longestMs, now);
      expect(until).toBeGreaterThanOrEqual(now);
      expect(until).toBeLessThanOrEqual(now + longestMs);
    }),
  );
});

test('a wait that is allowed ends when it says', () => {
  expect(wakeTime({ after: '3 days' }, 7 * DAY, NOW)).toBe(NOW + 3 * DAY);
  expect(wakeTime({ at: '2026-12-03T09:00:00+01:00' }, 7 * DAY, NOW)).toBe(Date.parse('2026-12-03T08:00:00Z'));
});

test('a length of time is said by its largest unit', () => {
  expect([DAY, 36 * 3_600_000, 90_000, 1].map(durationText)).toEqual(['1 day', '36 hours', '90 seconds', '1 millisecond']);
});
