/**
 * ms since 1970 of a text in the form of ISO 8601, UTC; NaN for a time that no calendar has: V8 takes 24:00 and the 30th of
 * February for the day after.
 */
export function calendarMs(time: string): number {
  const ms = Date.parse(time);
  const isDay = !Number.isNaN(ms) && !time.startsWith('0000') && time.startsWith(new Date(ms).toISOString().slice(0, 19));
  return isDay ? ms : NaN;
}
