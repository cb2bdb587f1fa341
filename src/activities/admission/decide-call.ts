/**
 * Decides a call that static admission left undecided: hooks with I/O, then rules, then perhaps the classifier. Stores what approvers
 * see besides the input (approval evidence), and reads it again before the call runs.
 */
import { Context } from '@temporalio/activity';
import {
  type AdmitCallInput,
  type ChangedBy,
  type DecidedCall,
  INLINE_BYTES,
  type CallArguments,
  type RenewedPolicy,
} from '../../shared/io/activities';
import { canonical } from '../../shared/json/canonical';
import { hashJson, inputDigest } from '../../shared/json/digests';
import { stricter, type ApprovalPolicy } from '../../shared/approval/policy';
import { optional } from '../../shared/json/optional';
import { callError, type CallError } from '../../shared/wire/errors';
import { asJson, type JsonObject, type Json } from '../../shared/json/json';
import { deniedError, inputCheck } from '../../tools/admit/admit';
import { classify, type ClassifierAnswer } from '../../tools/admit/classifier';
import { hooksFor, runBeforeIo, type InputChange } from '../../tools/admit/hooks';
import { decide, decideOn, factsOf, recordedFacts, type TurnFacts, type Verdict } from '../../tools/admit/policy';
import type { PreparedAgent, PreparedTool } from '../../tools/catalogue/registry';
import { readApprovalEvidence, type ApprovalEvidence } from '../../record/parts';
import type { Store } from '../../store/store';
import type { Tool, ToolContext } from '../../tools/define/tool';
import type { Dependencies } from '../ports';
import type { ToolCall } from '../call/call-context';
import { runInlineOrInThread } from '../call/run-in-thread';
import { toolContext } from '../call/tool-context';

export type DecideResult =
  | { ok: true; decided: DecidedCall; input: JsonObject; before: JsonObject | null; approval?: ApprovalPolicy }
  | { ok: false; error: CallError; by_classifier?: boolean };

export async function decideCall(
  deps: Dependencies,
  request: AdmitCallInput & { undecided: NonNullable<AdmitCallInput['undecided']> },
  agent: PreparedAgent,
  preparedTool: PreparedTool,
  input: JsonObject,
): Promise<DecideResult> {
  const { tool } = preparedTool;
  const { name, version, class: toolClass } = tool;
  const turn = turnFacts(request.turn, request.call.id, request.undecided.untrusted);
  const proposal = { tool: name, version, class: toolClass, input, turn };
  const hooks = hooksFor(agent.hooks.before, name).filter((hook) => hook.io);
  const hookResult = await runBeforeIo(hooks, proposal, inputCheck(preparedTool, turn.requester), deps.log);
  if (!hookResult.ok) return hookResult;

  const facts = factsOf({ tool, input: hookResult.input, turn });
  const verdict = await decideOn(agent.policy, facts);
  if (verdict.verdict === 'deny') return { ok: false, error: deniedError(name, verdict) };
  const open = verdict.verdict === 'classify';
  const call = { ...proposal, input: hookResult.input };
  const classification = open ? await classify(agent.agent.classifier, request.undecided.denials, call, deps.log) : null;
  if (classification?.verdict === 'deny')
    return { ok: false, error: deniedByClassifier(name, classification), by_classifier: true };

  const byClassifier = classification?.verdict === 'approve';
  const isAllowed = (verdict.verdict === 'allow' || byClassifier) && !tool.question;
  const reason = classification ? `${verdict.reason}; ${classification.reason}` : verdict.reason;
  const decidedCall = await storeDecision(deps, request, {
    allowed: isAllowed,
    reason,
    approved: byClassifier,
    input: hookResult.input,
    changes: hookResult.changes,
    verdict,
    facts: recordedFacts(facts),
  });
  const before = hookResult.changes[0]?.before ?? null;
  return { ok: true, decided: decidedCall, input: hookResult.input, before, ...optional({ approval: verdict.approval }) };
}

export interface DecisionRecord {
  allowed: boolean;
  reason: string;
  approved: boolean;
  input: JsonObject;
  changes: InputChange[];
  verdict: Verdict;
  /** The facts that the rules used. */
  facts: JsonObject;
}

/** Stores the decision and its input as a part of their own, which is read by its reference like that of an admission. */
export async function storeDecision(
  deps: Dependencies,
  { turn, call }: AdmitCallInput,
  record: DecisionRecord,
): Promise<DecidedCall> {
  const { allowed, reason, approved, input, changes, verdict } = record;
  const outcome = allowed ? 'allow' : 'ask';
  const body = {
    call_id: call.id,
    tool: call.tool,
    verdict: outcome,
    reason,
    rule: verdict.rule,
    input,
    changes,
    facts: record.facts,
    ...optional({ approval_entry: verdict.approval?.entry }),
  };
  const input_ref = await deps.store.putPart(turn.first_execution_run_id, asJson(body));
  return {
    verdict: outcome,
    reason,
    input: Buffer.byteLength(canonical(input)) <= INLINE_BYTES ? input : null,
    input_ref,
    input_hash: hashJson(input),
    input_digest: inputDigest({ tool: call.tool, version: call.version, input }),
    changes: changedBy(changes),
    by_classifier: approved,
  };
}

