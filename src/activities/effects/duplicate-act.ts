/**
 * Duplicate acts: a call that would do the same as an earlier one (such as paying an invoice again in another turn) waits for a
 * person, who sees the earlier call, even if a rule allows it. The act is claimed right before the effect; a card only looks.
 */
import type { AdmitCallInput, RunCallInput } from '../../shared/io/activities';
import type { HoldReason } from '../../shared/approval/approval';
import { callError } from '../../shared/wire/errors';
import { type ClaimAnswer, holds, INTENT_WINDOW_MS, type IntentOwner } from '../../shared/intent';
import type { JsonObject } from '../../shared/json/json';
import { tenantOf } from '../../shared/ids';
import type { EffectState } from '../../record/effect';
import { intentOf } from '../../tools/admit/policy';
import { type ApprovalEvidence, readResult } from '../../record/parts';
import { effectiveInput } from '../call/call-input';
import type { Dependencies } from '../ports';
import type { CallContext } from '../call/call-context';
import { type ClosedEffect, keyOf } from './effect-record';
import type { HoldAnswer } from '../checks/recheck-approvals';
import type { Tool } from '../../tools/define/tool';

/** Maximum number of owners on a card, the newest first. */
const MAX_OWNERS = 5;
const LONGEST_SUMMARY = 400;

/** Claims the act for this call. */
export async function duplicateAct(
  { deps, turn, call, tool, input }: CallContext,
  { held }: ApprovalEvidence,
): Promise<HoldAnswer> {
  const result = intentOf(tool, input);
  if (!result.ok) return { refused: result.error };
  if (result.intent === null) return null;
  const key = keyOf(turn, call);
  const owner = { key, digest: call.digest, turn_id: turn.turn_id, call_id: call.id, requester: turn.requester };
  const acceptedIds = held.filter(({ kind }) => kind === 'same_intent').map(({ id }) => id);
  const window_ms = tool.intentWindowMs ?? INTENT_WINDOW_MS;
  let answer: ClaimAnswer;
  try {
    answer = await deps.intents.claim(result.intent, { owner, window_ms, accepted: acceptedIds });
  } catch (error) {
    deps.log.warn({ turn_id: turn.turn_id, call: call.id, err: error }, 'an intent could not be claimed');
    const message = `${tool.name} was not run: it could not be checked whether the same act was done before (intent ${result.intent}).`;
    return { refused: callError('NETWORK_ERROR', 'intent_unavailable', message) };
  }
  return answer.granted ? null : heldBy(deps, turn, answer.owners);
}

/** The earlier calls for the first card; claims nothing. Null: no owner, or no answer (then the claim finds out). */
export async function intentBefore(
  deps: Dependencies,
  { turn, call }: Pick<AdmitCallInput, 'turn' | 'call'>,
  tool: Tool,
  input: JsonObject,
): Promise<HoldReason | null> {
  const result = intentOf(tool, input);
  if (!result.ok || result.intent === null) return null;
  try {
    const owners = await deps.intents.look(result.intent);
    return await heldBy(
      deps,
      turn,
      owners.filter((owner) => holds(owner, Date.now())),
    );
  } catch (error) {
    deps.log.warn({ turn_id: turn.turn_id, call: call.id, err: error }, 'the card cannot tell whether the same was done before');
    return null;
  }
}

/**
 * Closes the intent of an ended call: after `applied` its window goes on; after `not_applied` the act is free again. If it
 * cannot be closed, that is logged: the act waits for a person until the intent ends.
 */
export async function closeIntentOf(deps: Dependencies, { turn, call, key, effect }: ClosedEffect): Promise<void> {
  const tool = deps.registry.find(turn.agent, call.tool, call.version);
  if (!tool?.intentKey || effect === 'in_doubt') return;
  try {
    const result = intentOf(tool, await effectiveInput(deps.store, turn, call));
    if (!result.ok || result.intent === null) return;
    await deps.intents.close(result.intent, { key, effect });
  } catch (error) {
    const todo = 'nothing: until the intent ends, the same act waits for a person';
    deps.log.warn({ turn_id: turn.turn_id, call: call.id, effect, err: error, todo }, 'an intent was not closed');
  }
}

type Viewer = Pick<RunCallInput['turn'], 'requester'>;

/** Identified by the newest owner; the card lists earlier ones too, so accepting it accepts all of them. */
async function heldBy(deps: Dependencies, turn: Viewer, owners: IntentOwner[]): Promise<HoldReason | null> {
  const last = owners.at(-1);
  if (!last) return null;
  const latest = owners.slice(-MAX_OWNERS).reverse();
  const lines = await Promise.all(latest.map((owner) => ownerLine(deps, turn, owner)));
  const rest = owners.length - latest.length;
  const head = 'Other calls are for the same act. Approve this call only if the act has to be done once more.';
  const text = [head, ...lines, ...(rest > 0 ? [`- and ${rest} before them`] : [])].join('\n');
  return { kind: 'same_intent', id: last.digest, text };
}

const STATES: Record<EffectState, string> = {
  applied: 'it was done',
  claimed: 'it is under way',
  pending: 'it is under way, and ends later',
  in_doubt: 'it is not known whether it was done',
  not_applied: 'it was not done',
  refused: 'it was refused',
};

/** Of another tenant's call only the state is shown, since people of this tenant read the card. */
async function ownerLine({ store }: Dependencies, viewer: Viewer, owner: IntentOwner): Promise<string> {
  const { turn_id, call_id, requester, at, digest, key } = owner;
  const record = await store.effects.latest(key);
  const state = record ? STATES[record.state] : 'it is about to begin, or its record is elsewhere';
  const tenant = tenantOf(viewer.requester);
  if (tenant !== null && tenantOf(requester) !== tenant) return `- a call of another tenant: ${state}.`;
  const result = record?.result_ref ? await store.getPart(record.result_ref).catch(() => null) : null;
  const summary = result === null ? '' : ` ${short(readResult(result).summary, LONGEST_SUMMARY)}`;
  return `- call ${short(call_id)} of turn ${short(turn_id)}, asked for by ${short(requester)}, ${at}: ${state}.${summary} (${digest})`;
}

function short(text: string, length = 120): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`.toWellFormed();
}
