/**
 * Asks the tool's probe whether a call in doubt took effect, and settles the call by its answer. `not_applied` counts only once the
 * lost attempt can no longer act.
 */
import type { ReconcileEffectInput, ReconcileEffectOutput, RunCallOutput } from '../../shared/io/activities';
import { callError } from '../../shared/wire/errors';
import type { Json, JsonObject } from '../../shared/json/json';
import type { EffectRecord } from '../../record/effect';
import { append } from '../../store/core/transcript';
import { checkOutput } from '../../tools/schema/input-output';
import { readProbeAnswer, unknown, type ProbeFinding } from '../../tools/run/tool-output';
import { closeQuestion } from '../people/questions';
import { dispatchedCall } from '../call/call-input';
import type { Dependencies } from '../ports';
import { dispatchedAs, believedFrom, effectOf } from './effect-record';
import { notifyEffectListeners, recordedOutcome } from './effect-outcome';
import { failure, keep, metadataAt, success } from '../call/run-once';
import { askTool } from '../call/run-in-thread';
import { callSubject } from '../../record/subject';
import { settlementBlock } from '../../record/write-block';
import { targetFault } from '../checks/change-since-approval';
import type { Tool } from '../../tools/define/tool';

export async function reconcileEffect(deps: Dependencies, request: ReconcileEffectInput): Promise<ReconcileEffectOutput> {
  const { turn, call } = request;
  const namedCall = await dispatchedCall(deps.store, request);
  const record = await effectOf(deps.store, turn, call);
  if (!record) throw new Error(`There is no effect record of call ${call.id} to reconcile`);
  const key = record.idempotency_key;
  if (record.state !== 'claimed' && record.state !== 'in_doubt')
    return { evidence: '', settled: await closedRecordOutcome(deps, request, record) };
  const recordedCall = await dispatchedAs(deps.store, { turn, digest: call.digest, call: namedCall }, record);
  if (recordedCall === null) return nobodyKnows(`It was dispatched as another call, ${record.digest}.`);
  const { input, version } = recordedCall;
  const tool = deps.registry.find(turn.agent, call.tool, version);
  if (!tool?.reconcile) return nobodyKnows(`This worker has no probe for ${call.tool}@${version}.`);
  // The probe of another target does not know the call, and would find no effect.
  const elsewhere = turn.store_id === undefined ? null : targetFault(tool, recordedCall);
  if (elsewhere !== null) return nobodyKnows(`This worker was not asked. ${elsewhere}`);

  const finding = await probe(deps, request, { tool, input, key });
  if (finding.outcome === 'unknown') return nobodyKnows(finding.evidence);
  // The time in the request may be forged; the one in the record was written by the attempt that may be acting.
  const from = Math.max(Date.parse(request.not_applied_from), await believedFrom(deps.store, record, tool));
  if (finding.outcome === 'not_applied' && !(Date.now() >= from)) {
    const until = Number.isNaN(from) ? null : new Date(from).toISOString();
    const early = `The probe says that nothing has happened so far, but the lost attempt may still act until ${until ?? 'its end'}.`;
    const evidence = [early, finding.evidence].join(' ').trim();
    return { ...nobodyKnows(evidence), ...(until === null ? {} : { not_applied_from: until }) };
  }
  return { evidence: finding.evidence, settled: await conclude(deps, request, record, { tool, input, finding }) };
}

function nobodyKnows(evidence: string): ReconcileEffectOutput {
  return { evidence: unknown(evidence).evidence, settled: null };
}

function closedRecordOutcome(deps: Dependencies, request: ReconcileEffectInput, record: EffectRecord): Promise<RunCallOutput> {
  return recordedOutcome(deps, request, record, 'its record was closed without a result');
}

interface ProbedCall {
  tool: Tool;
  input: JsonObject;
  finding: ProbeFinding;
}

/** Records what the probe found, unless the lost attempt has closed the record first: then the record counts. */
async function conclude(
  deps: Dependencies,
  request: ReconcileEffectInput,
  record: EffectRecord,
  { tool, input, finding }: ProbedCall,
): Promise<RunCallOutput> {
  const { turn, call, at, head: parent } = request;
  const { idempotency_key, dispatch } = record;
  const outcome = finding.outcome as 'applied' | 'not_applied';
  const isApplied = outcome === 'applied';
  const message = `${call.tool} has found out that this call had no effect. ${finding.evidence}`.trim();
  const error = isApplied ? null : callError('EXECUTION_ERROR', 'not_applied', message);
  const metadata = metadataAt(tool, turn, at);
  const envelope = error ? failure(error, metadata) : success(await dataOf(tool, finding, turn.requester), metadata);
  const resultPart = await keep({ deps, turn, call, tool, input }, envelope);
  const block = settlementBlock({
    call_id: call.id,
    digest: call.digest,
    outcome,
    by: '',
    probe: `${tool.name}@${tool.version}`,
    evidence: finding.evidence,
    idempotency_key,
    result_ref: resultPart.result_ref,
    subject: callSubject(turn, call),
  });
  const head = await append(deps.store, turn.first_execution_run_id, { parent, at, ...block });
  const facts = { result_ref: resultPart.result_ref, result_head: head };
  // If the attempt has ended otherwise meanwhile, this fails and is retried: then the record is closed.
  const closedRecord = await deps.store.effects.move(idempotency_key, dispatch, outcome, facts);
  await notifyEffectListeners(deps, { turn, call, key: idempotency_key, dispatch, effect: outcome });
  if (!isApplied) await closeQuestion(deps.store, record.digest);
  if (closedRecord.result_ref !== resultPart.result_ref) return closedRecordOutcome(deps, request, closedRecord);
  return { ...resultPart, state: isApplied ? 'succeeded' : 'failed', effect: outcome, error, attempts: 1, took_ms: 0, head };
}

/** The result that the model reads for a call that was applied; checked against the tool's output schema, like that of a run. */
async function dataOf(tool: Tool, { data, evidence }: ProbeFinding, requester: string): Promise<Json> {
  if (data === undefined) return { reconciled: 'applied', evidence };
  const fault = await checkOutput(tool, data, requester);
  return fault === null ? data : { unreadable_result: fault.message, result: data };
}

/** A probe that fails, or gives an invalid answer, counts as `unknown`. */
async function probe(
  deps: Dependencies,
  { turn, call }: ReconcileEffectInput,
  { tool, input, key }: { tool: Tool; input: JsonObject; key: string },
): Promise<ProbeFinding> {
  const result = await askTool({ deps, turn, tool, input, call, key }, 'reconcile');
  if (!result.ok) return unknown(`The probe failed: ${result.error.message}`);
  return readProbeAnswer(result.data);
}
