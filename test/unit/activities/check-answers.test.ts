/** Who may answer a question of the model: whether a signature is needed, and what a name and a role are worth. */
import { checkAnswer } from '../../../src/activities/people/check-decisions';
import type { QuestionEntry } from '../../../src/activities/people/questions';
import type { Dependencies } from '../../../src/activities/ports';
import { PLAIN_POLICY, type ApprovalPolicy } from '../../../src/shared/approval/policy';
import type { CheckAnswerInput } from '../../../src/shared/io/activities';

const SIGNED: ApprovalPolicy = { ...PLAIN_POLICY, channel: 'attested' };
const AT = '2026-01-01T09:00:00.000Z';

interface Case {
  to?: string[];
  /** The policy of now, and that of the question as the store has it; null: it has none. */
  present?: ApprovalPolicy;
  before?: ApprovalPolicy | null;
  by?: string;
  /** The roles in the signature; null: nothing is signed. */
  roles?: string[] | null;
}

async function reasonOf({ to, present = PLAIN_POLICY, before = null, by = 'ana', roles = null }: Case): Promise<string | null> {
  const entry: QuestionEntry | null = before && { run: 'run', expires_at: AT, closed: false, approvals: [], policy: before };
  const deps = {
    store: {
      getCall: async () => ({ input: { question: 'Which?', ...(to === undefined ? {} : { to }) } }),
      registers: { read: async () => ({ value: entry, now: Date.parse(AT) }), update: async () => null },
    },
    registry: { approval: () => present },
    trust: {
      check: async (_: unknown, wanted: string[]) =>
        wanted.length === 0 || wanted.some((role) => roles?.includes(role))
          ? { ok: true, principal: by }
          : { ok: false, reason: 'no such role' },
    },
  } as unknown as Dependencies;
  const turn = { agent: 'tester', requester: 'rita', store_id: 's' };
  const answer = { turn, digest: 'd', tool: 'ask_person', value: 'reserve', by, note: null, at: AT };
  const attestation = roles === null ? null : 'signed';
  const result = await checkAnswer(deps, { ...answer, attestation } as unknown as CheckAnswerInput);
  return result.ok ? null : result.reason;
}

describe('an answer', () => {
  const NOT_ASKED = expect.stringContaining('is none of them');
  const UNSIGNED = expect.stringContaining('takes signed answers only');
  it.each<[string, unknown, Case]>([
    ['of anybody, where nobody is named', null, {}],
    ['of who is named', null, { to: ['Ana'] }],
    ['of another person', NOT_ASKED, { to: ['bob'] }],
    ['without a signature, where signatures count now', UNSIGNED, { present: SIGNED }],
    ['without a signature, where people were asked for one before a deploy', UNSIGNED, { before: SIGNED }],
    ['of a person whose name is that of the role', NOT_ASKED, { to: ['role:treasurer'], by: 'treasurer' }],
    ['of a person whose signed name is that of the role', NOT_ASKED, { to: ['role:treasurer'], by: 'treasurer', roles: [] }],
    ['of a person whose name is written as a role', NOT_ASKED, { to: ['role:treasurer'], by: 'role:treasurer', roles: [] }],
    ['with the role in the signature', null, { to: ['role:treasurer'], roles: ['treasurer'] }],
    ['with another role in the signature', NOT_ASKED, { to: ['role:treasurer'], roles: ['clerk'] }],
    ['with the role, where a person is named', NOT_ASKED, { to: ['treasurer'], roles: ['treasurer'] }],
    ['with any signature, where another person is named', NOT_ASKED, { to: ['bob'], roles: [] }],
  ])('%s', async (_name, reason, given) => {
    expect(await reasonOf(given)).toEqual(reason);
  });
});
