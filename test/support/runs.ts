/** How often a property is tried, or with which cases: few in a normal run, more in `npm test -- --all` and `npm run test:soak`. */
export function runs<T>(usual: T, long: T): T {
  return process.env.HOLDFAST_TEST_LONG === '1' ? long : usual;
}

/** Days since 1970. HOLDFAST_TEST_DAY=DAY repeats a run of another day; HOLDFAST_TEST_DAY=all takes all cases. */
const { HOLDFAST_TEST_DAY: DAY = String(Math.floor(Date.now() / 86_400_000)) } = process.env;

/** For cases that are too many even for `npm test -- --all`: every nth, and others on the next day. */
export function sampled<T>(cases: readonly T[], n: number): T[] {
  return cases.filter((_, index) => isSampled(index, n));
}

/** The same, of cases that are made one after the other. */
export function isSampled(index: number, n: number): boolean {
  return DAY === 'all' || index % n === Number(DAY) % n;
}

/** Every nth of many cases of one kind; in `npm test -- --all` and `npm run test:soak` twice as many, and others on each day. */
export function everyNth<T>(cases: readonly T[], n: number): readonly T[] {
  return runs(
    cases.filter((_, index) => index % n === 0),
    sampled(cases, Math.ceil(n / 2)),
  );
}
