/** How long calls waited for people: what each part of the report says of it comes from here. */
import type { CallCase } from '../case-file';
import { ms } from './format-values';

export interface Wait {
  /** When people were asked; ms since 1970. */
  from: number;
  /** When the last of them decided, or, where that is not told, when the call ran. Null: neither is in the record. */
  to: number | null;
}

/** Null: nobody was asked. */
export function waitOf({ question, decisions, activities }: CallCase): Wait | null {
  const from = ms(question?.askedAt ?? null);
  if (from === null) return null;
  const after = (moments: (number | null)[]) => moments.filter((at): at is number => at !== null && at >= from);
  const decided = after(decisions.map(({ at }) => ms(at)));
  const ran = after(activities.filter(({ type }) => type !== 'admitCall').map(({ scheduledAt }) => ms(scheduledAt)));
  return { from, to: decided.length > 0 ? Math.max(...decided) : (ran[0] ?? null) };
}

/** Null: nobody was asked, or nobody has decided. */
export function waitedMs(call: CallCase): number | null {
  const wait = waitOf(call);
  return wait === null || wait.to === null ? null : wait.to - wait.from;
}

/** How long at least one of them waited: calls that wait beside each other count once. */
export function waitedTogetherMs(calls: readonly CallCase[]): number {
  const waits = calls
    .map(waitOf)
    .filter((wait): wait is { from: number; to: number } => wait !== null && wait.to !== null)
    .sort((a, b) => a.from - b.from);
  let [sum, end] = [0, -Infinity];
  for (const { from, to } of waits) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}
