/** What approvals require, combined: never less than any of the policies, at any time. */
import fc from 'fast-check';
import {
  compareStrictness,
  escalationsFrom,
  PLAIN_POLICY,
  rolesAt,
  strictestOf,
  stricter,
  type ApprovalPolicy,
} from '../../../src/shared/approval/policy';

const roles = fc.subarray(['treasurer', 'cfo', 'clerk', 'board']);
const someRoles = fc.subarray(['treasurer', 'cfo', 'clerk', 'board'], { minLength: 1 });
const escalate = fc.array(fc.record({ after_ms: fc.integer({ min: 1, max: 5 }), roles: someRoles }), { maxLength: 3 });
const policies: fc.Arbitrary<ApprovalPolicy> = fc
  .record({
    channel: fc.constantFrom('any' as const, 'attested' as const),
    quorum: fc.integer({ min: 1, max: 4 }),
    roles,
    four_eyes: fc.boolean(),
    remind_ms: fc.constant<number[]>([]),
    notify: fc.boolean(),
    escalate,
  })
  .map(({ escalate: all, ...policy }) => (policy.roles.length > 0 && all.length > 0 ? { ...policy, escalate: all } : policy));

/** Whether somebody with these roles may approve once people have been asked for this long. */
const mayApprove = (policy: ApprovalPolicy, own: readonly string[], ms: number): boolean => {
  const needed = rolesAt(policy.roles, escalationsFrom(policy, 0), ms);
  return needed.length === 0 || own.some((role) => needed.includes(role));
};
const commonFrom = (one: ApprovalPolicy, other: ApprovalPolicy): boolean =>
  one.roles.length === 0 || other.roles.length === 0 || one.roles.some((role) => other.roles.includes(role));

describe('the stricter of two policies', () => {
  it('never needs fewer people, less proof or fewer eyes than either', () => {
    fc.assert(
      fc.property(policies, policies, (before, present) => {
        const both = stricter(before, present);
        for (const one of [before, present]) {
          expect(both.quorum).toBeGreaterThanOrEqual(one.quorum);
          expect(one.channel === 'any' || both.channel === 'attested').toBe(true);
          expect(both.four_eyes || !one.four_eyes).toBe(true);
          expect(one.roles.length === 0 || both.roles.length > 0).toBe(true);
        }
      }),
    );
  });

  it('lets nobody approve, at any time, who may not under both; unless they name no role in common', () => {
    fc.assert(
      fc.property(policies, policies, roles, fc.integer({ min: 0, max: 6 }), (before, present, own, ms) => {
        fc.pre(commonFrom(before, present));
        if (mayApprove(stricter(before, present), own, ms))
          expect([mayApprove(before, own, ms), mayApprove(present, own, ms)]).toEqual([true, true]);
      }),
    );
  });

  it('lets people approve under the present policy if the two name no role in common, and under no other roles', () => {
    fc.assert(
      fc.property(policies, policies, roles, (before, present, own) => {
        fc.pre(!commonFrom(before, present));
        expect(mayApprove(stricter(before, present), own, 0)).toBe(mayApprove(present, own, 0));
      }),
    );
    const [one, other] = [
      { ...PLAIN_POLICY, roles: ['a'] },
      { ...PLAIN_POLICY, roles: ['b'], escalate: [{ after_ms: 5, roles: ['a'] }] },
    ];
    expect(stricter(one, other)).toEqual({ ...PLAIN_POLICY, roles: ['b'], escalate: [{ after_ms: 5, roles: ['a'] }] });
  });

  it('is the policy itself if both are the same', () => {
    fc.assert(
      fc.property(policies, roles, fc.integer({ min: 0, max: 6 }), (policy, own, ms) => {
        const both = stricter(policy, policy);
        expect(both).toMatchObject({ quorum: policy.quorum, channel: policy.channel, roles: policy.roles });
        expect(mayApprove(both, own, ms)).toBe(mayApprove(policy, own, ms));
      }),
    );
  });
});

