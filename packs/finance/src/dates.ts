/** Calendar arithmetic on `YYYY-MM-DD`, in UTC. */
const DAY_MS = 86_400_000;

/** Whole days from one date to another; negative if the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Today's date by the clock, in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
