/** Approval questions by themselves: how many decisions they check at once. All other behaviour is tried in whole turns. */
import { PLAIN_POLICY } from '../../../src/shared/approval/approval';
import { readDecision } from '../../../src/shared/approval/decision';
import { ApprovalQuestions, type Check } from '../../../src/workflows/approvals/approval-questions';
import { InFlight } from '../../../src/workflows/sandbox/signals';

const run = { continueAsNewSuggested: false, historyLength: 100 };
jest.mock('@temporalio/workflow', () => ({ condition: () => new Promise(() => undefined), workflowInfo: () => run }));

const digest = 'd'.repeat(64);
const question = {
  kind: 'approval' as const,
  call_id: '1.1',
  digest,
  tool: 'pay',
  card: '',
  card_ref: '',
  policy: PLAIN_POLICY,
  run_id: 'run',
  makers: [],
  remarks: [],
  approvals: [],
  expires_at: '2999-01-01T00:00:00.000Z',
};

it('checks fifty decisions at once, one in a full run, and none in a very long one', async () => {
  const answers: ((answer: Awaited<ReturnType<Check>>) => void)[] = [];
  const check: Check = () => new Promise((resolve) => answers.push(resolve));
  const nothing = () => undefined;
  const questions = new ApprovalQuestions({
    inFlight: new InFlight(),
    requester: 'rita',
    onChange: nothing,
    check,
    checkAnswer: async () => ({ ok: false, reason: 'no question of the model is asked here' }),
    fits: () => true,
    tell: nothing,
  });
  void questions.askApproval(question, async () => () => undefined, null);
  const send = () => {
    const read = readDecision('approve', { call: digest, attestation: 'A.A' });
    if (!read.ok) throw new Error(read.reason);
    return questions.decide('approve', read.fields, { channel: 'signal', identity: '' });
  };
  const answer = async () => {
    for (const resolve of answers.splice(0)) resolve({ ok: false, reason: 'junk' });
    await new Promise(setImmediate);
  };

  const sent = Array.from({ length: 3000 }, send);
  expect(answers).toHaveLength(50);
  expect(sent.filter((one) => typeof one === 'string')).toHaveLength(2950);
  expect(sent.at(-1)).toContain('send it again in a moment');
  await answer();
  expect(await Promise.all(sent.slice(0, 50).map((one) => Promise.resolve(one)))).toEqual(Array(50).fill('junk'));

  run.continueAsNewSuggested = true;
  expect(questions.still).toBe(true);
  void send();
  void send();
  expect(answers).toHaveLength(1);
  await answer();
  run.historyLength = 20_000;
  expect(send()).toContain('send it again');
  expect(answers).toHaveLength(0);
});
