/**
 * Checks recorded calls: computes each call's digest anew from the arguments in history, and compares it with the recorded digest.
 * Temporal's own replay compares ids and types, never arguments.
 */
import { callDigest, hashJson } from '../../src/shared/json/digests';
import { activityId } from '../../src/shared/ids';
import { approvalsOf, type RunCallInput } from '../../src/shared/io/activities';

export interface RecordedCall {
  /** The activity id in history. */
  activityId: string;
  /** The recorded argument. */
  input: RunCallInput;
}

/** The faults, one line each; empty: the record is consistent. */
export function recordedCallFaults({ activityId: id, input }: RecordedCall): string[] {
  const { turn, call } = input;
  const faults: string[] = [];
  if (call.input !== null && hashJson(call.input) !== call.input_hash)
    faults.push(`${id}: the recorded input does not have the recorded hash`);
  const digest = callDigest(turn, call);
  if (digest !== call.digest) faults.push(`${id}: the recorded call has digest ${digest}, not ${call.digest}`);
  if (activityId(call.id, call.tool, call.digest, call.dispatch) !== id)
    faults.push(`${id}: the id does not name the recorded call`);
  for (const approval of approvalsOf(input)) {
    if (approval.digest !== call.digest) faults.push(`${id}: the recorded approval is for ${approval.digest}`);
  }
  return faults;
}
