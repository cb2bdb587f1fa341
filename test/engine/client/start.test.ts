import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { SigningKey } from '../../../src/attestation/signing-key';
import { HoldfastClient, type StartTurn } from '../../../src/client';
import { IdempotencyConflict, InvalidRequest, ServerUnreachable } from '../../../src/client/errors';
import { loadConfig } from '../../../src/config';
import { dataConverter } from '../../../src/temporal/data-converter';
import { eventually, withEngine } from '../support/engine';
import { say } from '../../support/scripted-model';

const fresh = () => `start-${randomBytes(6).toString('hex')}`;

async function listed(client: HoldfastClient, filter: Parameters<HoldfastClient['list']>[0]) {
  const ids: string[] = [];
  for await (const { turn_id } of client.list(filter)) ids.push(turn_id);
  return ids;
}

describe('starting turns', () => {
  it('with one id at once, from many places, gives one workflow', async () => {
    await withEngine({ script: [say('Once.')] }, async ({ client, start }) => {
      const id = fresh();
      const turns = await Promise.all(Array.from({ length: 5 }, () => start('Say it.', { id })));
      expect(new Set(turns.map((turn) => turn.workflowId)).size).toBe(1);
      expect((await turns[0]!.result()).text).toBe('Once.');
      const again = await start('Say it.', { id });
      expect((await again.result()).run_id).toBe((await turns[0]!.result()).run_id);
      for (const other of [{ message: 'Something else.' }, { agent: 'another' }, { sessionId: 's-1' }])
        await expect(client.start({ agent: 'tester', message: 'Say it.', id, ...other })).rejects.toThrow(IdempotencyConflict);
    });
  });

  it('starts the first workflow task eagerly, from a service that runs its worker', async () => {
    await withEngine({ script: [say('Eager.'), say('Plain.')] }, async ({ client, start, connection, taskQueue }) => {
      const accepted = async (workflowId: string) => {
        const { events } = await client.temporal.workflow.getHandle(workflowId).fetchHistory();
        return events![0]!.workflowExecutionStartedEventAttributes!.eagerExecutionAccepted;
      };
      const beside = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null, eagerStart: true });
      const eager = await beside.start({ agent: 'tester', message: 'Say it.', id: fresh() });
      expect((await eager.result()).text).toBe('Eager.');
      expect(await accepted(eager.workflowId)).toBe(true);
      const plain = await start();
      expect((await plain.result()).text).toBe('Plain.');
      expect(await accepted(plain.workflowId)).toBe(false);
    });
  });

  it('looks up the turn of an id only if it did not start that turn itself', async () => {
    await withEngine({ script: [say('Once.')] }, async ({ client, start }) => {
      const id = fresh();
      const looked = jest.spyOn(client.temporal.workflow, 'getHandle');
      const turn = await start('Say it.', { id });
      expect(looked).not.toHaveBeenCalled();
      await start('Say it.', { id });
      expect(looked).toHaveBeenCalledTimes(1);
      looked.mockRestore();
      await turn.result();
      await expect(start('Something else.', { id })).rejects.toThrow(IdempotencyConflict);
    });
  });

  it('reads its signing key once, and again after a failed read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-key-'));
    const signingKey = join(folder, 'signing.pem');
    try {
      await withEngine({ script: [say('One.'), say('Two.')] }, async ({ client, taskQueue }) => {
        const signing = new HoldfastClient(client.temporal, { taskQueue, uiUrl: null, signingKey });
        const started = () => signing.start({ agent: 'tester', message: 'Say it.' });
        await expect(started()).rejects.toThrow('there is no such file');
        await SigningKey.generate().save(signingKey);
        const one = await started();
        await rm(signingKey);
        for (const turn of [one, await started()]) {
          const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
          const [input] = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
          expect(JSON.parse(Buffer.from(input!.data!).toString())).toHaveProperty('attestation');
          await turn.result();
        }
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('keeps the keys of two principals apart', async () => {
    await withEngine({ script: [say('One.'), say('Two.')] }, async ({ start }) => {
      const id = fresh();
      const ana = await start('Say it.', { id, requester: 'ana' });
      const bob = await start('Say it.', { id, requester: 'bob' });
      expect(ana.id).not.toBe(bob.id);
      await Promise.all([ana.result(), bob.result()]);
    });
  });

  it.each<[Partial<Record<keyof StartTurn, unknown>>, string]>([
    [{ agent: '' }, '"agent" is missing'],
    [{ agent: undefined }, '"agent" is missing'],
    [{ message: ' \n' }, '"message" is empty'],
    [{ message: 'x'.repeat(100_001) }, '"message" has 100001 characters; 100000 are allowed'],
    [{ message: 'half \ud800' }, '"message" is not well-formed Unicode'],
    [{ id: '' }, '"id" must be a text that is not empty'],
    [{ id: 'half \udc00' }, '"id" is not well-formed Unicode'],
    [{ sessionId: 'a b' }, '"sessionId" "a b" must match'],
    [{ requester: '' }, '"requester" must be 1 to 200 characters'],
  ])('refuses %j', async (wrong, reason) => {
    const untouched = new HoldfastClient({} as never, { taskQueue: 'none', uiUrl: null });
    const started = untouched.start({ agent: 'tester', message: 'Hello.', ...wrong } as StartTurn);
    await expect(started).rejects.toThrow(InvalidRequest);
    await expect(started).rejects.toThrow(reason);
  });

  it('says at which address no server answers', async () => {
    const connected = HoldfastClient.connect(loadConfig({ TEMPORAL_ADDRESS: '127.0.0.1:1', HOLDFAST_HOME: fresh() }));
    await expect(connected).rejects.toThrow(ServerUnreachable);
    await expect(connected).rejects.toThrow(/127\.0\.0\.1:1 .*npx holdfast dev/);
  });
});

describe('listing turns', () => {
  /** Temporal (SQLite) finds no value with a double quote or a backslash: then the list is empty, never wrong. */
  const HOSTILE: [string, boolean][] = [
    ["a'b", true],
    ["x' OR WorkflowType = 'turn", true],
    ["y') OR (HoldfastState = 'failed", true],
    ["back\\slash\\' OR '1' = '1", false],
    ['"quoted" `name`; -- %', false],
  ];

  it('filters by agent and state, and takes hostile names literally', async () => {
    await withEngine({ script: [say('Hello.')] }, async ({ client, start }) => {
      const turn = await start();
      await turn.result();
      for (const [name, findable] of HOSTILE) {
        const agent = `${name} ${fresh()}`;
        const odd = await start('Hello.', { agent });
        expect((await odd.result()).state).toBe('failed');
        const found = () => listed(client, { agent, state: 'failed' });
        if (findable) await eventually('it is listed', async () => (await found()).length > 0);
        expect(await found()).toEqual(findable ? [odd.id] : []);
        expect(await listed(client, { agent, state: 'completed' })).toEqual([]);
      }
      await eventually('it is listed', async () => {
        const ids = await listed(client, { agent: 'tester', state: 'completed', limit: 100 });
        expect(ids.length).toBeLessThanOrEqual(100);
        return ids.includes(turn.id);
      });
      expect(await listed(client, { limit: 1 })).toHaveLength(1);
      await expect(listed(client, { state: "x' OR 1=1" as never })).rejects.toThrow(InvalidRequest);
    });
  });
});