function deniedByClassifier(tool: string, { reason }: ClassifierAnswer): CallError {
  return callError('PERMISSION_DENIED', 'denied_by_classifier', `${tool} was not run: ${reason}.`, {
    hint: 'Do without it, or do it in a way that the user asked for.',
  });
}

/** The fields of a change that go through history. */
export function changedBy(changes: readonly InputChange[]): ChangedBy[] {
  return changes.map(({ hook, why }) => ({ hook, why }));
}

/** The facts of the turn that rules may use; the step comes from the call's id. */
export function turnFacts(turn: { requester: string; agent: string }, callId: string, hasReadUntrusted: boolean): TurnFacts {
  return { untrusted: hasReadUntrusted, requester: turn.requester, agent: turn.agent, step: Number(callId.split('.')[0]) };
}

// The evidence that the approvers of a call saw besides its input: a part of its own, whose hash the call's digest covers.

/** Null if there is nothing to show. */
export async function storeApprovalEvidence(
  store: Store,
  scope: string,
  callId: string,
  { preview, held, makers, target }: ApprovalEvidence,
): Promise<string | null> {
  if (preview === null && held.length === 0 && makers.length === 0 && target === null) return null;
  const more = {
    ...(held.length > 0 ? { held: asJson(held) } : {}),
    ...(makers.length > 0 ? { makers } : {}),
    ...(target === null ? {} : { target }),
  };
  return store.putPart(scope, { call_id: callId, preview, ...more });
}

export async function approvalEvidenceOf(
  store: Store,
  { preview_ref }: Pick<CallArguments, 'preview_ref'>,
): Promise<ApprovalEvidence> {
  if (preview_ref === null) return { preview: null, held: [], makers: [], target: null };
  return readApprovalEvidence(await store.getPart(preview_ref));
}

// The preview of a call, by its tool: before a person is asked, and again right before the effect.

/** Time limit of one preview, ms. */
export const PREVIEW_TIMEOUT = 30_000;

/** Read-only by contract: it may run again. `data` is null if the tool has none. */
export async function previewOf(
  toolCall: ToolCall,
  progress: ToolContext['progress'] = () => undefined,
): Promise<{ ok: true; data: Json } | { ok: false; error: CallError }> {
  const { deps, turn, call, tool } = toolCall;
  if (!tool.preview) return { ok: true, data: null };
  const { info, cancellationSignal: cancelled } = Context.current();
  const facts = { tool: tool.name, callId: call.id, idempotencyKey: `preview_${call.id}`, attempt: info.attempt, progress };
  const { context } = toolContext(deps, turn, facts);
  return runInlineOrInThread(toolCall, context, { timeoutMs: PREVIEW_TIMEOUT, cancelled }, 'preview');
}

// What approvals of a call require by the rules of this worker, where it is admitted, asked about again, run or settled. For a tool
// with a list of approval rules, the entry for the call's input decides (rules/approval-entries.ts).

/** A call with the facts that conditions read. */
export interface PolicyFacts {
  turn: { requester: string; agent: string };
  callId: string;
  tool: Tool;
  input: JsonObject;
  untrusted: boolean;
}

export async function presentPolicy(agent: PreparedAgent, facts: PolicyFacts): Promise<ApprovalPolicy> {
  const { turn, callId, tool, input, untrusted } = facts;
  if (!agent.policy.approvals?.has(tool.name)) return agent.approval(tool.name);
  const verdict = await decide(agent.policy, { tool, input, turn: turnFacts(turn, callId, untrusted) });
  return verdict.approval!;
}

/** The call as it is asked about now. */
export interface AskedCall {
  tool: Tool;
  /** Before and after an approver's edit, or a hook. */
  before: JsonObject;
  input: JsonObject;
  /** What the entries say of `input`, if its verdict was just given. */
  approval: ApprovalPolicy | undefined;
}

/**
 * The rules under which a call is asked about, if they are not those of its admission: its input has changed, or it is asked about
 * again and the agent's rules have changed. It never needs less than before for the same input: not by the rules of a new build,
 * and not by those of an old one that still runs.
 */
export async function renewedPolicy(
  request: AdmitCallInput,
  agent: PreparedAgent,
  { tool, before, input, approval }: AskedCall,
): Promise<RenewedPolicy | null> {
  const { turn, call, held, edit, undecided, approval: required } = request;
  const isAskedAgain = Boolean(held ?? edit);
  const sameRules = agent.policyRef === call.policy_ref;
  if (!isAskedAgain && approval === undefined) return null;
  if (sameRules && approval === undefined) return null;
  const untrusted = request.untrusted ?? undecided?.untrusted ?? false;
  const facts = { turn, callId: call.id, tool, untrusted };
  const present = approval ?? (await presentPolicy(agent, { ...facts, input }));
  const policy_ref = agent.policyRef;
  if (required === undefined) return { policy_ref, approval: present };
  // Nobody has been asked yet, or what was required is what these rules say of the former input: then the present input decides.
  const isOwn = sameRules && (!isAskedAgain || same(required, await presentPolicy(agent, { ...facts, input: before })));
  const approvalNow = isOwn ? present : stricter(required, present);
  return sameRules && same(required, approvalNow) ? null : { policy_ref, approval: approvalNow };
}

function same(one: ApprovalPolicy, other: ApprovalPolicy): boolean {
  return canonical(asJson(one)) === canonical(asJson(other));
}
