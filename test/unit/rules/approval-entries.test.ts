/** Lists of approval rules: their faults, and which entry applies to a call. */
import fc from 'fast-check';
import { approvalFaults, type ApprovalEntry, type Approvals } from '../../../src/rules/approvals';
import { applyEntries, compileApprovalLists } from '../../../src/rules/approval-entries';
import type { Outcome } from '../../../src/rules/conditions/condition';
import { compileRules, decide, withDefaults, type AgentPermissions, type CallFacts } from '../../../src/rules';
import type { ToolClass } from '../../../src/shared/turn/tool-class';

const ANY = { channel: 'any' as const, notify: false };
const schema = { type: 'object', properties: { cents: { type: 'integer' } }, additionalProperties: false };
const TOOLS = [{ name: 'pay', schema }, { name: 'send' }];
const faults = (pay: unknown, common: object = {}) => approvalFaults({ ...common, tools: { pay } } as never, TOOLS);
const call = (cents: number, toolClass: ToolClass = 'destructive'): CallFacts => ({
  tool: { name: 'pay', version: '1.0.0', class: toolClass, target: null, schema },
  input: { cents },
  targets: null,
  turn: { untrusted: false, requester: 'rita', agent: 'tester', step: 1 },
});
const LIST: ApprovalEntry[] = [
  { when: 'input.cents > 100000', quorum: 2, roles: ['treasurer'] },
  { when: 'input.cents > 1000' },
  { allow: true },
];
const verdictOf = (facts: CallFacts, approvals: Approvals, permissions: Partial<AgentPermissions> = {}) =>
  decide({ ...compileRules(withDefaults(permissions)), approvals: compileApprovalLists(approvals, ANY) }, facts);

