/** Lists the turns in which calls wait for a person. Each turn's worker reports its calls. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { PendingTurn, TurnSummary } from '../../shapes/turn-view';
import { errorMessage } from '../../shared/text/error-message';
import { TURNS_AND_CALLS } from '../../workflows/contract';
import { NoWorker } from '../errors';
import { visibilityClause, visibleExecutions, type Visibility } from '../turns/listing';
import type { TurnHandle } from '../turns/turn-handle';
import { IdleTimeout, noWorkerError } from '../turns/missing-answer';

/** Workers are no longer asked after this time without an answer from any of them, ms. */
const NO_ANSWER_MS = 5000;

export interface PendingTurnsOf {
  temporal: Client;
  taskQueue: string;
  visibility: Visibility;
  summarize(info: WorkflowExecutionInfo): TurnSummary;
  turn(id: string): TurnHandle;
}

/** After five seconds without an answer from any worker, the remaining turns are returned with what Temporal knows of them. */
export async function pendingTurns({ temporal, taskQueue, visibility, summarize, turn }: PendingTurnsOf): Promise<PendingTurn[]> {
  const waits = "ExecutionStatus = 'Running' AND HoldfastState IN ('awaiting_approval', 'awaiting_answer', 'in_doubt')";
  const query = [TURNS_AND_CALLS, waits, ...visibilityClause(visibility)].join(' AND ');
  const timeout = new IdleTimeout(NO_ANSWER_MS);
  // Asked once for all turns, and outside of the request that was aborted.
  let unheard: Promise<NoWorker> | undefined;
  const why = () => (unheard ??= noWorkerError(temporal, { taskQueue }, 'tell what waits'));
  const withCalls = async (waiting: Omit<PendingTurn, 'calls' | 'unreachable'>): Promise<PendingTurn> => {
    try {
      const ask = () => turn(waiting.turn_id).waiting();
      const { questions, unread } = await temporal.connection.withAbortSignal(timeout.signal, ask);
      timeout.broken();
      return { ...waiting, calls: questions, unreachable: unread.length === 0 ? null : unread.map((each) => each.why).join(' ') };
    } catch (error) {
      // A turn whose worker is gone must not hide the others.
      return { ...waiting, calls: [], unreachable: errorMessage(error instanceof NoWorker ? await why() : error) };
    }
  };
  const turns: Promise<PendingTurn>[] = [];
  try {
    for await (const { info, summary } of visibleExecutions(temporal, query, visibility, summarize))
      turns.push(withCalls({ ...summary, tools: waitingTools(info) }));
    return eachOnce(await Promise.all(turns)).filter((each) => each.unreachable !== null || each.calls.length > 0);
  } finally {
    timeout.over();
  }
}

function waitingTools(info: Pick<WorkflowExecutionInfo, 'searchAttributes'>): string[] {
  return ((info.searchAttributes?.HoldfastTool as unknown[] | undefined) ?? []).map(String);
}

/**
 * A sub-agent's call waits in its own turn, and is shown in the turns above. It is kept in its own turn only, if that is listed.
 */
function eachOnce(turns: PendingTurn[]): PendingTurn[] {
  const ownCalls = new Set(
    turns.flatMap(({ turn_id, calls }) => calls.filter(({ of }) => !of).map(({ digest }) => `${turn_id} ${digest}`)),
  );
  return turns.map((turn) => ({
    ...turn,
    calls: turn.calls.filter(({ of, digest }) => of === undefined || !ownCalls.has(`${of.turn_id} ${digest}`)),
  }));
}
