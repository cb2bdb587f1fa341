/** Budgets: how much is allowed, and how much of it is used. */
import { readBudgets } from '../api/agents';
import { Title } from '../parts/layout';
import { ErrorNotice, Reading } from '../parts/notice';
import { Value } from '../parts/text';
import { useLoad } from '../parts/use-load';

export function BudgetsPage() {
  const { data, error, reload } = useLoad('budgets', readBudgets);
  return (
    <>
      <Title title="Budgets">Budgets</Title>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data && <Value of={data} />}
    </>
  );
}
