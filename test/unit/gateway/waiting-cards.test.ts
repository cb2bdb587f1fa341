/** The cards that streams announce: how often a turn is looked at for them. */
import { WaitingCards } from '../../../src/gateway/streams/waiting-cards';
import { examplePending } from '../../../src/gateway/schemas/examples';
import type { Question } from '../../../src/shapes/turn-view';

const [example] = examplePending.calls as unknown as [Question];
const LONG_AGO = '2026-01-31T10:00:00.000Z';

function turnWith(...digests: string[]) {
  const question = (digest: string): Question => ({ ...example, digest, card: { ...example.card, digest } });
  const waiting = jest.fn(async () => ({ questions: digests.map(question), unread: [] }));
  return { workflowId: 'turn/t', waiting, ask: (digest: string) => void digests.push(digest) };
}

describe('the cards of a stream', () => {
  it('are read once for all past questions of a turn, of which none waits any more', async () => {
    const turn = turnWith('now');
    const cards = new WaitingCards();
    const past = Array.from({ length: 50 }, (_, n) => ({ digest: `past${n}`, at: LONG_AGO }));
    for (const asked of past) expect(await cards.of(turn, asked)).toBeNull();
    expect(await cards.of(turn, { digest: 'now', at: LONG_AGO })).toMatchObject({ digest: 'now' });
    expect(turn.waiting).toHaveBeenCalledTimes(1);
  });

  it('are read again for a question that may have come after the last look, whatever the clocks say', async () => {
    const turn = turnWith('first');
    const cards = new WaitingCards();
    await cards.of(turn, { digest: 'first', at: LONG_AGO });
    turn.ask('second');
    const at = new Date(Date.now() - 5000).toISOString();
    expect(await cards.of(turn, { digest: 'second', at })).toMatchObject({ digest: 'second' });
    expect(turn.waiting).toHaveBeenCalledTimes(2);
  });

  it('are left out where the turn cannot be read', async () => {
    const turn = { workflowId: 'turn/t', waiting: () => Promise.reject(new Error('No worker answers.')) };
    expect(await new WaitingCards().of(turn, { digest: 'x', at: LONG_AGO })).toBeNull();
  });
});
