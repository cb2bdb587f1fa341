import { lateFault } from '../../../../src/shared/waits';
import { timeOf } from '../../../../src/audit/verify/values';

/** The Python verifier judges the same: `datetime` knows none of them. */
const NO_TIMES = [
  '2026-11-23T24:00:00.000Z',
  '2026-02-30T10:00:00.000Z',
  '2026-04-31T10:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '2026-13-01T00:00:00.000Z',
  '2026-11-23T10:00:60.000Z',
];

describe('a time in a bundle', () => {
  it.each(NO_TIMES)('%s is none', (time) => expect(timeOf(time)).toBeNaN());

  it.each([
    ['2026-02-28T23:59:59.999Z', Date.UTC(2026, 1, 28, 23, 59, 59, 999)],
    ['2026-02-28T23:59:59.999999999Z', Date.UTC(2026, 1, 28, 23, 59, 59, 999)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('%s is one', (time, ms) => expect(timeOf(time)).toBe(ms));
});

it.each(NO_TIMES)('nobody waits until %s', (until) => {
  expect(lateFault({ until }, Date.parse('2026-11-23T23:57:00Z'))).not.toBeNull();
});
