/** Lists budgets with what is used and left of them, as their workflows answer. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { BUDGET_QUERY, BUDGET_WORKFLOW, type BudgetName, type BudgetView } from '../workflows/contract';
import { BoundedAsks, type Answer } from './approvals/bounded-asks';

export interface BudgetFilter {
  agent?: string;
  budget?: string;
  limit?: number;
  /** Further condition on the name. */
  isWanted?: (name: BudgetName) => boolean;
}

export interface ListedBudget extends BudgetName {
  workflow_id: string;
  /** Null if no worker answers. */
  view: BudgetView | null;
  /** Why the budget could not be queried; null: it was. */
  unreachable: string | null;
}

const QUERY = `WorkflowType = '${BUDGET_WORKFLOW}' AND ExecutionStatus = 'Running'`;

/**
 * Budgets whose workflow runs: something counts against them now, or did a moment ago. They are asked a few at a time; after five
 * seconds without an answer the others are listed as unreachable.
 */
export async function* listBudgets(
  { temporal, taskQueue: own }: { temporal: Client; taskQueue: string },
  filter: BudgetFilter,
): AsyncGenerator<ListedBudget> {
  const asks = new BoundedAsks(temporal, own, 'tell what is left of it');
  const budgets: Promise<ListedBudget>[] = [];
  const isWanted = filter.isWanted ?? (() => true);
  for await (const { workflowId, memo, taskQueue } of temporal.workflow.list({ query: QUERY })) {
    const name = memo?.holdfast_budget;
    if (!isBudgetName(name) || !isWanted(name)) continue;
    if (filter.agent !== undefined && filter.agent !== name.agent) continue;
    if (filter.budget !== undefined && filter.budget !== name.budget) continue;
    if (budgets.length >= (filter.limit ?? 100)) break;
    budgets.push(
      withView(name, workflowId, (question) => asks.ask({ taskQueue }, () => question(temporal.workflow.getHandle(workflowId)))),
    );
  }
  for (const budget of budgets) yield await budget;
}

/** Anybody who may start workflows can make up a memo. */
function isBudgetName(name: unknown): name is BudgetName {
  if (typeof name !== 'object' || name === null) return false;
  const { agent, budget, per, of } = name as { [K in keyof BudgetName]?: unknown };
  return [agent, budget, per, of].every((part) => typeof part === 'string');
}

type Ask = (question: (budget: WorkflowHandle) => Promise<BudgetView>) => Promise<Answer<BudgetView>>;

async function withView(name: BudgetName, workflow_id: string, ask: Ask): Promise<ListedBudget> {
  const answered = await ask((budget) => budget.query<BudgetView, [number]>(BUDGET_QUERY, Date.now()));
  const of = { ...name, workflow_id };
  return answered.ok ? { ...of, view: answered.answer, unreachable: null } : { ...of, view: null, unreachable: answered.why };
}
