/** Reads the call that runs, and checks it again against what was admitted: history is not trusted. */
import { ApplicationFailure } from '@temporalio/activity';
import type { CallArguments, TurnContext } from '../../shared/io/activities';
import { readInput } from '../../record/parts';
import { canonical, CanonicalError } from '../../shared/json/canonical';
import { callDigest, hashJson } from '../../shared/json/digests';
import { callError, type CallError } from '../../shared/wire/errors';
import { copyJson, type JsonObject } from '../../shared/json/json';
import type { ToolClass } from '../../shared/turn/tool-class';
import { StoreError, type Store } from '../../store/store';
import { checkInput } from '../../tools/admit/admit';
import { prepareTool } from '../../tools/catalogue/registry';
import { otherStart } from '../checks/start';
import type { Tool } from '../../tools/define/tool';

/** The input that a call is admitted with, from the arguments or from the admission's part: a copy, which may be changed. */
export async function inputToAdmit(
  store: Store,
  turn: TurnContext,
  call: Pick<CallArguments, 'id' | 'input' | 'input_ref' | 'input_hash'>,
): Promise<JsonObject> {
  const input = call.input ?? copyJson(readInput(await store.getPart(call.input_ref)));
  if (turn.store_id !== undefined && hashJson(input) !== call.input_hash)
    throw ApplicationFailure.nonRetryable(`Call ${call.id} is to be admitted with another input than its hash names`, OTHER_CALL);
  return input;
}

/** The call that a digest names. The code that runs a call uses these values, not the arguments of the activity. */
export interface NamedCall {
  agent: string;
  tool: string;
  version: string;
  class: ToolClass;
  input: JsonObject;
  /** Null: the tool declared none, or the digest is of version 1, which has none. */
  target: JsonObject | null;
}

export type CallLookup = { ok: true; call: NamedCall } | { ok: false; fault: string };

/**
 * The call that the digest names, read from the store; the arguments must agree with it. In version 1 only the digest binds the
 * arguments to what was admitted.
 */
export async function namedCall(store: Store, turn: TurnContext, call: CallArguments): Promise<CallLookup> {
  const digest = digestOf(turn, call);
  if (!digest.ok) return digest;
  if (digest.digest !== call.digest) return { ok: false, fault: `the call has digest ${digest.digest}, not ${call.digest}` };
  if (turn.store_id === undefined) return ofArguments(store, turn, call);
  try {
    const { record, input, target } = await store.getCall(call.digest);
    const { agent, tool, version, class: toolClass } = record;
    return { ok: true, call: { agent, tool, version, class: toolClass, input, target } };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ok: false, fault: `no call with digest ${call.digest} was admitted over this store: ${error.message}` };
  }
}

/** The input of a call whose digest was checked before. */
export async function effectiveInput(store: Store, turn: TurnContext, call: CallArguments): Promise<JsonObject> {
  return turn.store_id === undefined ? inputToAdmit(store, turn, call) : (await store.getCall(call.digest)).input;
}

async function ofArguments(store: Store, turn: TurnContext, call: CallArguments): Promise<CallLookup> {
  const input = await inputToAdmit(store, turn, call);
  const hash = hashable(() => hashJson(input));
  if (!hash.ok) return hash;
  if (hash.digest !== call.input_hash)
    return { ok: false, fault: `the input does not have the admitted hash ${call.input_hash}` };
  const { tool, version, class: toolClass } = call;
  return { ok: true, call: { agent: turn.agent, tool, version, class: toolClass, input, target: null } };
}

type Digest = { ok: true; digest: string } | { ok: false; fault: string };

function digestOf(turn: TurnContext, call: CallArguments): Digest {
  if (turn.store_id !== undefined && (call.definition_ref === undefined || call.target_hash === undefined))
    return { ok: false, fault: 'it names no definition of its agent, or no target' };
  // An input in the arguments is shown to people, so it must match its hash.
  const input = call.input;
  const hash = input === null ? null : hashable(() => hashJson(input));
  if (hash !== null && !hash.ok) return hash;
  if (hash !== null && hash.digest !== call.input_hash)
    return { ok: false, fault: `the input does not have the admitted hash ${call.input_hash}` };
  return hashable(() => callDigest(turn, call));
}

function hashable(hash: () => string): Digest {
  try {
    return { ok: true, digest: hash() };
  } catch (error) {
    if (error instanceof CanonicalError) return { ok: false, fault: `it cannot be hashed: ${error.message}` };
    throw error;
  }
}

const OTHER_CALL = 'holdfast.other_call';

/**
 * A dispatched call, as its digest names it. The digest selects the effect record, and covers all of the call. Without this check,
 * someone who starts an activity could have the outcome of one tool settled by the policy, or the probe, of another.
 * @throws ApplicationFailure `holdfast.other_call` if the digest is of another call
 */
export async function dispatchedCall(
  store: Store,
  { turn, call, head }: { turn: TurnContext; call: CallArguments; head: string },
): Promise<NamedCall> {
  const result = await namedCall(store, turn, call);
  const other = await otherStart(store, { turn, head });
  if (result.ok && other === null) return result.call;
  const why = result.ok ? other!.message : result.fault;
  throw ApplicationFailure.nonRetryable(`Call ${call.id} is not the one that was dispatched: ${why}`, OTHER_CALL);
}

/**
 * A version of a tool should always have the same schema. If a deploy changed it anyway, an admitted call must not run as something
 * else: with a field that the tool ignores now, or without one that it has now.
 * @returns null if the tool accepts exactly this input, unchanged
 */
export function inputFault(tool: Tool, input: JsonObject): CallError | null {
  const result = checkInput(prepareTool(tool), copyJson(input));
  if (result.ok && canonical(result.input) === canonical(input)) return null;
  const why = result.ok ? 'it would add to what was admitted' : result.error.message;
  const message = `${tool.name}@${tool.version} was not run: on this worker, the tool does not accept the admitted input unchanged: ${why}`;
  const hint = 'Ask for the call again, with the input that the tool takes now.';
  return callError('INVALID_PARAMS', 'tool_changed', message.slice(0, 2000).toWellFormed(), { hint });
}
