/** Writes the outcome of a dispatch into the transcript, and reports it to the budgets and the intent that were reserved for it. */
import { isDeepStrictEqual } from 'node:util';
import type { RunCallInput, RunCallOutput } from '../../shared/io/activities';
import { append, Draft } from '../../store/core/transcript';
import type { StoredBlock } from '../../store/core/seal';
import type { Store } from '../../store/store';
import { blocksOf } from '../../record/read-block';
import { callSubject } from '../../record/subject';
import { type BlockContent, decisionBlocks, effectBlock } from '../../record/write-block';
import { callError } from '../../shared/wire/errors';
import type { EffectRecord } from '../../record/effect';
import { readResult } from '../../record/parts';
import type { Dependencies } from '../ports';
import { pendingOutput, toolStub } from '../call/call-context';
import { failure, keep, metadataAt } from '../call/run-once';
import { settleBudgets } from './budgets';
import { closeIntentOf } from './duplicate-act';
import { fenceOff, keyOf, type ClosedEffect } from './effect-record';

/** What the model reads of a call in doubt. */
export const IN_DOUBT_HINT = 'It is not known whether this call took effect. Do not repeat it.';

interface EffectFacts {
  dispatch: number;
  key: string;
  effect: string;
  result_ref: string;
}

/** Writes the outcome of a dispatch into the transcript. Returns the new head. */
export function appendEffect(
  { store }: Dependencies,
  request: Pick<RunCallInput, 'turn' | 'call' | 'at'>,
  { parent, ...effect }: EffectFacts & { parent: string },
): Promise<string> {
  const { turn, at } = request;
  return append(store, turn.first_execution_run_id, { parent, at, ...outcomeBlock(request, effect) });
}

function outcomeBlock({ turn, call }: Pick<RunCallInput, 'turn' | 'call'>, { key, ...effect }: EffectFacts): BlockContent {
  const subject = callSubject(turn, call);
  return effectBlock({ call_id: call.id, digest: call.digest, idempotency_key: key, ...effect, subject });
}

/** May get the same outcome again, after a crash or a reset. A failure to reach a budget or intent is logged, not thrown. */
type Listener = (deps: Dependencies, closedEffect: ClosedEffect) => Promise<void>;

const LISTENERS: Listener[] = [closeIntentOf, settleBudgets];

export async function notifyEffectListeners(deps: Dependencies, closedEffect: ClosedEffect): Promise<void> {
  for (const listener of LISTENERS) await listener(deps, closedEffect);
}

// Where the outcome of a dispatch stands. A reset leaves the dispatch on a branch of the transcript, and the turn goes on from another
// block: there the outcome is written again, after what people have decided since.

/** A request about a call that may have been dispatched before. Only `runCall` names the approvals. */
type DispatchedRequest = Pick<RunCallInput, 'turn' | 'call' | 'at' | 'head'> & Partial<Pick<RunCallInput, 'approvals'>>;

/** The blocks of the turn from a head back to another one; absent: to the turn's start. */
async function blocksOfTurn(store: Store, head: string, to?: string): Promise<StoredBlock[]> {
  const blocks: StoredBlock[] = [];
  for (let hash: string | null = head; hash !== null;) {
    const storedBlock: StoredBlock = await store.getBlock(hash);
    blocks.push(storedBlock);
    hash = hash === to || storedBlock.block.kind === 'start' ? null : storedBlock.block.parent;
  }
  return blocks;
}

/** Whether these blocks have that one: their head comes after it, or is it. */
function isAfter(blocks: readonly StoredBlock[], earlier: string): boolean {
  return blocks.some(({ hash }) => hash === earlier);
}

/** Whether people's decisions on a call are among these blocks. */
function isDecided(blocks: readonly StoredBlock[], { digest }: RunCallInput['call']): boolean {
  return blocksOf('decision', blocks).some((decision) => decision.digest === digest);
}

/** Whether the turn can go on from a block: it comes after the present head, with what people have decided. */
async function goesOn(store: Store, block: string, { call, head, approvals = [] }: DispatchedRequest): Promise<boolean> {
  const mustBeDecided = approvals.length > 0;
  const blocks = await blocksOfTurn(store, block, mustBeDecided ? undefined : head);
  return isAfter(blocks, head) && (!mustBeDecided || isDecided(blocks, call));
}

/** The block after which the outcome of a dispatch is written. */
export async function placeOf(store: Store, request: DispatchedRequest, record: EffectRecord): Promise<string> {
  // A pending call that was taken over has what people have decided since in a record of its own.
  const own = await store.effects.latest(keyOf(request.turn, request.call));
  if (own !== null && (await goesOn(store, own.head, request))) return own.head;
  return (await goesOn(store, record.head, request)) ? record.head : request.head;
}

