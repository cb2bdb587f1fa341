import fc from 'fast-check';
import { isTurnId } from '../../../src/shared/ids';
import { narrower, shareOf, subTurnId, type TurnLimits } from '../../../src/shared/turn/sub-turn';

const limits = (from: number): fc.Arbitrary<TurnLimits> =>
  fc.record({
    steps: fc.integer({ min: from, max: 100 }),
    tokens: fc.integer({ min: from, max: 1_000_000 }),
    cost_usd: fc.double({ min: from, max: 50, noNaN: true }),
    time_ms: fc.integer({ min: from, max: 3_600_000 }),
  });

describe('shares of the remaining limits', () => {
  it('are together never more than what remains, for any number of shares, each taken from the rest of the others', () =>
    fc.assert(
      fc.property(limits(1), limits(1), fc.integer({ min: 1, max: 64 }), (left, own, count) => {
        const taken = { steps: 0, tokens: 0, cost_usd: 0 };
        for (let among = count; among > 0; among--) {
          const rest = {
            steps: left.steps - taken.steps,
            tokens: left.tokens - taken.tokens,
            cost_usd: left.cost_usd - taken.cost_usd,
          };
          const share = shareOf({ ...rest, time_ms: left.time_ms }, among);
          if (share === null) break;
          const { steps, tokens, cost_usd } = narrower(share, own);
          expect(steps).toBeGreaterThanOrEqual(1);
          Object.assign(taken, {
            steps: taken.steps + steps,
            tokens: taken.tokens + tokens,
            cost_usd: taken.cost_usd + cost_usd,
          });
        }
        expect(taken.steps).toBeLessThanOrEqual(left.steps);
        expect(taken.tokens).toBeLessThanOrEqual(left.tokens);
        expect(taken.cost_usd).toBeLessThanOrEqual(left.cost_usd * (1 + 1e-9));
      }),
    ));

  it.each(['steps', 'tokens', 'cost_usd', 'time_ms'])('are none if no %s are left', (name) => {
    const left = { steps: 1, tokens: 1, cost_usd: 1, time_ms: 1 };
    expect(shareOf(left, 3)).not.toBeNull();
    expect(shareOf({ ...left, [name]: 0 }, 1)).toBeNull();
  });
});

describe('the id of a sub-agent’s turn', () => {
  it('consists of its parent’s id and the call, and is never that of a session’s turn', () => {
    expect(subTurnId('foo.3', '2.1')).toBe('foo.3~2.1');
    expect(subTurnId('foo.3~2.1', '1.1', 2)).toBe('foo.3~2.1~1.1~2');
    expect(subTurnId('call/foo', '1.1')).toBe('call~foo~1.1');
  });

  it('has a valid length for a parent’s id of any length, and differs if the parent’s id does', () => {
    const [a, b] = ['a', 'b'].map((end) => subTurnId(`${'x'.repeat(127)}${end}`, '12.34', 2));
    expect(isTurnId(a!)).toBe(true);
    expect(a).toMatch(/^h_[0-9a-f]{40}~12\.34~2$/);
    expect(a).not.toBe(b);
  });
});
