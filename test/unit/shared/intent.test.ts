import fc from 'fast-check';
import {
  claimIntent,
  closeIntent,
  endOf,
  holds,
  intentHash,
  MOST_OWNERS,
  UNSETTLED_MS,
  type IntentClaim,
  type IntentOwner,
} from '../../../src/shared/intent';

const WINDOW = 1000;

function claim(key: string, accepted: string[] = []): IntentClaim {
  return { owner: { key, digest: `d${key}`, turn_id: 't', call_id: '1.1', requester: 'r' }, window_ms: WINDOW, accepted };
}

describe('an intent', () => {
  it('admits the first call, the same call again, and another call only beside the last owner that was accepted', () => {
    const first = claimIntent([], claim('a'), 0);
    expect(first).toMatchObject({ granted: true, owners: [] });
    expect(claimIntent(first.next, claim('a'), 5)).toMatchObject({ granted: true, next: first.next });
    expect(claimIntent(first.next, claim('b'), 5)).toMatchObject({ granted: false, owners: [{ key: 'a' }] });
    const second = claimIntent(first.next, claim('b', ['da']), 5);
    expect(second).toMatchObject({ granted: true, owners: [{ key: 'a' }] });
    expect(claimIntent(second.next, claim('c', ['da']), 6).granted).toBe(false);
    expect(claimIntent(second.next, claim('c', ['db']), 6).granted).toBe(true);
  });

  it('is held for the window by an applied effect, and longer by an unknown outcome', () => {
    const { next } = claimIntent([], claim('a'), 0);
    expect(holds(next[0]!, WINDOW + 1)).toBe(true);
    expect(endOf(next[0]!)).toBe(UNSETTLED_MS);
    const done = closeIntent(next, { key: 'a', effect: 'applied' });
    expect(holds(done[0]!, WINDOW - 1)).toBe(true);
    expect(claimIntent(done, claim('b'), WINDOW).granted).toBe(true);
    expect(closeIntent(next, { key: 'a', effect: 'not_applied' })).toEqual([]);
  });

  it('is named by tool and key, in any order of the fields', () => {
    expect(intentHash('pay', { payee: 'x', cents: 1 })).toBe(intentHash('pay', { cents: 1, payee: 'x' }));
    expect(intentHash('pay', 'x')).not.toBe(intentHash('send', 'x'));
  });
});

type Step =
  | { what: 'claim'; key: number; accepts: number | null }
  | { what: 'close'; key: number; applied: boolean }
  | { what: 'wait'; ms: number };

const key = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constant('claim' as const), key, accepts: fc.option(key) }),
  fc.record({ what: fc.constant('close' as const), key, applied: fc.boolean() }),
  fc.record({ what: fc.constant('wait' as const), ms: fc.nat(WINDOW) }),
);

it('in any order of events, no call is admitted beside another without having accepted the last one', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let owners: IntentOwner[] = [];
      let now = 0;
      // The model: who was let through, and what became of it.
      let through: { key: string; at: number; applied: boolean }[] = [];
      for (const one of steps) {
        if (one.what === 'wait') {
          now += one.ms;
        } else if (one.what === 'close') {
          const effect = one.applied ? 'applied' : 'not_applied';
          owners = closeIntent(owners, { key: `${one.key}`, effect });
          through = one.applied
            ? through.map((it) => (it.key === `${one.key}` ? { ...it, applied: true } : it))
            : through.filter((it) => it.key !== `${one.key}`);
        } else {
          const accepted = one.accepts === null ? [] : [`d${one.accepts}`];
          const answer = claimIntent(owners, claim(`${one.key}`, accepted), now);
          owners = answer.next;
          const present = through.filter((it) => !it.applied || now < it.at + WINDOW);
          const own = present.some((it) => it.key === `${one.key}`);
          const last = present.filter((it) => it.key !== `${one.key}`).at(-1);
          expect(answer.granted).toBe(own || last === undefined || accepted.includes(`d${last.key}`));
          if (answer.granted && !own) through = [...present, { key: `${one.key}`, at: now, applied: false }];
        }
        expect(owners.length).toBeLessThanOrEqual(MOST_OWNERS);
        expect(new Set(owners.map((owner) => owner.key)).size).toBe(owners.length);
      }
    }),
  );
});

it('keeps a bounded number of owners, the newest', () => {
  let owners: IntentOwner[] = [];
  for (let index = 0; index < MOST_OWNERS + 5; index++) {
    const { granted, next } = claimIntent(owners, claim(`${index}`, [`d${index - 1}`]), index);
    expect(granted).toBe(true);
    owners = next;
  }
  expect(owners).toHaveLength(MOST_OWNERS);
  expect(owners.at(-1)!.key).toBe(`${MOST_OWNERS + 4}`);
});
