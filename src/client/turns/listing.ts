/** Lists turns from Temporal's visibility store; asks no worker. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '../../temporal/sdk-private';
import { isEnd, TURN_STATES, type TurnState } from '../../shared/turn/turn-states';
import { visibilityText } from '../../shared/text/visible';
import type { TurnSummary } from '../../shapes/turn-view';
import { keywordOf } from '../../shared/search-attributes';
import { turnIdOf } from '../../shared/ids';
import { cardUrl } from '../../shared/wire/links';
import { MEMO_KEY, TURNS_AND_CALLS } from '../../workflows/contract';
import { InvalidRequest } from '../errors';

/** Conditions of a list; a turn has to meet all of them. */
export interface TurnFilter {
  state?: TurnState;
  agent?: string;
  /** The turns that the caller may see. Default: all. */
  sight?: Visibility;
}

/** What Temporal lists for a query, of which the caller may see only a part. */
export async function* visibleExecutions<S extends { requester: string }>(
  temporal: Client,
  query: string,
  visibility: Visibility,
  summarize: (info: WorkflowExecutionInfo) => S,
): AsyncGenerator<{ info: WorkflowExecutionInfo; summary: S }> {
  for await (const info of temporal.workflow.list({ query })) {
    const summary = summarize(info);
    if (isVisible(visibility, summary.requester)) yield { info, summary };
  }
}

export interface TurnPage {
  turns: TurnSummary[];
  /** Position of the next page; null: there is none. */
  next: Uint8Array | null;
}

/** @throws InvalidRequest for an unknown state */
export async function pageOfTurns(
  { connection, options }: Client,
  filter: TurnFilter,
  { limit, position }: { limit: number; position?: Uint8Array },
  summarize: (info: WorkflowExecutionInfo) => TurnSummary,
): Promise<TurnPage> {
  const { loadedDataConverter, namespace } = options;
  const { executions, nextPageToken } = await connection.workflowService.listWorkflowExecutions({
    namespace,
    query: turnQuery(filter),
    pageSize: limit,
    nextPageToken: position ?? null,
  });
  const infos = executions.map((raw) => executionInfoFromRaw(raw, loadedDataConverter, raw, namespace));
  const turns = (await Promise.all(infos)).map(summarize);
  const { sight = 'all' } = filter;
  return {
    turns: turns.filter(({ requester }) => isVisible(sight, requester)),
    next: nextPageToken?.length ? nextPageToken : null,
  };
}

/** @param url of the turn's workflow, if there is a Web UI */
export function summaryOf(info: Omit<WorkflowExecutionInfo, 'raw'>, url: string | null): TurnSummary {
  const key = info.memo?.[MEMO_KEY];
  const state = stateOf(info.status.name, keywordOf(info.searchAttributes, 'state'));
  return {
    turn_id: turnIdOf(info.workflowId),
    workflow_id: info.workflowId,
    agent: keywordOf(info.searchAttributes, 'agent'),
    state,
    requester: keywordOf(info.searchAttributes, 'requester'),
    started_at: info.startTime.toISOString(),
    ended_at: info.closeTime?.toISOString() ?? null,
    ui_url: WAITING.has(state) ? cardUrl(url, info.runId) : url,
    key: typeof key === 'string' ? key : null,
  };
}

/** People look for its card. */
const WAITING: ReadonlySet<string> = new Set<TurnState>(['awaiting_approval', 'awaiting_answer', 'in_doubt']);

/** A turn that was ended through Temporal itself never wrote its last state. */
function stateOf(status: string, recordedState: string): string {
  return status === 'TERMINATED' || status === 'TIMED_OUT' ? 'failed' : recordedState;
}

/** Temporal's list filter. @throws InvalidRequest */
export function turnQuery({ state, agent, sight = 'all' }: TurnFilter): string {
  return [
    TURNS_AND_CALLS,
    ...(state === undefined ? [] : [stateClause(state)]),
    ...(agent === undefined ? [] : [`HoldfastAgent = ${visibilityText(agent)}`]),
    ...visibilityClause(sight),
  ].join(' AND ');
}

function stateClause(state: TurnState): string {
  if (!TURN_STATES.includes(state))
    throw new InvalidRequest(`There is no state ${JSON.stringify(state)}; states: ${TURN_STATES.join(', ')}.`);
  const clause = `HoldfastState = '${state}'`;
  if (!isEnd(state)) return `${clause} AND ExecutionStatus = 'Running'`;
  return state === 'failed' ? `(${clause} OR ExecutionStatus IN ('Terminated', 'TimedOut'))` : clause;
}

// Which turns a principal may see: by their requester. A name is `tenant/name`, or has no slash.

export type Visibility = { requester: string } | { tenant: string } | 'all';

/**
 * A clause of Temporal's list filter, or none. Temporal cuts names at 255 bytes, and compares by the collation of its database, so each
 * result is checked with `isVisible`.
 */
export function visibilityClause(visibility: Visibility): string[] {
  if (visibility === 'all') return [];
  if ('requester' in visibility) return [`HoldfastRequester = ${visibilityText(visibility.requester)}`];
  return [`HoldfastRequester STARTS_WITH ${visibilityText(`${visibility.tenant}/`)}`];
}

/** Compares exactly, whatever the collation of Temporal's database. */
export function isVisible(visibility: Visibility, requester: string): boolean {
  if (visibility === 'all') return true;
  return 'requester' in visibility ? requester === visibility.requester : requester.startsWith(`${visibility.tenant}/`);
}

/** What stands before the first slash of a requester's name; empty: the requester has no tenant. */
export function tenantOf(requester: string): string {
  return requester.slice(0, Math.max(0, requester.indexOf('/')));
}
