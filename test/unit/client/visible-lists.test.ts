/**
 * Every list shows a caller only what the caller may see, although Temporal's list filter lets more through: it compares by the
 * collation of its database.
 */
import Long from 'long';
import { HoldfastClient } from '../../../src/client';
import type { Visibility } from '../../../src/client/turns/listing';

const REQUESTERS = ['acme/ann', 'ACME/ann', 'acme/Ann', 'acme/ann ', 'acme/bob', 'acme2/ann', ''];

/** A Temporal that lists one workflow of each requester for any query. */
function temporal(prefix: string) {
  const asked = jest.fn(async () => {
    throw new Error('no worker');
  });
  const infos = REQUESTERS.map((requester, n) => ({
    workflowId: `${prefix}/${n}`,
    status: { name: 'RUNNING' },
    startTime: new Date(0),
    searchAttributes: requester === '' ? {} : { HoldfastRequester: [requester] },
  }));
  const workflow = {
    list: async function* () {
      yield* infos;
    },
  };
  const listWorkflowExecutions = async () => ({ executions: REQUESTERS.map(execution), nextPageToken: Buffer.from('more') });
  const connection = {
    withAbortSignal: asked,
    workflowService: { listWorkflowExecutions },
  };
  const parts = { workflow, connection, options: { namespace: 'default' } } as never;
  const client = new HoldfastClient(parts, { taskQueue: 'holdfast', uiUrl: null });
  return { client, asked };
}

/** As the server sends it. */
function execution(requester: string, n: number) {
  const data = Buffer.from(JSON.stringify(requester));
  const payload = { metadata: { encoding: Buffer.from('json/plain'), type: Buffer.from('Keyword') }, data };
  return {
    execution: { workflowId: `turn/${n}`, runId: 'run' },
    type: { name: 'turn' },
    status: 1,
    historyLength: Long.fromNumber(1),
    startTime: { seconds: Long.ZERO, nanos: 0 },
    searchAttributes: { indexedFields: requester === '' ? {} : { HoldfastRequester: payload } },
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const CASES: { sight: Visibility; seen: string[] }[] = [
  { sight: 'all', seen: REQUESTERS },
  { sight: { requester: 'acme/ann' }, seen: ['acme/ann'] },
  { sight: { tenant: 'acme' }, seen: ['acme/ann', 'acme/Ann', 'acme/ann ', 'acme/bob'] },
  { sight: { tenant: 'other' }, seen: [] },
];

describe.each(CASES)('for $sight', ({ sight, seen }) => {
  it('turns', async () => {
    const turns = await all(temporal('turn').client.list({ sight }));
    expect(turns.map(({ requester }) => requester)).toEqual(seen);
  });

  it('a page of turns, which may be shorter than asked for and still leads to the next', async () => {
    const { turns, next } = await temporal('turn').client.page({ sight }, { limit: REQUESTERS.length });
    expect(turns.map(({ requester }) => requester)).toEqual(seen);
    expect(next).toEqual(Buffer.from('more'));
  });

  it('sessions', async () => {
    const sessions = await all(temporal('session').client.sessions({ sight }));
    expect(sessions.map(({ requester }) => requester)).toEqual(seen);
  });

  it('calls that wait; no worker is asked about other turns', async () => {
    const { client, asked } = temporal('turn');
    const turns = await client.pending({ sight });
    expect(turns.map(({ requester }) => requester)).toEqual(seen);
    expect(asked).toHaveBeenCalledTimes(seen.length);
  });
});

it('a limit counts only the entries that are shown', async () => {
  const sight = { tenant: 'acme' };
  const shown = ['acme/ann', 'acme/Ann'];
  const turns = await all(temporal('turn').client.list({ sight, limit: 2 }));
  expect(turns.map(({ requester }) => requester)).toEqual(shown);
  const sessions = await all(temporal('session').client.sessions({ sight, limit: 2 }));
  expect(sessions.map(({ requester }) => requester)).toEqual(shown);
});
