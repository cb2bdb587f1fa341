/** Lists the turns in which calls wait for a person. Each turn's worker reports its calls. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { PendingTurn, TurnSummary, TurnView } from '../../shapes/turn-view';
import { TURNS_AND_CALLS } from '../../workflows/contract';
import { visibilityClause, visibleExecutions, type Visibility } from '../turns/listing';
import type { Owner } from '../../record/owner';
import type { TurnHandle, WaitingNow } from '../turns/turn-handle';
import { BoundedAsks } from './bounded-asks';
import type { InboxSource } from './inbox-reader';
import type { ListedTurn } from './known-turns';

export interface PendingTurnsOf {
  temporal: Client;
  taskQueue: string;
  summarize(info: WorkflowExecutionInfo): TurnSummary;
  turn(id: string, owner: Owner): TurnHandle;
}

const REQUEST = 'tell what waits';

export async function* waitingTurns(
  { temporal, summarize }: Pick<PendingTurnsOf, 'temporal' | 'summarize'>,
  visibility: Visibility,
): AsyncGenerator<{ listing: ListedTurn; taskQueue: string }> {
  const waits = "ExecutionStatus = 'Running' AND HoldfastState IN ('awaiting_approval', 'awaiting_answer', 'in_doubt')";
  const query = [TURNS_AND_CALLS, waits, ...visibilityClause(visibility)].join(' AND ');
  for await (const { info, summary } of visibleExecutions(temporal, query, visibility, summarize))
    yield { listing: { ...summary, tools: waitingTools(info) }, taskQueue: info.taskQueue };
}

/** Turns whose workers do not answer for five seconds are returned with what Temporal knows of them. */
export async function pendingTurns(of: PendingTurnsOf & { visibility: Visibility }): Promise<PendingTurn[]> {
  const asks = new BoundedAsks(of.temporal, of.taskQueue, REQUEST);
  const turns: Promise<PendingTurn>[] = [];
  const withCalls = async (listing: ListedTurn, taskQueue: string): Promise<PendingTurn> => {
    const answered = await asks.ask({ taskQueue }, () => of.turn(listing.turn_id, ownerOf(listing)).waiting());
    return answered.ok ? { ...listing, ...callsOf(answered.answer) } : { ...listing, calls: [], unreachable: answered.why };
  };
  for await (const { listing, taskQueue } of waitingTurns(of, of.visibility)) turns.push(withCalls(listing, taskQueue));
  return eachOnce(await Promise.all(turns)).filter((each) => each.unreachable !== null || each.calls.length > 0);
}

/**
 * Where an inbox reads.
 * @param look describes a turn; `progress` differs once its history has grown
 */
export function inboxSource(
  of: PendingTurnsOf,
  look: (id: string) => Promise<{ progress: string; view(): Promise<TurnView> }>,
): InboxSource {
  const asks = new BoundedAsks(of.temporal, of.taskQueue, REQUEST);
  /** The turns that were listed last. */
  let listed = new Map<string, { owner: Owner; taskQueue: string }>();
  return {
    close: () => asks.close(),
    async *list() {
      const now: typeof listed = new Map();
      for await (const { listing, taskQueue } of waitingTurns(of, 'all')) {
        for (const turns of [now, listed]) turns.set(listing.turn_id, { owner: ownerOf(listing), taskQueue });
        yield listing;
      }
      listed = now;
    },
    progress: async (id) => (await look(id)).progress,
    read: (id, isRetry) => {
      const { owner = { turn_id: id, requester: '' }, taskQueue = '' } = listed.get(id) ?? {};
      return asks.ask({ taskQueue, isRetry }, async () => {
        // In this order: what happens meanwhile makes the turn be read again.
        const { progress, view } = await look(id);
        return { ...callsOf(await of.turn(id, owner).waiting(await view())), progress };
      });
    },
  };
}

/** As the list says: what a turn's worker answers may be made up. */
function ownerOf({ turn_id, requester }: ListedTurn): Owner {
  return { turn_id, requester };
}

function callsOf({ questions, unread }: WaitingNow): Pick<PendingTurn, 'calls' | 'unreachable'> {
  return { calls: questions, unreachable: unread.length === 0 ? null : unread.map((each) => each.why).join(' ') };
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
