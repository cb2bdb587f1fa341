/** The calls of one answer, or a direct call, admitted: as they go into the transcript, and as they travel to the workflow. */
import { ApplicationFailure } from '@temporalio/activity';
import { INLINE_BYTES, type AdmittedCall, type TakeStepInput, type TurnContext } from '../../shared/io/activities';
import { canonical } from '../../shared/json/canonical';
import { callDigest, callRecord, type CallFields } from '../../shared/json/digests';
import { callId } from '../../shared/ids';
import { CLAIM_MS } from '../../shared/intent';
import type { AdmissionCall } from '../../record/blocks';
import { asJson } from '../../shared/json/json';
import { timeLimitOf } from '../../shared/turn/tool-class';
import { isCut, type ModelResponse } from '../../model/provider';
import type { Store } from '../../store/store';
import { admit, refuseExcess, type StaticAdmission } from '../../tools/admit/admit';
import { HOOK_TIMEOUT, hooksFor } from '../../tools/admit/hooks';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { targetHash } from '../../tools/admit/policy';
import { toolUses, type ToolUse, type AskedIds } from '../step/model-content';
import { PREVIEW_TIMEOUT, changedBy, turnFacts } from './decide-call';
import { LOOK_WAIT_MS, threadWaitMs } from '../call/run-where';
import { remainingDepth } from '../sub-agents/close-sub-turn';
import type { Dependencies } from '../ports';
import type { Tool } from '../../tools/define/tool';

/** Calls that one answer may ask for. What crosses into history has to stay far below 2 MB. */
const MAX_CALLS = 64;
/** How long a tool's probe is asked what became of a call before a person is. */
const RECONCILE_MS = 60_000;
const INLINE_BUDGET = 24_000;
/** Beyond these nothing is even refused call by call: the state of the turn has to hold them all. */
const MOST_CALLS = 80;

export interface AskedCall {
  id: string;
  use: ToolUse;
  admission: StaticAdmission;
  validationMs: number;
  /** Whether the effective input travels beside its reference. */
  inline: boolean;
  /** The part of the admission block. */
  body: AdmissionCall;
}

/** What admission has to know of the conversation before this step. */
interface ConversationFacts {
  /** What outsiders wrote has been read. */
  untrusted: boolean;
  /** Names of the tools that the model was shown. */
  shown: ReadonlySet<string>;
  /** Of calls that have another id than the model wrote. */
  askedIds: AskedIds;
}

/** Static admission of all that an answer asks for, in its order. */
export async function admitAll(
  { log, running }: Dependencies,
  agent: PreparedAgent,
  input: TakeStepInput,
  response: ModelResponse,
  { untrusted, shown, askedIds }: ConversationFacts,
): Promise<AskedCall[]> {
  const cut = isCut(response.stopReason);
  let budget = INLINE_BUDGET;
  const uses = toolUses(response, askedIds);
  if (uses.length > MOST_CALLS) throw tooManyCalls(uses.length);
  const options = (id: string) => ({
    turn: turnFacts(input.turn, id, untrusted),
    log,
    depthLeft: remainingDepth(input.turn, agent),
  });
  const calls: AskedCall[] = [];
  for (const [index, use] of uses.entries()) {
    const id = callId(input.step, index + 1);
    const asked = { name: use.name, json: use.json, cut, shown };
    const began = performance.now();
    const admission =
      index < MAX_CALLS
        ? await running.asking(agent.tools.get(use.name)?.tool.name, () => admit(agent, asked, options(id)))
        : refuseExcess(agent, asked, MAX_CALLS);
    const validationMs = Math.round(performance.now() - began);
    const bytes = Buffer.byteLength(canonical(admission.input));
    const inline = bytes <= INLINE_BYTES && bytes <= budget;
    if (inline) budget -= bytes;
    calls.push({ id, use, admission, validationMs, inline, body: admissionBody(id, use, admission) });
  }
  return calls;
}

function tooManyCalls(count: number): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `The model's answer asks for ${count} calls; ${MAX_CALLS} of one answer are run, and from ${MOST_CALLS} on the answer is not taken. Ask for less at once.`,
    'holdfast.too_many_calls',
  );
}

/**
 * What runs a call reads it by its digest, so each that is ready is kept under it. An input that does not travel is read by
 * reference as well: its part has to be found by itself.
 */
