import { approvalCard, CARD_SECTION, TRUNCATION_MARK } from '../../../../src/cards/card';
import { DecisionNotAccepted } from '../../../../src/client/errors';
import type { TurnHandle } from '../../../../src/client/turns/turn-handle';
import { elicitation, type Answer } from '../../../../src/protocols/mcp/asks';

const DIGEST = 'd'.repeat(64);
const APPROVE = { action: 'accept', content: { decision: 'approve' } };

/** Asks about a call whose cards the turn reports in this order, one answer for each look. */
async function asked(looks: (Map<string, string> | Error)[], decide = async (_turn: TurnHandle, _answer: Answer) => {}) {
  const questions: string[] = [];
  const decided: Answer[] = [];
  let look = 0;
  const cards = async () => {
    const told = looks[Math.min(look++, looks.length - 1)]!;
    if (told instanceof Error) throw told;
    return told;
  };
  const elicitInput = async ({ message }: { message: string }) => (questions.push(message), APPROVE);
  const ask = elicitation({ elicitInput } as never, 1, async (turn, answer) => {
    decided.push(answer);
    await decide(turn, answer);
  });
  const why = await ask({ cards } as unknown as TurnHandle, DIGEST, new AbortController().signal);
  return { why, questions, decided, looks: look };
}

/** Of a call with a long text, as the Web UI shows it: with many fields, little of each is shown. */
const cutCard = (fields: number) => {
  const others = Array.from({ length: fields }, (_, n) => [`field_${n}`, n] as const);
  const facts = {
    ...{ tool: 'pay', version: '1.0.0', callId: '1.1', digest: DIGEST, requester: 'ana', agent: 'payables' },
    ...{ reason: 'it asks', input: { ...Object.fromEntries(others), text: 'word '.repeat(10_000) }, preview: 'Pay ACME 7.00' },
    expiresAt: '2026-11-22T00:00:00.000Z',
  };
  return approvalCard(facts, { most: CARD_SECTION });
};

describe('the person at an MCP client', () => {
  const card = new Map([[DIGEST, '## Waiting for approval\n\nPay ACME 7.00']]);

  it.concurrent.each<[string, Map<string, string> | Error]>([
    ['has no card', new Map()],
    ['has a card of another call only', new Map([['e'.repeat(64), 'Pay somebody else']])],
    ['cannot be read', new Error('the details are too long')],
    ['has a card of too many lines', new Map([[DIGEST, 'line\n\n'.repeat(200)]])],
    ['has too long a card', new Map([[DIGEST, 'word '.repeat(3000)]])],
    ['has a card that is cut', new Map([[DIGEST, cutCard(30)]])],
  ])('is not asked about a call that %s', async (_, told) => {
    const { why, questions, decided } = await asked([told]);
    expect({ questions, decided }).toEqual({ questions: [], decided: [] });
    expect(why).toMatch(/cannot show the whole card/);
  });

  it('is asked once the card exists, and sees all of it with the digest', async () => {
    const { why, questions, decided, looks } = await asked([new Map(), new Error('not yet'), card]);
    expect(why).toBeNull();
    expect(looks).toBe(3);
    expect(questions).toEqual([expect.stringMatching(new RegExp(`Pay ACME 7\\.00[^]*${DIGEST}`))]);
    expect(decided).toEqual([{ digest: DIGEST, decision: 'approve' }]);
  });

  it('is asked about a call whose words say that they are cut', async () => {
    const quoted = `Pay ACME 7.00\n\n\`\`\`\n${TRUNCATION_MARK}: the first 9\n\`\`\``;
    expect((await asked([new Map([[DIGEST, quoted]])])).questions).toEqual([expect.stringContaining(TRUNCATION_MARK)]);
  });

  it('is told why a decision does not count', async () => {
    const refuse = () => Promise.reject(new DecisionNotAccepted('four eyes'));
    expect((await asked([card], refuse)).why).toMatch(/four eyes/);
  });
});
