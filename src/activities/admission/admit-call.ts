/** The part of admission with I/O: decides an undecided call, makes preview and digest, and stores the card as it is shown. */
import { Context } from '@temporalio/activity';
import type { AdmitCallInput, AdmitCallOutput, DecidedCall, TurnContext } from '../../shared/io/activities';
import { samePerson, type HoldReason } from '../../shared/approval/approval';
import { escalationsFrom, PLAIN_POLICY } from '../../shared/approval/policy';
import { cardOf, cardState } from '../../record/cards/make-card';
import { callDigest, callRecord, type CallFields } from '../../shared/json/digests';
import { callError } from '../../shared/wire/errors';
import { asJson, type JsonObject } from '../../shared/json/json';
import { prepareTool, type PreparedAgent } from '../../tools/catalogue/registry';
import { targetHash, targetOf } from '../../tools/admit/policy';
import { askedBefore, earlierRun } from '../checks/after-reset';
import { leaveToOthers } from '../checks/own-turn';
import type { CardPart } from '../../record/parts';
import { freezeText } from '../../record/stop';
import { freezeOfTool } from '../checks/stop-switch';
import { openQuestion, storeTime } from '../people/questions';
import { inputToAdmit } from '../call/call-input';
import { decideCall, type DecideResult, previewOf, renewedPolicy, storeApprovalEvidence } from './decide-call';
import { editedCall } from './edited-call';
import type { Dependencies } from '../ports';
import { admittedTool } from '../step/mcp-tools';
import { showing } from '../call/heartbeat';
import { intentBefore } from '../effects/duplicate-act';
import type { Tool } from '../../tools/define/tool';

export async function admitCall(deps: Dependencies, request: AdmitCallInput): Promise<AdmitCallOutput> {
  const { turn } = request;
  const scope = turn.first_execution_run_id;
  const agent = deps.registry.forTurn(turn);
  if (!agent) leaveToOthers(turn);
  const tool = await admittedTool(deps, turn, request.call);
  if (!agent || !tool) {
    return {
      ok: false,
      error: callError(
        'TOOL_NOT_FOUND',
        'tool_changed',
        `This worker no longer has ${request.call.tool}@${request.call.version}.`,
        {
          hint: 'Ask for the call again.',
        },
      ),
    };
  }
  await deps.archive.rules(agent);
  const admittedInput = await inputToAdmit(deps.store, turn, request.call);
  const result = await decision(deps, request, agent, tool, admittedInput);
  if (result && !result.ok) return result;

  const decidedCall = result?.decided;
  const input = result?.input ?? admittedInput;
  const targetResult = turn.store_id === undefined ? NO_TARGET : targetOf(tool, input);
  if (!targetResult.ok) return { ok: false, error: targetResult.error };
  const { target } = targetResult;
  const newPolicy = await renewedPolicy(request, agent, { tool, before: admittedInput, input, approval: result?.approval });
  const call = {
    ...request.call,
    ...(decidedCall ? argumentsOf(decidedCall) : {}),
    ...(newPolicy ? { policy_ref: newPolicy.policy_ref } : {}),
  };
  const policy = newPolicy?.approval ?? request.approval;
  const show = showing();
  const progress = (message: string) => show({ progress: { message, fraction: null } });
  const preview = await previewOf({ deps, turn, call, tool, input }, progress);
  if (!preview.ok) {
    const message = `The preview of ${tool.name} failed, so nobody was asked: ${preview.error.message}`;
    return { ok: false, error: { ...preview.error, message } };
  }
  const asks = request.expires_at !== null && (decidedCall?.verdict !== 'allow' || request.held !== undefined);
  // Only reasons on a card can be accepted: a call that nobody is asked about gets none.
  const before = asks ? await earlierRun(deps, request, call) : { hold: null, effect: null };
  const reasons = asks ? [...(await heldOn(deps, request, tool, input)), ...(before.hold ? [before.hold] : [])] : [];

  const makers = makersOf(request);
  const targetFields = turn.store_id === undefined ? {} : { target_hash: targetHash(target) };
  const storeEvidence = async (put: HoldReason[]) => {
    const preview_ref = await storeApprovalEvidence(deps.store, scope, call.id, {
      preview: preview.data,
      held: put,
      makers,
      target,
    });
    return { preview_ref, digest: await keptDigest(deps, turn, { ...call, ...targetFields, preview_ref }, { input, target }) };
  };
  let evidence = await storeEvidence(reasons);
  let askedMs: number | null = null;
  if (asks && [policy, agent.approval(tool.name)].some((one) => one?.channel === 'attested')) {
    const question = { expires_at: request.expires_at!, policy: policy ?? PLAIN_POLICY };
    let opened = await openQuestion(deps.store, evidence.digest, question);
    if (opened.earlierRun !== null) {
      // Answers to another run must not count in this one, so this question gets a digest of its own.
      reasons.push(askedBefore(opened.earlierRun));
      evidence = await storeEvidence(reasons);
      opened = await openQuestion(deps.store, evidence.digest, question);
    }
    askedMs = opened.askedMs;
  }
  const { digest, preview_ref: previewRef } = evidence;
  const escalations = asks && policy?.escalate ? escalationsFrom(policy, askedMs ?? (await storeTime(deps.store))) : [];
  // An older workflow does not say whether outsiders' text was read.
  const state =
    asks && request.head !== undefined
      ? cardState(request, { decided: decidedCall, policy: policy ?? PLAIN_POLICY, escalations, asked_at: scheduledAt() })
      : null;
  const card = await cardOf(deps, request, {
    tool: tool.name,
    version: tool.version,
    callId: call.id,
    digest,
    requester: turn.requester,
    makers,
    agent: turn.agent,
    reason: decidedCall?.reason ?? request.reason,
    changes: [...(request.changes ?? []), ...(decidedCall?.changes ?? [])],
    input,
    preview: preview.data,
    target,
    held: reasons,
    ...(policy ? { policy } : {}),
    escalations,
    ...(asks ? await frozenFact(deps, turn, tool) : {}),
    expiresAt: request.expires_at ?? '',
  });
  const cardPart: CardPart = { call_id: call.id, digest, card, ...(state === null ? {} : { state }) };
  const cardRef = await deps.store.putPart(scope, asJson(cardPart));
  return {
    ok: true,
    digest,
    preview_ref: previewRef,
    card: asks ? card : '',
    card_ref: cardRef,
    run_id: Context.current().info.workflowExecution?.runId ?? '',
    ...(before.effect ? { effect: before.effect } : {}),
    ...(decidedCall ? { decided: decidedCall } : {}),
    ...(newPolicy ? { renewed: newPolicy } : {}),
    ...(escalations.length > 0 ? { escalations } : {}),
    ...targetFields,
  };
}

