/** Builds the error of a call, and the text of an exception for the model, history and people. */
import type { CallError } from '../../shapes/envelope';
import { maskSecrets } from '../text/secrets';
import { ERROR_CODES, type ErrorCode } from './error-codes';
import { errorMessage } from '../text/error-message';

export type { CallError };

/** Reason of a TIMEOUT before the tool was called at all: nothing has happened. */
export const BEGUN_TOO_LATE = 'begun_too_late';

/** Longest message that crosses into history; longer ones are cut (Temporal hangs on huge failures). */
const MAX_MESSAGE = 2000;

/**
 * Builds a {@link CallError}; kind and retryable follow from the code. The message is made well-formed, since the store refuses
 * half a character.
 */
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

/** The envelope of every tool result. Types only: workflows load no zod. */
export type { DebugInfo, Deprecation, Envelope, EnvelopeMetadata, HookNote } from '../../shapes/envelope';

/** A key ring that cannot be used. The message never shows a key. */
export class BadKeyRing extends Error {
  override readonly name = 'BadKeyRing';
}

/** No Temporal server answers at the address. */
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

/** Most characters of a message. */
const LONGEST = 10_000;
/** Characters that are searched for secrets. It exceeds LONGEST, because half a secret would not be recognized. */
const LOOKED_AT = 40_000;

/**
 * The message of any thrown value, at most 10,000 characters of it, safe for the model, history and people: without secrets, and
 * well-formed Unicode.
 */
export function exceptionText(error: unknown): string {
  return maskSecrets(textOf(error).slice(0, LOOKED_AT)).slice(0, LONGEST).toWellFormed();
}

function textOf(error: unknown): string {
  try {
    return errorMessage(error);
  } catch {
    return 'what was thrown has no text';
  }
}
