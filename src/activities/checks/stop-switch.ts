/**
 * The stop switch, checked for each destructive call: before anything is reserved, and again right before the tool begins, with what
 * the store says within the last second. A frozen call does not fail: its turn waits in an activity that Temporal repeats
 * (`waitForUnfreeze`), without a limit of attempts and without growth of history, and dispatches it then under the same number.
 */
import { ApplicationFailure } from '@temporalio/activity';
import { approvalsOf, type RunCallOutput, type TurnContext, type WaitForUnfreezeInput } from '../../shared/io/activities';
import { nameOfVote, type Decision, type HoldReason } from '../../shared/approval/approval';
import { FREEZE, FREEZE_WAITS } from '../../shared/turn/turn-states';
import { BEGUN_TOO_LATE, callError } from '../../shared/wire/errors';
import { freezeOf, freezeText, readStopFrom, withdrawalOf, type Freeze, type StopState } from '../../record/stop';
import type { Store } from '../../store/store';
import type { RunResult } from '../../tools/run/run';
import type { CallContext } from '../call/call-context';
import { showing } from '../call/heartbeat';
import { refusal } from '../call/run-once';
import { approvalVerifiedAt, findStoredQuestion, type QuestionEntry } from '../people/questions';
import type { Dependencies } from '../ports';

/** A tool begins at most this long after the store was asked, ms. */
const FRESH_MS = 1000;
/** How often a call that waits looks again, ms. */
const LOOK_EVERY_MS = 2000;

/** The freeze that holds destructive calls of this tool in this turn; null: none does. */
export async function freezeOfTool(
  store: Pick<Store, 'registers'>,
  { agent, requester }: TurnContext,
  tool: string,
): Promise<Freeze | null> {
  return freezeOf(await readStopFrom(store.registers), { agent, requester, tool });
}

/** The output of a call that waits for the end of a freeze. An older workflow takes it for one that its tool's limits put off. */
export async function frozenOutput(run: CallContext, freeze: Freeze): Promise<RunCallOutput> {
  const message = `${run.tool.name} was not run: ${freezeText(freeze)}.`;
  const hint = 'Nothing was done. It runs when somebody ends the freeze.';
  const error = callError('RATE_LIMITED', FREEZE, message, { hint, retry_after_ms: LOOK_EVERY_MS });
  return { ...(await refusal(run, error)), busy_ms: LOOK_EVERY_MS };
}

/** An approval of this call that was withdrawn sends it back to people; null: there is none. */
export async function withdrawnApproval(run: CallContext): Promise<HoldReason | null> {
  return approvalsOf(run.request).length === 0 ? null : withdrawnIn(await readStopFrom(run.deps.store.registers), run);
}

async function withdrawnIn(state: StopState, { deps, request, call }: CallContext): Promise<HoldReason | null> {
  const approvals = approvalsOf(request);
  if (approvals.length === 0 || state.withdrawals.length === 0) return null;
  const question = await findStoredQuestion(deps.store, call.digest);
  for (const approval of approvals) {
    const withdrawal = withdrawalOf(state, approval, await signedBy(deps, question, approval));
    if (withdrawal === null) continue;
    const { at, by, reason } = withdrawal;
    const text = `${by} withdrew the approval of ${nameOfVote(approval)} at ${at}${reason === '' ? '' : `: ${reason}`}. Earlier decisions no longer count.`;
    return { kind: 'approval_withdrawn', id: at, text };
  }
  return null;
}

/** Until when an approval was certainly signed: a signal may wait for a worker long after that. Undefined: it is not signed. */
async function signedBy(
  { store, trust }: Pick<Dependencies, 'store' | 'trust'>,
  question: QuestionEntry | null,
  { attestation, at }: Decision,
): Promise<string | undefined> {
  if (attestation === undefined) return undefined;
  const verifiedAt = (await approvalVerifiedAt(store, question, attestation)) ?? at;
  const signedAt = trust.signedAt?.(attestation) ?? verifiedAt;
  return Date.parse(signedAt) < Date.parse(verifiedAt) ? signedAt : verifiedAt;
}

/**
 * For the last moment before the tool begins: null, if nothing has stopped the call; what was read then is not older than a second.
 * Otherwise the result of a tool that did not begin, by which the call is dispatched again, and waits or asks people.
 */
export async function stoppedBeforeTool(run: CallContext): Promise<RunResult | null> {
  for (;;) {
    const readAt = performance.now();
    const state = await readStopFrom(run.deps.store.registers);
    const { agent, requester } = run.turn;
    const freeze = freezeOf(state, { agent, requester, tool: run.tool.name });
    const text = freeze === null ? (await withdrawnIn(state, run))?.text : freezeText(freeze);
    if (text !== undefined) {
      const message = `${run.tool.name} was not run, since it was stopped while it was dispatched: ${text}`;
      const error = callError('TIMEOUT', BEGUN_TOO_LATE, message, { hint: 'Nothing has happened.' });
      return { ok: false, error, nothingHappened: true };
    }
    if (performance.now() - readAt <= FRESH_MS) return null;
  }
}

/** Ends once this tool is not frozen for this turn. @throws ApplicationFailure `holdfast.frozen`, for Temporal to try again */
export async function waitForUnfreeze(
  { store }: Pick<Dependencies, 'store'>,
  { turn, tool }: WaitForUnfreezeInput,
): Promise<void> {
  const freeze = await freezeOfTool(store, turn, tool);
  if (freeze === null) return;
  const text = freezeText(freeze);
  showing()({ frozen: text });
  throw ApplicationFailure.create({
    message: `The call waits: ${text}.`,
    type: FREEZE_WAITS,
    nonRetryable: false,
    nextRetryDelay: LOOK_EVERY_MS,
  });
}
