import { describeTurn } from '../../../src/cli/support/describe';
import type { CallView, TurnView } from '../../../src/shared/turn/turn-view';

const usage = { input_tokens: 1, output_tokens: 2, cost_usd: 0 };
const call = { id: '1.1', tool: 'pay_invoice', state: 'waiting', effect: null, error: null, result_summary: null } as CallView;

describe('a turn in lines', () => {
  it('has the last block of its transcript, from which a fork can continue', () => {
    const head = 'a'.repeat(64);
    const view = { turn_id: 't', agent: 'a', requester: 'ana', state: 'completed', step: 1, text: 'Done.', usage, head };
    const rest = { calls: [], ignored_signals: { count: 0, last: [] } };
    expect(describeTurn({ ...view, ...rest } as unknown as TurnView)).toContain(`  head ${head}`);
  });

  it("names the calls that wait in its sub-agents' turns, and those turns", () => {
    const waiting = [{ turn_id: 'books-1~1.1', agent: 'payables', call }];
    const view = {
      ...{ turn_id: 'books-1', agent: 'assistant', requester: 'ana', state: 'awaiting_approval', step: 1, text: '', usage },
      ...{ calls: [{ ...call, tool: 'payables', state: 'running' }], sub_turns: [{ waiting }] },
      ignored_signals: { count: 0, last: [] },
    } as unknown as TurnView;
    expect(describeTurn(view).slice(-2)).toEqual([
      '  1.1   payables               running',
      '  1.1   pay_invoice            waiting, in books-1~1.1: `holdfast pending` tells more',
    ]);
  });
});
