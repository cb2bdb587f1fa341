/** Admits the calls of one answer, and builds calls (also direct ones) for the transcript and for the workflow. */
import { ApplicationFailure } from '@temporalio/activity';
import { INLINE_BYTES, type AdmittedCall, type TakeStepInput, type TurnContext } from '../../shared/io/activities';
import { canonical } from '../../shared/json/canonical';
import { callDigest, callRecord, type CallFields } from '../../shared/json/digests';
import { GIVE_RESULT } from '../../shared/turn/result';
import { callId } from '../../shared/ids';
import { CLAIM_MS } from '../../shared/intent';
import type { AdmissionCall } from '../../record/blocks';
import { asJson } from '../../shared/json/json';
import { timeLimitOf } from '../../shared/turn/tool-class';
import { isTruncated, type ModelResponse } from '../../model/provider';
import type { Store } from '../../store/store';
import { admit, refuseExcess, type StaticAdmission } from '../../tools/admit/admit';
import { HOOK_TIMEOUT, hooksFor } from '../../tools/admit/hooks';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { targetHash } from '../../tools/admit/policy';
import { toolUses, type ToolUse, type AskedIds } from '../step/model-content';
import { PREVIEW_TIMEOUT, changedBy, turnFacts } from './decide-call';
import { LOOK_WAIT_MS, threadWaitMs } from '../call/run-in-thread';
import { remainingDepth } from '../sub-agents/close-sub-turn';
import type { Dependencies } from '../ports';
import type { Tool } from '../../tools/define/tool';
import { optional } from '../../shared/json/optional';

/** Maximum calls of one answer that can run. The data that goes into history must stay far below 2 MB. */
const MAX_CALLS = 64;
/** How long a tool's probe is asked about a call in doubt before a person is, ms. */
const RECONCILE_MS = 60_000;
const INLINE_BUDGET = 24_000;
/** An answer with more calls fails as a whole: refusing them one by one would put all of them into the state of the turn. */
const MOST_CALLS = 80;

export interface ProposedCall {
  id: string;
  use: ToolUse;
  admission: StaticAdmission;
  validationMs: number;
  /** Whether the effective input is sent along with its reference. */
  inline: boolean;
  /** The part of the admission block. */
  body: AdmissionCall;
}

/** What admission has to know of the conversation before this step. */
interface ConversationFacts {
  /** The model has read text that outsiders wrote. */
  untrusted: boolean;
  /** Names of the tools that the model was shown. */
  shownTools: ReadonlySet<string>;
  /** The original ids of calls whose id was replaced. */
  askedIds: AskedIds;
}

/** Static admission of all calls of an answer, in their order. */
export async function admitAll(
  { log, running }: Dependencies,
  agent: PreparedAgent,
  input: TakeStepInput,
  response: ModelResponse,
  { untrusted, shownTools, askedIds }: ConversationFacts,
): Promise<ProposedCall[]> {
  const cut = isTruncated(response.stopReason);
  let budget = INLINE_BUDGET;
  const uses = toolUses(response, askedIds);
  if (uses.length > MOST_CALLS) throw tooManyCalls(uses.length);
  const options = (id: string) => ({
    turn: turnFacts(input.turn, id, untrusted),
    log,
    depthLeft: remainingDepth(input.turn, agent),
  });
  const calls: ProposedCall[] = [];
  for (const [index, use] of uses.entries()) {
    const id = callId(input.step, index + 1);
    const proposal = { name: use.name, json: use.json, cut, shown: shownTools, beside: uses.length > 1 };
    const began = performance.now();
    const admission =
      index < MAX_CALLS
        ? await running.asking(agent.tools.get(use.name)?.tool.name, () => admit(agent, proposal, options(id)))
        : refuseExcess(agent, proposal, MAX_CALLS);
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
    `The model's answer has ${count} calls. At most ${MAX_CALLS} calls of one answer are run, and an answer with more than ${MOST_CALLS} is rejected. Ask for less at once.`,
    'holdfast.too_many_calls',
  );
}

