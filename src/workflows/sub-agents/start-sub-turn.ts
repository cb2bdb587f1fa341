/**
 * Starts the child workflow that answers a call, with a share of what the turn has left of its limits; waits for its end, and counts what
 * it has used. It is started once for each call, and is found again by its id, also after a reset.
 */
import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AdmittedCall, OpenSubTurnOutput, RunCallInput, RunCallOutput } from '../../shared/io/activities';
import { workflowId } from '../../shared/ids';
import { keyword } from '../../shared/search-attributes';
import { inlineCode } from '../../shared/text/visible';
import { narrower, shareOf, subTurnId, sumUsage, ZERO_SPENDING, type TurnLimits } from '../../shared/turn/sub-turn';
import { callError, type CallError } from '../../shared/wire/errors';
import { lookAtSubTurn, openSubTurn } from '../activities';
import type { Dispatch } from '../call/dispatch-types';
import { MEMO_TRACE, TURN_WORKFLOW } from '../contract';
import { condition } from '../sandbox/condition';
import { showState } from '../turn/publish-turn-state';
import { leftOf, limitsOf, type SubTurn } from '../turn/state';
import { cutReason } from '../turn/state-limits';
import { addMakers } from '../turn/steering';
import { newQuestions } from './sub-turns';

/** Ids that are tried for one call: other workflows may have taken the earlier ones. */
const MOST_TURNS = 10;
/** Most turns that are shown; the usage of the oldest stays counted with the others. */
const MOST_SUBS = 100;

type OpenedSubTurn = OpenSubTurnOutput & { open: true };

/** Starts the child, or finds the one that already answers exactly this call. */
export async function startSubTurn(
  context: Dispatch,
  call: AdmittedCall,
  request: RunCallInput,
): Promise<{ sub: SubTurn } | { refusal: Partial<RunCallOutput> }> {
  const { data, turn } = context;
  let misses = 0;
  for (let nth = 1; nth <= MOST_TURNS; nth++) {
    const turnId = subTurnId(turn.turn_id, call.id, nth);
    const opening = await openSubTurn(call, { ...request, call: { ...request.call, dispatch: nth }, sub_turn_id: turnId });
    if (!opening.open) return { refusal: opening.refused };
    const { existing, agent } = opening;
    const identity = { call_id: call.id, turn_id: turnId, workflow_id: workflowId(turnId), agent };
    if (existing?.whose === 'foreign') continue;
    if (existing) {
      const sub = enter(context, {
        ...identity,
        reserved: reservation(context, opening) ?? NONE,
        report: existing.report,
        news: true,
      });
      if (existing.whose === 'same') return { sub };
      // A run before a reset started this child for another digest: end it first.
      await CancellationScope.nonCancellable(async () => {
        await cancelChild(sub);
        await waitForEnd(context, sub);
      });
      settleReservation(context, sub);
      continue;
    }
    const share = reservation(context, opening);
    if (share === null) return { refusal: { error: exhaustedLimitError(call.tool) } };
    const sub: SubTurn = { ...identity, reserved: share, report: null, news: false };
    enter(context, sub);
    if (await start(context, call, request, opening, sub)) return { sub };
    data.subs = data.subs!.filter((other) => other !== sub);
    if (++misses <= MOST_TURNS) nth -= 1; // another start was faster: check again whose it is
  }
  return { refusal: { error: noFreeIdError(call.tool) } };
}

function enter({ data }: Dispatch, sub: SubTurn): SubTurn {
  const others = (data.subs ?? []).filter(({ turn_id }) => turn_id !== sub.turn_id);
  const oldest = others.length < MOST_SUBS ? undefined : others.find(({ reserved }) => reserved === null);
  data.subs = [...others.filter((other) => other !== oldest), sub];
  return sub;
}

const NONE: TurnLimits = { steps: 0, tokens: 0, cost_usd: 0, time_ms: 0 };

/** What is left, shared evenly among the sub-agents of this step that have not begun; null: nothing is left. */
function reservation({ data }: Dispatch, { limits }: OpenedSubTurn): TurnLimits | null {
  const own = limitsOf(data);
  if (!own) return limits;
  const startedCalls = new Set((data.subs ?? []).map(({ call_id }) => call_id));
  const { calls = [], outcomes = {} } = data.open ?? {};
  const waiting = calls.filter(
    ({ id, sub_agent }) => sub_agent !== undefined && outcomes[id] === undefined && !startedCalls.has(id),
  );
  const share = shareOf(leftOf(data, own), Math.max(1, waiting.length));
  return share && narrower(share, limits);
}