/** The same for each attempt. */
function scheduledAt(): string {
  return new Date(Context.current().info.scheduledTimestampMs).toISOString();
}

/** The card says whether the call could run now. */
async function frozenFact({ store }: Dependencies, turn: TurnContext, tool: Tool): Promise<{ frozen?: string }> {
  if (tool.class !== 'destructive') return {};
  const freeze = await freezeOfTool(store, turn, tool.name);
  return freeze === null ? {} : { frozen: freezeText(freeze) };
}

const NO_TARGET = { ok: true as const, target: null };

/** The call's digest. In version 2 the call is stored under it, for the activity that runs it. */
async function keptDigest(
  { store }: Dependencies,
  turn: TurnContext,
  call: CallFields,
  details: { input: JsonObject; target: JsonObject | null },
): Promise<string> {
  if (turn.store_id !== undefined) await store.putCalls([{ record: callRecord(turn, call), ...details }]);
  return callDigest(turn, call);
}

/** Null: static admission decided, and nobody has changed the input since. */
async function decision(
  deps: Dependencies,
  request: AdmitCallInput,
  agent: PreparedAgent,
  tool: Tool,
  input: JsonObject,
): Promise<DecideResult | null> {
  const { undecided, edit } = request;
  const preparedTool = prepareTool(tool);
  if (edit) return editedCall(deps, { ...request, edit }, agent, preparedTool, input);
  return undecided ? decideCall(deps, { ...request, undecided }, agent, preparedTool, input) : null;
}

/** Why the call was sent back, except a reset, and the owners of its act. An edit drops the reasons about the old input. */
async function heldOn(deps: Dependencies, request: AdmitCallInput, tool: Tool, input: JsonObject): Promise<HoldReason[]> {
  const { edit } = request;
  const reasons = (request.held ?? []).filter(({ kind }) => kind !== 'reset');
  const sentBack = edit ? reasons.filter(({ kind }) => kind !== 'preview_drifted' && kind !== 'target_changed') : reasons;
  const before = await intentBefore(deps, request, tool, input);
  if (!before) return edit ? sentBack.filter(({ kind }) => kind !== 'same_intent') : sentBack;
  return [...sentBack.filter(({ kind }) => kind !== 'same_intent'), before];
}

/** The makers of the call. A person who edits is one of them, whatever the arguments say. */
function makersOf({ call: { makers = [] }, edit }: AdmitCallInput): string[] {
  return edit && !makers.some((maker) => samePerson(maker, edit.by)) ? [...makers, edit.by] : makers;
}

function argumentsOf({
  input,
  input_ref,
  input_hash,
}: DecidedCall): Pick<AdmitCallInput['call'], 'input' | 'input_ref' | 'input_hash'> {
  return { input, input_ref, input_hash };
}
