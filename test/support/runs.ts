/** How often a property is tried: seldom beside everything else, and often in `npm test -- --all` and `npm run test:soak`. */
export function runs(usual: number, long: number): number {
  return process.env.HOLDFAST_TEST_LONG === '1' ? long : usual;
}