/** False: the id is taken. */
async function start(
  context: Dispatch,
  call: AdmittedCall,
  request: RunCallInput,
  { agent, message, within, depth_left }: OpenedSubTurn,
  sub: SubTurn,
): Promise<boolean> {
  const { turn, data } = context;
  const { turn_id, workflow_id, first_execution_run_id, requester, trace_id } = turn;
  const parent = {
    turn_id,
    workflow_id,
    first_execution_run_id,
    call_id: call.id,
    digest: request.call.digest,
    head: request.head,
    within,
    untrusted: call.untrusted ?? false,
    depth_left,
    limits: sub.reserved!,
    makers: makersOf(context, request),
  };
  const input = { turn_id: sub.turn_id, agent, message, requester, session_id: null, trace_id, parent_head: null, parent };
  const attributes = new TypedSearchAttributes([
    keyword('agent', agent),
    keyword('state', 'running'),
    keyword('requester', requester),
  ]);
  try {
    const child = await CancellationScope.nonCancellable(() =>
      startChild(TURN_WORKFLOW, {
        workflowId: sub.workflow_id,
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        typedSearchAttributes: attributes,
        memo: { [MEMO_TRACE]: trace_id },
        staticSummary: `${inlineCode(agent)} for call ${call.id} of ${inlineCode(turn.turn_id)}`,
      }),
    );
    const markNews = () => void (sub.news = true); // whichever way it ended, it is checked
    child.result().then(markNews, markNews);
    showState(data, context.questions);
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** People who steered this turn, or changed the call, are makers of what the child proposes. */
function makersOf({ data }: Dispatch, { call: { makers = [] } }: RunCallInput): string[] {
  return [...new Set([...(data.steered?.by ?? []), ...makers])];
}

function exhaustedLimitError(tool: string): CallError {
  const message = `${tool} was not asked: this turn has nothing left of its limits that it could work with.`;
  return callError('QUOTA_EXCEEDED', 'nothing_left', message, { hint: 'Answer with what is known.' });
}

function noFreeIdError(tool: string): CallError {
  return callError(
    'EXECUTION_ERROR',
    'ids_taken',
    `${tool} was not asked: other workflows have the ids that its turn could have.`,
  );
}

// The end of a child.

/** A child that was ended from outside sends no signal: it is checked at growing intervals, ms. */
const FIRST_PROBE_MS = 60_000;
const LONGEST_PROBE_MS = 3_600_000;

/**
 * Resolves when the child has ended. Passes a cancellation on, and still waits for the end: an effect may be in progress.
 * @returns the cancellation; null: there was none
 */
export async function waitForEnd(context: Dispatch, sub: SubTurn): Promise<unknown> {
  const { turn, inFlight, data, questions } = context;
  let cancellation: unknown = null;
  let patience = FIRST_PROBE_MS;
  for (;;) {
    try {
      await waitForNews(context, sub, patience, cancellation !== null);
    } catch (error) {
      if (!isCancellation(error) || cancellation !== null) throw error;
      cancellation = error;
      await cancelChild(sub);
      continue;
    }
    patience = Math.min(LONGEST_PROBE_MS, patience * 2);
    sub.news = false;
    const before = sub.report;
    const { said_by = [], ...report } = await CancellationScope.nonCancellable(() =>
      inFlight.during(() => lookAtSubTurn({ turn, workflow_id: sub.workflow_id })),
    );
    addMakers(data, turn, said_by); // people who spoke to the child influence its answer
    sub.report = report;
    showState(data, questions);
    for (const { kind, run_id, call } of newQuestions(before, sub.report))
      context.onQuestion({ kind, run_id, digest: call.digest! });
    if (sub.report.ended) return cancellation;
  }
}

/** A full run continues as new instead, and the next run checks the child first; a cancelled run waits for the end. */
async function waitForNews({ inFlight }: Dispatch, sub: SubTurn, patience: number, isCancelled: boolean): Promise<void> {
  if (isCancelled) return void (await CancellationScope.nonCancellable(() => condition(() => sub.news, patience)));
  await inFlight.apart(() => condition(() => sub.news && !workflowInfo().continueAsNewSuggested, patience));
}

export function cancelChild({ workflow_id }: SubTurn): Promise<void> {
  return CancellationScope.nonCancellable(
    () =>
      getExternalWorkflowHandle(workflow_id)
        .cancel()
        .catch(() => undefined), // it has ended already
  );
}

/** Counts what the child has used; the rest of its reservation is free again. */
export function settleReservation({ data }: Dispatch, sub: SubTurn): void {
  if (sub.reserved === null) return;
  const below = data.below ?? ZERO_SPENDING;
  const { spent, reason } = sub.report!;
  sub.reserved = null;
  sub.report = { ...sub.report!, reason: cutReason(reason), waiting: [] };
  data.below = {
    usage: sumUsage(below.usage, spent.usage),
    steps: below.steps + spent.steps,
    time_ms: below.time_ms + spent.time_ms,
  };
}
