/** Approval questions: whom they notify, what a decision changes, and what it does not. The tests control time and resets. */
import { hashJson } from '../../../src/shared/json/digests';
import type { DecisionKind } from '../../../src/shared/approval/decision';
import type { Json } from '../../../src/shared/json/json';
import { ApprovalQuestions, type QuestionDependencies } from '../../../src/workflows/approvals/approval-questions';
import { remark, type ApprovalQuestion, type Pending } from '../../../src/workflows/approvals/question';
import { NO_ROOM } from '../../../src/workflows/approvals/room-for-decisions';
import { InFlight } from '../../../src/workflows/sandbox/signals';
import { approval, DIGEST, doubt, EXPIRES, fieldsOf, personQuestion } from './support/questions';

interface Wait {
  until: () => boolean;
  ms: number | undefined;
  end: (met: boolean) => void;
  fail: (error: Error) => void;
}
const waits: Wait[] = [];
let present = 'first seed';
jest.mock('../../../src/workflows/sandbox/condition', () => ({
  condition: (until: () => boolean, ms?: number) => new Promise<boolean>((end, fail) => waits.push({ until, ms, end, fail })),
}));
jest.mock('@temporalio/workflow', () => ({
  workflowInfo: () => ({ continueAsNewSuggested: false, historyLength: 100 }),
}));
jest.mock('../../../src/workflows/sandbox/time', () => ({
  ...jest.requireActual<object>('../../../src/workflows/sandbox/time'),
  resetSeed: () => present,
}));

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const OTHER = 'e'.repeat(64);
const settled = () => new Promise(setImmediate);

/** The part of the SDK after each activation: waiting code continues if its condition is true. */
async function goOn(): Promise<void> {
  await settled();
  for (const wait of waits.splice(0)) {
    if (wait.until()) wait.end(true);
    else waits.push(wait);
  }
  await settled();
}

/** The time of the only wait has come. */
async function timePasses(): Promise<void> {
  const { ms, end } = waits.shift()!;
  jest.setSystemTime(Date.now() + ms!);
  end(false);
  await settled();
}

let around: {
  [K in keyof QuestionDependencies]: QuestionDependencies[K] extends (...args: any[]) => any
    ? jest.Mock
    : QuestionDependencies[K];
};
let questions: ApprovalQuestions;
beforeEach(() => {
  jest.useFakeTimers({ now: T0, doNotFake: ['setImmediate'] });
  waits.length = 0;
  present = 'first seed';
  around = {
    inFlight: new InFlight(),
    requester: 'rita',
    onChange: jest.fn(),
    check: jest.fn(async () => ({ ok: true, principal: 'ana' })),
    checkAnswer: jest.fn(async () => ({ ok: true, principal: 'ana' })),
    fits: jest.fn(() => true),
    tell: jest.fn(),
  };
  questions = new ApprovalQuestions(around);
});
afterEach(() => jest.useRealTimers());

const from = { channel: 'signal' as const, identity: 'web' };
const decide = (kind: DecisionKind, body: Record<string, Json> = {}) => questions.decide(kind, fieldsOf(kind, body), from);
const ask = (question = approval(), edit: Pending['edit'] = async () => 'no edit', seed: string | null = null) =>
  questions.askApproval(question, edit, seed);