/** Adds what people decided on the call, unless the chain has it. A lost dispatch may have written it outside of the chain. */
export async function addDecisions({ store }: Dependencies, draft: Draft, request: DispatchedRequest): Promise<void> {
  const { turn, call, at, head, approvals } = request;
  if (approvals === undefined) return;
  if (call.dispatch === 1 || !isDecided(await blocksOfTurn(store, head), call))
    for (const block of decisionBlocks(turn, call, approvals)) draft.add(block, at);
}

/** What goes before the outcome: nothing, or after a reset what people have decided since. */
async function draftFor(deps: Dependencies, request: DispatchedRequest, record: EffectRecord): Promise<Draft> {
  const place = await placeOf(deps.store, request, record);
  const draft = new Draft(deps.store, request.turn.first_execution_run_id, place);
  if (place === request.head) await addDecisions(deps, draft, request);
  return draft;
}

/** The head with a recorded outcome. */
async function headOf(deps: Dependencies, request: DispatchedRequest, record: EffectRecord): Promise<string> {
  const { store } = deps;
  const { head, at } = request;
  const recordedHead = record.result_head ?? record.head;
  if ((await goesOn(store, recordedHead, request)) || isAfter(await blocksOfTurn(store, head, record.head), record.head))
    return recordedHead;
  const { dispatch, idempotency_key: key, state: effect, result_ref } = record;
  const block = outcomeBlock(request, { dispatch, key, effect, result_ref: result_ref! });
  if (isDeepStrictEqual((await store.getBlock(head)).bodies, block.bodies)) return head;
  const draft = await draftFor(deps, request, record);
  draft.add(block, at);
  return draft.store();
}

// The outcome of a call that this attempt may not dispatch, read from its effect record.

/** The recorded outcome; a claim without one becomes `in_doubt`, for the reason given. */
export async function recordedOutcome(
  deps: Dependencies,
  request: DispatchedRequest,
  record: EffectRecord,
  why: string,
): Promise<RunCallOutput> {
  const { turn, call } = request;
  const { state, dispatch, idempotency_key: key } = record;
  // The worker that closed the record may have died before it notified the listeners.
  if (state !== 'claimed' && state !== 'pending' && state !== 'refused')
    await notifyEffectListeners(deps, { turn, call, key, dispatch, effect: state });
  if (state === 'pending') return reportPending(deps, request, record);
  if (record.result_ref === null) return reportUnknownOutcome(deps, request, record, why);
  const common = { attempts: 1, took_ms: 0, head: await headOf(deps, request, record) };
  const result = readResult(await deps.store.getPart(record.result_ref));
  const error = result.envelope.success ? null : result.envelope.error;
  const resultPart = { result_ref: record.result_ref, summary: result.summary };
  if (record.state === 'applied') return { ...common, ...resultPart, state: 'succeeded', effect: 'applied', error };
  if (record.state === 'in_doubt') return { ...common, ...resultPart, state: 'in_doubt', effect: 'in_doubt', error };
  return { ...common, ...resultPart, state: 'failed', effect: record.state === 'refused' ? 'refused' : 'not_applied', error };
}

/** What people have decided since a reset waits in a record under the call's own key. */
async function reportPending(deps: Dependencies, request: DispatchedRequest, record: EffectRecord): Promise<RunCallOutput> {
  const draft = await draftFor(deps, request, record);
  if (draft.blocks.length > 0) await fenceOff(deps, { ...request, head: await draft.store() });
  return pendingOutput(record.later!, 0);
}

/** A claim without an outcome: it is unknown whether the tool acted. */
async function reportUnknownOutcome(
  deps: Dependencies,
  request: DispatchedRequest,
  record: EffectRecord,
  why: string,
): Promise<RunCallOutput> {
  const { turn, call, at } = request;
  const { deadline } = record;
  const may = deadline ? ` Until ${deadline} it may still act.` : '';
  const message = `${call.tool} was dispatched and its outcome is unknown: ${why}.${may}`;
  const error = callError('EXECUTION_ERROR', 'outcome_unknown', message, { hint: IN_DOUBT_HINT });
  const tool = toolStub(call);
  const resultPart = await keep({ deps, turn, call, tool, input: {} }, failure(error, metadataAt(tool, turn, at)));
  const { dispatch, idempotency_key: key } = record;
  const { result_ref } = resultPart;
  const draft = await draftFor(deps, request, record);
  draft.add(outcomeBlock(request, { dispatch, key, effect: 'in_doubt', result_ref }), at);
  const head = await draft.store();
  await deps.store.effects.move(key, dispatch, 'in_doubt', { result_ref, result_head: head });
  await notifyEffectListeners(deps, { turn, call, key, dispatch, effect: 'in_doubt' });
  return { ...resultPart, state: 'in_doubt', effect: 'in_doubt', error, attempts: 1, took_ms: 0, head };
}
