/** Makes the error of a call. */
import type { CallError } from '../../shapes/envelope';
import { maskSecrets } from '../text/secrets';
import { ERROR_CODES, type ErrorCode } from './error-codes';

export type { CallError };

/** Reason of a TIMEOUT before the tool was asked at all: nothing has happened. */
export const BEGUN_TOO_LATE = 'begun_too_late';

/** Longest message that crosses into history; longer ones are cut (Temporal hangs on huge failures). */
const MAX_MESSAGE = 2000;

/** Builds a {@link CallError}; kind and retryable follow from the code. The store could not keep half a character. */
export function callError(
  code: ErrorCode,
  reason: string,
  message: string,
  more: Omit<Partial<CallError>, 'code' | 'kind' | 'reason' | 'message' | 'retryable'> = {},
): CallError {
  const { kind, retryable } = ERROR_CODES[code];
  return { code, kind, reason, message: cut(message).toWellFormed(), retryable, ...more };
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}… (${text.length} characters)`;
}

/** The envelope of every tool result. Types alone: workflows load no zod. */
export type { DebugInfo, Deprecation, Envelope, EnvelopeMetadata, HookNote } from '../../shapes/envelope';

/** Nothing answers where the Temporal server should be. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
  constructor(
    readonly address: string,
    override readonly cause: unknown,
  ) {
    const why = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
    super(
      `No Temporal server answers at ${address} (${why}). Start the embedded stack with \`npx holdfast dev\`, or set TEMPORAL_ADDRESS.`,
    );
  }
}

/** Longer is nobody's message, characters. */
const LONGEST = 10_000;
/** So many are looked at for secrets: one that is cut in half would not be known for one. */
const LOOKED_AT = 40_000;

/** The message of whatever was thrown, at most 10,000 characters of it, fit for the model, history and people: without secrets, and well-formed Unicode. */
export function exceptionText(error: unknown): string {
  return maskSecrets(textOf(error).slice(0, LOOKED_AT)).slice(0, LONGEST).toWellFormed();
}

function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'what was thrown has no text';
  }
}
