import { describeTurn } from '../../../src/cli/support/describe';
import type { CallView, TurnView } from '../../../src/shared/turn/turn-view';

const usage = { input_tokens: 1, output_tokens: 2, cost_usd: 0 };
const call = {
  ...{ id: '1.1', tool: 'pay_invoice', state: 'waiting', effect: null, error: null, result_summary: null },
  approval: {},
} as CallView;

describe('a turn in lines', () => {
  it('has the last block of its transcript, from which a fork can continue', () => {
    const head = 'a'.repeat(64);
    const view = { turn_id: 't', agent: 'a', requester: 'ana', state: 'completed', step: 1, text: 'Done.', usage, head };
    const rest = { calls: [], ignored_signals: { count: 0, last: [] } };
    expect(describeTurn({ ...view, ...rest } as unknown as TurnView)).toContain(`  head ${head}`);
  });

  it('says what its step waits for', () => {
    const waits_for = { model: 'opus', why: 'requests', before: 2, text: 'waits for a free request of model opus, 2 before it' };
    const view = { turn_id: 't', agent: 'a', requester: 'ana', state: 'running', step: 1, text: '', usage, calls: [], waits_for };
    expect(describeTurn({ ...view, ignored_signals: { count: 0, last: [] } } as unknown as TurnView)).toContain(
      '  waits for a free request of model opus, 2 before it',
    );
  });

  it('says until when it sleeps, and why', () => {
    const sleep = { call_id: '1.1', until: '2026-12-03T08:00:00.000Z', reason: 'The transfer\nsettles.' };
    const view = { turn_id: 't', agent: 'a', requester: 'ana', state: 'sleeping', step: 1, text: '', usage, calls: [], sleep };
    expect(describeTurn({ ...view, ignored_signals: { count: 0, last: [] } } as unknown as TurnView)).toContain(
      '  sleeps until 2026-12-03T08:00:00.000Z: The transfer settles.',
    );
  });

  it('says which entry of the approval rules applies to a call', () => {
    const lineOf = (entry: object) => {
      const calls = [{ ...call, approval: { entry } }];
      const view = { turn_id: 't', agent: 'a', requester: 'ana', state: 'running', step: 1, text: '', usage, calls };
      return describeTurn({ ...view, ignored_signals: { count: 0, last: [] } } as unknown as TurnView)
        .at(-1)
        ?.trim();
    };
    expect(lineOf({ index: 1, when: 'input.cents > 5', result: 'matched' })).toBe(
      'entry 1 of the approval rules applies: input.cents > 5',
    );
    expect(lineOf({ index: 3, when: null, result: 'matched' })).toBe(
      'entry 3 of the approval rules applies, which has no condition',
    );
    expect(lineOf({ index: null, when: null, result: 'none' })).toContain('the common rule applies');
    expect(lineOf({ index: 2, when: 'x', result: 'failed' })).toContain(
      'entry 2 could not be evaluated (x), so the strictest entry',
    );
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
