import { WorkflowNotFoundError, type Client } from '@temporalio/client';

/** Whether Temporal knows this workflow, running or ended. */
export async function isThere(temporal: Client, workflowId: string): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
