/** How an attempt that failed is told: expected and tried again, stopped, or a fault that somebody must mend. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';

export type FailedAttempt =
  /** Tried again by Temporal, and expected: an upstream's bad moment. */
  | { kind: 'retried'; code: string; retry_in_ms: number | null }
  /** Stopped from outside; `cause` is Temporal's word, e.g. `WORKER_SHUTDOWN`. */
  | { kind: 'stopped'; cause: string }
  /** Not expected. `code` is the failure's type, or the error's name. */
  | { kind: 'fault'; code: string; retried: boolean; todo: string };

/** Failures of tools and models carry these types; everything else is a fault of the engine or of what it stands on. */
const EXPECTED = /^(?:holdfast\.tool|model)\./;

const TODO: readonly [RegExp, string][] = [
  [/^(?:holdfast\.store|StoreError)\.conflict$/, 'The effect record says otherwise: compare it with what really happened.'],
  [
    /^(?:holdfast\.store|StoreError)\./,
    'The store lacks what the message names, or it is damaged there: restore it from a backup.',
  ],
  [/^(?:ENOSPC|EDQUOT)$/, 'The disk of the store is full: make room.'],
  [/^(?:EACCES|EPERM|EROFS)$/, "The store cannot be written: check its owner and mode, and this worker's user."],
  [
    /^(?:EIO|ESTALE|ENOENT|EMFILE|ENFILE|ECONN\w+)$/,
    'The store does not answer as it should: check its file system or database.',
  ],
  [/^holdfast\.unknown_agent$/, 'Workers of one task queue serve the same agents: deploy the app that has this one.'],
  [/^(?:model\.|holdfast\.start_not_attested$)/, 'The message says what to do.'],
];
const UNKNOWN = 'This is a fault of the engine or of a tool: keep this line, and report it.';

/** @param stopped the activity has been cancelled, or its worker shuts down */
export function failedAttempt(error: unknown, stopped: boolean): FailedAttempt {
  if (stopped && isStop(error)) return { kind: 'stopped', cause: error instanceof Error ? error.message : '' };
  if (error instanceof ApplicationFailure) {
    const code = error.type ?? error.name;
    const retried = error.nonRetryable !== true;
    if (retried && EXPECTED.test(code)) return { kind: 'retried', code, retry_in_ms: delayOf(error) };
    return { kind: 'fault', code, retried, todo: todoFor(code) };
  }
  const code = codeOf(error);
  return { kind: 'fault', code, retried: true, todo: todoFor(code) };
}

function isStop(error: unknown): boolean {
  return error instanceof CancelledFailure || (error instanceof Error && error.name === 'AbortError');
}

/** Null: by the retry policy of the activity. */
function delayOf({ nextRetryDelay }: ApplicationFailure): number | null {
  return typeof nextRetryDelay === 'number' ? nextRetryDelay : null;
}

/** `StoreError.damaged`, `ENOSPC`, `TypeError`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  const parts = [error.name, code].filter((part) => typeof part === 'string' && part !== 'Error');
  return parts.length === 0 ? error.name : parts.join('.');
}

function todoFor(code: string): string {
  return TODO.find(([pattern]) => pattern.test(code))?.[1] ?? UNKNOWN;
}
