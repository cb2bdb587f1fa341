/**
 * Finds the tool and the input that a call's digest names, or refuses the call: checks the turn's start, resets and digests of older
 * builds; for calls that are not destructive, also the rules and what may hold the call. The reasons that hold any call right before its
 * effect are here too.
 */
import { approvalsOf, type RunCallInput, type RunCallOutput } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import type { Tool } from '../../tools/define/tool';
import { namedCall } from '../call/call-input';
import { callContext, type CallContext } from '../call/call-context';
import type { Dependencies } from '../ports';
import { admittedTool } from '../step/mcp-tools';
import { refusal } from '../call/run-once';
import { afterReset } from './after-reset';
import { leaveToOthers } from './own-turn';
import { otherStart } from './start';
import { checkPreviewDrift, checkTargetChange } from './change-since-approval';
import { heldByApprovals, policyOfRun, recheckPermission, type HoldAnswer, type Hold } from './recheck-approvals';
import { withinBudgets } from '../effects/budgets';
import { duplicateAct } from '../effects/duplicate-act';
import { approvalEvidenceOf } from '../admission/decide-call';
import type { HoldReason } from '../../shared/approval/approval';
import type { ApprovalEvidence } from '../../record/parts';

export type CheckedCall = { ok: true; run: CallContext } | { ok: false; output: RunCallOutput };

/** The tool and the input that the digest names, or the refusal. */
export async function resolveCall(deps: Dependencies, request: RunCallInput): Promise<CheckedCall> {
  const { turn, call } = request;
  const refuse = async (error: CallError, tool?: Tool): Promise<CheckedCall> => ({
    ok: false,
    output: await refusal(callContext(deps, request, tool), error),
  });
  const lookup = await namedCall(deps.store, turn, call);
  if (!lookup.ok)
    return refuse(callError('PERMISSION_DENIED', 'digest_mismatch', `Call ${call.id} was not run: ${lookup.fault}.`));
  const { agent, input, ...admitted } = lookup.call;
  const tool = await admittedTool(deps, { ...turn, agent }, admitted, request.head);
  if (!deps.registry.agent(agent)) return leaveCallToOthers(request, () => refuse(UNKNOWN(call)));
  if (!tool || tool.class !== admitted.class) return refuse(UNKNOWN(call), tool);
  const fault = (await turnStartFault(deps, request)) ?? olderDigestFault(deps, request);
  return fault === null ? { ok: true, run: callContext(deps, request, tool, input) } : refuse(fault, tool);
}

/** How long a destructive call is put off; its turn asks again ten times. */
const PUT_OFF_MS = 30_000;

/** For five minutes another worker may run the call. Temporal does not retry a destructive call: its turn asks again. */
async function leaveCallToOthers(request: RunCallInput, refuse: () => Promise<CheckedCall>): Promise<CheckedCall> {
  const { turn, call, options } = request;
  if (call.class !== 'destructive' && options?.enable_retry !== false) leaveToOthers(turn);
  const resolution = await refuse();
  if (resolution.ok || call.class !== 'destructive') return resolution;
  return { ok: false, output: { ...resolution.output, busy_ms: PUT_OFF_MS } };
}

/** Checks the start of the turn for calls that people decide or may decide, and for all calls whose digest names no agent. */
async function turnStartFault({ store }: Dependencies, request: RunCallInput): Promise<CallError | null> {
  const { turn, call } = request;
  const asks = call.class === 'destructive' || call.class === 'agent' || approvalsOf(request).length > 0;
  return asks || turn.store_id === undefined ? otherStart(store, request) : null;
}

/** Decisions of another run send the call back to a person. Null: there are none. */
export async function heldByReset(run: CallContext): Promise<RunCallOutput | null> {
  const reset = await afterReset(run);
  return reset && heldOutput([reset]);
}

