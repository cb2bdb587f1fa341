/**
 * Until when an attempt may act. Each attempt writes it down before it acts, and looks at its own clocks right before; whoever
 * is told that nothing has happened believes it only from then on. So a worker that stood still cannot act after others have
 * gone on without it.
 */
import { timeLimitOf } from '../../shared/turn/tool-class';
import type { EffectRecord, Store } from '../../store/store';
import type { Deadline } from '../../tools/run/deadline';
import { readResult } from '../../record/parts';
import type { Tool } from '../../tools/define/tool';

/** From before the claim is written until the tool begins, ms. An attempt that takes longer gives its claim back. */
export const BEGINS_WITHIN_MS = 10_000;
/** So far may the clocks of two workers be apart, ms (docs/effects.md). */
export const CLOCK_SKEW_MS = 5000;

/**
 * Of an attempt that begins before `begins`, or never.
 * @param others until when those before it under the same claim may act: the record has one deadline, which is never an earlier
 *   one, and never the same, since an attempt knows by it that no other has begun
 */
export function actsUntil(begins: Deadline, tool: Tool, others: string | null): string {
  const own = begins.at + timeLimitOf(tool);
  return new Date(others === null ? own : Math.max(own, Date.parse(others) + 1)).toISOString();
}

/** From when on a probe is believed that finds nothing, ms since 1970; 0: at once, since no attempt is under way. */
export async function believedFrom(store: Store, record: EffectRecord, tool: Tool): Promise<number> {
  const { deadline, claimed_at } = record;
  if (deadline === null) return 0;
  if (deadline !== undefined) return Date.parse(deadline) + CLOCK_SKEW_MS;
  // Claimed by an older build, which wrote down no deadline.
  return (await wasLost(store, record)) ? Date.parse(claimed_at) + timeLimitOf(tool) + CLOCK_SKEW_MS : 0;
}

async function wasLost(store: Store, { result_ref }: EffectRecord): Promise<boolean> {
  if (result_ref === null) return true;
  const { envelope } = readResult(await store.getPart(result_ref));
  return !envelope.success && envelope.error.reason === 'outcome_unknown';
}
