/** The question that a decision is on, why it does not count, and its result for the question. */
import type { DecisionKind } from '../../../src/shared/approval/decision';
import type { Json } from '../../../src/shared/json/json';
import {
  countReservedPlaces,
  countDecision,
  decisionOn,
  findQuestion,
  reasonAgainst,
  type IncomingDecision,
} from '../../../src/workflows/approvals/decision-rules';
import type { ApprovalAnswer, Pending } from '../../../src/workflows/approvals/question';
import { approval, DIGEST, doubt, EXPIRES, fieldsOf, pendingOn, personQuestion } from './support/questions';

const AT = '2026-01-01T00:00:00.000Z';
const NOW = Date.parse(AT);
const OTHER = `dd${'e'.repeat(62)}`;

function said(
  pending: Pending,
  kind: DecisionKind = 'approve',
  body: Record<string, Json> = {},
  more: Partial<IncomingDecision> = {},
): IncomingDecision {
  const fields = fieldsOf(kind, kind === 'settle' ? { outcome: 'applied', ...body } : body);
  return { pending, kind, fields, from: { channel: 'signal', identity: 'web' }, by: fields.by, attestation: null, ...more };
}

describe('a decision is on', () => {
  const fresh = () => false;
  const find = (pendings: Pending[], kind: DecisionKind, call: string, stale = fresh as (pending: Pending) => boolean) =>
    findQuestion(pendings, kind, call, stale);
  const answered = (how: string, digest = DIGEST) => pendingOn(approval({ digest }), { answer: { how } as ApprovalAnswer });

  it('the open question whose digest begins with the given text', () => {
    const [one, other] = [pendingOn(approval()), pendingOn(approval({ digest: OTHER }))];
    expect(find([one, other], 'approve', 'ddd')).toBe(one);
    expect(find([one, other], 'deny', 'dde')).toBe(other);
    expect(find([other, one], 'approve', DIGEST)).toBe(one);
    expect(find([one], 'approve', DIGEST.slice(1) + 'e')).toBe(`no call ${DIGEST.slice(1)}e waits for approval`);
    expect(find([one], 'approve', 'eee')).toBe('no call eee waits for approval');
  });

  it('an approval or a call in doubt, as its kind requires', () => {
    const [asks, doubts] = [pendingOn(approval()), pendingOn(doubt())];
    expect(find([asks, doubts], 'settle', DIGEST)).toBe(doubts);
    expect(find([doubts, asks], 'approve', DIGEST)).toBe(asks);
    expect(find([doubts, asks], 'deny', DIGEST)).toBe(asks);
    expect(find([asks], 'settle', DIGEST)).toBe(`no call ${DIGEST} is in doubt`);
    expect(find([doubts], 'deny', DIGEST)).toBe(`no call ${DIGEST} waits for approval`);
  });

  it('a question of the model, if it is an answer, and nothing else: an answer approves nothing', () => {
    const [asks, doubts, question] = [pendingOn(approval()), pendingOn(doubt()), pendingOn(personQuestion())];
    expect(find([asks, doubts, question], 'answer', DIGEST)).toBe(question);
    for (const kind of ['approve', 'deny', 'settle'] as const)
      expect(find([question], kind, DIGEST)).toBe(`call ${DIGEST} asks a question: send an answer to it`);
    for (const other of [asks, doubts])
      expect(find([other], 'answer', DIGEST)).toBe(`call ${DIGEST} asks no question, and an answer decides nothing`);
    expect(find([asks], 'answer', OTHER)).toBe(`no call ${OTHER} waits for an answer`);
    const closed = pendingOn(personQuestion(), { answer: { how: 'expired' } as ApprovalAnswer });
    expect(find([closed], 'answer', DIGEST)).toBe(`call ${DIGEST} is decided already`);
  });

  it('no question if several digests begin with the text', () => {
    const two = [pendingOn(approval()), pendingOn(approval({ digest: OTHER }))];
    expect(find(two, 'approve', 'dd')).toBe('"call" dd fits 2 waiting calls; give more of the digest');
  });

  it('the open question beside answered ones', () => {
    const open = pendingOn(approval());
    expect(find([answered('superseded'), open, answered('denied')], 'approve', DIGEST)).toBe(open);
  });

  it('no question that was asked before a reset', () => {
    const old = pendingOn(approval());
    expect(find([old], 'approve', 'ddd', (pending) => pending === old)).toBe(
      'call ddd was asked about before the workflow was reset; it is asked about anew',
    );
  });

  it.each([
    ['approved', 'call ddd is decided already'],
    ['denied', 'call ddd is decided already'],
    ['expired', 'call ddd is decided already'],
    ['steered', 'call ddd is not asked about any more'],
    ['stopped', 'call ddd is not asked about any more'],
    ['superseded', 'call ddd was superseded; the call in its stead has another digest'],
    ['reset', 'call ddd was superseded; the call in its stead has another digest'],
  ])('no question that was %s, and the reason says so', (how, reason) => {
    expect(find([answered(how)], 'approve', 'ddd')).toBe(reason);
    expect(find([answered('denied'), answered(how), answered('denied')], 'approve', 'ddd')).toBe(reason);
    expect(find([answered(how), answered('denied', 'e'.repeat(64))], 'approve', 'ddd')).toBe(reason);
  });
});

