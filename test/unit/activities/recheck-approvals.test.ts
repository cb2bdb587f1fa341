import { callContext } from '../../../src/activities/call/call-context';
import { recheckApprovals } from '../../../src/activities/checks/recheck-approvals';
import type { QuestionEntry } from '../../../src/activities/people/questions';
import type { Dependencies } from '../../../src/activities/ports';
import { PLAIN_POLICY, type ApprovalPolicy, type Decision } from '../../../src/shared/approval/approval';
import { noteHash } from '../../../src/shared/approval/decision';
import type { RunCallInput } from '../../../src/shared/io/activities';
import { hashJson } from '../../../src/shared/json/digests';
import { pays } from '../../support/tools';

const DIGEST = 'd'.repeat(64);
const SIGNED: ApprovalPolicy = { ...PLAIN_POLICY, channel: 'attested' };

const approval = (by: string, more: Partial<Decision> = {}): Decision => ({
  decision: 'approve',
  digest: DIGEST,
  run_id: 'run',
  by,
  note: null,
  at: '2026-01-01T10:00:00.000Z',
  expires_at: '2026-01-01T11:00:00.000Z',
  card_ref: null,
  channel: 'signal',
  identity: 'web-ui',
  ...more,
});
const signed = (by: string, more: Partial<Decision> = {}) => approval(by, { attestation: `signed by ${by}`, ...more });

interface Case {
  policy?: ApprovalPolicy;
  approvals: Decision[];
  /** Who changed the call besides its requester. */
  makers?: string[];
  /** Null: the store does not know the question. */
  question?: Partial<QuestionEntry> | null;
  /** Until when calls of an older build count, ms from now. */
  oldDigestsFor?: number;
  /** The principal that the keys give for a signature; null: it is not genuine. */
  principal?: string | null;
  /** Called with what the keys are asked about. */
  checked?: unknown[];
}

/** The reason of the refusal; null: the call may run. */
async function reasonOf({ policy = PLAIN_POLICY, approvals, makers = [], ...world }: Case): Promise<string | null> {
  const { question = {}, oldDigestsFor = -1, principal, checked = [] } = world;
  const asked = { run: 'run', expires_at: '2026-01-01T11:00:00.000Z', closed: false, approvals: [], ...question };
  const deps = {
    oldDigestsUntil: Date.now() + oldDigestsFor,
    store: {
      getPart: async () => ({ makers }),
      registers: { read: async (name: string) => ({ value: name.includes(DIGEST) && question ? asked : null, now: Date.now() }) },
    },
    trust: {
      check: async (said: { attestation: string }, roles: string[]) => {
        const { attestation } = said;
        checked.push({ ...said, roles });
        const signer = principal === undefined ? attestation.replace('signed by ', '') : principal;
        return signer === null ? { ok: false, reason: 'no key of that name' } : { ok: true, principal: signer };
      },
    },
  } as unknown as Dependencies;
  const call = { id: '1.1', tool: 'pay', digest: DIGEST, preview_ref: 'part', revision: 1 };
  const request = { turn: { turn_id: 't', requester: 'ana' }, call, approvals } as unknown as RunCallInput;
  const fault = await recheckApprovals(callContext(deps, request, pays('pay', [])), policy);
  if (fault) expect(fault.code).toBe('CONFIRMATION_REQUIRED');
  return fault?.reason ?? null;
}

/** What the store noted when this approval was found valid. */
const noted = (...approvals: Decision[]) => ({
  approvals: approvals.map(({ attestation, by, at }) => ({ hash: hashJson(attestation!), by, at })),
});

