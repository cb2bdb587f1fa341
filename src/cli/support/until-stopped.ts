/** Waits for the signals, or the end of npm, that end a command. */
import { constants } from 'node:os';

const PARENT_CHECK_MS = 500;

/** At Ctrl-C, npm and `timeout` send their child a signal that the terminal, or the group, has sent already. */
const SAME_SIGNAL_MS = 300;

const STOPPING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Resolves at the first Ctrl-C, SIGTERM or SIGHUP; a second one ends the process at once, unless it is the first one sent twice.
 * @param ignoredSignals signals that another process acts on
 */
export function untilStopped(
  signals: readonly NodeJS.Signals[] = STOPPING,
  ignoredSignals: readonly NodeJS.Signals[] = [],
): Promise<NodeJS.Signals> {
  for (const signal of ignoredSignals) process.on(signal, () => undefined);
  return new Promise((resolve) => {
    let first: { signal: NodeJS.Signals; at: number } | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        const now = performance.now();
        if (first === undefined) {
          first = { signal, at: now };
          return resolve(signal);
        }
        if (signal === first.signal && now - first.at < SAME_SIGNAL_MS) return;
        // The exit code that a shell reports for a program that a signal ended.
        process.exit(128 + constants.signals[signal]);
      });
    }
  });
}

/**
 * Resolves when npm, which started this process, is gone: a killed `npx` passes the signal on to its shell only, and this process
 * would stay behind. Never resolves for a process that npm did not start.
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
