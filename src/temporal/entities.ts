/**
 * Calls the entity workflows of budgets and intents, in the same namespace. A budget has one workflow for each value that it is
 * counted per, an intent has one for each act that must not be done twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { Budgets, Intents } from '../activities/ports';
import { budgetWorkflowId, type ReservationAnswer } from '../shared/budget-book';
import {
  BUDGET_WORKFLOW,
  RESERVE_UPDATE,
  SETTLE_UPDATE,
  INTENT_UPDATES,
  INTENT_WORKFLOW,
  OWNERS_QUERY,
  type IntentInput,
} from '../workflows/contract';
import {
  CLAIM_MS,
  intentWorkflowId,
  type ClaimAnswer,
  type IntentClaim,
  type IntentClose,
  type IntentOwner,
} from '../shared/intent';

/** ms. With a longer limit, the activity's own time would run out. */
const RESERVES_WITHIN = 8000;
/** ms. A lost settlement does no harm. */
const SETTLES_WITHIN = 5000;
/** Temporal allows ten updates in progress per workflow, from all workers. */
const AT_ONCE = 4;
/** ms. An update that arrives at the end of a run may never be answered: it is sent again. */
const ANSWERS_WITHIN = 2500;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

export function temporalBudgets(client: Client, taskQueue: string): Budgets {
  const inTurn = queues();
  return {
    reserve: (name, reservation) =>
      inTurn(budgetWorkflowId(name), () =>
        retryUntil(client, RESERVES_WITHIN, () => {
          const startWorkflowOperation = new WithStartWorkflowOperation(BUDGET_WORKFLOW, {
            workflowId: budgetWorkflowId(name),
            taskQueue,
            args: [name],
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            staticSummary: `budget ${name.budget}`,
            memo: { holdfast_budget: name },
          });
          return client.workflow.executeUpdateWithStart<Workflow, ReservationAnswer, unknown[]>(RESERVE_UPDATE, {
            args: [reservation],
            startWorkflowOperation,
          });
        }),
      ),
    settle: (name, settlement) =>
      inTurn(budgetWorkflowId(name), () =>
        retryUntil(client, SETTLES_WITHIN, async () => {
          try {
            await client.workflow.getHandle(budgetWorkflowId(name)).executeUpdate(SETTLE_UPDATE, { args: [settlement] });
          } catch (error) {
            if (!(error instanceof WorkflowNotFoundError)) throw error; // no workflow: nothing of this budget counts any more
          }
        }),
      ),
  };
}

/** Few updates at once per budget, first come first served: a caller that only retried could starve behind the others. */
function queues() {
  const limits = new Map<string, pLimit.Limit>();
  return async <R>(id: string, work: () => Promise<R>): Promise<R> => {
    const limit = limits.get(id) ?? pLimit(AT_ONCE);
    limits.set(id, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount <= 1 && limit.pendingCount === 0) limits.delete(id); // the active one may be this one, just ending
    }
  };
}

/**
 * Retries until the time is over: the workflow may just have ended or continued as new, ten updates may be in progress, or the
 * server is away. A repeated update counts once.
 */
async function retryUntil<R>(client: Client, withinMs: number, work: () => Promise<R>): Promise<R> {
  const until = Date.now() + withinMs;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 2)) {
    try {
      return await client.withDeadline(Math.min(until, Date.now() + ANSWERS_WITHIN), work);
    } catch (error) {
      if (isRejection(error) || Date.now() + wait > until) throw error;
      await sleep(wait * (0.5 + Math.random() / 2)); // not all callers at once
    }
  }
}

/** The workflow has refused the request as malformed: it would refuse it again. */
function isRejection(error: unknown): boolean {
  return error instanceof WorkflowUpdateFailedError && (error.cause as { type?: string } | undefined)?.type === 'Error';
}

// Intents: one entity workflow each, started by the first claim.

/** An entity that is just ending refuses an update: the next try starts it anew. */
const TRIES = 3;
/** ms. */
const TRY_MS = CLAIM_MS / TRIES - 1000;
const PAUSE_MS = 300;

type Entity = (input: IntentInput) => Promise<void>;

export function temporalIntents(client: Client, taskQueue: string): Intents {
  const { workflow } = client;
  const entity = (intent: string) => workflow.getHandle(intentWorkflowId(taskQueue, intent));
  const within = <T>(work: () => Promise<T>) => client.withDeadline(Date.now() + TRY_MS, work);
  return {
    look: (intent) =>
      within(() => entity(intent).query<IntentOwner[]>(OWNERS_QUERY)).catch((error: unknown) => orNone(error, [])),
    claim: (intent, claim) =>
      retryTimes(() => {
        const args: [IntentInput] = [{ owners: [], until: 0 }];
        const workflowId = intentWorkflowId(taskQueue, intent);
        const options = { workflowId, taskQueue, args, workflowIdConflictPolicy: 'USE_EXISTING' as const };
        const startWorkflowOperation = new WithStartWorkflowOperation<Entity>(INTENT_WORKFLOW, options);
        const update = { args: [claim] as [IntentClaim], startWorkflowOperation };
        return within(() => workflow.executeUpdateWithStart<Entity, ClaimAnswer, [IntentClaim]>(INTENT_UPDATES.claim, update));
      }),
    close: (intent, close) =>
      retryTimes(() =>
        within(() => entity(intent).executeUpdate<void, [IntentClose]>(INTENT_UPDATES.close, { args: [close] })).catch(
          (error: unknown) => orNone(error, undefined),
        ),
      ),
  };
}

async function retryTimes<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError || attempt >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
    }
  }
}

/** An intent that was never claimed, or whose window is over, has no running workflow. */
function orNone<T>(error: unknown, none: T): T {
  if (error instanceof WorkflowNotFoundError) return none;
  throw error;
}
