/** The digest that a step gives a call that needs no further admission: what it is of stands beside it (rule D2). */
import { callDigest } from '../../shared/json/digests';
import type { Json, JsonObject } from '../../shared/json/json';
import { attempt } from './values';

export interface Step {
  /** That of the activity's argument. Without an id it is not known. */
  turn: JsonObject;
  /** Which its result adds to the turn, and, of a direct call, the agent that takes it. */
  bound: Record<string, Json | undefined>;
  /** Of the step, for older calls. */
  policy_ref: Json | undefined;
}

/** @returns what is wrong, or null */
export function digestFault(call: JsonObject, { turn, bound, policy_ref }: Step): string | null {
  const { digest, verdict, needs_admit } = call;
  if (digest === undefined) return null;
  const isReady = verdict !== 'rejected' && needs_admit === false;
  if (needs_admit !== undefined && isReady !== (digest !== null))
    return 'is said to need no further admission, and has no digest; or has one, and is said to need it';
  if (digest === null || typeof turn.turn_id !== 'string') return null;
  const of = { ...turn, ...there(bound) };
  const first = { policy_ref, ...call, revision: 1, preview_ref: null };
  return attempt(() => callDigest(of as never, first as never)) === digest ? null : 'has a digest that is not its own';
}

function there(fields: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
