/**
 * Decides which call may perform the action of an intent, so that the same action under another name does not happen twice. A pure
 * state machine; the entity workflow `intent` runs it, one for each intent, as long as the window lasts.
 */
import { hashJson } from './json/digests';
import type { Json } from './json/json';

/** A call that the intent has let through to its effect. */
export interface IntentOwner {
  /** The idempotency key: it stays the same in a retry and after a reset. */
  key: string;
  digest: string;
  turn_id: string;
  call_id: string;
  requester: string;
  /** When it was let through, ISO 8601. */
  at: string;
  window_ms: number;
  /** The effect is known to have happened. Before that, it may be under way or in doubt. */
  settled: boolean;
}

export interface IntentClaim {
  owner: Pick<IntentOwner, 'key' | 'digest' | 'turn_id' | 'call_id' | 'requester'>;
  window_ms: number;
  /** Digests of owners beside which a person approved this call. */
  accepted: string[];
}

export interface ClaimAnswer {
  granted: boolean;
  /** The other owners, in the order in which they were let through. */
  owners: IntentOwner[];
}

/** How an owner's call ended. */
export interface IntentClose {
  key: string;
  effect: 'applied' | 'not_applied';
}

export const INTENT_WINDOW_MS = 24 * 3_600_000;
/** An owner whose outcome is never reported (its turn was terminated) holds for this long, or for its window if that is longer. */
export const UNSETTLED_MS = 30 * 24 * 3_600_000;
/** Longest time that a claim takes, ms. */
export const CLAIM_MS = 20_000;
/** A person who saw the last owner accepted each further one, so older owners can be dropped. */
export const MOST_OWNERS = 20;

/** Names an intent. The tool's version is not part of it: the action is the same. */
export function intentHash(tool: string, key: Json): string {
  return hashJson({ v: 'holdfast.intent/1', tool, key });
}

/** Workflow id of an intent's entity. The task queue is part of it: only workers of that queue answer for it. */
export function intentWorkflowId(taskQueue: string, intent: string): string {
  return `intent/${taskQueue}/${intent}`;
}

/** Lets a call through, unless there is an earlier owner that no person has accepted. The same owner is let through again. */
export function claimIntent(owners: IntentOwner[], claim: IntentClaim, now: number): ClaimAnswer & { next: IntentOwner[] } {
  const present = owners.filter((owner) => holds(owner, now));
  const others = present.filter(({ key }) => key !== claim.owner.key);
  if (others.length < present.length) return { granted: true, owners: others, next: present };
  // The approver who accepted the last owner saw the earlier ones on the same card.
  const last = others.at(-1);
  if (last && !claim.accepted.includes(last.digest)) return { granted: false, owners: others, next: present };
  const { key, digest, turn_id, call_id, requester } = claim.owner;
  const at = new Date(now).toISOString();
  const owner = { key, digest, turn_id, call_id, requester, at, window_ms: claim.window_ms, settled: false };
  return { granted: true, owners: others, next: [...others, owner].slice(-MOST_OWNERS) };
}

/** An applied effect holds until its window is over; one that was not applied no longer holds. */
export function closeIntent(owners: IntentOwner[], { key, effect }: IntentClose): IntentOwner[] {
  if (effect === 'not_applied') return owners.filter((owner) => owner.key !== key);
  return owners.map((owner) => (owner.key === key ? { ...owner, settled: true } : owner));
}

/** True while this owner makes a call for the same action wait for a person. */
export function holds(owner: IntentOwner, now: number): boolean {
  return now < endOf(owner);
}

/** ms since 1970. */
export function endOf({ at, window_ms, settled }: IntentOwner): number {
  return Date.parse(at) + (settled ? window_ms : Math.max(window_ms, UNSETTLED_MS));
}
