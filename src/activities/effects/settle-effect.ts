/**
 * After an attempt was lost: returns the recorded outcome of its dispatch, or closes the dispatch as `not_applied`, so that the lost
 * attempt can no longer act. Also records how people settled a call in doubt.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { InspectEffectInput, InspectEffectOutput, RunCallOutput, SettleEffectInput } from '../../shared/io/activities';
import { SETTLEMENT_REFUSAL } from '../../shared/approval/approval';
import { callError } from '../../shared/wire/errors';
import type { EffectRecord } from '../../record/effect';
import { append } from '../../store/core/transcript';
import { closeQuestion } from '../people/questions';
import { dispatchedCall } from '../call/call-input';
import type { Dependencies } from '../ports';
import { effectOf, fenceOff, keyOf } from './effect-record';
import { notifyEffectListeners, recordedOutcome } from './effect-outcome';
import { toolStub } from '../call/call-context';
import { failure, keep, metadataAt, success } from '../call/run-once';
import { recheckSettlements } from '../checks/recheck-approvals';
import type { PersonSettlement } from '../../record/blocks';
import { callSubject } from '../../record/subject';
import { settlementBlock } from '../../record/write-block';

/**
 * Finds the outcome of a dispatch whose attempt was lost. If there is no claim, it makes one that is closed as `not_applied`,
 * so that a lost attempt that is still alive elsewhere can no longer act.
 */
export async function inspectEffect(deps: Dependencies, input: InspectEffectInput): Promise<InspectEffectOutput> {
  const { turn, call, head } = input;
  await dispatchedCall(deps.store, input);
  const { claimed, record } = await fenceOff(deps, input);
  const fencedBefore = record.state === 'not_applied' && record.result_ref === null && record.dispatch === call.dispatch;
  if (claimed || fencedBefore) {
    await notifyEffectListeners(deps, {
      turn,
      call,
      key: record.idempotency_key,
      dispatch: record.dispatch,
      effect: 'not_applied',
    });
    return { found: 'nothing_happened', head };
  }
  return { found: 'outcome', outcome: await recordedOutcome(deps, input, record, `the attempt was lost (${input.cause})`) };
}

/** Records what people found out about a call in doubt. */
export async function settleEffect(deps: Dependencies, input: SettleEffectInput): Promise<RunCallOutput> {
  const { turn, call, at, outcome, by, note } = input;
  await dispatchedCall(deps.store, input);
  const record = await effectOf(deps.store, turn, call);
  if (!record) throw new Error(`There is no effect record ${keyOf(input.turn, input.call)} to settle`);
  const key = record.idempotency_key;
  const fault = await recheckSettlements(deps, input, record);
  if (isKnown(record) && record.state !== outcome) return knownBetter(deps, input, record, fault === null);
  if (fault !== null) throw ApplicationFailure.nonRetryable(fault.reason, SETTLEMENT_REFUSAL, fault.policy);
  const tool = toolStub(call);
  const metadata = metadataAt(tool, turn, at);
  const error = callError(
    'EXECUTION_ERROR',
    'not_applied',
    `${by} has found out that this call had no effect.${note ? ` They say: ${note}` : ''}`,
  );
  const isApplied = outcome === 'applied';
  const envelope = isApplied ? success({ settled: 'applied', by, note }, metadata) : failure(error, metadata);
  const resultPart = await keep({ deps, turn, call, tool, input: {} }, envelope);
  const head = await appendSettlement(deps, input, { idempotency_key: key, result_ref: resultPart.result_ref });
  await deps.store.effects.move(key, record.dispatch, outcome, { result_ref: resultPart.result_ref, result_head: head });
  await notifyEffectListeners(deps, { turn, call, key, dispatch: record.dispatch, effect: outcome });
  if (!isApplied) await closeQuestion(deps.store, record.digest);
  return {
    ...resultPart,
    state: isApplied ? 'succeeded' : 'failed',
    effect: outcome,
    error: isApplied ? null : error,
    attempts: 1,
    took_ms: 0,
    head,
  };
}

function isKnown({ state }: EffectRecord): boolean {
  return state !== 'claimed' && state !== 'in_doubt';
}

/**
 * The lost attempt was alive after all, and recorded its outcome after the person had looked. The record counts, since it is
 * first-hand and final. The settlement is added to the transcript if it is genuine.
 */
async function knownBetter(
  deps: Dependencies,
  input: SettleEffectInput,
  record: EffectRecord,
  genuine: boolean,
): Promise<RunCallOutput> {
  const output = await recordedOutcome(deps, input, record, 'its record was closed without a result');
  if (!genuine) return output;
  const { idempotency_key, state: recorded } = record;
  const head = await appendSettlement(deps, input, { idempotency_key, recorded, result_ref: output.result_ref });
  return { ...output, head };
}

/** Writes the settlement into the transcript. Returns the new head. */
function appendSettlement(
  { store }: Dependencies,
  input: SettleEffectInput,
  facts: Pick<PersonSettlement, 'idempotency_key' | 'recorded' | 'result_ref'>,
): Promise<string> {
  const { turn, call, at, head: parent, outcome, by, note, identity, settlements } = input;
  const statement = { outcome, by, note, identity, ...(settlements ? { settlements } : {}), ...facts };
  const block = settlementBlock({ call_id: call.id, digest: call.digest, ...statement, subject: callSubject(turn, call) });
  return append(store, turn.first_execution_run_id, { parent, at, ...block });
}
