/** The approvals that an agent requires: the faults of their definition, and the policy of each call. */
import { approvalFaults, approvalPolicyOf, type ApprovalRule, type Approvals } from '../../../src/rules/approvals';

const TOOLS = [{ name: 'pay' }, { name: 'refund' }];
const faults = (approvals: unknown, servers: string[] = []) => approvalFaults(approvals as Approvals, TOOLS, servers);

describe('the approvals of an agent', () => {
  it('may be left out, and may have every field', () => {
    expect(faults(undefined)).toEqual([]);
    expect(faults({})).toEqual([]);
    const whole = { channel: 'attested', quorum: 2, roles: ['treasurer'], fourEyes: true, remindMs: [1000] };
    expect(faults({ ...whole, tools: { pay: whole, refund: {} } })).toEqual([]);
  });

  const CHANNEL = 'channel must be any or attested';
  const QUORUM = 'quorum must be an integer from 1 to 10';
  const ROLES = 'roles must be a list of names (^[A-Za-z0-9._:-]{1,64}$)';
  const EYES = 'fourEyes must be true or false';
  const REMIND = 'remindMs must be a list of up to 5 times, ms before the expiry';
  it.each<[string, unknown[], unknown[], string]>([
    ['channel', ['any', 'attested', undefined], ['none', '', null], CHANNEL],
    ['quorum', [1, 10, undefined], [0, 11, 1.5, '2', null], QUORUM],
    [
      'roles',
      [[], ['aZ0._:-'], ['r'.repeat(64)]],
      ['clerk', ['a b'], [''], ['r'.repeat(65)], [' a'], ['a '], { length: 0 }],
      ROLES,
    ],
    ['fourEyes', [true, false, undefined], ['yes', 1, null], EYES],
    ['remindMs', [[], [1, 2, 3, 4, 5]], [1000, [1, 2, 3, 4, 5, 6], [0], [1, -1], { length: 0 }], REMIND],
  ])('have a valid %s, for all tools and for one', (field, good, bad, says) => {
    for (const value of good) expect(faults({ [field]: value, tools: { pay: { [field]: value } } })).toEqual([]);
    for (const value of bad) {
      expect(faults({ [field]: value })).toEqual([`approvals: ${says}`]);
      expect(faults({ tools: { pay: { [field]: value } } })).toEqual([`approvals.tools.pay: ${says}`]);
    }
  });

  it('report all their faults', () => {
    const all = faults({ quorum: 0, fourEyes: 'no', kworum: 2, tools: { pay: { channel: 'x' }, send: {} } });
    expect(all).toEqual([
      expect.stringContaining('kworum'),
      `approvals: ${QUORUM}`,
      `approvals: ${EYES}`,
      `approvals.tools.pay: ${CHANNEL}`,
      'approvals.tools names "send", which the agent does not have',
    ]);
    const [unknown] = faults({ zzzzzz: 1 });
    for (const field of ['channel', 'quorum', 'roles', 'fourEyes', 'remindMs']) expect(unknown).toContain(field);
  });

  it('may name tools of a server that the agent has', () => {
    const named = { tools: { bank__pay: {} } };
    expect(faults(named)).toHaveLength(1);
    expect(faults(named, ['shop'])).toHaveLength(1);
    expect(faults(named, ['bank'])).toEqual([]);
  });
});

describe('the policy of a call', () => {
  const any = { channel: 'any' as const, notify: false };
  const attested = { channel: 'attested' as const, notify: true };
  const rule: ApprovalRule = { channel: 'attested', quorum: 3, roles: ['cfo'], fourEyes: false, remindMs: [5] };

  it('is the default one if the agent defines none', () => {
    const plain = { channel: 'any', quorum: 1, roles: [], four_eyes: false, remind_ms: [], notify: false };
    expect(approvalPolicyOf(undefined, 'pay', any)).toEqual(plain);
    expect(approvalPolicyOf({}, 'pay', any)).toEqual(plain);
    expect(approvalPolicyOf(undefined, 'toString', any)).toEqual(plain);
  });

  it('is that of the agent; entries for the tool itself come first', () => {
    const policy = { channel: 'attested', quorum: 3, roles: ['cfo'], four_eyes: false, remind_ms: [5], notify: false };
    expect(approvalPolicyOf(rule, 'pay', any)).toEqual(policy);
    expect(approvalPolicyOf({ ...rule, tools: { pay: { quorum: 2 } } }, 'pay', any)).toEqual({ ...policy, quorum: 2 });
    expect(approvalPolicyOf({ ...rule, tools: { pay: { quorum: 2 } } }, 'refund', any)).toEqual(policy);
  });

  it('is never weaker than the worker’s setting', () => {
    expect(approvalPolicyOf({ channel: 'any' }, 'pay', attested)).toMatchObject({
      channel: 'attested',
      four_eyes: true,
      notify: true,
    });
    expect(approvalPolicyOf({ fourEyes: false }, 'pay', attested)).toMatchObject({ four_eyes: false });
    expect(approvalPolicyOf({ channel: 'attested' }, 'pay', any)).toMatchObject({ channel: 'attested', four_eyes: true });
    expect(approvalPolicyOf({ fourEyes: true }, 'pay', any)).toMatchObject({ channel: 'any', four_eyes: true });
  });
});
