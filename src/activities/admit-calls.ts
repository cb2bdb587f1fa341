/** The calls of one answer, or a direct call, admitted: as they go into the transcript, and as they travel to the workflow. */
import { INLINE_BYTES, type AdmittedCall, type TakeStepInput, type TurnContext } from '../shared/activity-io';
import { canonical } from '../shared/canonical';
import { callDigest } from '../shared/digests';
import { callId } from '../shared/ids';
import { CLAIM_MS } from '../shared/intent';
import type { Json, JsonObject } from '../shared/json';
import { CLASS_RULES } from '../shared/tool-class';
import type { ModelResponse } from '../model/provider';
import type { Store } from '../store/store';
import { admit, refuseExcess, type StaticAdmission } from '../tools/admit';
import { HOOK_TIMEOUT, hooksFor } from '../tools/hooks';
import type { Tool } from '../tools/define';
import type { PreparedAgent } from '../tools/registry';
import { toolUses, type ToolUse } from './content';
import { PREVIEW_TIMEOUT } from './preview';
import { changedBy, turnFacts } from './decide-call';
import { depthLeft } from './depth';
import type { Dependencies } from './dependencies';

/** Calls that one answer may ask for. What crosses into history has to stay far below 2 MB. */
const MAX_CALLS = 64;
/** How long a tool's probe is asked what became of a call before a person is. */
const RECONCILE_MS = 60_000;
const INLINE_BUDGET = 64_000;

export interface AskedCall {
  id: string;
  use: ToolUse;
  admission: StaticAdmission;
  validationMs: number;
  /** Whether the effective input travels beside its reference. */
  inline: boolean;
  /** The part of the admission block. */
  body: JsonObject;
}

/** What admission has to know of the conversation before this step. */
interface Known {
  /** What outsiders wrote has been read. */
  untrusted: boolean;
  /** Names of the tools that the model was shown. */
  shown: ReadonlySet<string>;
}

/** Static admission of all that an answer asks for, in its order. */
export function admitAll(
  { log }: Dependencies,
  agent: PreparedAgent,
  input: TakeStepInput,
  response: ModelResponse,
  { untrusted, shown }: Known,
): AskedCall[] {
  const cut = response.stopReason === 'max_tokens';
  let budget = INLINE_BUDGET;
  return toolUses(response).map((use, index) => {
    const id = callId(input.step, index + 1);
    const asked = { name: use.name, json: use.json, cut, shown };
    const began = performance.now();
    const admission =
      index < MAX_CALLS
        ? admit(agent, asked, { turn: turnFacts(input.turn, id, untrusted), log, depthLeft: depthLeft(input.turn, agent) })
        : refuseExcess(agent, asked, MAX_CALLS);
    const validationMs = Math.round(performance.now() - began);
    const bytes = Buffer.byteLength(canonical(admission.input));
    const inline = bytes <= INLINE_BYTES && bytes <= budget;
    if (inline) budget -= bytes;
    return { id, use, admission, validationMs, inline, body: admissionBody(id, use, admission) };
  });
}

/** An input that does not travel is read by reference: its part has to be found by itself. */
export async function storeLargeInputs(store: Store, scope: string, calls: AskedCall[]): Promise<void> {
  const large = calls.filter((call) => !call.inline && call.admission.verdict !== 'rejected');
  await Promise.all(large.map((call) => store.putPart(scope, call.body)));
}

export function admissionBody(id: string, use: ToolUse, admission: StaticAdmission): JsonObject {
  const { tool, version, verdict, reason, error, input } = admission;
  return {
    call_id: id,
    tool_use_id: use.id.toWellFormed(),
    tool,
    version,
    class: admission.class,
    verdict,
    reason,
    error: error as unknown as Json,
    input,
    asked: use.json.toWellFormed(),
    facts: admission.facts,
    ...(admission.changes.length === 0 ? {} : { changes: admission.changes as unknown as Json }),
    ...(admission.undecided ? { undecided: true } : {}),
  };
}

/** @param agent null for a call that no agent takes, which is rejected */
export function admittedCall(
  agent: PreparedAgent | null,
  turn: TurnContext,
  { id, use, admission, validationMs, inline }: AskedCall,
  inputRef: string,
  untrusted: boolean,
): AdmittedCall {
  const { tool, version, verdict, input_hash } = admission;
  const definition = agent?.versions.get(`${tool}@${version}`);
  const { changes, undecided } = admission;
  // Where nobody is asked, only what a destructive call will do is worth a look beforehand: it stands in its digest.
  const previewed = verdict === 'allow' && admission.class === 'destructive' && definition?.preview !== undefined;
  const needsAdmit = verdict === 'ask' || previewed;
  const policyRef = agent && verdict === 'allow' && !needsAdmit ? agent.policyRef : null; // null: not ready to run
  const identity = { turn_id: turn.turn_id, call_id: id, revision: 1, tool, version, class: admission.class, input_hash };
  return {
    id,
    tool_use_id: use.id.toWellFormed().slice(0, 200),
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
    digest: policyRef && callDigest({ ...identity, preview_ref: null, policy_ref: policyRef, requester: turn.requester }),
    needs_admit: needsAdmit,
    parallel: admission.parallel,
    idempotent: definition?.idempotent ?? false,
    ...(definition?.subAgent ? { sub_agent: definition.subAgent.name } : {}),
    timeout_ms: aroundMs(agent, tool, definition) + (definition?.timeoutMs ?? CLASS_RULES[admission.class].timeoutMs),
    ...(agent ? { policy_ref: agent.policyRef } : {}),
    ...(agent && (needsAdmit || admission.class === 'destructive') ? { approval: agent.approval(tool) } : {}),
    ...(definition?.reconcile ? { reconcile_ms: definition.reconcileMs ?? RECONCILE_MS } : {}),
    ...(untrusted ? { untrusted } : {}),
    ...(undecided ? { undecided } : {}),
    ...(changes.length === 0 ? {} : { changes: changedBy(changes) }),
    validation_ms: validationMs,
  };
}

/** What else runs in the call's own activity, which may take so much longer: a second preview, the claim, after-hooks. */
function aroundMs(agent: PreparedAgent | null, tool: string, definition: Tool | undefined): number {
  const before = (definition?.preview ? PREVIEW_TIMEOUT : 0) + (definition?.intentKey ? CLAIM_MS : 0);
  const after = agent ? hooksFor(agent.hooks.after, tool) : [];
  return after.reduce((sum, { timeoutMs = HOOK_TIMEOUT }) => sum + timeoutMs, before);
}
