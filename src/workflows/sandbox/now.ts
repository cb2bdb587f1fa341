/** Workflow time, ISO 8601: the same after a replay. */
export function now(): string {
  return new Date(Date.now()).toISOString();
}
