/** Queries other turns through Temporal, forwards decisions to them, and looks up their runs and stores. */
import {
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { decodeArrayFromPayloads } from './sdk-private';
import type { AskedTurn, Turns } from '../activities/ports';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import type { SubTurnFacts } from '../shared/turn/sub-turn';
import type { Waits } from '../shared/wire/waits';
import { ANSWER_UPDATE, DECIDE_UPDATE, SUB_TURN_QUERY, type DecideAnswer } from '../workflows/contract';
import { Sending, sendInTime } from './send-update';
import { waitForPendingWorkflowTask } from './executions';
import { fetchHistory } from './history/read-history';

/** ms; a worker that is busy answers a query late. */
const ANSWERS_WITHIN = 20_000;
/** How long a forwarded decision may take to arrive, ms. */
const PASSED_ON_WITHIN = 8_000;
/** After that time, how long it takes at most until the fate of the decision is certain, ms. */
const SURE_AFTER = 17_000;

/** gRPC code. */
const NOT_FOUND = 5;
/** How many runs are followed back: a question waits for days at most. */
const MOST_RUNS_BACK = 500;

/** @param as a client under another identity: a forwarded decision keeps its sender's */
export function temporalTurns(client: Client, as: (identity: string) => Client): Turns {
  const within = <T>(work: () => Promise<T>) => client.withDeadline(Date.now() + ANSWERS_WITHIN, work);
  const describe = (workflowId: string) => client.workflow.getHandle(workflowId).describe();
  return {
    ask: (workflowId) =>
      within(async () => {
        const description = await describe(workflowId).catch((error: unknown) => orNull(error));
        if (description === null) return null;
        const { name } = description.status;
        const status = (name === 'RUNNING' ? null : name) as AskedTurn['closed'];
        const answer = client.workflow.getHandle(workflowId).query<SubTurnFacts>(SUB_TURN_QUERY);
        // A turn that was ended from outside before it ever ran cannot answer.
        const facts = await answer.catch((error: unknown) => {
          if (status === 'TERMINATED' || status === 'TIMED_OUT' || isUnknownQuery(error)) return null;
          throw error;
        });
        return { closed: status, startedBy: description.parentExecution?.workflowId ?? null, facts };
      }),
    decide: async (workflowId, { id, body, identity, before }) => {
      const sender = as(identity);
      const handle = sender.workflow.getHandle(workflowId);
      try {
        if (!(await within(() => waitForPendingWorkflowTask(() => handle.describe()))))
          throw new Error(`No worker has taken earlier requests to ${workflowId}; the decision was not passed on.`);
        const sending = new Sending(id, Math.min(PASSED_ON_WITHIN, before - SURE_AFTER - Date.now()));
        if (sending.until <= Date.now()) throw new Error('There is no time left to pass the decision on.');
        const { name, message } = updateOf(body);
        const options = { args: [message, sending.waits] as [JsonObject, Waits], updateId: id };
        const ask = () => handle.executeUpdate<DecideAnswer, [JsonObject, Waits]>(name, options);
        const fate = await sendInTime(sender, workflowId, sending, ask);
        if (fate.taken === 'answered') return fate.answer;
        if (fate.taken === 'no') throw new Error('No worker answered in time; the decision is not taken later.');
        throw new Error('The decision was sent, and there is no answer yet: it may still count.');
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return { accepted: false, reason: 'the turn has ended' };
        if (!(error instanceof WorkflowUpdateFailedError)) throw error;
        return { accepted: false, reason: (error.cause?.message ?? error.message).slice(0, 300) };
      }
    },
    runs: (workflowId, firstExecutionRunId) =>
      within(async () => {
        const description = await describe(workflowId).catch((error: unknown) => orNull(error));
        return description?.status.name === 'RUNNING' && firstRunOf(description) === firstExecutionRunId;
      }),
    continues: async (workflowId, runId, earlier) => {
      let before: string | null = runId;
      for (let back = 0; before !== null && back < MOST_RUNS_BACK; back++) {
        if (before === earlier) return true;
        const run: string = before;
        before = await within(() => runBefore(client, workflowId, run));
      }
      return false;
    },
    startedBy: (workflowId, firstExecutionRunId) =>
      within(async () => {
        const child = await describe(workflowId).catch((error: unknown) => orNull(error));
        const by = firstRunOf(child) === firstExecutionRunId ? child?.parentExecution : undefined;
        if (!by?.workflowId) return null;
        const parent = client.workflow.getHandle(by.workflowId, by.runId ?? undefined);
        const first = firstRunOf(await parent.describe().catch((error: unknown) => orNull(error)));
        return first ? { workflow_id: by.workflowId, first_execution_run_id: first } : null;
      }),
    storeOf: (workflowId, runId) =>
      within(async () => {
        const history = await fetchHistory(client, workflowId, runId).catch((error: unknown) => orNull(error));
        for (const { activityTaskCompletedEventAttributes: completed } of history?.events ?? []) {
          const [result] = await decodeArrayFromPayloads(client.options.loadedDataConverter, completed?.result?.payloads ?? []);
          const { store_id } = isJsonObject(result as Json) ? (result as { store_id?: unknown }) : {};
          if (typeof store_id === 'string') return store_id;
        }
        return null;
      }),
  };
}

/** The update that takes a decision, or an answer to a question. */
function updateOf({ decision, ...answer }: JsonObject): { name: string; message: JsonObject } {
  return decision === 'answer'
    ? { name: ANSWER_UPDATE, message: answer }
    : { name: DECIDE_UPDATE, message: { ...optional({ decision }), ...answer } };
}

/** The run that continued in this one. Null: there was none, or Temporal no longer knows it. */
async function runBefore({ workflowService, options }: Client, workflowId: string, runId: string): Promise<string | null> {
  const execution = { workflowId, runId };
  const request = { namespace: options.namespace, execution, maximumPageSize: 1 };
  const { history } = await workflowService.getWorkflowExecutionHistory(request).catch((error: unknown) => {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return { history: null };
    throw error;
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || null;
}

function firstRunOf(description: WorkflowExecutionDescription | null): string | null {
  return description?.raw.workflowExecutionInfo?.firstRunId ?? null;
}

function orNull(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}

/** The workflow is no turn, or is one of an older build. */
function isUnknownQuery(error: unknown): boolean {
  return error instanceof Error && /did not register a handler|unknown query/i.test(`${error.message} ${String(error.cause)}`);
}
