/** Intents, as Temporal has them: one entity workflow each, started by whoever claims it first. */
import { WithStartWorkflowOperation, WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import type { Intents } from '../activities/ports';
import {
  CLAIM_MS,
  intentWorkflowId,
  type ClaimAnswer,
  type IntentClaim,
  type IntentClose,
  type IntentOwner,
} from '../shared/intent';
import { INTENT_UPDATES, INTENT_WORKFLOW, OWNERS_QUERY, type IntentInput } from '../workflows/contract';

/** An entity that ends just now refuses an update: the next try starts it anew. */
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
      patiently(() => {
        const args: [IntentInput] = [{ owners: [], until: 0 }];
        const workflowId = intentWorkflowId(taskQueue, intent);
        const options = { workflowId, taskQueue, args, workflowIdConflictPolicy: 'USE_EXISTING' as const };
        const startWorkflowOperation = new WithStartWorkflowOperation<Entity>(INTENT_WORKFLOW, options);
        const update = { args: [claim] as [IntentClaim], startWorkflowOperation };
        return within(() => workflow.executeUpdateWithStart<Entity, ClaimAnswer, [IntentClaim]>(INTENT_UPDATES.claim, update));
      }),
    close: (intent, close) =>
      patiently(() =>
        within(() => entity(intent).executeUpdate<void, [IntentClose]>(INTENT_UPDATES.close, { args: [close] })).catch(
          (error: unknown) => orNone(error, undefined),
        ),
      ),
  };
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError || tried >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tried));
    }
  }
}

/** An intent that nobody has claimed, or whose window is over, has no workflow that runs. */
function orNone<T>(error: unknown, none: T): T {
  if (error instanceof WorkflowNotFoundError) return none;
  throw error;
}
