/** Budgets: how much is allowed, how much of it is used. */
import { readBudgets } from '../api/agents';
import { duration } from '../lib/format';
import { Title } from '../parts/layout';
import { Empty, ErrorNotice, Reading } from '../parts/notice';
import { Words } from '../parts/text';
import { useLoad } from '../parts/use-load';

const HEADS = ['Budget', 'For', 'Cap', 'Used', 'Left', 'Reserved', 'In doubt'];

export function BudgetsPage() {
  const { data, error, reload } = useLoad('budgets', readBudgets);
  return (
    <>
      <Title title="Budgets">Budgets</Title>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data?.budgets.length === 0 && <Empty>No budget counts anything now.</Empty>}
      {data && data.budgets.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Budgets">
          <table>
            <thead>
              <tr>
                {HEADS.map((head) => (
                  <th scope="col">{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.budgets.map(({ agent, budget, per, of, view, unreachable }) => (
                <tr>
                  <td data-label="Budget">
                    <Words of={`${agent} / ${budget}`} />
                  </td>
                  <td data-label="For">
                    <Words of={of === '' ? per : `${per} ${of}`} />
                  </td>
                  {view === null ? (
                    <td colSpan={5}>
                      <Words of={unreachable} />
                    </td>
                  ) : (
                    [
                      `${view.cap === null ? 'none' : grouped(String(view.cap))}${view.window_ms === null ? '' : ` in ${duration(view.window_ms)}`}`,
                      ...[view.used, view.left, String(view.reserved), String(view.in_doubt)].map(grouped),
                    ].map((text, index) => (
                      <td data-label={HEADS[index + 2]}>
                        <Words of={text} />
                      </td>
                    ))
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** Digits in groups of three, also of numbers that JavaScript cannot hold; other texts as they are. */
function grouped(text: string): string {
  return /^\d+$/.test(text) ? text.replace(/\B(?=(?:\d{3})+$)/g, ',') : text;
}