describe('a question of approval', () => {
  it('is open until it is answered, and announced to people once', async () => {
    const question = approval();
    const answer = ask(question);
    expect(questions.open()).toEqual([question]);
    expect(around.tell.mock.calls).toEqual([[question, 'asked']]);
    expect(around.onChange).toHaveBeenCalledTimes(1);
    expect(question.told).toBe(true);
    expect(questions.still).toBe(true);

    expect(decide('approve')).toBeNull();
    expect(around.onChange).toHaveBeenCalledTimes(2);
    expect(questions.still).toBe(false);
    expect(questions.open()).toEqual([]);
    await goOn();
    expect(await answer).toEqual({ how: 'approved' });
    expect(questions.still).toBe(true);
    expect(decide('approve')).toBe(`call ${DIGEST} is decided already`);
  });

  it('is busy between its answer and the code that waits for it, beside any other open question', async () => {
    void ask(approval({ digest: OTHER }));
    void ask();
    void questions.askSettlement(doubt());
    expect(decide('settle', { outcome: 'applied' })).toBeNull();
    expect(questions.still).toBe(false);
    await goOn();
    expect(questions.still).toBe(true);
    expect(decide('approve')).toBeNull();
    expect(questions.still).toBe(false);
    expect(questions.shownTools).toEqual([]);
  });

  it('that another run has announced is not announced again', () => {
    void ask(approval({ told: true }));
    expect(around.tell).not.toHaveBeenCalled();
  });

  it('needs as many people as its quorum', async () => {
    const answer = ask(approval({ policy: { quorum: 2 } }));
    expect(decide('approve')).toBeNull();
    expect(questions.open()).toHaveLength(1);
    expect(decide('approve', { by: 'bob' })).toBeNull();
    await goOn();
    expect(await answer).toEqual({ how: 'approved' });
  });

  it('reminds people at each time before it expires, first at the earliest, and ends then', async () => {
    const question = approval({ policy: { remind_ms: [60_000, 600_000, 7_200_000] } });
    const answer = ask(question);
    expect(waits.map(({ ms }) => ms)).toEqual([3_000_000]);
    await timePasses();
    expect(around.tell.mock.calls).toEqual([
      [question, 'asked'],
      [question, 'reminder'],
    ]);
    expect(waits.map(({ ms }) => ms)).toEqual([540_000]);
    await timePasses();
    expect(around.tell).toHaveBeenCalledTimes(3);
    expect(waits.map(({ ms }) => ms)).toEqual([60_000]);
    await timePasses();
    expect(around.tell).toHaveBeenCalledTimes(3);
    expect(around.onChange).toHaveBeenCalledTimes(2);
    const decision = { decision: 'expired', digest: DIGEST, run_id: 'run-1', at: EXPIRES, expires_at: EXPIRES, card_ref: 'card' };
    const nobody = { by: '', note: null, channel: 'timer', identity: '' };
    expect(await answer).toEqual({ how: 'expired', decision: { ...decision, ...nobody } });
  });

  it('notifies people once further roles may decide, and passes the roles of that time to the check of a signed decision', async () => {
    const escalations = [{ at: new Date(T0 + 600_000).toISOString(), roles: ['cfo'] }];
    const question = approval({ policy: { quorum: 3, remind_ms: [60_000], roles: ['treasurer'] } });
    void ask(Object.assign(question, { escalations }));
    const checkedRoles = async () => {
      void decide('approve', { attestation: 'signed' });
      await settled();
      return (around.check.mock.calls.at(-1) as [unknown, { roles?: string[] }])[1].roles;
    };
    expect(await checkedRoles()).toEqual(['treasurer']);
    expect(waits.map(({ ms }) => ms)).toEqual([600_000]);
    await timePasses();
    expect(around.tell.mock.calls.map(([, occasion]) => occasion as string)).toEqual(['asked', 'escalated']);
    expect(await checkedRoles()).toEqual(['treasurer', 'cfo']);
    expect(waits.map(({ ms }) => ms)).toEqual([2_940_000]);
  });

  it('of a tool without a list or an escalation passes no roles to the check', async () => {
    void ask(approval({ policy: { roles: ['treasurer'] } }));
    void decide('approve', { attestation: 'signed' });
    await settled();
    expect((around.check.mock.calls[0] as [unknown, object])[1]).not.toHaveProperty('roles');
  });

  it('reminds nobody once it has an answer', async () => {
    const answer = ask(approval({ policy: { remind_ms: [600_000] } }));
    expect(decide('approve')).toBeNull();
    await goOn();
    expect(await answer).toEqual({ how: 'approved' });
    expect(around.tell).toHaveBeenCalledTimes(1);
    expect(waits).toEqual([]);
  });

  it('reminds nobody at the time at which it is asked', () => {
    void ask(approval({ policy: { remind_ms: [3_600_000] } }));
    expect(waits.map(({ ms }) => ms)).toEqual([3_600_000]);
  });

  it('that has already expired waits for one millisecond', () => {
    void ask(approval({ expires_at: '2025-01-01T00:00:00.000Z' }));
    expect(waits.map(({ ms }) => ms)).toEqual([1]);
  });

  it('waits separately from work under way', async () => {
    let done = false;
    void around.inFlight.during(async () => {
      await ask();
      done = true;
    });
    expect(around.inFlight.none).toBe(true);
    void decide('approve');
    await goOn();
    expect([done, around.inFlight.none]).toEqual([true, true]);
  });

  it('is removed if the wait for it fails', async () => {
    const [first, second] = [ask(), ask(approval({ digest: OTHER }))];
    waits[0]!.fail(new Error('cancelled'));
    await expect(first).rejects.toThrow('cancelled');
    expect(questions.open().map(({ digest }) => digest)).toEqual([OTHER]);
    void second;
  });
});

