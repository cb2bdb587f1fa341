import { masked } from './without-secrets';

/** Longer is nobody's message, characters. */
const LONGEST = 10_000;

/** The message of whatever was thrown, at most 10,000 characters of it, fit for the model, history and people: without secrets, and well-formed Unicode. */
export function exceptionText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return masked(text.slice(0, LONGEST));
}