describe('the strictest of some policies', () => {
  it('is chosen in a total order: each two compare one way, and chains hold', () => {
    fc.assert(
      fc.property(policies, policies, policies, (a, b, c) => {
        expect(Math.sign(compareStrictness(a, b))).toBe(-Math.sign(compareStrictness(b, a)) + 0);
        expect(compareStrictness(a, a)).toBe(0);
        if (compareStrictness(a, b) >= 0 && compareStrictness(b, c) >= 0)
          expect(compareStrictness(a, c)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is that of the most people, then of signed decisions, then of roles', () => {
    const of = (more: Partial<ApprovalPolicy>) => ({ ...PLAIN_POLICY, ...more });
    expect(compareStrictness(of({ quorum: 2 }), of({ channel: 'attested', roles: ['a'] }))).toBeGreaterThan(0);
    expect(compareStrictness(of({ channel: 'attested' }), of({ roles: ['a'] }))).toBeGreaterThan(0);
    expect(compareStrictness(of({ roles: ['a'] }), of({ four_eyes: true }))).toBeGreaterThan(0);
    expect(compareStrictness(of({ roles: ['a'] }), of({ roles: ['a', 'b'] }))).toBeGreaterThan(0);
    expect(compareStrictness(of({ four_eyes: true }), of({}))).toBeGreaterThan(0);
  });

  it('requires what any of them requires', () => {
    fc.assert(
      fc.property(policies, fc.array(policies, { maxLength: 4 }), (first, rest) => {
        const { policy: all } = strictestOf([first, ...rest]);
        for (const one of [first, ...rest]) {
          expect(all.quorum).toBeGreaterThanOrEqual(one.quorum);
          expect(one.channel === 'any' || all.channel === 'attested').toBe(true);
          expect(all.four_eyes || !one.four_eyes).toBe(true);
          expect(one.roles.length === 0 || all.roles.length > 0).toBe(true);
        }
      }),
    );
  });

  it('lets nobody approve, at any time, who may not from the beginning under each of them', () => {
    fc.assert(
      fc.property(
        policies,
        fc.array(policies, { maxLength: 4 }),
        roles,
        fc.integer({ min: 0, max: 6 }),
        (first, rest, own, ms) => {
          const { policy, isDecidable } = strictestOf([first, ...rest]);
          fc.pre(isDecidable);
          if (mayApprove(policy, own, ms)) for (const one of [first, ...rest]) expect(mayApprove(one, own, 0)).toBe(true);
        },
      ),
    );
  });

  it('never escalates: an entry without escalation may be the one that the call needed', () => {
    const one = { ...PLAIN_POLICY, roles: ['treasurer', 'cfo'], escalate: [{ after_ms: 5, roles: ['board'] }] };
    const other = { ...PLAIN_POLICY, quorum: 2, roles: ['cfo', 'clerk'] };
    const strictest = { policy: { ...PLAIN_POLICY, quorum: 2, roles: ['cfo'] }, isDecidable: true };
    expect(strictestOf([one, other, PLAIN_POLICY])).toEqual(strictest);
    expect(strictestOf([other, PLAIN_POLICY, one])).toEqual(strictest);
  });

  it('is undecidable exactly if some name roles and no role is named by all of those', () => {
    fc.assert(
      fc.property(policies, fc.array(policies, { maxLength: 4 }), (first, rest) => {
        const lists = [first, ...rest].map((one) => one.roles).filter((names) => names.length > 0);
        const common = ['treasurer', 'cfo', 'clerk', 'board'].filter((role) => lists.every((names) => names.includes(role)));
        const { policy, isDecidable } = strictestOf([first, ...rest]);
        expect(isDecidable).toBe(common.length > 0);
        if (isDecidable && lists.length > 0) expect([...policy.roles].sort()).toEqual(common.sort());
      }),
    );
  });
});

describe('an escalation', () => {
  it('adds roles from its time on, and takes none away; without roles anybody may approve anyway', () => {
    const at = (ms: number) => new Date(ms).toISOString();
    const escalations = escalationsFrom({ ...PLAIN_POLICY, roles: ['a'], escalate: [{ after_ms: 50, roles: ['b', 'a'] }] }, 100);
    expect(escalations).toEqual([{ at: at(150), roles: ['b', 'a'] }]);
    expect(rolesAt(['a'], escalations, 149)).toEqual(['a']);
    expect(rolesAt(['a'], escalations, 150)).toEqual(['a', 'b']);
    expect(rolesAt([], escalations, 150)).toEqual([]);
    expect(escalationsFrom(PLAIN_POLICY, 100)).toEqual([]);
  });
});
