/** More reservations than Temporal accepts in one run. */
import { randomBytes } from 'node:crypto';
import { budgetWorkflowId, type ReservationAnswer } from '../../../src/shared/budget-book';
import { temporalBudgets } from '../../../src/temporal/entities';
import { BUDGET_QUERY, type BudgetName, type BudgetView } from '../../../src/workflows/contract';
import { withEngine } from '../../engine/support/engine';

const asked = (n: number) => ({
  key: `hf_${n.toString(16).padStart(40, '0')}`,
  dispatch: 1,
  amount: '1',
  cap: '2000',
  window_ms: 3_600_000,
  lasts_ms: 1000,
  proven: 0,
  accepted: false,
});

it('the book of a budget takes many at once, and goes on as another run before Temporal takes no more updates; nothing of it is lost', async () => {
  const name: BudgetName = { agent: 'tester', budget: `b-${randomBytes(6).toString('hex')}`, per: 'agent', of: '' };
  await withEngine({}, async ({ client: { temporal }, taskQueue }) => {
    const budgets = temporalBudgets(temporal, taskQueue);
    let next = 0;
    const granted: ReservationAnswer[] = [];
    const reserveRest = async () => {
      while (next < 1150) {
        const asking = asked(next++);
        // A reservation that cannot be delivered in time is sent again, as the next dispatch would: it counts once.
        granted.push(await budgets.reserve(name, asking).catch(() => budgets.reserve(name, asking)));
      }
    };
    await budgets.reserve(name, asked(next++));
    const handle = temporal.workflow.getHandle(budgetWorkflowId(name));
    const { runId } = await handle.describe();
    await Promise.all(Array.from({ length: 20 }, reserveRest)); // Temporal takes ten at once
    expect((await handle.describe()).runId).not.toBe(runId);
    expect(await handle.query<BudgetView>(BUDGET_QUERY)).toMatchObject({ used: '1150', reserved: 1150 });
    expect(granted.every((answer) => answer.granted)).toBe(true);
  });
});