export async function storeCalls(
  store: Store,
  turn: TurnContext,
  calls: { asked: AskedCall; admitted: AdmittedCall }[],
): Promise<void> {
  const large = calls.filter(({ asked, admitted }) => !asked.inline && admitted.verdict !== 'rejected');
  const ready = turn.store_id === undefined ? [] : calls.filter(({ admitted }) => admitted.digest !== null);
  const records = ready.map(({ asked: { admission }, admitted }) => ({
    record: callRecord(turn, firstRevision(admitted, admitted.policy_ref!)),
    input: admission.input,
    target: admission.target,
  }));
  await Promise.all([
    ...large.map(({ asked }) => store.putPart(turn.first_execution_run_id, asJson(asked.body))),
    store.putCalls(records),
  ]);
}

/** A call that nobody is asked about. */
function firstRevision(
  { id, tool, version, class: toolClass, input_hash, definition_ref, target_hash }: AdmittedCall,
  policyRef: string,
): CallFields {
  const bound = definition_ref === undefined ? {} : { definition_ref, target_hash: target_hash ?? null };
  return { id, revision: 1, tool, version, class: toolClass, input_hash, preview_ref: null, policy_ref: policyRef, ...bound };
}

export function admissionBody(id: string, use: ToolUse, admission: StaticAdmission): AdmissionCall {
  const { tool, version, verdict, reason, error, input } = admission;
  return {
    call_id: id,
    tool_use_id: use.id,
    ...(use.asked_id === undefined ? {} : { asked_id: use.asked_id }),
    tool,
    version,
    class: admission.class,
    verdict,
    reason,
    error,
    input,
    asked: use.json.toWellFormed(),
    facts: admission.facts,
    ...(admission.target === null ? {} : { target: admission.target }),
    ...(admission.changes.length === 0 ? {} : { changes: admission.changes }),
    ...(admission.undecided ? { undecided: true as const } : {}),
  };
}

/** The agent that takes a call, and the hash of what it is. */
interface Taking {
  prepared: PreparedAgent;
  definition_ref: string | null;
}

/** @param taking null for a call that no agent takes, which is rejected */
export function admittedCall(
  taking: Taking | null,
  turn: TurnContext,
  { id, use, admission, validationMs, inline }: AskedCall,
  { inputRef, untrusted }: { inputRef: string; untrusted: boolean },
): AdmittedCall {
  const agent = taking?.prepared ?? null;
  const { tool, version, verdict, input_hash } = admission;
  const definition = agent?.versions.get(`${tool}@${version}`);
  const { changes, undecided } = admission;
  // Where nobody is asked, only what a destructive call will do is worth a look beforehand: it stands in its digest.
  const previewed = verdict === 'allow' && admission.class === 'destructive' && definition?.preview !== undefined;
  const needsAdmit = verdict === 'ask' || previewed;
  const call: AdmittedCall = {
    id,
    tool_use_id: use.id,
    tool,
    version,
    class: admission.class,
    verdict,
    reason: admission.reason,
    error: admission.error,
    input_digest: admission.input_digest,
    input_hash,
    input: inline ? admission.input : null,
    input_ref: inputRef,
    digest: null,
    needs_admit: needsAdmit,
    parallel: admission.parallel,
    idempotent: definition?.idempotent ?? false,
    ...(definition?.subAgent ? { sub_agent: definition.subAgent.name } : {}),
    timeout_ms: aroundMs(agent, tool, definition) + timeLimitOf(definition ?? { class: admission.class }),
    ...(agent ? { policy_ref: agent.policyRef } : {}),
    ...(agent && (needsAdmit || admission.class === 'destructive') ? { approval: agent.approval(tool) } : {}),
    ...(definition?.reconcile ? { reconcile_ms: definition.reconcileMs ?? RECONCILE_MS } : {}),
    ...(untrusted ? { untrusted } : {}),
    ...(undecided ? { undecided } : {}),
    ...(changes.length === 0 ? {} : { changes: changedBy(changes) }),
    ...(turn.store_id !== undefined && taking?.definition_ref
      ? { definition_ref: taking.definition_ref, target_hash: targetHash(admission.target) }
      : {}),
    validation_ms: validationMs,
  };
  const ready = agent !== null && verdict === 'allow' && !needsAdmit;
  return ready ? { ...call, digest: callDigest(turn, firstRevision(call, agent.policyRef)) } : call;
}

/** What else runs in the call's own activity, which may take so much longer: a second preview, the claim, after-hooks, the wait for a thread. */
function aroundMs(agent: PreparedAgent | null, tool: string, definition: Tool | undefined): number {
  const threads = definition ? threadWaitMs(definition) + (definition.isolate && definition.preview ? LOOK_WAIT_MS : 0) : 0;
  const before = threads + (definition?.preview ? PREVIEW_TIMEOUT : 0) + (definition?.intentKey ? CLAIM_MS : 0);
  const after = agent ? hooksFor(agent.hooks.after, tool) : [];
  return after.reduce((sum, { timeoutMs = HOOK_TIMEOUT }) => sum + timeoutMs, before);
}
