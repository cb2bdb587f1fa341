/** Lists budgets with what is used and left of them, as their workflows answer. */
import type { Client } from '@temporalio/client';
import { BUDGET_QUERY, BUDGET_WORKFLOW, type BudgetName, type BudgetView } from '../workflows/contract';
import { errorMessage } from '../shared/text/error-message';

export interface BudgetFilter {
  agent?: string;
  budget?: string;
  limit?: number;
}

export interface ListedBudget extends BudgetName {
  workflow_id: string;
  /** Null if no worker answers. */
  view: BudgetView | null;
  /** Why the budget could not be queried; null: it was. */
  unreachable: string | null;
}

const ANSWERS_WITHIN = 5000;
const QUERY = `WorkflowType = '${BUDGET_WORKFLOW}' AND ExecutionStatus = 'Running'`;

/** Budgets whose workflow runs: something counts against them now, or did a moment ago. */
export async function* listBudgets(client: Client, filter: BudgetFilter): AsyncGenerator<ListedBudget> {
  let remaining = filter.limit ?? 100;
  for await (const { workflowId, memo } of client.workflow.list({ query: QUERY })) {
    const name = memo?.holdfast_budget as BudgetName | undefined;
    if (name === undefined) continue;
    if (filter.agent !== undefined && filter.agent !== name.agent) continue;
    if (filter.budget !== undefined && filter.budget !== name.budget) continue;
    if (remaining-- <= 0) return;
    yield { ...name, workflow_id: workflowId, ...(await ask(client, workflowId)) };
  }
}

async function ask(client: Client, workflowId: string): Promise<Pick<ListedBudget, 'view' | 'unreachable'>> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const view = await client.withDeadline(Date.now() + ANSWERS_WITHIN, () =>
      handle.query<BudgetView, [number]>(BUDGET_QUERY, Date.now()),
    );
    return { view, unreachable: null };
  } catch (error) {
    return { view: null, unreachable: errorMessage(error) };
  }
}
