/** A sub-agent's turn has ended: its answer, or why there is none, becomes the result of the call. */
import { ApplicationFailure, Context } from '@temporalio/activity';
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
import type { Store } from '../../store/store';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { callRun, recordedTool } from '../call/call-run';
import { withAfterHooks, failure, keep, metadataAt, success } from '../call/run-once';
import { effectiveInput } from '../call/call-input';
import type { Dependencies, AskedTurn } from '../ports';

/** What it had said before it was stopped, characters. */
const LONGEST_TEXT = 2000;

export async function closeSubTurn(deps: Dependencies, request: CloseSubTurnInput): Promise<RunCallOutput> {
  const { turn, call, at, report, sub_turn_id } = request;
  const tool = deps.registry.find(turn.agent, call.tool, call.version) ?? recordedTool(call);
  const input = await effectiveInput(deps.store, turn, call);
  const asked = await deps.turns.ask(workflowId(sub_turn_id));
  const text = asked?.facts?.text ?? '';
  const { time_ms } = report.spent;
  const took = { execution_time_ms: time_ms, performance: { validation_ms: 0, network_ms: 0, processing_ms: time_ms } };
  const metadata: EnvelopeMetadata = { ...metadataAt(tool, turn, at), ...took };
  const error = errorOf(report, sub_turn_id, text);
  const envelope: Envelope =
    error === null ? success({ answer: text, agent: report.agent, turn_id: sub_turn_id }, metadata) : failure(error, metadata);
  const run = callRun(deps, request, tool, input);
  const kept = await keep(run, await withAfterHooks(run, envelope));
  const state = error === null ? 'succeeded' : 'failed';
  return { ...kept, state, effect: null, error, attempts: 1, took_ms: time_ms, head: null };
}

/** Null: it has answered. */
function errorOf({ state, reason, agent }: SubTurnReport, turnId: string, text: string): CallError | null {
  if (state === 'completed') return null;
  const said = text === '' ? '' : ` It had said: ${text.slice(0, LONGEST_TEXT).toWellFormed()}`;
  const why = reason === null || reason === '' ? '' : ` ${reason.slice(0, LONGEST_TEXT).toWellFormed()}`;
  switch (state) {
    case 'refused':
      return callError(
        'CONFIRMATION_REQUIRED',
        'sub_agent_refused',
        `Agent ${agent} (turn ${turnId}) could do nothing of what it had to: people or rules refused it.${said}`,
        { hint: 'Do not ask it for the same again. Tell the user what was refused.' },
      );
    case 'limit':
      return callError(
        'QUOTA_EXCEEDED',
        'sub_agent_limit',
        `Agent ${agent} (turn ${turnId}) was stopped at a limit.${why}${said}`,
        {
          hint: 'Ask it for less at once, or go on without it.',
        },
      );
    case 'cancelled':
      return callError('EXECUTION_ERROR', 'sub_agent_cancelled', `The turn of agent ${agent} (${turnId}) was cancelled.${why}`);
    default:
      return callError('EXECUTION_ERROR', 'sub_agent_failed', `Agent ${agent} (turn ${turnId}) failed.${why}${said}`);
  }
}

// What a turn keeps of what another one says of itself. All of it lands in history, so it stays small.

export function reportOf({ closed, facts }: AskedTurn, agent: string): SubTurnReport {
  const outside = closed === 'TERMINATED' || closed === 'TIMED_OUT';
  if (facts === null) {
    const nothing = { first_execution_run_id: '', agent, head: null, spent: ZERO_SPENDING, waiting: [] };
    return { ...nothing, state: 'failed', ended: closed !== null, reason: closed === null ? null : endedOutside(closed) };
  }
  const { parent: _, text: __, ...report } = facts;
  if (!outside) return { ...report, ended: report.ended || closed !== null, waiting: travelling(report.waiting) };
  return { ...report, state: 'failed', ended: true, reason: endedOutside(closed), waiting: [] };
}

function endedOutside(closed: NonNullable<AskedTurn['closed']>): string {
  const how = closed === 'TIMED_OUT' ? 'ended by its time limit' : 'terminated';
  return `Its workflow was ${how} from outside, through Temporal. What it was doing at that moment may have taken effect.`;
}

/** How a child stands. A signal only says that there is something to look at: what it says is asked of the child itself. */
export async function lookAtSubTurn({ turns }: Dependencies, { workflow_id }: LookAtSubTurnInput): Promise<SubTurnReport> {
  const found = await turns.ask(workflow_id);
  if (found === null)
    throw ApplicationFailure.create({ message: `There is no workflow ${workflow_id}`, type: 'holdfast.no_sub_turn' });
  return reportOf(found, '');
}

/** The child looks at the decision as if it had come to it: channel, signature, quorum, four eyes. */
export function forwardDecision({ turns }: Dependencies, request: ForwardDecisionInput): Promise<ForwardDecisionOutput> {
  const { workflowExecution, activityId, scheduledTimestampMs, scheduleToCloseTimeoutMs } = Context.current().info;
  const id = `${workflowExecution?.runId ?? ''}:${activityId}`; // the same in every attempt
  const before = scheduledTimestampMs + scheduleToCloseTimeoutMs;
  return turns.decide(request.workflow_id, { id, body: request.body, identity: request.identity, before });
}

// Which turn a call of an agent has been opened for: the store knows it, since Temporal says of a child only who has started it.
// Whoever answers the tasks of the turn above in the place of our workers starts any child of it, for a call that nobody has
// approved, of another agent, or with words of his own; and has none of them opened.

type Registers = Pick<Store, 'registers'>;
type Above = Pick<ParentTurn, 'first_execution_run_id'>;

export interface NotedSubTurn {
  /** The call's digest, which was looked at as it is before it runs. */
  digest: string;
  agent: string;
  message_hash: string;
  /** As in what the turn is started with. */
  within: OuterMode[];
  depth_left: number;
}

export function noteSubTurn({ registers }: Registers, above: Above, workflowId: string, opened: NotedSubTurn): Promise<void> {
  return registers.update(nameOf(above, workflowId), () => ({ value: { ...opened }, answer: undefined }));
}

/** Whether just this turn was opened: for this call, of this agent, with this message. */
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

/** How many turns of sub-agents may stand below this turn: the first agent says, and no agent below it allows more. */
export function remainingDepth({ parent }: Pick<TurnContext, 'parent'>, { agent }: PreparedAgent): number {
  return Math.min(agent.maxDepth, parent?.depth_left ?? agent.maxDepth);
}