describe('after a reset', () => {
  it('nobody is asked with a card from before the reset', async () => {
    expect(await ask(approval(), undefined, 'another seed')).toEqual({ how: 'reset' });
    expect([questions.open(), around.tell.mock.calls]).toEqual([[], []]);
  });

  it('an earlier question accepts no decision, and says that it is asked again', async () => {
    const answer = ask(approval(), undefined, 'first seed');
    present = 'second seed';
    expect(decide('approve')).toBe(`call ${DIGEST} was asked about before the workflow was reset; it is asked about anew`);
    questions.withdraw('steered');
    await goOn();
    expect(await answer).toEqual({ how: 'reset' });
    expect(decide('approve')).toBe(`call ${DIGEST} was superseded; the call in its stead has another digest`);
  });

  it('a question of this seed, or of none, continues', async () => {
    void ask(approval(), undefined, 'first seed');
    void ask(approval({ digest: OTHER }), undefined, null);
    await goOn();
    expect(questions.open()).toHaveLength(2);
    expect(decide('approve', { call: OTHER })).toBeNull();
    expect(decide('approve')).toBeNull();
  });
});

describe('a call in doubt', () => {
  it('waits without a limit, for as many people as must agree', async () => {
    const question = doubt({ policy: { quorum: 2 } });
    const answer = questions.askSettlement(question);
    expect(waits.map(({ ms }) => ms)).toEqual([undefined]);
    expect(decide('settle', { outcome: 'applied' })).toBeNull();
    await goOn();
    expect(questions.open()).toEqual([question]);
    expect(decide('settle', { outcome: 'applied', by: 'bob' })).toBeNull();
    await goOn();
    expect(await answer).toMatchObject({ outcome: 'applied', by: 'bob' });
  });

  it('is not withdrawn together with questions that wait for approval', async () => {
    const [asked, done] = [approval(), ask(approval({ digest: OTHER }))];
    const answer = ask(asked);
    void questions.askSettlement(doubt());
    void decide('deny', { call: OTHER });
    around.onChange.mockClear();
    questions.withdraw('stopped');
    expect(around.onChange).toHaveBeenCalledTimes(1);
    expect(questions.open().map(({ kind }) => kind)).toEqual(['doubt']);
    await goOn();
    expect(await answer).toEqual({ how: 'stopped' });
    expect(await done).toMatchObject({ how: 'denied' });
    expect(decide('approve')).toBe(`call ${DIGEST} is not asked about any more`);
  });
});

