/** What a call is run with, checked once more against what was admitted: history is not trusted blindly. */
import { ApplicationFailure } from '@temporalio/activity';
import type { CallArguments, TurnContext } from '../shared/activity-io';
import { canonical, CanonicalError } from '../shared/canonical';
import { callDigest, hashJson } from '../shared/digests';
import { callError, type CallError } from '../shared/errors';
import type { JsonObject } from '../shared/json';
import type { Store } from '../store/store';
import { checkInput } from '../tools/admit';
import type { Tool } from '../tools/define';
import { prepareTool } from '../tools/registry';

/** The effective input, from the arguments or from the admission's part: a copy, which the tool may change. */
export async function effectiveInput(store: Store, call: Pick<CallArguments, 'input' | 'input_ref'>): Promise<JsonObject> {
  if (call.input !== null) return call.input;
  const admission = (await store.getPart(call.input_ref)) as { input: JsonObject };
  return structuredClone(admission.input);
}

/** Null when the digest covers exactly this call and this input; else what differs. */
export function digestFault(turn: TurnContext, call: CallArguments, input: JsonObject): string | null {
  try {
    return mismatch(turn, call, input);
  } catch (error) {
    if (error instanceof CanonicalError) return `it cannot be hashed: ${error.message}`;
    throw error;
  }
}

function mismatch(turn: TurnContext, call: CallArguments, input: JsonObject): string | null {
  if (hashJson(input) !== call.input_hash) return `the input does not have the admitted hash ${call.input_hash}`;
  const digest = callDigest({ ...call, turn_id: turn.turn_id, call_id: call.id, requester: turn.requester });
  return digest === call.digest ? null : `the call has digest ${digest}, not ${call.digest}`;
}

/**
 * The input of a call that was dispatched. Which record is meant follows from the digest, and the digest from all of the
 * call: without this, whoever starts an activity could have one tool's outcome settled by another tool's policy, or probe.
 * @throws ApplicationFailure `holdfast.other_call` when the digest is of another call
 */
export async function dispatchedInput(store: Store, turn: TurnContext, call: CallArguments): Promise<JsonObject> {
  const input = await effectiveInput(store, call);
  const fault = digestFault(turn, call, input);
  if (fault === null) return input;
  throw ApplicationFailure.nonRetryable(`Call ${call.id} is not the one that was dispatched: ${fault}`, 'holdfast.other_call');
}

/**
 * A version should mean one schema for ever. Where a deploy has changed it all the same, what was admitted must not run as
 * something else: with a field that the tool does not look at any more, or without one that it has now.
 * @returns null when the tool takes exactly this input, as it is
 */
export function inputFault(tool: Tool, input: JsonObject): CallError | null {
  const checked = checkInput(prepareTool(tool), structuredClone(input));
  if (checked.ok && canonical(checked.input) === canonical(input)) return null;
  const why = checked.ok ? 'it would add to what was admitted' : checked.error.message;
  const message = `${tool.name}@${tool.version} was not run: this worker's version of it takes another input than the call was admitted with: ${why}`;
  const hint = 'Ask for the call again, with the input that the tool takes now.';
  return callError('INVALID_PARAMS', 'tool_changed', message.slice(0, 2000).toWellFormed(), { hint });
}
