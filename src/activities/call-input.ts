/** What a call is run with, checked once more against what was admitted: history is not trusted blindly. */
import type { CallArguments, TurnContext } from '../shared/activity-io';
import { callDigest, hashJson } from '../shared/digests';
import type { JsonObject } from '../shared/json';
import type { Store } from '../store/store';

/** The effective input, from the arguments or from the admission's part: a copy, which the tool may change. */
export async function effectiveInput(store: Store, call: Pick<CallArguments, 'input' | 'input_ref'>): Promise<JsonObject> {
  if (call.input !== null) return call.input;
  const admission = (await store.getPart(call.input_ref)) as { input: JsonObject };
  return structuredClone(admission.input);
}

/** Null when the digest covers exactly this call and this input; else what differs. */
export function digestFault(turn: TurnContext, call: CallArguments, input: JsonObject): string | null {
  if (hashJson(input) !== call.input_hash) return `the input does not have the admitted hash ${call.input_hash}`;
  const digest = callDigest({ ...call, turn_id: turn.turn_id, call_id: call.id, requester: turn.requester });
  return digest === call.digest ? null : `the call has digest ${digest}, not ${call.digest}`;
}
