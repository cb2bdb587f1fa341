/** Makes `performance.now()` go ahead without waiting, until the test's mocks are restored. @returns sets it ahead, ms */
export function clockAhead(): (ms: number) => void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  return (ms) => void (ahead += ms);
}

/** With Jest's fake timers: lets them run until the promise has settled. */
export async function settledByTimers<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = () => void (settled = true);
  promise.then(end, end);
  while (!settled) await jest.advanceTimersByTimeAsync(100);
  return promise;
}