describe('the approvals of a call, right before it runs', () => {
  it.each<[string, string | null, Case]>([
    ['one approval of exactly this call', null, { approvals: [approval('ben')] }],
    ['none', 'approval_missing', { approvals: [] }],
    ['a denial', 'approval_missing', { approvals: [approval('ben', { decision: 'deny' })] }],
    ['an approval of another call', 'approval_mismatch', { approvals: [approval('ben', { digest: 'e'.repeat(64) })] }],
    ['one after the expiry', 'approval_expired', { approvals: [approval('ben', { at: '2026-01-01T11:00:00.001Z' })] }],
    ['one without a time', 'approval_expired', { approvals: [approval('ben', { at: '' })] }],
    [
      'one whose sender no longer waited',
      'approval_late',
      { approvals: [approval('ben', { until: '2026-01-01T09:59:59.999Z' })] },
    ],
    ['one where two are needed', 'approval_missing', { policy: { ...PLAIN_POLICY, quorum: 2 }, approvals: [approval('ben')] }],
    ['two of two people', null, { policy: { ...PLAIN_POLICY, quorum: 2 }, approvals: [approval('ben'), approval('cara')] }],
    [
      'two of one person',
      'approval_doubled',
      { policy: { ...PLAIN_POLICY, quorum: 2 }, approvals: [approval('ben'), approval('BEN ')] },
    ],
    [
      'a third of one who approved before',
      'approval_doubled',
      { policy: { ...PLAIN_POLICY, quorum: 2 }, approvals: [approval('ben'), approval('cara'), approval('ben')] },
    ],
    [
      'the requester’s own, under four eyes',
      'approval_by_requester',
      { policy: { ...PLAIN_POLICY, four_eyes: true }, approvals: [approval('Ana')] },
    ],
    ['the requester’s own, without', null, { approvals: [approval('ana')] }],
    ['a schedule’s', 'approval_by_schedule', { approvals: [approval('Schedule/Morning')] }],
    ['a trigger’s', 'approval_by_trigger', { approvals: [approval('Trigger/github')] }],
    [
      'a maker’s, under four eyes',
      'approval_by_maker',
      { policy: { ...PLAIN_POLICY, four_eyes: true }, approvals: [approval('ben')], makers: ['Ben'] },
    ],
  ])('%s: %s', async (_what, reason, given) => {
    expect(await reasonOf(given)).toBe(reason);
  });

  describe('if further roles may approve after a time', () => {
    const asked_at = '2026-01-01T09:00:00.000Z';
    const policy: ApprovalPolicy = { ...SIGNED, roles: ['treasurer'], escalate: [{ after_ms: 3_600_000, roles: ['cfo'] }] };
    const rolesFor = async (at: string, seenAt: string, question: Partial<QuestionEntry> = { policy, asked_at }) => {
      const checked: { roles: string[] }[] = [];
      const ben = signed('ben', { at });
      const approvals = [{ hash: hashJson(ben.attestation!), by: 'ben', at: seenAt }];
      await reasonOf({ policy, approvals: [ben], question: { ...question, approvals }, checked });
      return checked[0]!.roles;
    };

    it.each([
      ['2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000Z', ['treasurer', 'cfo']],
      ['2026-01-01T10:00:00.000Z', '2026-01-01T09:59:59.999Z', ['treasurer']],
      ['2026-01-01T09:59:59.999Z', '2026-01-01T10:00:00.000Z', ['treasurer']],
    ])('one of %s that the store first saw at %s needs one of %j', async (at, seenAt, roles) => {
      expect(await rolesFor(at, seenAt)).toEqual(roles);
    });

    it('the time counts from when the store says that people were asked, and under the stricter policy', async () => {
      const at = '2026-01-01T10:30:00.000Z';
      expect(await rolesFor(at, at, { policy })).toEqual(['treasurer']);
      expect(await rolesFor(at, at, { policy, asked_at: '2026-01-01T09:30:00.001Z' })).toEqual(['treasurer']);
      expect(await rolesFor(at, at, { policy: { ...policy, escalate: [] }, asked_at })).toEqual(['treasurer']);
    });
  });

  it('need no less than the store says that people were asked for, whatever the present rules say', async () => {
    const asked: ApprovalPolicy = { ...SIGNED, quorum: 2, roles: ['treasurer'], four_eyes: true };
    const one = { policy: PLAIN_POLICY, approvals: [signed('ben')], question: { ...noted(signed('ben')), policy: asked } };
    expect(await reasonOf(one)).toBe('approval_missing');
    const two = { ...one, approvals: [approval('ben'), approval('cara')] };
    expect(await reasonOf(two)).toBe('approval_unsigned');
    const both = [signed('ben'), signed('cara')];
    const checked: { roles: string[] }[] = [];
    const question = { ...noted(...both), policy: asked };
    expect(await reasonOf({ policy: PLAIN_POLICY, approvals: both, question, checked })).toBeNull();
    expect(checked.map(({ roles }) => roles)).toEqual([['treasurer'], ['treasurer']]);
    const own = [signed('ana'), signed('ben')];
    expect(await reasonOf({ policy: PLAIN_POLICY, approvals: own, question: { ...noted(...own), policy: asked } })).toBe(
      'approval_by_requester',
    );
  });

  describe('if they have to be signed', () => {
    const late = { run: 'run', expires_at: '2026-01-01T11:00:00.000Z' };

    it.each<[string, string | null, Case]>([
      ['unsigned', 'approval_unsigned', { approvals: [approval('ben')] }],
      ['signed, and noted while the question was open', null, { approvals: [signed('ben')], question: noted(signed('ben')) }],
      ['signed, but first seen after the question was over', 'approval_late', { approvals: [signed('ben')], question: late }],
      [
        'signed, of a question that is closed, which after-reset.ts asks again',
        null,
        { approvals: [signed('ben')], question: { closed: true } },
      ],
      ['of a question that the store does not know', 'approval_unknown', { approvals: [signed('ben')], question: null }],
      [
        'of a question that an older build asked, while such calls still count',
        null,
        { approvals: [signed('ben')], question: null, oldDigestsFor: 60_000 },
      ],
      [
        'with a signature that is not genuine',
        'approval_not_genuine',
        { approvals: [signed('ben')], question: noted(signed('ben')), principal: null },
      ],
      [
        'with the signature of somebody else',
        'approval_not_genuine',
        { approvals: [signed('ben')], question: noted(signed('ben')), principal: 'mallory' },
      ],
    ])('%s: %s', async (_what, reason, given) => {
      expect(await reasonOf({ policy: SIGNED, ...given })).toBe(reason);
    });

    it('each signature must be for this call, its decision and note, by a person with a role that the policy names', async () => {
      const checked: unknown[] = [];
      const approvals = [signed('ben', { note: 'fine' })];
      await reasonOf({ policy: { ...SIGNED, roles: ['finance'] }, approvals, question: noted(...approvals), checked });
      expect(checked).toEqual([
        {
          turn: { turn_id: 't', requester: 'ana' },
          digest: DIGEST,
          tool: 'pay',
          decision: 'approve',
          outcome: null,
          input_hash: null,
          note_hash: noteHash('fine'),
          attestation: 'signed by ben',
          at: '2026-01-01T10:00:00.000Z',
          roles: ['finance'],
        },
      ]);
    });
  });
});
