/** Finds turns with effects that have ended: Temporal lists what ended, the store's trail knows what was dispatched. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { isDirectCallId, turnIdOf, workflowId } from '../../shared/ids';
import { visibilityText } from '../../shared/text/visible';
import type { Store } from '../../store/store';
import { TURNS_AND_CALLS } from '../../workflows/contract';
import type { ClosedTurn } from './bundle-archive';

export interface Places {
  temporal: Client;
  store: Store;
  taskQueue: string;
}

/** ISO 8601. `from` is included, `to` is not. */
export interface Window {
  from: string;
  to: string;
}

/** Ended by itself, from outside or by a timeout; a run that continues as new has not ended. */
const ENDED_FILTER = "ExecutionStatus IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut')";
/** By which the times of two runs, and the store's, may differ. */
const CLOCKS_MS = 60_000;
/** Maximum depth of sub-agents' turns. */
const DEEPEST = 16;

/**
 * The turns that closed in the window, with effects of their own or of sub-agents. A sub-agent's turn is part of the one above.
 * @param most if more have ended, the result is null: ask for a shorter window
 */
export async function closedWithEffects(places: Places, window: Window, most: number): Promise<ClosedTurn[] | null> {
  const startTimes = await endedIn(places, window, most);
  if (startTimes === null || startTimes.size === 0) return startTimes && [];
  await addEarlierRuns(places, startTimes, window.to);
  const since = [...startTimes.values()].sort()[0]!;
  const roots = new Set<string>();
  for await (const turnId of dispatchedIn(places.store, { from: since, to: window.to })) {
    if (!startTimes.has(workflowId(turnId)) && !mayBeBelow(turnId)) continue;
    const root = await rootOf(places.temporal, turnId);
    if (root !== null && (startTimes.has(root) || startTimes.has(workflowId(turnId)))) roots.add(root);
  }
  const closedTurns = await Promise.all([...roots].map((root) => closedNow(places.temporal, root)));
  return closedTurns.filter((one) => one !== null).sort((a, b) => (a.closed_at < b.closed_at ? -1 : 1));
}

/** Start times by workflow id; null: more than `most`. */
async function endedIn({ temporal, taskQueue }: Places, { from, to }: Window, most: number): Promise<Map<string, string> | null> {
  const startTimes = new Map<string, string>();
  const within = `CloseTime >= '${from}' AND CloseTime < '${to}'`;
  const query = `${TURNS_AND_CALLS} AND ${ENDED_FILTER} AND TaskQueue = ${visibilityText(taskQueue)} AND ${within}`;
  for await (const { workflowId: id, startTime } of temporal.workflow.list({ query })) {
    if (startTimes.size >= most) return null;
    startTimes.set(id, earlier(startTimes.get(id), startTime));
  }
  return startTimes;
}

/** A turn that continued in another run, or was reset, began with its first run: each began when the one before it closed. */
async function addEarlierRuns({ temporal, taskQueue }: Places, startTimes: Map<string, string>, to: string): Promise<void> {
  const of = `${TURNS_AND_CALLS} AND ExecutionStatus IN ('ContinuedAsNew', 'Terminated') AND TaskQueue = ${visibilityText(taskQueue)}`;
  for (let until = to; ;) {
    const first = [...startTimes.values()].sort()[0]!;
    if (first >= until) return;
    const since = new Date(Date.parse(first) - CLOCKS_MS).toISOString();
    for await (const { workflowId: id, startTime } of temporal.workflow.list({
      query: `${of} AND CloseTime >= '${since}' AND CloseTime < '${until}'`,
    })) {
      const own = startTimes.get(id);
      if (own !== undefined) startTimes.set(id, earlier(own, startTime));
    }
    until = since;
  }
}

function earlier(other: string | undefined, time: Date): string {
  const text = time.toISOString();
  return other !== undefined && other < text ? other : text;
}

/** Ids of turns with a dispatch in the window, each once. */
async function* dispatchedIn(store: Store, window: Window): AsyncGenerator<string> {
  const turnIds = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await store.trail.query({ state: 'dispatched', ...window, limit: 1000, ...(cursor ? { cursor } : {}) });
    for (const { turn_id } of page.entries) {
      if (!turnIds.has(turn_id)) yield turn_id;
      turnIds.add(turn_id);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Whether the id has the form of a sub-agent's turn (shared/turn/sub-turn.ts): then a turn above it may have ended. */
function mayBeBelow(turnId: string): boolean {
  return turnId.includes('~');
}

/** Workflow id of the topmost turn; null: Temporal has forgotten it. */
async function rootOf(temporal: Client, turnId: string): Promise<string | null> {
  let id = workflowId(turnId);
  for (let depth = 0; depth < DEEPEST; depth++) {
    const above = await parentOf(temporal, id);
    if (above === undefined) return null;
    if (above === null) return id;
    id = above;
  }
  return id;
}

/** Null: no turn is above it; undefined: Temporal has forgotten it. */
async function parentOf(temporal: Client, id: string): Promise<string | null | undefined> {
  const description = await describe(temporal, id);
  const above = description?.parentExecution?.workflowId;
  if (description === null) return undefined;
  return above && (above.startsWith('turn/') || isDirectCallId(above)) ? above : null;
}

/** The last run; null: it is running, or forgotten. */
async function closedNow(temporal: Client, id: string): Promise<ClosedTurn | null> {
  const description = await describe(temporal, id);
  if (!description?.closeTime || description.status.name === 'RUNNING') return null;
  const turn_id = turnIdOf(id);
  return { turn_id, run_id: description.runId, closed_at: description.closeTime.toISOString() };
}

async function describe(temporal: Client, id: string) {
  try {
    return await temporal.workflow.getHandle(id).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
