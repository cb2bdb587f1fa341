import { masked } from './secrets';

/** Longer is nobody's message, characters. */
const LONGEST = 10_000;
/** So many are looked at for secrets: one that is cut in half would not be known for one. */
const LOOKED_AT = 40_000;

/** The message of whatever was thrown, at most 10,000 characters of it, fit for the model, history and people: without secrets, and well-formed Unicode. */
export function exceptionText(error: unknown): string {
  return masked(textOf(error).slice(0, LOOKED_AT)).slice(0, LONGEST).toWellFormed();
}

function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'what was thrown has no text';
  }
}
