/** The message of a thrown value: that of an error, or the value as text. */
export function errorMessage(error: unknown): string {
  return String(error instanceof Error ? error.message : error);
}
