import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { Client, Connection, ServiceError } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { DecisionNotAccepted, NoWorker, TurnEnded, TurnNotFound } from '../../../src/client/errors';
import { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { LiveBus } from '../../../src/live/bus';
import { InProcessLive } from '../../../src/live/in-process';
import { liveToParent, relayLive } from '../../../src/live/outbox';
import { dataConverter } from '../../../src/temporal/data-converter';
import { ModelFailure } from '../../../src/model/provider';
import { eventually, testAddress, withEngine } from '../support/engine';
import { resetTurn } from '../support/reset';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import type { TurnEvent } from '../../../src/shapes/turn-event';
import type { TurnView } from '../../../src/shapes/turn-view';

const invoice = { invoice: 'INV-7', cents: 700 };
const fresh = () => `client-${randomBytes(6).toString('hex')}`;

async function all(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe('a turn, seen by a client', () => {
  it('shows what a tool reports right before its end, also if the worker is another process', async () => {
    const here = new InProcessLive();
    // For the process that has started the worker: a message comes later, but earlier than an answer of the server can.
    const send = (message: unknown, ...[, , done]: unknown[]) => {
      setImmediate(() => relayLive(message, here));
      (done as (error: Error | null) => void)(null);
      return true;
    };
    const there = liveToParent({ connected: true, send });
    const watches = new EventEmitter();
    const watched = once(watches, 'begun'); // a busy machine could run the tool before
    const subscribe: LiveBus['subscribe'] = (...told) => {
      watches.emit('begun');
      return here.subscribe(...told);
    };
    const live = { ...there, subscribe };
    const look = reads('look', async (_, ctx) => {
      await watched;
      ctx.progress('all of it', 1);
      return { found: true };
    });
    await withEngine({ tools: [look], script: [ask(['look', {}]), say('ok')], settings: { live } }, async ({ start }) => {
      const seen = await all((await start()).watch());
      const told = seen.filter(({ type }) => type === 'tool_progress' || type === 'tool_result');
      expect(told).toMatchObject([{ message: 'all of it', fraction: 1 }, { type: 'tool_result' }]);
    });
  });

  it('is watched in order while it runs, and with the same events afterwards', async () => {
    const tools = [reads('look', () => ({ found: true })), pays('pay', [])];
    const script = [ask(['look', { key: 'a' }]), ask(['pay', invoice]), say('Paid.')];
    await withEngine({ tools, script }, async ({ start }) => {
      const turn = await start('Pay INV-7.');
      const live = all(turn.watch());
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana', note: 'Fine.' });
      const seen = await live;
      expect(seen.filter(({ type }) => type !== 'tool_progress').map(({ type }) => type)).toEqual([
        ...['turn_started', 'step_started', 'step_completed', 'tool_started', 'tool_result'],
        ...['step_started', 'step_completed', 'approval_requested', 'approval_decided', 'tool_started', 'tool_result'],
        ...['step_started', 'step_completed', 'turn_completed'],
      ]);
      expect(seen[0]).toMatchObject({ turn_id: turn.id, agent: 'tester', message: 'Pay INV-7.' });
      expect(seen).toContainEqual(
        expect.objectContaining({ type: 'approval_decided', by: 'ana', note: 'Fine.', digest: call.digest }),
      );
      expect(seen.at(-1)).toMatchObject({ state: 'completed', text: 'Paid.' });
      expect(await all(turn.watch())).toEqual(seen.filter(({ type }) => type !== 'tool_progress'));
      expect(await all(turn.watch({ signal: AbortSignal.abort() }))).toEqual([]);
    });
  });

  it('is watched until the signal aborts: nothing is thrown, and the turn goes on', async () => {
    await withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('Paid.')] }, async ({ start }) => {
      const turn = await start();
      const stop = new AbortController();
      const seen: TurnEvent[] = [];
      for await (const event of turn.watch({ signal: stop.signal })) {
        seen.push(event);
        if (event.type === 'approval_requested') stop.abort();
      }
      expect(seen.at(-1)?.type).toBe('approval_requested');
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
    });
  });

  it('gives its view when it failed, and the reason', async () => {
    const failure = new ModelFailure('401 from the model: set ANTHROPIC_API_KEY', {
      type: 'model.auth',
      retryable: false,
      status: 401,
    });
    await withEngine({ script: [failure] }, async ({ start }) => {
      const turn = await start();
      const result = await turn.result();
      expect(result).toMatchObject({ state: 'failed', reason: expect.stringContaining('ANTHROPIC_API_KEY') });
      expect(await turn.status()).toEqual(result);
      const waited = turn.waitForPending();
      await expect(waited).rejects.toThrow(TurnEnded);
      await expect(waited).rejects.toThrow(/has ended \(failed\) and no call waits\. .*ANTHROPIC_API_KEY/);
    });
  });

  it('gives its view when it was cancelled; a second cancel says that it has ended', async () => {
    await withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice])] }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.cancel();
      expect(await turn.result()).toMatchObject({
        state: 'cancelled',
        pending: [],
        reason: expect.stringContaining('Cancelled.'),
      });
      await expect(turn.cancel()).rejects.toThrow(new DecisionNotAccepted('Not accepted: the turn has ended.'));
      await expect(turn.approve(call.digest, { by: 'ana' })).rejects.toThrow('Not accepted: the turn has ended.');
    });
  });

  it('that somebody terminated through Temporal is failed, never running', async () => {
    await withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice])] }, async ({ client, start }) => {
      const turn = await start();
      await turn.waitForPending();
      await client.temporal.workflow.getHandle(turn.workflowId).terminate('by hand');
      const expected = { state: 'failed', pending: [], reason: expect.stringContaining('terminated from outside') };
      expect(await turn.status()).toMatchObject(expected);
      expect(await turn.result()).toMatchObject(expected);
      expect((await all(turn.watch())).at(-1)).toMatchObject({ type: 'turn_completed', state: 'failed' });
    });
  });

  it('that is reset while somebody waits for its end goes on, and its end is that of the new run', () =>
    withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('Paid.')] }, async ({ client, start }) => {
      const turn = await start('Pay INV-7.');
      const end = turn.result();
      await turn.waitForPending();
      const { run_id } = await turn.status();
      await resetTurn(client, turn);
      const asked = async () => (await turn.status()).run_id !== run_id && (await turn.pending())[0];
      const { digest } = await eventually('it asks again after the reset', asked);
      await turn.approve(digest, { by: 'ana' });
      expect(await end).toMatchObject({ state: 'completed', text: 'Paid.' });
    }));

  it('stops waiting when the signal aborts', async () => {
    await withEngine({ script: [say('Hello.')] }, async ({ start }) => {
      const turn = await start();
      await expect(turn.waitForPending({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
      await turn.result();
    });
  });

  it('that does not exist is TurnNotFound for every request', async () => {
    await withEngine({}, async ({ client }) => {
      const turn = client.turn(fresh());
      const by = { by: 'ana' };
      const digest = 'a'.repeat(64);
      const asked = await Promise.allSettled<unknown>([
        ...[turn.status(), turn.result(), turn.cancel(), turn.pending(), turn.waitForPending(), all(turn.watch())],
        ...[turn.approve(digest, by), turn.deny(digest, by), turn.settle(digest, 'applied', by)],
      ]);
      for (const answer of asked) expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(TurnNotFound) });
      for (const id of ['', '..', 'a/b', 'a b', "'"]) expect(() => client.turn(id)).toThrow(TurnNotFound);
    });
  });

  it.each([
    ['our deadline', 4],
    ["the server's", 1],
    ['the server, just before it', 9],
  ])('says NoWorker when the question was ended by %s', async (_by, code) => {
    const cause = Object.assign(new Error(), { code, details: 'over', metadata: {} });
    const ended = () => Promise.reject(new ServiceError('Failed to query Workflow', { cause }));
    const client = { connection: { withDeadline: ended } } as unknown as Client;
    await expect(new TurnHandle(client, 'inv-7', 'turn/inv-7', null).status()).rejects.toThrow(NoWorker);
  });

  it('is waited for while a worker that has just ended is replaced; without any worker the wait ends with NoWorker', async () => {
    const turn = new TurnHandle({} as Client, 'inv-7', 'turn/inv-7', null);
    const waits = { pending: ['d'.repeat(64)], calls: [{ id: 'c1', digest: 'd'.repeat(64) }] } as unknown as TurnView;
    const what = 'report the state of the turn';
    const status = jest.spyOn(turn, 'status').mockRejectedValueOnce(new NoWorker(what, 1000)).mockResolvedValueOnce(waits);
    await expect(turn.waitForPending()).resolves.toEqual(waits.calls);
    status.mockRejectedValueOnce(new NoWorker(what, 1000)).mockRejectedValueOnce(new NoWorker(what));
    await expect(turn.waitForPending()).rejects.toThrow(/Start one/);
  });

  it('on a queue that nobody polls is safe: NoWorker says what to start', async () => {
    const connection = await Connection.connect({ address: testAddress() });
    try {
      const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue: fresh(), uiUrl: null });
      const agent = fresh(); // no other turn on this server belongs to it
      const turn = await client.start({ agent, message: 'Hello.' });
      const asked = turn.status();
      await expect(asked).rejects.toThrow(NoWorker);
      await expect(asked).rejects.toThrow(/holdfast worker/);
      await eventually('it is listed', async () => {
        for await (const { turn_id } of client.list({ agent, state: 'running' })) if (turn_id === turn.id) return true;
        return false;
      });
      await client.temporal.workflow.getHandle(turn.workflowId).terminate();
    } finally {
      await connection.close();
    }
  });
});
