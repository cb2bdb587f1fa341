/** Reads recorded histories that match a visibility query, for a replay: run after run, each with its events. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { searchable } from '../shared/text/visible';
import { fetchHistory } from '../temporal/history/read-history';

const TYPES = ['turn', 'call', 'session', 'budget', 'callback', 'intent'];

export interface RunsQuery {
  /** A visibility query; it always selects only holdfast's workflows. */
  query?: string;
  /** Runs that began at this time or later. */
  since?: Date;
  /** Limit for the number of runs. */
  limit?: number;
}

export interface RecordedRun {
  workflow_id: string;
  run_id: string;
  /** A `History` message, base64. */
  history: string;
}

/** @throws UnsearchableText */
export function runsQuery({ query, since }: RunsQuery): string {
  return [
    `WorkflowType IN (${TYPES.map((type) => `'${type}'`).join(', ')})`,
    ...(since ? [`StartTime >= '${since.toISOString()}'`] : []),
    ...(query ? [`(${searchable(query.replace(/[\t\r\n]/g, ' '))})`] : []),
  ].join(' AND ');
}

export async function countRuns(client: Client, about: RunsQuery): Promise<number> {
  const { count } = await client.workflow.count(runsQuery(about));
  return Math.min(count, about.limit ?? Infinity);
}

/** Yields `cannot` for a run that Temporal has deleted since it was listed. */
export async function* recordedRuns(
  client: Client,
  about: RunsQuery,
): AsyncGenerator<RecordedRun | { workflow_id: string; run_id: string; cannot: string }> {
  let remaining = about.limit ?? Infinity;
  if (remaining <= 0) return;
  for await (const { workflowId, runId } of client.workflow.list({ query: runsQuery(about) })) {
    const run = { workflow_id: workflowId, run_id: runId };
    try {
      const message = await fetchHistory(client, workflowId, runId);
      const history = Buffer.from(temporal.api.history.v1.History.encode(message).finish()).toString('base64');
      yield { ...run, history };
    } catch (error) {
      if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
      yield { ...run, cannot: 'Temporal has its history no longer: the namespace retains it for a limited time.' };
    }
    if (--remaining <= 0) return;
  }
}
