/** How long this process's own thread could do nothing else while some work was under way. */
export interface Blocked<T> {
  value: T;
  /** How long the work took, ms. */
  ms: number;
  /** The longest that the timer was kept from ticking, ms. */
  longestMs: number;
}

const TICK = 20;

export async function blockedDuring<T>(work: () => T | Promise<T>): Promise<Blocked<T>> {
  const began = performance.now();
  let last = began;
  let longestMs = 0;
  const look = () => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(look, TICK);
  await new Promise((resolve) => setTimeout(resolve, TICK)); // a first tick, so that work at once is seen too
  try {
    const value = await work();
    look();
    return { value, ms: performance.now() - began, longestMs };
  } finally {
    clearInterval(timer);
  }
}