/**
 * Stores each call that is ready under its digest, by which the activity that runs it reads it. An input that is not sent along
 * is also read by its reference, so its part is stored by itself.
 */
export async function storeCalls(
  store: Store,
  turn: TurnContext,
  calls: { proposal: ProposedCall; call: AdmittedCall }[],
): Promise<void> {
  const large = calls.filter(({ proposal, call }) => !proposal.inline && call.verdict !== 'rejected');
  const ready = turn.store_id === undefined ? [] : calls.filter(({ call }) => call.digest !== null);
  const records = ready.map(({ proposal: { admission }, call }) => ({
    record: callRecord(turn, firstRevision(call, call.policy_ref!)),
    input: admission.input,
    target: admission.target,
  }));
  await Promise.all([
    ...large.map(({ proposal }) => store.putPart(turn.first_execution_run_id, asJson(proposal.body))),
    store.putCalls(records),
  ]);
}

/** The fields of a call that nobody is asked about. */
function firstRevision(
  { id, tool, version, class: toolClass, input_hash, definition_ref, target_hash }: AdmittedCall,
  policyRef: string,
): CallFields {
  const definitionFields = definition_ref === undefined ? {} : { definition_ref, target_hash: target_hash ?? null };
  return {
    id,
    revision: 1,
    tool,
    version,
    class: toolClass,
    input_hash,
    preview_ref: null,
    policy_ref: policyRef,
    ...definitionFields,
  };
}

export function admissionBody(id: string, use: ToolUse, admission: StaticAdmission): AdmissionCall {
  const { tool, version, verdict, reason, error, input } = admission;
  return {
    call_id: id,
    tool_use_id: use.id,
    ...optional({ asked_id: use.asked_id }),
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
    ...optional({ approval_entry: admission.approval?.entry }),
  };
}

/** The agent whose call it is, and the hash of its definition. */
interface Taking {
  agent: PreparedAgent;
  definition_ref: string | null;
}

/** @param taking null for a call without an agent, which is rejected */
export function admittedCall(
  taking: Taking | null,
  turn: TurnContext,
  { id, use, admission, validationMs, inline }: ProposedCall,
  { inputRef, untrusted }: { inputRef: string; untrusted: boolean },
): AdmittedCall {
  const agent = taking?.agent ?? null;
  const { tool, version, verdict, input_hash } = admission;
  const definition = agent?.versions.get(`${tool}@${version}`);
  const { changes, undecided } = admission;
  // If nobody is asked, only a destructive call gets a preview, which its digest covers.
  const hasPreview = verdict === 'allow' && admission.class === 'destructive' && definition?.preview !== undefined;
  const needsAdmit = verdict === 'ask' || hasPreview;
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
    ...(agent?.agent.result !== undefined && tool === GIVE_RESULT ? { gives_result: true as const } : {}),
    ...(definition?.question && verdict !== 'rejected' ? { question_ms: definition.question.waitMs(admission.input) } : {}),
    ...(definition?.wait && verdict !== 'rejected' ? { longest_wait_ms: definition.wait.longestMs } : {}),
    timeout_ms: aroundMs(agent, tool, definition) + timeLimitOf(definition ?? { class: admission.class }),
    ...(agent ? { policy_ref: agent.policyRef } : {}),
    ...(agent && (needsAdmit || admission.class === 'destructive')
      ? { approval: admission.approval ?? agent.approval(tool) }
      : {}),
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

/** Time for the other work in the call's activity, ms: a second preview, the claim, after-hooks, the wait for a thread. */
function aroundMs(agent: PreparedAgent | null, tool: string, definition: Tool | undefined): number {
  const threads = definition ? threadWaitMs(definition) + (definition.isolate && definition.preview ? LOOK_WAIT_MS : 0) : 0;
  const before = threads + (definition?.preview ? PREVIEW_TIMEOUT : 0) + (definition?.intentKey ? CLAIM_MS : 0);
  const after = agent ? hooksFor(agent.hooks.after, tool) : [];
  return after.reduce((sum, { timeoutMs = HOOK_TIMEOUT }) => sum + timeoutMs, before);
}
