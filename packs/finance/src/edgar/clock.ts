/**
 * Milliseconds on a clock that all processes of this host read alike and that nobody can set: the time
 * since the host started (libuv: CLOCK_MONOTONIC, mach_continuous_time, QueryPerformanceCounter).
 */
export function hostClock(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
