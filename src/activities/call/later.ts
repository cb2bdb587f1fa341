/**
 * How a pending call ends, one whose tool has handed its end on (`ctx.later`): somebody completes it, the tool's `poll` knows how it ended,
 * or its time is over.
 */
import { Context } from '@temporalio/activity';
import { getCompletion, isTooDeep, TOO_DEEP, type CompletionOutcome } from '../../completions/token';
import type { CompleteCallInput, CompleteCallOutput, LaterCompletion, RunCallOutput } from '../../shared/io/activities';
import type { EffectRecord } from '../../record/effect';
import { callError, type CallError } from '../../shared/wire/errors';
import { isJsonObject, type Json } from '../../shared/json/json';
import { StoreError } from '../../store/store';
import type { Tool } from '../../tools/define/tool';
import { checkOutput } from '../../tools/schema/input-output';
import { targetFault } from '../checks/change-since-approval';
import { appendEffect, IN_DOUBT_HINT, notifyEffectListeners, placeOf, recordedOutcome } from '../effects/effect-outcome';
import { effectOf, keyOf } from '../effects/effect-record';
import type { Dependencies } from '../ports';
import { callContext, type CallContext } from './call-context';
import { dispatchedCall, type NamedCall } from './call-input';
import { failure, keep, metadataAt, success, withAfterHooks } from './run-once';
import { askTool } from './run-in-thread';

/** Characters of an error that a completion gives. */
const LONGEST_ERROR = 2000;

/** What became of the work; `unknown`: nobody knows. */
type End = CompletionOutcome | { unknown: CallError };

/** Looks at a pending call, for one cause. Nothing changes if it stays pending. */
export async function completeCall(deps: Dependencies, input: CompleteCallInput): Promise<CompleteCallOutput> {
  const { turn, call } = input;
  const named = await dispatchedCall(deps.store, input);
  const record = call.class === 'destructive' ? await effectOf(deps.store, turn, call) : null;
  if (call.class === 'destructive' && record?.state !== 'pending') {
    if (record === null) throw new Error(`There is no effect record of call ${call.id} to complete`);
    const settled = await recordedOutcome(deps, input, record, 'its record says no more');
    // An earlier attempt of this activity may have ended it with this completion. In the first one something else has.
    const isFirst = Context.current().info.attempt === 1;
    return { settled, reason: input.cause.by === 'completion' && isFirst ? `its effect is ${record.state} already` : null };
  }
  const tool = deps.registry.find(turn.agent, call.tool, named.version);
  // A reset may have given the call another digest: its upstream knows the key under which it was dispatched.
  const key = record?.idempotency_key ?? keyOf(turn, call);
  const end = await endOf(deps, input, { tool, named, key });
  if ('stays' in end) return { settled: null, reason: end.stays };
  const run = callContext(deps, { ...input, approvals: [] }, tool, named.input);
  return { settled: record === null ? await conclude(run, end) : await concludeEffect(run, record, end), reason: null };
}

type EndOrReason = End | { stays: string };

async function endOf(
  deps: Dependencies,
  input: CompleteCallInput,
  { tool, ...about }: { tool: Tool | undefined; named: NamedCall; key: string },
): Promise<EndOrReason> {
  const { call, cause, later, at } = input;
  if (cause.by === 'expiry')
    return { unknown: callError('TIMEOUT', 'not_completed', `Nobody completed ${call.tool} before ${later.expires_at}.`) };
  if (cause.by === 'cancellation')
    return { unknown: callError('EXECUTION_ERROR', 'turn_cancelled', `The turn was cancelled while ${call.tool} was pending.`) };
  if (!tool) return { stays: `the worker that was asked has no tool ${call.tool}@${about.named.version}` };
  const end =
    cause.by === 'poll' ? await poll(deps, input, { tool, ...about }) : await givenEnd(deps, later, cause.completion_ref);
  if (at > later.expires_at) return { stays: `it came after ${later.expires_at}` };
  if (!('result' in end)) return end;
  if (isTooDeep(end)) return { stays: TOO_DEEP };
  const fault = await checkOutput(tool, end.result, input.turn.requester);
  return fault === null ? end : { stays: `the result does not fit the tool: ${fault.message}` };
}

