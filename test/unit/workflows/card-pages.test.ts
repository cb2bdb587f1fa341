/** For any number of waiting calls, and cards of any length: a reader who asks page by page gets each card, and no page is too large. */
import fc from 'fast-check';
import { QueryNotRegisteredError } from '@temporalio/client';
import { cardsInPages } from '../../../src/client/approvals/card-pages';
import { jsonBytes } from '../../../src/shared/json/json';
import { cardPage } from '../../../src/workflows/approvals/card-pages';
import type { CardPage } from '../../../src/workflows/contract';
import type { TurnData } from '../../../src/workflows/turn/state';

jest.mock('@temporalio/workflow', () => ({
  workflowInfo: () => ({}),
  proxyActivities: () => ({}),
  ActivityCancellationType: {},
}));

interface Waits {
  digest: string;
  card: string;
}

const digestOf = (n: number) => String(n).padStart(64, 'a');

/** Own questions of a turn, and those of its sub-agents. */
function waitingIn(own: Waits[], below: Waits[][]) {
  const open = () => own.map((one) => ({ ...one, kind: 'approval', approvals: [], remarks: [] }));
  const subs = below.map((waiting) => ({
    reserved: {},
    report: { waiting: waiting.map(({ digest, card }) => ({ call: { digest }, card })) },
  }));
  const pages: CardPage[] = [];
  const page = async (digests: string[]) => {
    pages.push(cardPage({ subs } as unknown as TurnData, { open } as never, digests));
    return pages.at(-1)!;
  };
  return { pages, page };
}

const card = fc.tuple(fc.constantFrom('x', '甲', '\u0001'), fc.integer({ min: 1, max: 150_000 }));

describe('the cards of waiting calls', () => {
  it('can all be read, in answers of 2 MB at most', async () => {
    const property = fc.asyncProperty(
      fc.array(card, { maxLength: 64 }),
      fc.array(fc.array(card, { maxLength: 20 }), { maxLength: 6 }),
      async (own, below) => {
        let n = 0;
        const made = ([char, length]: [string, number]): Waits => ({ digest: digestOf(++n), card: char.repeat(length) });
        const [mine, theirs] = [own.map(made), below.map((each) => each.map(made))];
        const { pages, page } = waitingIn(mine, theirs);
        const all = [...mine, ...theirs.flat()];
        expect(await cardsInPages(all.map(({ digest }) => digest), page)).toEqual(all); // oxfmt-ignore
        for (const answer of pages) expect(jsonBytes(answer)).toBeLessThanOrEqual(1.9 * 1024 * 1024);
      },
    );
    await fc.assert(property, { numRuns: 12, endOnFailure: true });
  });

  it('can all be read if thousands of short ones wait', async () => {
    const below = Array.from({ length: 100 }, (_, sub) =>
      Array.from({ length: 64 }, (_, n) => ({ digest: digestOf(sub * 64 + n), card: `card ${sub} ${n}` })),
    );
    const { page } = waitingIn([], below);
    const all = below.flat();
    expect(await cardsInPages(all.map(({ digest }) => digest), page)).toEqual(all); // oxfmt-ignore
  });

  it('are left out for a call that no longer waits, is unknown, or is a sub-agent’s whose own turn has the card; the others come', async () => {
    const { page } = waitingIn([{ digest: digestOf(1), card: 'one' }], [[{ digest: digestOf(2), card: '' }]]);
    const asked = [digestOf(3), digestOf(2), 'no digest', digestOf(1)];
    expect(await cardsInPages(asked, page)).toEqual([{ digest: digestOf(1), card: 'one' }]);
  });

  it('come with what only the turn knows: why it asks, when it asked, and whether outsiders’ text was read', () => {
    const policy = { channel: 'any', quorum: 2, roles: ['treasurer'], four_eyes: true, remind_ms: [], notify: false };
    const question = {
      call_id: '1.1',
      digest: digestOf(1),
      card: 'one',
      kind: 'approval',
      policy,
      remarks: ['late'],
      approvals: [],
      expires_at: '2026-11-29T07:00:00.000Z',
    };
    const changes = [
      { hook: 'limits', why: 'too much' },
      { hook: '', why: 'typed anew', by: 'ana' },
    ];
    const open = { calls: [{ id: '1.1', reason: 'destructive', changes, untrusted: true }] };
    const data = { open, policy: { approval_expiry_ms: 86_400_000 } } as unknown as TurnData;
    const { cards } = cardPage(data, { open: () => [question] } as never, [digestOf(1)]);
    expect(cards[0]!.state).toEqual({
      reason: 'destructive',
      changes: [
        { by: 'limits', why: 'too much' },
        { by: 'ana', why: 'typed anew' },
      ],
      untrusted: true,
      asked_at: '2026-11-28T07:00:00.000Z',
      policy: { channel: 'any', quorum: 2, roles: ['treasurer'], four_eyes: true },
      remarks: ['late'],
    });
  });

  it.each([undefined, null, 7, 'abc', { 0: 'a' }, [null, 7, {}]])(
    'are none for %j, which is not a list of digests',
    async (junk) => {
      const { page } = waitingIn([{ digest: digestOf(1), card: 'one' }], []);
      expect((await page(junk as never)).cards).toEqual([]);
    },
  );

  it('come only from the Web UI’s page for a worker of an older build', async () => {
    const page = () => Promise.reject(new QueryNotRegisteredError('no handler', 3 as never));
    expect(await cardsInPages([digestOf(1)], page)).toBeNull();
  });
});
