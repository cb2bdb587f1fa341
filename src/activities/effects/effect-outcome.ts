/** Writes the outcome of a dispatch into the transcript, and reports it to the budgets and the intent that were reserved for it. */
import type { RunCallInput, RunCallOutput } from '../../shared/io/activities';
import { append } from '../../store/core/transcript';
import { callSubject } from '../../record/subject';
import { effectBlock } from '../../record/write-block';
import { callError } from '../../shared/wire/errors';
import type { EffectRecord } from '../../record/effect';
import { readResult } from '../../record/parts';
import type { Dependencies } from '../ports';
import { pendingOutput, toolStub } from '../call/call-context';
import { failure, keep, metadataAt } from '../call/run-once';
import { settleBudgets } from './budgets';
import { closeIntentOf } from './duplicate-act';
import type { ClosedEffect } from './effect-record';

/** What the model reads of a call in doubt. */
export const IN_DOUBT_HINT = 'It is not known whether this call took effect. Do not repeat it.';

/** Writes the outcome of a dispatch into the transcript. Returns the new head. */
export function appendEffect(
  { store }: Dependencies,
  { turn, call, at }: Pick<RunCallInput, 'turn' | 'call' | 'at'>,
  effect: { parent: string; dispatch: number; key: string; effect: string; result_ref: string },
): Promise<string> {
  const block = effectBlock({
    call_id: call.id,
    digest: call.digest,
    dispatch: effect.dispatch,
    idempotency_key: effect.key,
    effect: effect.effect,
    result_ref: effect.result_ref,
    subject: callSubject(turn, call),
  });
  return append(store, turn.first_execution_run_id, { parent: effect.parent, at, ...block });
}

/** May get the same outcome again, after a crash or a reset. A failure to reach a budget or intent is logged, not thrown. */
type Listener = (deps: Dependencies, closedEffect: ClosedEffect) => Promise<void>;

const LISTENERS: Listener[] = [closeIntentOf, settleBudgets];

export async function notifyEffectListeners(deps: Dependencies, closedEffect: ClosedEffect): Promise<void> {
  for (const listener of LISTENERS) await listener(deps, closedEffect);
}

// The outcome of a call that this attempt may not dispatch, read from its effect record.

/** The recorded outcome; a claim without one becomes `in_doubt`, for the reason given. */
export async function recordedOutcome(
  deps: Dependencies,
  request: Omit<RunCallInput, 'approvals'>,
  record: EffectRecord,
  why: string,
): Promise<RunCallOutput> {
  const { turn, call } = request;
  const { state, dispatch, idempotency_key: key } = record;
  // The worker that closed the record may have died before it notified the listeners.
  if (state !== 'claimed' && state !== 'pending' && state !== 'refused')
    await notifyEffectListeners(deps, { turn, call, key, dispatch, effect: state });
  const common = { attempts: 1, took_ms: 0, head: record.result_head ?? record.head };
  if (state === 'pending') return pendingOutput(record.later!, 0);
  if (record.result_ref === null) return reportUnknownOutcome(deps, request, record, why);
  const result = readResult(await deps.store.getPart(record.result_ref));
  const error = result.envelope.success ? null : result.envelope.error;
  const resultPart = { result_ref: record.result_ref, summary: result.summary };
  if (record.state === 'applied') return { ...common, ...resultPart, state: 'succeeded', effect: 'applied', error };
  if (record.state === 'in_doubt') return { ...common, ...resultPart, state: 'in_doubt', effect: 'in_doubt', error };
  return { ...common, ...resultPart, state: 'failed', effect: record.state === 'refused' ? 'refused' : 'not_applied', error };
}

/** A claim without an outcome: it is unknown whether the tool acted. */
async function reportUnknownOutcome(
  deps: Dependencies,
  request: Omit<RunCallInput, 'approvals'>,
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
  const { head: parent, dispatch, idempotency_key: key } = record;
  const head = await appendEffect(deps, request, {
    parent,
    dispatch,
    key,
    effect: 'in_doubt',
    result_ref: resultPart.result_ref,
  });
  await deps.store.effects.move(key, dispatch, 'in_doubt', { result_ref: resultPart.result_ref, result_head: head });
  await notifyEffectListeners(deps, { turn, call, key, dispatch, effect: 'in_doubt' });
  return { ...resultPart, state: 'in_doubt', effect: 'in_doubt', error, attempts: 1, took_ms: 0, head };
}