describe('the reason against a decision', () => {
  const against = (one: IncomingDecision, { requester = 'rita', stale = false, nowMs = NOW } = {}) =>
    reasonAgainst(one, requester, stale, nowMs);

  it('is none if it fits an open question', () => {
    expect(against(said(pendingOn(approval())))).toBeNull();
    expect(against(said(pendingOn(doubt()), 'settle'))).toBeNull();
  });

  it('is first that the workflow was reset since', () => {
    const pending = pendingOn(approval(), { answer: { how: 'approved' } });
    expect(against(said(pending), { stale: true })).toBe(
      `call ${DIGEST} was asked about before the workflow was reset; it is asked about anew`,
    );
  });

  it('may be that the question is answered', () => {
    expect(against(said(pendingOn(approval(), { answer: { how: 'approved' } })))).toBe(`call ${DIGEST} is decided already`);
  });

  it('may be that it comes too late for an approval, but not for a call in doubt', () => {
    const late = { nowMs: Date.parse(EXPIRES) + 1 };
    expect(against(said(pendingOn(approval())), late)).toBe(`call ${DIGEST} expired at ${EXPIRES}`);
    expect(against(said(pendingOn(doubt()), 'settle'), late)).toBeNull();
  });

  it('may be four eyes: for the requester, and for makers of the call', () => {
    const pending = pendingOn(approval({ policy: { four_eyes: true }, makers: ['ed'] }));
    expect(against(said(pending, 'approve', { by: 'rita' }))).toContain('rita asked for call');
    expect(against(said(pending, 'approve', { by: 'ed' }))).toContain('ed asked for call');
    expect(against(said(pending, 'approve', { by: 'ana' }))).toBeNull();
    expect(against(said(pending, 'approve', { by: 'ana' }), { requester: 'ana' })).toContain('ana asked for call');
  });

  it('may be that it is not signed, if it must be', () => {
    const pending = pendingOn(approval({ policy: { channel: 'attested' } }));
    expect(against(said(pending))).toContain('takes signed decisions only');
    expect(against(said(pending, 'approve', {}, { attestation: 'A.A' }))).toBeNull();
  });

  it('may be that the same person has decided the same: for a call in doubt the same outcome', () => {
    const asks = pendingOn(approval({ policy: { quorum: 2 } }));
    countDecision(said(asks), AT);
    expect(against(said(asks))).toBe(`ana has decided on call ${DIGEST} already`);
    expect(against(said(asks, 'approve', { by: 'bob' }))).toBeNull();

    const doubts = pendingOn(doubt({ policy: { quorum: 2 } }));
    countDecision(said(doubts, 'settle', { outcome: 'applied' }), AT);
    expect(against(said(doubts, 'settle', { outcome: 'applied' }))).toBe(`ana has decided on call ${DIGEST} already`);
    expect(against(said(doubts, 'settle', { outcome: 'not_applied' }))).toBeNull();
  });
});