describe('a decision', () => {
  it('that does not fit changes nothing, and is noted on the card', () => {
    const question = approval({ policy: { four_eyes: true } });
    void ask(question);
    around.onChange.mockClear();
    const reason = `rita asked for call ${DIGEST}, changed it or steered the turn; somebody else has to decide`;
    expect(decide('approve', { by: 'rita' })).toBe(reason);
    expect(question.remarks).toEqual([expect.stringMatching(/^approve by rita: rita asked for call d+/)]);
    expect(question.approvals).toEqual([]);
    expect(around.onChange).toHaveBeenCalledTimes(1);
    expect(decide('approve', { call: OTHER })).toBe(`no call ${OTHER} waits for approval`);
    expect(question.remarks).toHaveLength(1);
  });

  it('on several calls counts for all or for none', async () => {
    const [first, second] = [approval({ policy: { four_eyes: true } }), approval({ digest: OTHER })];
    void ask(first);
    void ask(second);
    const both = (by: string, calls = [DIGEST, OTHER]) =>
      questions.decide('approve', { ...fieldsOf('approve', { by }), calls }, from);
    expect(both('rita')).toContain('rita asked for call');
    expect(both('ana', [OTHER, OTHER])).toBe(`"calls" names call ${OTHER} twice`);
    expect(both('ana', [DIGEST, 'f'.repeat(64)])).toBe(`no call ${'f'.repeat(64)} waits for approval`);
    expect(questions.open()).toEqual([first, second]);
    expect([first.approvals, second.approvals]).toEqual([[], []]);
    expect(both('ana')).toBeNull();
    expect(questions.open()).toEqual([]);
  });

  it('is refused if there is no room for it, and is noted on each card', () => {
    const [first, second] = [approval({ policy: { quorum: 3 } }), approval({ digest: OTHER })];
    void ask(first);
    void ask(second);
    around.fits.mockReturnValue(false);
    const fields = { ...fieldsOf('deny', { note: 'long' }), calls: [DIGEST, OTHER] };
    const reason = `${NO_ROOM}; send it with a shorter note, or decide on what waits first`;
    expect(questions.decide('deny', fields, from)).toBe(reason);
    for (const { remarks } of [first, second]) expect(remarks).toEqual([`deny by ana: ${reason}`]);
    expect(questions.open()).toHaveLength(2);
    const words = { by: 'ana', note: 'long', identity: 'web', attestation: null };
    expect(around.fits.mock.calls).toEqual([[[words, words], 4]]);
  });
});

describe('a signed decision', () => {
  const signed = (kind: DecisionKind, body: Record<string, Json> = {}) => decide(kind, { attestation: 'A.A', ...body });

  it('is checked first, and counts under the name in the signature', async () => {
    const question = approval();
    void ask(question);
    const answer = signed('approve', { by: 'Ana', note: 'fine' });
    expect(questions.still).toBe(false);
    expect(await answer).toBeNull();
    expect(around.check.mock.calls).toEqual([
      [question, { decision: 'approve', outcome: null, attestation: 'A.A', inputHash: null, note: 'fine' }],
    ]);
    expect(question.approvals).toMatchObject([{ by: 'ana', note: 'fine', attestation: 'A.A' }]);
    expect(around.fits).toHaveBeenCalledWith([{ by: 'ana', note: 'fine', identity: 'web', attestation: 'A.A' }], 1);
  });

  it('may leave the name out, and may not have another name', async () => {
    const question = approval();
    void ask(question);
    expect(await signed('approve', { by: 'bob' })).toBe('it is signed for ana, and says bob');
    expect(question.remarks).toEqual(['approve by bob: it is signed for ana, and says bob']);
    const { by: _, ...rest } = fieldsOf('approve', { attestation: 'A.A' });
    expect(await questions.decide('approve', { ...rest, by: '' }, from)).toBeNull();
    expect(question.approvals).toMatchObject([{ by: 'ana' }]);
  });

  it('on a call in doubt is checked with its outcome', async () => {
    void questions.askSettlement(doubt());
    await signed('settle', { outcome: 'not_applied' });
    expect(around.check.mock.calls[0]![1]).toMatchObject({ decision: 'settle', outcome: 'not_applied' });
  });

  it('that is refused changes nothing, and is noted on the card', async () => {
    const question = approval();
    void ask(question);
    around.check.mockResolvedValue({ ok: false, reason: 'junk' });
    around.onChange.mockClear();
    const sent = questions.decide('approve', { ...fieldsOf('approve', { attestation: 'A.A' }), by: '' }, from);
    expect(await sent).toBe('junk');
    expect(question.remarks).toEqual(['approve by somebody: junk']);
    expect(around.onChange).toHaveBeenCalledTimes(1);
    expect(questions.open()).toEqual([question]);
    expect(questions.still).toBe(true);
  });

  it('on several calls counts for none if one of them is not genuine', async () => {
    const [first, second] = [approval(), approval({ digest: OTHER })];
    void ask(first);
    void ask(second);
    around.check.mockImplementation(async ({ digest }: ApprovalQuestion) =>
      digest === OTHER ? { ok: false, reason: 'junk' } : { ok: true, principal: 'ana' },
    );
    const fields = { ...fieldsOf('approve', {}), calls: [DIGEST, OTHER], attestations: ['A.A', 'B.B'] };
    expect(await questions.decide('approve', fields, from)).toBe('junk');
    expect(around.check.mock.calls.map(([, { attestation }]) => attestation as string)).toEqual(['A.A', 'B.B']);
    expect([first.remarks, second.remarks]).toEqual([[], ['approve by ana: junk']]);
    expect(questions.open()).toEqual([first, second]);
  });

  it('comes too late if another was answered while it was checked', async () => {
    void ask();
    const late = signed('approve');
    expect(decide('deny', { by: 'bob' })).toBeNull();
    expect(await late).toBe(`call ${DIGEST} is decided already`);
  });

  it('leaves nothing under way if the check itself fails', async () => {
    void ask();
    around.check.mockRejectedValue(new Error('no worker'));
    await expect(signed('approve')).rejects.toThrow('no worker');
    expect(questions.still).toBe(true);
  });
});

