/** Computes how long calls waited for people; all parts of the report take the times from here. */
import type { CallCase } from '../case-file';
import { ms } from './format-values';

export interface Wait {
  /** When people were asked; ms since 1970. */
  from: number;
  /** When the last of them decided, or, if that is not recorded, when the call ran. Null: neither is recorded. */
  to: number | null;
}

/** Null: nobody was asked. */
export function waitOf({ question, decisions, activities }: CallCase): Wait | null {
  const from = ms(question?.askedAt ?? null);
  if (from === null) return null;
  const after = (moments: (number | null)[]) => moments.filter((at): at is number => at !== null && at >= from);
  const decisionTimes = after(decisions.map(({ at }) => ms(at)));
  const runTimes = after(activities.filter(({ type }) => type !== 'admitCall').map(({ scheduledAt }) => ms(scheduledAt)));
  return { from, to: decisionTimes.length > 0 ? decisionTimes.reduce((last, at) => Math.max(last, at)) : (runTimes[0] ?? null) };
}

/** Null: nobody was asked, or the end of the wait is not recorded. */
export function waitedMs(call: CallCase): number | null {
  const wait = waitOf(call);
  return wait === null || wait.to === null ? null : wait.to - wait.from;
}

/** Time in which at least one call waited: overlapping waits count once. */
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
