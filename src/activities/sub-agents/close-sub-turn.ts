/**
 * Turns the answer of a sub-agent, or the reason why there is none, into the result of the call. Also asks sub-agents for their
 * state, forwards decisions to them, and records for which call each was opened.
 */
import { Context } from '@temporalio/activity';
import type {
  CloseSubTurnInput,
  RunCallOutput,
  ForwardDecisionInput,
  ForwardDecisionOutput,
  LookAtSubTurnInput,
  TurnContext,
} from '../../shared/io/activities';
import { type Envelope, type EnvelopeMetadata, callError, type CallError } from '../../shared/wire/errors';
import { workflowId } from '../../shared/ids';
import { type SubTurnReport, ZERO_SPENDING, travelling, type OuterMode, type ParentTurn } from '../../shared/turn/sub-turn';
import { hashJson } from '../../shared/json/digests';
import type { Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import type { Store } from '../../store/store';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { callContext, toolStub } from '../call/call-context';
import { withAfterHooks, failure, keep, metadataAt, success } from '../call/run-once';
import { effectiveInput } from '../call/call-input';
import type { Dependencies, AskedTurn } from '../ports';

/** Longest text that is quoted from a sub-agent that gave no answer, characters. */
const LONGEST_TEXT = 2000;

export async function closeSubTurn(deps: Dependencies, request: CloseSubTurnInput): Promise<RunCallOutput> {
  const { turn, call, at, report, sub_turn_id } = request;
  const tool = deps.registry.find(turn.agent, call.tool, call.version) ?? toolStub(call);
  const input = await effectiveInput(deps.store, turn, call);
  const subTurn = await deps.turns.ask(workflowId(sub_turn_id));
  const { text = '', result } = subTurn?.facts ?? {};
  const { time_ms } = report.spent;
  const took = { execution_time_ms: time_ms, performance: { validation_ms: 0, network_ms: 0, processing_ms: time_ms } };
  const metadata: EnvelopeMetadata = { ...metadataAt(tool, turn, at), ...took };
  const error = errorOf(report, sub_turn_id, text);
  const envelope: Envelope =
    error === null
      ? success({ answer: text, ...optional({ data: result }), agent: report.agent, turn_id: sub_turn_id }, metadata)
      : failure(error, metadata);
  const run = callContext(deps, request, tool, input);
  const resultPart = await keep(run, await withAfterHooks(run, envelope));
  const state = error === null ? 'succeeded' : 'failed';
  return { ...resultPart, state, effect: null, error, attempts: 1, took_ms: time_ms, head: null };
}

/** Null: the sub-agent answered. */
function errorOf({ state, reason, agent }: SubTurnReport, turnId: string, text: string): CallError | null {
  if (state === 'completed') return null;
  const lastText = text === '' ? '' : ` It had said: ${text.slice(0, LONGEST_TEXT).toWellFormed()}`;
  const why = reason === null || reason === '' ? '' : ` ${reason.slice(0, LONGEST_TEXT).toWellFormed()}`;
  switch (state) {
    case 'refused':
      return callError(
        'CONFIRMATION_REQUIRED',
        'sub_agent_refused',
        `Agent ${agent} (turn ${turnId}) could not do its task: people or rules refused all of its destructive calls.${lastText}`,
        { hint: 'Do not ask it for the same again. Tell the user what was refused.' },
      );
    case 'limit':
      return callError(
        'QUOTA_EXCEEDED',
        'sub_agent_limit',
        `Agent ${agent} (turn ${turnId}) was stopped at a limit.${why}${lastText}`,
        {
          hint: 'Ask it for less at once, or go on without it.',
        },
      );
    case 'cancelled':
      return callError('EXECUTION_ERROR', 'sub_agent_cancelled', `The turn of agent ${agent} (${turnId}) was cancelled.${why}`);
    default:
      return callError('EXECUTION_ERROR', 'sub_agent_failed', `Agent ${agent} (turn ${turnId}) failed.${why}${lastText}`);
  }
}

// What a turn keeps of the report of another turn. It goes into history, so it is small.

export function reportOf({ closed, facts }: AskedTurn, agent: string): SubTurnReport {
  const outside = closed === 'TERMINATED' || closed === 'TIMED_OUT';
  if (facts === null)
    return { ...WITHOUT_FACTS, agent, ended: closed !== null, reason: closed === null ? null : endedOutside(closed) };
  const { parent: _, text: __, result: ___, ...report } = facts;
  if (!outside) return { ...report, ended: report.ended || closed !== null, waiting: travelling(report.waiting) };
  return { ...report, state: 'failed', ended: true, reason: endedOutside(closed), waiting: [] };
}

const WITHOUT_FACTS = { first_execution_run_id: '', head: null, spent: ZERO_SPENDING, waiting: [], state: 'failed' as const };
const MISSING_TURN: SubTurnReport = {
  ...WITHOUT_FACTS,
  agent: '',
  ended: true,
  reason: 'Temporal has no such turn any more. What it did may have taken effect.',
};

function endedOutside(status: NonNullable<AskedTurn['closed']>): string {
  const how = status === 'TIMED_OUT' ? 'ended by its time limit' : 'terminated';
  return `Its workflow was ${how} from outside, through Temporal. What it was doing at that moment may have taken effect.`;
}

/** The state of a child turn, asked of the child itself: its signal only says that there is something to look at. */
export async function lookAtSubTurn({ turns }: Dependencies, { workflow_id }: LookAtSubTurnInput): Promise<SubTurnReport> {
  const subTurn = await turns.ask(workflow_id);
  // It was started: Temporal has forgotten it, or somebody has deleted it.
  return subTurn === null ? MISSING_TURN : reportOf(subTurn, '');
}

/** The child checks the decision as if it had received it directly: channel, signature, quorum, four eyes. */
export function forwardDecision({ turns }: Dependencies, request: ForwardDecisionInput): Promise<ForwardDecisionOutput> {
  const { workflowExecution, activityId, scheduledTimestampMs, scheduleToCloseTimeoutMs } = Context.current().info;
  const id = `${workflowExecution?.runId ?? ''}:${activityId}`; // the same in every attempt
  const before = scheduledTimestampMs + scheduleToCloseTimeoutMs;
  return turns.decide(request.workflow_id, { id, body: request.body, identity: request.identity, before });
}

// For which call, agent and message a child turn was opened. The store records it, since Temporal only knows which workflow started
// a child. Someone who answers the tasks of the parent in place of our workers can start any child of it: for a call that nobody
// approved, of another agent, or with another message. The store has no record of such a child.

type Registers = Pick<Store, 'registers'>;
type Above = Pick<ParentTurn, 'first_execution_run_id'>;

export interface NotedSubTurn {
  /** The call's digest, which is checked as before any run. */
  digest: string;
  agent: string;
  message_hash: string;
  /** The same as in the input of the child turn. */
  within: OuterMode[];
  depth_left: number;
}

export function noteSubTurn({ registers }: Registers, above: Above, workflowId: string, subTurn: NotedSubTurn): Promise<void> {
  return registers.update(nameOf(above, workflowId), () => ({ value: { ...subTurn }, answer: undefined }));
}

/** Whether exactly this turn was opened: for this call, of this agent, with this message. */
export async function isNotedSubTurn(
  { registers }: Registers,
  above: Above,
  workflowId: string,
  as: NotedSubTurn,
): Promise<boolean> {
  const { value } = await registers.read(nameOf(above, workflowId));
  return value !== null && hashJson(value) === hashJson({ ...as } as Json);
}

function nameOf({ first_execution_run_id }: Above, workflow_id: string): string {
  return `kept/opened/${hashJson({ v: 'holdfast.opened/1', first_execution_run_id, workflow_id })}`;
}

/** How many levels of sub-agents may follow below this turn. The first agent sets it; agents below can only lower it. */
export function remainingDepth({ parent }: Pick<TurnContext, 'parent'>, { agent }: PreparedAgent): number {
  return Math.min(agent.maxDepth, parent?.depth_left ?? agent.maxDepth);
}
