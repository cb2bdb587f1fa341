/** The check of a signed decision when it arrives: which roles its author needs then. */
import { checkDecision } from '../../../src/activities/people/check-decisions';
import type { QuestionEntry } from '../../../src/activities/people/questions';
import type { Dependencies } from '../../../src/activities/ports';
import { PLAIN_POLICY, type ApprovalPolicy } from '../../../src/shared/approval/policy';
import type { CheckDecisionInput } from '../../../src/shared/io/activities';

const ASKED = Date.parse('2026-01-01T09:00:00.000Z');
const HOUR = 3_600_000;
const at = (hours: number) => new Date(ASKED + hours * HOUR).toISOString();
const POLICY: ApprovalPolicy = {
  ...PLAIN_POLICY,
  ...{ channel: 'attested', roles: ['treasurer'], escalate: [{ after_ms: HOUR, roles: ['cfo'] }] },
};

interface Case {
  /** The role in the signature. */
  role: string;
  /** Hours after people were asked: by the store's clock, and by history. */
  now?: number;
  said?: number;
  present?: ApprovalPolicy;
  question?: Partial<QuestionEntry> | null;
  list?: boolean;
  more?: Partial<CheckDecisionInput>;
}

async function reasonOf({ role, now = 0, said = now, present = POLICY, question = {}, list = false, more = {} }: Case) {
  const entry = question && {
    run: 'run',
    expires_at: at(24),
    closed: false,
    approvals: [],
    policy: POLICY,
    asked_at: at(0),
    ...question,
  };
  const deps = {
    store: {
      registers: {
        read: async () => ({ value: entry, now: ASKED + now * HOUR }),
        update: async () => null,
      },
    },
    registry: {
      approval: () => present,
      agent: () => ({ policy: list ? { approvals: new Map([['pay', {}]]) } : {} }),
    },
    trust: {
      check: async (_: unknown, roles: string[]) =>
        roles.length === 0 || roles.includes(role)
          ? { ok: true, principal: 'ana' }
          : { ok: false, reason: `ana has none of the roles ${roles.join(', ')}` },
    },
  } as unknown as Dependencies;
  const input = { turn: { agent: 'tester' }, decision: 'approve', outcome: null, digest: 'd', tool: 'pay', attestation: 'x' };
  const result = await checkDecision(deps, { ...input, input_hash: null, at: at(said), ...more } as CheckDecisionInput);
  return result.ok ? null : result.reason;
}

describe('the roles that a decision needs when it arrives', () => {
  const TREASURER = 'ana has none of the roles treasurer';
  const LATER = `people with the roles cfo may decide from ${at(1)} on`;
  it.each<[string, string | null, Case]>([
    ['the role of the policy, at once', null, { role: 'treasurer' }],
    ['another role', TREASURER, { role: 'clerk' }],
    ['a further role before its time: it is told from when on', LATER, { role: 'cfo', now: 0.99 }],
    ['a further role from its time on', null, { role: 'cfo', now: 1 }],
    ['a further role whose time has come by history alone', LATER, { role: 'cfo', now: 0.5, said: 2 }],
    ['a further role whose time has come by the store alone', TREASURER, { role: 'cfo', now: 2, said: 0.5 }],
    ['a further role, of which the workflow knows nothing', TREASURER, { role: 'cfo', now: 2, more: { roles: ['treasurer'] } }],
    ['a further role, for a settlement', TREASURER, { role: 'cfo', now: 2, more: { decision: 'settle', outcome: 'applied' } }],
    ['the role of old, where the present rules name none', null, { role: 'treasurer', present: PLAIN_POLICY }],
    ['no role, where the present rules name none', TREASURER, { role: 'clerk', present: PLAIN_POLICY }],
    ['the role of old, of a tool with a list', null, { role: 'treasurer', present: { ...POLICY, roles: ['board'] }, list: true }],
    [
      'the role that the workflow takes, where the store keeps no question',
      null,
      { role: 'cfo', question: null, more: { roles: ['cfo'] } },
    ],
    ['the present role, of a question of an older build', null, { role: 'treasurer', question: { policy: undefined as never } }],
  ])('%s', async (_, reason, given) => {
    expect(await reasonOf(given)).toBe(reason);
  });
});