describe('a decision that counts', () => {
  const bare = {
    digest: DIGEST,
    run_id: 'run-1',
    at: AT,
    expires_at: EXPIRES,
    card_ref: 'card',
    channel: 'signal',
    identity: 'web',
  };

  it('approves once the quorum is reached, and not before', () => {
    const question = approval({ policy: { quorum: 2 } });
    const pending = pendingOn(question);
    countDecision(said(pending, 'approve', { note: 'fine' }), AT);
    expect(question.approvals).toEqual([{ ...bare, decision: 'approve', by: 'ana', note: 'fine' }]);
    expect(pending.answer).toBeNull();
    countDecision(said(pending, 'approve', { by: 'bob' }, { attestation: 'A.A' }), AT);
    expect(question.approvals[1]).toEqual({ ...bare, decision: 'approve', by: 'bob', note: null, attestation: 'A.A' });
    expect(pending.answer).toEqual({ how: 'approved' });
  });

  it('denies alone, for any quorum', () => {
    const question = approval({ policy: { quorum: 3 } });
    const pending = pendingOn(question);
    countDecision(said(pending, 'deny', { note: 'no' }), AT);
    expect(pending.answer).toEqual({ how: 'denied', decision: { ...bare, decision: 'deny', by: 'ana', note: 'no' } });
    expect(question.approvals).toEqual([]);
  });

  it('has the checked name, and the time and the wait of an update', () => {
    const question = approval();
    const from = { channel: 'update' as const, identity: 'cli', until: EXPIRES, at: '2025-12-31T00:00:00.000Z' };
    countDecision(said(pendingOn(question), 'approve', { by: 'x' }, { by: 'ana', from }), AT);
    expect(question.approvals).toEqual([{ ...bare, ...from, decision: 'approve', by: 'ana', note: null }]);
  });

  const settlement = (by: string, outcome: string) => ({ outcome, by, note: null, identity: 'web', at: AT });

  it('settles once as many people as required agree on the outcome', () => {
    const question = doubt({ policy: { quorum: 2 } });
    const pending = pendingOn(question);
    countDecision(said(pending, 'settle', { outcome: 'applied' }), AT);
    countDecision(said(pending, 'settle', { outcome: 'not_applied', by: 'bob' }), AT);
    expect(pending.answer).toBeNull();
    countDecision(said(pending, 'settle', { outcome: 'not_applied', by: 'cleo', note: 'seen' }, { attestation: 'A.A' }), AT);
    expect(question.settlements).toEqual([
      settlement('ana', 'applied'),
      settlement('bob', 'not_applied'),
      { ...settlement('cleo', 'not_applied'), note: 'seen', attestation: 'A.A' },
    ]);
    expect(pending.answer).toEqual(question.settlements[2]);
  });

  it('replaces an earlier one of the same person about a call in doubt', () => {
    const question = doubt({ policy: { quorum: 2 } });
    const pending = pendingOn(question);
    countDecision(said(pending, 'settle', { outcome: 'applied' }), AT);
    countDecision(said(pending, 'settle', { outcome: 'not_applied', by: 'Ana' }), AT);
    expect(question.settlements).toEqual([settlement('Ana', 'not_applied')]);
    expect(pending.answer).toBeNull();
  });
});

describe('of the places reserved for a question', () => {
  it('an approval takes one, a denial all that are left', () => {
    const question = approval({ policy: { quorum: 3 } });
    expect(countReservedPlaces({ pending: pendingOn(question), kind: 'approve' })).toBe(1);
    expect(countReservedPlaces({ pending: pendingOn(question), kind: 'deny' })).toBe(3);
    countDecision(said(pendingOn(question)), AT);
    expect(countReservedPlaces({ pending: pendingOn(question), kind: 'deny' })).toBe(2);
    expect(countReservedPlaces({ pending: pendingOn(doubt({ policy: { quorum: 3 } })), kind: 'settle' })).toBe(1);
  });
});

it('a decision that nobody made has the facts of its question, and the time at which it counts', () => {
  const nobody = { by: '', note: null, channel: 'timer' as const, identity: '' };
  expect(decisionOn(approval(), 'expired', nobody, AT)).toEqual({
    decision: 'expired',
    digest: DIGEST,
    run_id: 'run-1',
    at: AT,
    expires_at: EXPIRES,
    card_ref: 'card',
    ...nobody,
  });
});

describe('an answer to a question of the model', () => {
  it('closes the question, with its value, its author and its signature', () => {
    const pending = pendingOn(personQuestion());
    const answer = said(pending, 'answer', { value: { cents: 7 }, note: 'As agreed.' }, { attestation: 'A.A' });
    expect(reasonAgainst(answer, 'ana', false, NOW)).toBeNull(); // the requester may answer
    countDecision(answer, AT);
    expect(pending.answer).toEqual({
      how: 'answered',
      decision: {
        ...{ decision: 'answer', digest: DIGEST, run_id: 'run-1', at: AT, expires_at: EXPIRES, card_ref: 'card' },
        ...{ by: 'ana', note: 'As agreed.', channel: 'signal', identity: 'web', attestation: 'A.A', value: { cents: 7 } },
      },
    });
    expect(reasonAgainst(answer, 'rita', false, NOW)).toContain('is decided already');
  });

  it('does not count once it is too late, unsigned where signatures are needed, or for a question from before a reset', () => {
    const late = said(pendingOn(personQuestion()), 'answer', { value: 1 });
    expect(reasonAgainst(late, 'rita', false, Date.parse(EXPIRES) + 1)).toContain('expired at');
    expect(reasonAgainst(late, 'rita', true, NOW)).toContain('before the workflow was reset');
    const bare = said(pendingOn(personQuestion({ policy: { channel: 'attested' } })), 'answer', { value: 1 });
    expect(reasonAgainst(bare, 'rita', false, NOW)).toContain('takes signed decisions only');
  });

  it('uses the places of its question: those of eleven decisions', () => {
    expect(countReservedPlaces(said(pendingOn(personQuestion()), 'answer', { value: 1 }))).toBe(11);
  });
});
