/** How often a property is tried, or with what: little beside everything else, and all in `npm test -- --all` and `npm run test:soak`. */
export function runs<T>(usual: T, long: T): T {
  return process.env.HOLDFAST_TEST_LONG === '1' ? long : usual;
}