async function givenEnd({ store }: Dependencies, { token_hash }: LaterCompletion, ref: string): Promise<EndOrReason> {
  const none = { stays: 'this is no completion of this call' };
  try {
    return (await getCompletion(store, ref, token_hash)) ?? none;
  } catch (error) {
    if (error instanceof StoreError) return none; // anybody can send a reference
    throw error;
  }
}

async function poll(
  deps: Dependencies,
  { turn, call }: CompleteCallInput,
  { tool, named, key }: { tool: Tool; named: NamedCall; key: string },
): Promise<EndOrReason> {
  if (!tool.poll) return { stays: `this worker's ${tool.name}@${tool.version} has no poll` };
  // The poll of another target does not know the call.
  const elsewhere = turn.store_id === undefined ? null : targetFault(tool, named);
  if (elsewhere !== null) return { stays: elsewhere };
  const result = await askTool({ deps, turn, tool, input: named.input, call, key }, 'poll');
  return result.ok ? readPollAnswer(result.data) : { stays: `its poll failed: ${result.error.message}` };
}

/** An invalid answer leaves the call pending. */
function readPollAnswer(answer: Json): EndOrReason {
  if (answer === 'pending') return { stays: 'its poll says that it is pending' };
  const { result, error } = isJsonObject(answer) ? answer : {};
  if (result !== undefined && error === undefined) return { result };
  if (typeof error === 'string' && result === undefined) return { error };
  return { stays: 'its poll gave neither "pending" nor {result} nor {error}' };
}

/** For a call without an effect record. */
async function conclude(run: CallContext, end: End): Promise<RunCallOutput> {
  const { error, envelope } = envelopeOf(end, run);
  const part = await keep(run, await withAfterHooks(run, envelope));
  const state = error === null ? 'succeeded' : 'failed';
  return { ...part, state, effect: null, error, attempts: 1, took_ms: 0, head: null };
}

async function concludeEffect(run: CallContext, record: EffectRecord, end: End): Promise<RunCallOutput> {
  const { deps, request, turn, call } = run;
  const { idempotency_key: key, dispatch } = record;
  const effect = 'result' in end ? 'applied' : 'unknown' in end ? 'in_doubt' : 'not_applied';
  const { error, envelope } = envelopeOf(end, run);
  const resultPart = await keep(run, envelope);
  const head = await appendEffect(deps, request, {
    parent: await placeOf(deps.store, request, record),
    dispatch,
    key,
    effect,
    result_ref: resultPart.result_ref,
  });
  // If it was closed otherwise meanwhile, this fails and is retried: then the record is closed.
  await deps.store.effects.move(key, dispatch, effect, { result_ref: resultPart.result_ref, result_head: head });
  await notifyEffectListeners(deps, { turn, call, key, dispatch, effect });
  const finalEnvelope = await withAfterHooks(run, envelope);
  const finalPart = finalEnvelope === envelope ? resultPart : await keep(run, finalEnvelope);
  const state = effect === 'applied' ? 'succeeded' : effect === 'in_doubt' ? 'in_doubt' : 'failed';
  return { ...finalPart, state, effect, error, attempts: 1, took_ms: 0, head };
}

function envelopeOf(end: End, { turn, call, tool, request }: CallContext) {
  const metadata = metadataAt(tool, turn, request.at);
  if ('result' in end) return { error: null, envelope: success(end.result, metadata) };
  const error = 'unknown' in end ? unknownEnd(end.unknown, call.class) : givenError(end.error);
  return { error, envelope: failure(error, metadata) };
}

function unknownEnd(error: CallError, toolClass: string): CallError {
  return toolClass === 'destructive' ? { ...error, hint: IN_DOUBT_HINT } : error;
}

function givenError(message: string): CallError {
  return callError('EXECUTION_ERROR', 'completed_with_error', message.slice(0, LONGEST_ERROR).toWellFormed());
}