describe('an approval with another input', () => {
  const input = { cents: 1 };

  it('is admitted, and supersedes the question', async () => {
    const taken = jest.fn();
    const edit = jest.fn(async () => taken);
    const question = approval({ policy: { quorum: 3 } });
    const answer = ask(question, edit);
    expect(decide('approve', { by: 'bob' })).toBeNull();
    around.onChange.mockClear();
    around.fits.mockClear();
    expect(await decide('approve', { input, note: 'less' })).toBeNull();
    expect(edit.mock.calls).toEqual([[{ input, by: 'ana', note: 'less', identity: 'web' }]]);
    expect(taken).toHaveBeenCalledTimes(1);
    expect(around.onChange).toHaveBeenCalledTimes(1);
    const words = { by: 'ana', note: 'less', identity: 'web', attestation: null };
    expect(around.fits.mock.calls).toEqual([[[words, { ...words, note: null }], -1]]);
    await goOn();
    expect(await answer).toEqual({ how: 'superseded' });
    expect(question.approvals).toHaveLength(1);
    expect(around.check).not.toHaveBeenCalled();
  });

  it('is checked as an edit of that input if it is signed, and its signature goes with it', async () => {
    const edit = jest.fn(async () => () => undefined);
    void ask(approval(), edit);
    expect(await decide('approve', { input, attestation: 'A.A' })).toBeNull();
    expect(around.check.mock.calls[0]![1]).toEqual({
      decision: 'edit',
      outcome: null,
      attestation: 'A.A',
      inputHash: hashJson(input),
      note: null,
    });
    expect(edit.mock.calls).toEqual([[{ input, by: 'ana', note: null, identity: 'web', attestation: 'A.A' }]]);
    const words = { by: 'ana', note: null, identity: 'web' };
    expect(around.fits.mock.calls[0]![0]).toEqual([
      { ...words, attestation: 'A.A' },
      { ...words, attestation: null },
    ]);
  });

  it('is not admitted from somebody who may not decide', async () => {
    const edit = jest.fn(async () => () => undefined);
    void ask(approval({ policy: { channel: 'attested' } }), edit);
    expect(await decide('approve', { input })).toContain('takes signed decisions only');
    expect(edit).not.toHaveBeenCalled();
  });

  it('is not admitted if there is no room for it', async () => {
    const edit = jest.fn(async () => () => undefined);
    void ask(approval(), edit);
    around.fits.mockReturnValue(false);
    expect(await decide('approve', { input })).toBe(`${NO_ROOM}; send it with a shorter note, or deny the call`);
    expect(edit).not.toHaveBeenCalled();
  });

  it('leaves the question open if it is not admitted, and says why', async () => {
    const question = approval();
    void ask(question, async () => 'it is no input of the tool');
    expect(await decide('approve', { input })).toBe('it is no input of the tool');
    expect(questions.open()).toEqual([question]);
  });

  it.each<[string, () => void]>([
    ['the question is answered', () => void decide('deny', { by: 'bob' })],
    ['the workflow is reset', () => void (present = 'second seed')],
  ])('does not count if meanwhile %s', async (_what, meanwhile) => {
    const taken = jest.fn();
    void ask(
      approval(),
      async () => {
        meanwhile();
        return taken;
      },
      'first seed',
    );
    expect(await decide('approve', { input })).toBe(`call ${DIGEST} was decided meanwhile`);
    expect(taken).not.toHaveBeenCalled();
  });
});

