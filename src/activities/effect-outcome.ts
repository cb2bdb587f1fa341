/** What an effect record says of a call that this attempt may not dispatch. */
import type { RunCallInput, RunCallOutput } from '../shared/activity-io';
import { callError } from '../shared/errors';
import type { Json } from '../shared/json';
import type { EffectRecord } from '../store/store';
import { append } from '../store/transcript';
import type { Tool } from '../tools/define';
import type { StoredResult } from '../tools/shape';
import type { Dependencies } from './dependencies';
import { failure, keep, metadataOf } from './run-once';

/** The recorded outcome; a claim without one becomes `in_doubt`, for the reason given. */
export async function recordedOutcome(
  deps: Dependencies,
  request: Omit<RunCallInput, 'approval'>,
  record: EffectRecord,
  why: string,
): Promise<RunCallOutput> {
  const common = { attempts: 1, took_ms: 0, head: record.result_head ?? record.head };
  if (record.result_ref === null) return lost(deps, request, record, why);
  const stored = (await deps.store.getPart(record.result_ref)) as unknown as StoredResult;
  const error = stored.envelope.success ? null : stored.envelope.error;
  const kept = { result_ref: record.result_ref, summary: stored.summary };
  if (record.state === 'applied') return { ...common, ...kept, state: 'succeeded', effect: 'applied', error };
  if (record.state === 'in_doubt') return { ...common, ...kept, state: 'in_doubt', effect: 'in_doubt', error };
  return { ...common, ...kept, state: 'failed', effect: record.state === 'refused' ? 'refused' : 'not_applied', error };
}

/** A claim without an outcome: nobody knows whether the tool acted. */
async function lost(
  deps: Dependencies,
  { turn, call, at }: Omit<RunCallInput, 'approval'>,
  record: EffectRecord,
  why: string,
): Promise<RunCallOutput> {
  const error = callError(
    'EXECUTION_ERROR',
    'outcome_unknown',
    `${call.tool} was dispatched and its outcome is unknown: ${why}.`,
    {
      hint: 'It is not known whether this call took effect. Do not repeat it.',
    },
  );
  const tool = { name: call.tool, version: call.version, class: call.class } as Tool;
  const kept = await keep(
    deps,
    turn,
    call,
    tool,
    {},
    failure(error, {
      ...metadataOf(tool, turn, Date.parse(at)),
      timestamp: at,
      execution_time_ms: 0,
      performance: { validation_ms: 0, processing_ms: 0 },
    }),
  );
  const body: Json = {
    call_id: call.id,
    digest: call.digest,
    dispatch: record.dispatch,
    idempotency_key: record.idempotency_key,
    effect: 'in_doubt',
    result_ref: kept.result_ref,
  };
  const head = await append(deps.store, turn.first_execution_run_id, { parent: record.head, kind: 'effect', at, bodies: [body] });
  await deps.store.effects.move(record.idempotency_key, record.dispatch, 'in_doubt', {
    result_ref: kept.result_ref,
    result_head: head,
  });
  return { ...kept, state: 'in_doubt', effect: 'in_doubt', error, attempts: 1, took_ms: 0, head };
}
