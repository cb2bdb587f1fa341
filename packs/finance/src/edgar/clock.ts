/**
 * Reads a clock, in milliseconds, that is the same for all processes of this host and that nobody can set: the time since the host
 * started (libuv: CLOCK_MONOTONIC, mach_continuous_time, QueryPerformanceCounter).
 */
export function hostClock(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