describe('a question of the model', () => {
  const askModelQuestion = (question = personQuestion()) => questions.askQuestion(question, null);

  it('is answered once a worker has found that the answer fits; the person is the one that the worker names', async () => {
    const question = personQuestion();
    const answer = askModelQuestion(question);
    expect(await decide('answer', { by: 'Ana', value: [1], note: 'yes' })).toBeNull();
    expect(around.checkAnswer.mock.calls).toEqual([[question, { value: [1], by: 'Ana', note: 'yes', attestation: null }]]);
    await goOn();
    expect(await answer).toMatchObject({ how: 'answered', decision: { decision: 'answer', by: 'ana', value: [1], note: 'yes' } });
    expect(questions.still).toBe(true);
  });

  it('stays open if the answer does not fit, and the card says why', async () => {
    const question = personQuestion();
    void askModelQuestion(question);
    around.checkAnswer.mockResolvedValue({ ok: false, reason: 'it does not fit' });
    expect(await decide('answer', { value: 1 })).toBe('it does not fit');
    expect(questions.open()).toEqual([question]);
    expect(question.remarks).toEqual(['answer by ana: it does not fit']);
  });

  it('takes the first of two answers that are checked at once', async () => {
    const answer = askModelQuestion();
    const answerOf = async (body: Record<string, Json>) => decide('answer', body);
    const both = [answerOf({ value: 1 }), answerOf({ value: 2, by: 'ana' })];
    expect(await Promise.all(both)).toEqual([null, `call ${DIGEST} is decided already`]);
    await goOn();
    expect(await answer).toMatchObject({ decision: { value: 1 } });
  });

  it('is not checked if it cannot count any more, or is of somebody else than its signature', async () => {
    void askModelQuestion(personQuestion({ policy: { channel: 'attested' } }));
    expect(await decide('answer', { value: 1 })).toContain('takes signed decisions only');
    expect(around.checkAnswer).not.toHaveBeenCalled();
    expect(await decide('answer', { value: 1, by: 'bob', attestation: 'A.A' })).toBe('it is signed for ana, and says bob');
  });

  it('expires, and is withdrawn like an approval', async () => {
    const answer = askModelQuestion();
    await timePasses();
    expect(await answer).toMatchObject({ how: 'expired', decision: { decision: 'expired', by: '' } });
    const stopped = askModelQuestion();
    questions.withdraw('stopped');
    await goOn();
    expect(await stopped).toEqual({ how: 'stopped' });
    expect(await decide('answer', { value: 1 })).toBe(`call ${DIGEST} is not asked about any more`);
  });

  it('is not answered if there is no room for the answer', async () => {
    void askModelQuestion();
    around.fits.mockReturnValue(false);
    expect(await decide('answer', { value: 'long' })).toContain(NO_ROOM);
    expect(around.fits.mock.calls[0]).toEqual([
      [{ by: 'ana', note: null, identity: 'web', attestation: null, value: 'long' }],
      11,
    ]);
  });
});

it('a card shows the last five remarks, each shortened', () => {
  const question = approval();
  for (let n = 1; n <= 7; n++) remark(question, `remark ${n}`);
  expect(question.remarks).toEqual([3, 4, 5, 6, 7].map((n) => `remark ${n}`));
  remark(question, 'x'.repeat(1000));
  expect(question.remarks).toHaveLength(5);
  expect(Buffer.byteLength(JSON.stringify(question.remarks[4]))).toBeLessThanOrEqual(200);
  expect(question.remarks[4]!.length).toBeGreaterThan(150);
});
