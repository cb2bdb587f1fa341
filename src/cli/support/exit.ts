/** Exit codes, and the code for each error and each end of a turn. */
import { TURN_STATES } from '../../shared/turn/turn-states';

/** `interrupted`: the code that a shell reports for a program that Ctrl-C ended. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, interrupted: 130 } as const;

/** An exit code whose reason is already printed. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** The exit code for a turn's end. */
export function exitOf(state: string): number {
  if (state === 'refused') return EXIT.refused;
  return state === 'completed' || (TURN_STATES as readonly string[]).indexOf(state) < 3 ? EXIT.done : EXIT.failed;
}

const USAGE = new Set(['ConfigError', 'InvalidRequest', 'TrailQueryError', 'UsageError']);

/** Bad usage: a wrong argument, or a wrong setting. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function exitOfError(error: unknown): number {
  return error instanceof Error && USAGE.has(error.name) ? EXIT.usage : EXIT.failed;
}
