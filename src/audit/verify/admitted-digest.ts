/** Checks the digest that a step gives to a call without further admission, against the fields beside it (rule D2). */
import { callDigest } from '../../shared/json/digests';
import type { Json, JsonObject } from '../../shared/json/json';
import { attempt } from './values';

export interface Step {
  /** The activity argument's `turn`. Without `turn_id` it is unknown. */
  turn: JsonObject;
  /** The store that the result adds to the turn, and, for a direct call, the agent. */
  addedFields: Record<string, Json | undefined>;
  /** The step's, for older calls without one. */
  policy_ref: Json | undefined;
}

/** @returns what is wrong, or null */
export function digestFault(call: JsonObject, { turn, addedFields, policy_ref }: Step): string | null {
  const { digest, verdict, needs_admit } = call;
  if (digest === undefined) return null;
  const isReady = verdict !== 'rejected' && needs_admit === false;
  if (needs_admit !== undefined && isReady !== (digest !== null))
    return 'is said to need no further admission, and has no digest; or has one, and is said to need it';
  if (digest === null || typeof turn.turn_id !== 'string') return null;
  const of = { ...turn, ...definedFields(addedFields) };
  const first = { policy_ref, ...call, revision: 1, preview_ref: null };
  return attempt(() => callDigest(of as never, first as never)) === digest ? null : 'has a digest that is not its own';
}

function definedFields(fields: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
