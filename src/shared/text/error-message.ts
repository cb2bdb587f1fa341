/** The message of whatever was thrown: of an error its message, of anything else its text. */
export function errorMessage(error: unknown): string {
  return String(error instanceof Error ? error.message : error);
}
