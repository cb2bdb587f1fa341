const PARENT_CHECK_MS = 500;

/** Resolves at the first Ctrl-C or SIGTERM; a second one ends the process at once. */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve(signal);
      });
    }
  });
}

/**
 * Resolves when npm, which started this, is gone: `npx` that is killed passes the signal on to its shell
 * only, and we would stay behind. Never resolves for a process that npm did not start.
 */
export function untilNpmIsGone(): Promise<string> {
  return new Promise((resolve) => {
    if (process.env.npm_command === undefined) return;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve('npm');
    }, PARENT_CHECK_MS);
    timer.unref();
  });
}
