/** `holdfast budgets`: lists what is used and left of the budgets of agents. */
import type { Command } from 'commander';
import type { ListedBudget } from '../client/budgets';
import { oneLine } from './support/describe';
import { wholeNumber } from './support/numbers';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function budgets(program: Command, output: () => Output): void {
  program
    .command('budgets')
    .description('Lists the budgets that have used or reserved amounts now, with what is used and what is left.')
    .option('--agent <name>', 'of this agent')
    .option('--budget <name>', 'of this name')
    .option('--limit <n>', 'at most so many', wholeNumber, 100)
    .action(async (options: { agent?: string; budget?: string; limit: number }) => {
      const budgets = await withClient(async (client) => {
        const list: ListedBudget[] = [];
        for await (const budget of client.budgets(options)) list.push(budget);
        return list;
      });
      output().answer(budgets, budgets.length > 0 ? budgets.map(describe) : ['No budget has a used or reserved amount now.']);
    });
}

function describe({ agent, budget, per, of, view, unreachable }: ListedBudget): string {
  const name = `${agent}  ${budget}  per ${per}${of === '' ? '' : ` ${oneLine(of)}`}`;
  if (!view) return `${name}  cannot be read now: ${oneLine(unreachable ?? '')}`;
  const open = `${view.reserved} reserved, ${view.in_doubt} in doubt${view.over > 0 ? `, ${view.over} beyond the cap by approval` : ''}`;
  return `${name}  used ${view.used} of ${view.cap ?? '?'}, left ${view.left}; ${open}`;
}
