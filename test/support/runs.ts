/** How often a property is tried, or with what: little beside everything else, and all in `npm test -- --all` and `npm run test:soak`. */
export function runs<T>(usual: T, long: T): T {
  return process.env.HOLDFAST_TEST_LONG === '1' ? long : usual;
}

/** Every nth of many cases of one kind; all of them in `npm test -- --all` and `npm run test:soak`. */
export function everyNth<T>(cases: readonly T[], n: number): readonly T[] {
  return runs(
    cases.filter((_, index) => index % n === 0),
    cases,
  );
}