describe('a list of approval rules', () => {
  it('may have entries with conditions, and one without at its end', () => {
    expect(faults(LIST)).toEqual([]);
    expect(faults([{ when: 'input.cents > 5', escalate: [{ afterMs: 1, roles: ['cfo'] }], roles: ['a'] }])).toEqual([]);
    expect(faults([{ escalate: [{ afterMs: 1, roles: ['cfo'] }] }], { roles: ['a'] })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no entries', [], 'approvals.tools.pay: a list has 1 to 20 entries'],
    ['too many entries', Array.from({ length: 21 }, () => ({ when: 'true' })), 'a list has 1 to 20 entries'],
    ['an entry that is none', ['true'], 'approvals.tools.pay[0] must be an object'],
    ['a condition that cannot be read', [{ when: 'input.cents >' }], 'approvals.tools.pay[0].when:'],
    ['a condition that is no text', [{ when: 5 }], 'approvals.tools.pay[0].when: it must be a CEL expression'],
    ['an unknown name', [{ when: 'amount > 5' }], 'amount is unknown'],
    ['a field that the tool does not have', [{ when: 'input.euros > 5' }], '.when: the input has no field euros'],
    ['an entry that is never reached', [{ allow: true }, { when: 'true' }], 'entry 1 has no condition'],
    ['an entry that allows and asks', [{ allow: true, quorum: 2 }], 'allow must be true, and beside it only when'],
    ['an entry that does not allow', [{ allow: false }], 'allow must be true'],
    ['a quorum of nobody', [{ when: 'true', quorum: 0 }], 'approvals.tools.pay[0]: quorum must be'],
    ['an unknown field', [{ when: 'true', people: 2 }], 'people'],
    ['escalation where anybody may approve', [{ escalate: [{ afterMs: 5, roles: ['a'] }] }], 'escalate goes with roles'],
    ['escalation at once', [{ roles: ['a'], escalate: [{ afterMs: 0, roles: ['b'] }] }], 'escalate must be a list'],
    ['escalation to nobody', [{ roles: ['a'], escalate: [{ afterMs: 5, roles: [] }] }], 'escalate must be a list'],
  ])('with %s has a fault', (_, list, says) => {
    expect(faults(list).join('\n')).toContain(says);
  });

  it.each<[number, string, number, string]>([
    [200_000, 'ask', 2, 'entry 1 of approvals.tools.pay asks: input.cents > 100000'],
    [5_000, 'ask', 1, 'entry 2 of approvals.tools.pay asks: input.cents > 1000'],
    [500, 'allow', 1, 'entry 3 of approvals.tools.pay allows it'],
  ])('decides %s cents: %s, by %s', (cents, verdict, quorum, reason) => {
    const found = verdictOf(call(cents), { tools: { pay: LIST } });
    expect(found).toMatchObject({ verdict, reason, rule: null, approval: { quorum } });
  });

  it('asks under the common rule where no entry fits, and under the strictest entry where a condition fails', () => {
    const common = { quorum: 2, remindMs: [5] };
    const none = verdictOf(call(1), { ...common, tools: { pay: [{ when: 'input.cents > 5', quorum: 3 }] } });
    expect(none).toMatchObject({ verdict: 'ask', reason: 'no entry of approvals.tools.pay fits' });
    expect(none.approval).toMatchObject({ quorum: 2, entry: { index: null, when: null, result: 'none' } });
    const list: ApprovalEntry[] = [
      { when: 'input.euros > 5', allow: true },
      { when: 'true', roles: ['cfo'] },
    ];
    const failed = verdictOf(call(1), { ...common, tools: { pay: list } });
    expect(failed).toMatchObject({
      verdict: 'ask',
      reason: expect.stringMatching(/condition of entry 1 .* failed .* strictest/),
    });
    expect(failed.approval).toMatchObject({ quorum: 2, roles: ['cfo'], entry: { index: 1, result: 'failed' } });
  });

  it('refuses a call whose condition fails where no role may approve under each entry, and names the list', () => {
    const list: ApprovalEntry[] = [
      { when: 'input.euros > 5', quorum: 2, roles: ['treasurer', 'cfo'] },
      { when: 'true', roles: ['clerk'] },
    ];
    const refused = {
      verdict: 'deny',
      word: 'denied_by_rule',
      rule: null,
      reason: expect.stringMatching(
        /condition of entry 1 of approvals.tools.pay failed \(.*\), and no role may approve under each of its rules \(treasurer, cfo; clerk\), so nobody can be asked; the agent's approvals.tools.pay must name a role in all of them/,
      ) as string,
    };
    expect(verdictOf(call(1), { tools: { pay: list } })).toMatchObject(refused);
    expect(verdictOf(call(1), { tools: { pay: list } }, { ask: ['pay'] })).toMatchObject(refused);
    expect(verdictOf(call(1), { tools: { pay: list } }, { mode: 'locked', ask: ['pay'] })).toMatchObject(refused);
    expect(verdictOf(call(1), { tools: { pay: list } }, { allow: ['pay'] }).verdict).toBe('allow');
    const all = list.map((entry) => ({ ...entry, roles: [...entry.roles!, 'board'] }));
    const asked = verdictOf(call(1), { tools: { pay: all } });
    expect(asked).toMatchObject({ verdict: 'ask', approval: { quorum: 2, roles: ['board'] } });
  });

  it('asks nobody later because of an escalation that one of its entries has, where a condition fails', () => {
    const roles = ['treasurer'];
    const list: ApprovalEntry[] = [
      { when: 'input.euros > 5', quorum: 2, roles, escalate: [{ afterMs: 5, roles: ['clerk'] }] },
      { when: 'true', roles },
    ];
    const asked = verdictOf(call(1), { tools: { pay: list } });
    expect(asked.approval).toEqual(expect.objectContaining({ quorum: 2, roles }));
    expect(asked.approval).not.toHaveProperty('escalate');
  });

  it('leaves what permission rules deny, ask or allow; mode locked refuses, and mode plan too', () => {
    const approvals: Approvals = { tools: { pay: [{ allow: true }] } };
    expect(verdictOf(call(5), approvals, { deny: ['pay'] }).verdict).toBe('deny');
    expect(verdictOf(call(5), approvals, { ask: ['pay'] }).verdict).toBe('ask');
    expect(verdictOf(call(5), approvals, { ask: ['*'] }).verdict).toBe('ask');
    expect(verdictOf(call(5), approvals, { mode: 'locked' })).toMatchObject({ verdict: 'deny', word: 'locked_mode' });
    expect(verdictOf(call(5), approvals, { mode: 'plan' })).toMatchObject({ verdict: 'deny', word: 'plan_mode' });
    expect(verdictOf(call(500_000), { tools: { pay: LIST } }, { allow: ['pay'] }).verdict).toBe('allow');
  });

  it('decides in place of class and mode, for a tool of any class', () => {
    expect(verdictOf(call(5_000, 'write'), { tools: { pay: LIST } }).verdict).toBe('ask');
    expect(verdictOf(call(5, 'write'), { tools: { pay: LIST } }, { mode: 'auto' }).verdict).toBe('allow');
    expect(verdictOf(call(5_000, 'write'), { tools: { pay: { quorum: 2 } } }).verdict).toBe('allow');
  });

  it('is the first entry that holds, whatever the outcomes of conditions: it never allows past one that failed', () => {
    const outcomes = fc.constantFrom<Outcome>(true, false, { error: 'no' });
    const entry = fc.record({ outcome: outcomes, allow: fc.boolean(), quorum: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 5 }), (entries, common) => {
        const list = entries.map(({ allow, quorum }, index) => ({
          when: `input.cents > ${index}`,
          ...(allow ? { allow: true as const } : { quorum }),
        }));
        const compiled = compileApprovalLists({ quorum: common, tools: { pay: list } }, ANY).get('pay')!;
        const verdict = applyEntries(compiled, ({ text }) => entries[Number(text.split(' ').at(-1))]!.outcome);
        const at = entries.findIndex(({ outcome }) => outcome !== false);
        const reached = entries[at];
        expect(verdict.verdict).toBe(reached?.outcome === true && reached.allow ? 'allow' : 'ask');
        const asked = entries.filter(({ allow }) => !allow).map(({ quorum }) => quorum);
        const needed =
          reached === undefined || (reached.allow && reached.outcome === true)
            ? common
            : reached.outcome === true
              ? reached.quorum
              : Math.max(common, ...asked);
        expect(verdict.policy.quorum).toBe(needed);
      }),
    );
  });
});
