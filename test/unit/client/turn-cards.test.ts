/** The cards of what waits in a turn come from its query; from the Web UI's page where a worker of an older build has no such query. */
import { QueryNotRegisteredError } from '@temporalio/client';
import { TurnHandle } from '../../../src/client/turns/turn-handle';

const [own, below, gone] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];
const cardOf = (digest: string) => `## Waiting for approval: \`pay\`\n\n- digest: \`${digest}\`\n`;
const WHERE = 'From agent `clerk`, in its turn `t~1.1`. Decide here or there.';
const callBelow = { id: '1.1', tool: 'pay', state: 'waiting', digest: below, approval: { by: [] } };
const view = {
  state: 'awaiting_approval',
  pending: [own, below, gone],
  calls: [],
  sub_turns: [{ waiting: [{ turn_id: 't~1.1', agent: 'clerk', call: callBelow }] }],
};

/** A turn whose queries have these answers, and the list of the queries that were made. */
function turnWith(answers: Record<string, (argument: unknown) => unknown>) {
  const asked: string[] = [];
  const handle = {
    describe: async () => ({ status: { name: 'RUNNING' }, runId: 'r', raw: {} }),
    query: async (name: string, argument: unknown) => {
      asked.push(name);
      return answers[name]!(argument);
    },
  };
  const client = {
    connection: { withDeadline: (_until: number, ask: () => unknown) => ask() },
    workflow: { getHandle: () => handle },
  };
  return { asked, turn: new TurnHandle(client as never, 't', 'turn/t', null, {} as never) };
}

const page = `${cardOf(own)}\n\n---\n\n${WHERE}\n\n${cardOf(below)}\n\n---\n\n**running**, step 2`;
const known = new Map([own, below].map((digest) => [digest, cardOf(digest)]));
const cards = (digests: unknown) => ({
  cards: (digests as string[]).flatMap((digest) => (known.has(digest) ? [{ digest, card: known.get(digest)! }] : [])),
  read: (digests as string[]).length,
});
const unknown = () => {
  throw new QueryNotRegisteredError('Workflow did not register a handler for cards.', 3);
};

describe('the cards of a turn', () => {
  it('are queried for the calls that wait, and the page is not read', async () => {
    const { asked, turn } = turnWith({ status: () => view, cards });
    expect([...(await turn.cards())]).toEqual([
      [own, cardOf(own).trim()],
      [below, `${WHERE}\n\n${cardOf(below)}`.trim()],
    ]);
    expect(asked).toEqual(['status', 'cards']);
  });

  it('are read from the page if the worker has no such query, with the same answer', async () => {
    const older = turnWith({
      status: () => view,
      cards: unknown,
      __temporal_workflow_metadata: () => ({ currentDetails: page }),
    });
    const found = await older.turn.cards();
    expect(older.asked).toEqual(['status', 'cards', '__temporal_workflow_metadata']);
    expect([...found]).toEqual([...(await turnWith({ status: () => view, cards }).turn.cards())]);
  });

  it('are none if nothing waits, and are not queried then', async () => {
    const { asked, turn } = turnWith({ status: () => ({ ...view, pending: [] }) });
    expect((await turn.cards()).size).toBe(0);
    expect(asked).toEqual(['status']);
  });

  it('are not read from the page if the query fails', async () => {
    const { asked, turn } = turnWith({
      status: () => view,
      cards: () => {
        throw new Error('too large');
      },
    });
    await expect(turn.cards()).rejects.toThrow('too large');
    expect(asked).toEqual(['status', 'cards']);
  });

  it.each([
    ['the same requester', 'acme/rita', [below]],
    ['another requester', 'globex/eve', []],
  ])("of a sub-agent's call comes from its own turn, if that has %s", async (_which, requester, shown) => {
    const answers: Record<string, object> = {
      't status': { ...view, pending: [below], requester: 'acme/rita' },
      't cards': { cards: [], read: 1 },
      't~1.1 status': { ...view, requester, pending: [below], calls: [callBelow], sub_turns: [] },
      't~1.1 cards': { cards: [{ digest: below, card: cardOf(below) }], read: 1 },
    };
    const getHandle = (workflow: string) => ({
      describe: async () => ({ status: { name: 'RUNNING' }, runId: 'r', raw: {} }),
      query: async (name: string) => answers[`${workflow.slice('turn/'.length)} ${name}`],
    });
    const connection = { withDeadline: (_until: number, ask: () => unknown) => ask() };
    const client = { connection, workflow: { getHandle } } as never;
    const owner = { turn_id: 't', requester: 'acme/rita' };
    const { questions, unread } = await new TurnHandle(
      client,
      't',
      'turn/t',
      null,
      {} as never,
      null,
      null,
      null,
      owner,
    ).waiting();
    expect(questions.map(({ digest }) => digest)).toEqual(shown);
    expect(unread).toHaveLength(1 - shown.length);
  });
});