/** For calls that are not destructive: the current rules, then the reasons that hold a call. Null: it may run. */
export async function checkRulesAndHolds(run: CallContext): Promise<RunCallOutput | null> {
  const answer = await recheckPermission(run);
  if (answer) return holdAnswerOutput(run, answer);
  return checkBeforeEffect(run);
}

function UNKNOWN(call: RunCallInput['call']): CallError {
  return callError(
    'TOOL_NOT_FOUND',
    'tool_changed',
    `This worker no longer has ${call.tool}@${call.version} of class ${call.class}, with which the call was admitted.`,
    {
      hint: 'Ask for the call again: it will be admitted under the present version.',
    },
  );
}

// Calls of turns that began with digests of version 1, which name neither agent nor store. They run until a date; the missing
// facts come from the start of the turn (start.ts), not from the arguments of the activity.

/** How long such turns continue after a version with the new digests first opened the store. */
export const OLD_DIGESTS_MS = 30 * 24 * 3_600_000;

/** Null: the digest is of version 2, or version 1 is still accepted for this call. */
export function olderDigestFault(
  { oldDigestsUntil }: Pick<Dependencies, 'oldDigestsUntil'>,
  request: Pick<RunCallInput, 'turn' | 'call'>,
): CallError | null {
  const { turn, call } = request;
  if (turn.store_id !== undefined) return null;
  if (call.class !== 'destructive' || Date.now() < oldDigestsUntil) return null;
  const until = new Date(oldDigestsUntil).toISOString();
  const message = `${call.tool} was not run: an older holdfast began this turn, and its call digests name neither agent nor store. Destructive calls of such turns were accepted until ${until} (HOLDFAST_OLD_DIGESTS_UNTIL).`;
  return callError('PERMISSION_DENIED', 'digest_retired', message, { hint: 'Ask for it in a new turn.' });
}

// After the check of approvals (recheck-approvals.ts), right before the effect: reasons to send the call back to a person, or to refuse
// it. The last two checks also reserve.

/** Checks in order; the first one that holds the call decides. Those that reserve come last, so that little has to be released. */
const HOLDS: Hold[] = [checkAcceptedReasons, checkTargetChange, checkPreviewDrift, withinBudgets, duplicateAct];

/** Null: the call may act. Otherwise its output, as not dispatched. */
export async function checkBeforeEffect(run: CallContext): Promise<RunCallOutput | null> {
  const evidence = await approvalEvidenceOf(run.deps.store, run.call);
  for (const hold of HOLDS) {
    const answer = await hold(run, evidence);
    if (answer !== null) return holdAnswerOutput(run, answer);
  }
  return null;
}

/** Accepted reasons stay on the next card, and in its digest: one per budget; of duplicate acts the newest, which lists all. */
function lasts(before: HoldReason, now: HoldReason): boolean {
  if (before.kind === 'budget') return now.kind !== 'budget' || now.id !== before.id;
  return before.kind === 'same_intent' && now.kind !== 'same_intent';
}

/** The output of a call that is held or refused. */
export async function holdAnswerOutput(run: CallContext, answer: NonNullable<HoldAnswer>): Promise<RunCallOutput> {
  if ('refused' in answer) return refusal(run, answer.refused);
  const { held } = await approvalEvidenceOf(run.deps.store, run.call);
  return heldOutput([...held.filter((before) => lasts(before, answer)), answer]);
}

/** The output of a call that is held, and was not dispatched. */
export function heldOutput(reasons: HoldReason[]): RunCallOutput {
  const nothing = { effect: null, result_ref: '', summary: '', error: null, attempts: 0, took_ms: 0, head: null };
  return { state: 'failed', ...nothing, held: reasons };
}

/** Reasons on a card count as accepted only with the approvals of people, even if a rule allows the call. */
async function checkAcceptedReasons(run: CallContext, { held }: ApprovalEvidence): Promise<HoldAnswer> {
  if (held.length === 0) return null;
  return heldByApprovals(run, await policyOfRun(run));
}
