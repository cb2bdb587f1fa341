import { limitReason, newTurn, type TurnData } from '../../../src/workflows/turn/state';

const limits = { steps: 10, tokens: 1000, cost_usd: 2, time_ms: 5000 };

function turn(change: Partial<TurnData>): TurnData {
  const input = { turn_id: 't', agent: 'a', message: 'm', requester: 'r', session_id: null, trace_id: 't', parent_head: null };
  const policy = { policy_ref: '', limits, max_parallel: 5, sibling_abort: false, approval_expiry_ms: 1 };
  return { ...newTurn(input, '2026-01-01T00:00:00.000Z'), policy, ...change };
}
const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost_usd: 0 };

describe('limits', () => {
  it('let a turn go on below every one of them', () => {
    const below = turn({ step: 9, usage: { ...usage, input_tokens: 500, output_tokens: 499, cost_usd: 1.99 }, worked_ms: 4999 });
    expect(limitReason(below)).toBeNull();
    expect(limitReason(turn({ policy: null, step: 99 }))).toBeNull(); // before the first step nothing is known
  });

  it.each<[string, Partial<TurnData>, RegExp]>([
    ['steps', { step: 10 }, /10 steps/],
    ['tokens, in and out together', { usage: { ...usage, input_tokens: 600, output_tokens: 400 } }, /1000 tokens/],
    ['cost', { usage: { ...usage, cost_usd: 2 } }, /\$2 .*\$2\.0000 used/],
    ['working time', { worked_ms: 5000 }, /5000 ms/],
  ])('stop it at its %s, and name that limit', (_what, change, words) => expect(limitReason(turn(change))).toMatch(words));
});
