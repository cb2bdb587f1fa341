/** A decision that would come between a workflow task and the messages that it has not taken yet (temporal/executions.ts). */
import type { Client } from '@temporalio/client';
import { NoWorker } from '../../../src/client/errors';
import { TurnHandle } from '../../../src/client/turns/turn-handle';
import { temporalTurns } from '../../../src/temporal/turns';

afterEach(() => jest.restoreAllMocks());

/** A turn with a workflow task that is under way for so many looks; each look takes a second of a made-up clock. */
function turnUnderWay(looks: number) {
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => (now += 1000));
  let looked = 0;
  const sent: string[] = [];
  const handle = {
    describe: async () => ({ raw: { pendingWorkflowTask: looked++ < looks ? {} : null } }),
    executeUpdate: async (name: string) => (sent.push(name), { accepted: true }),
  };
  const within = <R>(_deadline: number, work: () => Promise<R>) => work();
  const client = { workflow: { getHandle: () => handle }, connection: { withDeadline: within }, withDeadline: within };
  return { client: client as unknown as Client, sent };
}

describe('a decision while a workflow task is under way', () => {
  it('is sent once the task is done', async () => {
    const { client, sent } = turnUnderWay(3);
    await new TurnHandle(client, 't', 'turn/t', null).approve('d'.repeat(64), { by: 'ana' });
    expect(sent).toEqual(['decide']);
  });

  it('is not sent if the task stays under way: the error says that there is no worker', async () => {
    const { client, sent } = turnUnderWay(Infinity);
    const approving = new TurnHandle(client, 't', 'turn/t', null).approve('d'.repeat(64), { by: 'ana' });
    await expect(approving).rejects.toThrow(NoWorker);
    expect(sent).toEqual([]);
  });

  it('of a sub-agent is not passed on either, so that it is tried again', async () => {
    const { client, sent } = turnUnderWay(Infinity);
    const passing = temporalTurns(client, () => client).decide('turn/t~1.1', {
      id: 'i',
      body: {},
      identity: 'ana',
      before: Infinity,
    });
    await expect(passing).rejects.toThrow('was not passed on');
    expect(sent).toEqual([]);
  });

  it('of a sub-agent is not passed on so late that nobody would learn its outcome', async () => {
    const { client, sent } = turnUnderWay(0);
    const passing = temporalTurns(client, () => client).decide('turn/t~1.1', {
      id: 'i',
      body: {},
      identity: 'ana',
      before: Date.now() + 20_000,
    });
    await expect(passing).rejects.toThrow('no time left');
    expect(sent).toEqual([]);
  });
});
