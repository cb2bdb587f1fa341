/**
 * Messages of all kinds that are sent while no worker runs: the sender is told that no worker answered, and when a worker is back
 * none of them takes effect.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { CLOCKS_APART_MS, WAITS_MS } from '../../../src/shared/wire/waits';
import { eventually, testAddress } from '../../engine/support/engine';
import { ana, rita } from '../../engine/support/gateway-scene';
import { environment, run } from '../cli/support/cli';
import { requester, SETTLES, Stage } from '../support/late-stage';

/** Requests that only read the state, as the steering of a session does first, change nothing. */
const NOT_TAKEN = /No worker answered in time to .*(was not taken, and is not taken later|nothing was lost or changed)/;

const said = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'fulfilled' ? 'accepted' : `${(outcome.reason as Error).name}: ${(outcome.reason as Error).message}`;

it('nothing that a client sends while no worker runs is taken later', async () => {
  const stage = new Stage();
  const ids: Record<string, string> = {};
  const digests: Record<string, string> = {};
  const waits = async (turn: TurnHandle) => (await turn.waitForPending())[0].digest;
  try {
    await stage.withWorker(async ({ client, start }) => {
      const begin = async (name: string, message: string) => {
        const turn = await start(message, { requester, agent: message === 'Lead.' ? 'leader' : 'tester' });
        digests[name] = await waits(turn);
        ids[name] = turn.id;
        return turn;
      };
      await begin('approved', 'Pay.');
      await begin('steered', 'Pay.');
      await begin('interrupted', 'Pay.');
      await begin('cancelled', 'Pay.');
      await begin('lead', 'Lead.');
      const lost = await begin('settled', 'Lose.');
      await lost.approve(digests.settled!, { by: 'ana' });
      await eventually('it is in doubt', async () => (await lost.status()).state === 'in_doubt');
      const session = await client.openSession({ agent: 'tester', requester });
      ids.session = session.id;
      await session.send('Hello.');
      await eventually('it is done', async () => (await session.status()).turns === 1);
    });

    await stage.withNobody(async (client) => {
      const turn = (name: string) => client.turn(ids[name]!);
      const [approved, steered, interrupted, settled, lead, sent, cancelled] = await Promise.allSettled([
        turn('approved').approve(digests.approved!, { by: 'ana' }),
        turn('steered').steer('Pay twice.', { by: 'bob' }),
        turn('interrupted').interrupt({ by: 'bob' }),
        turn('settled').settle(digests.settled!, 'applied', { by: 'ana' }),
        turn('lead').approve(digests.lead!, { by: 'ana' }),
        client.session(ids.session!).send('And again.'),
        turn('cancelled').cancel(),
      ]);
      for (const one of [approved, steered, interrupted, settled, lead, sent])
        expect(said(one)).toMatch(
          /^NoWorker: No worker answered in time to .*; the request was not taken, and is not taken later\./,
        );
      expect(said(cancelled)).toBe('accepted');
    });

    await stage.withWorker(async ({ client }) => {
      const turn = (name: string) => client.turn(ids[name]!);
      expect((await turn('cancelled').result()).state).toBe('cancelled');
      await sleep(SETTLES);
      expect(stage.effects).toEqual([]);
      for (const name of ['approved', 'steered', 'interrupted', 'lead'])
        expect(await turn(name).status()).toMatchObject({ state: 'awaiting_approval', ignored_signals: { count: 0 } });
      expect((await turn('settled').status()).state).toBe('in_doubt');
      expect(await client.session(ids.session!).status()).toMatchObject({ turns: 1, queue: [], running: null });
      // The denial that was given meanwhile counts.
      await turn('approved').deny(digests.approved!, { by: 'bob' });
      expect(await turn('approved').result()).toMatchObject({ calls: [{ state: 'denied' }] });
      await turn('settled').settle(digests.settled!, 'not_applied', { by: 'ana' });
      for (const name of ['steered', 'interrupted', 'lead']) await turn(name).cancel();
      await client.session(ids.session!).close({ by: 'rita' });
      for (const name of ['steered', 'interrupted', 'lead', 'settled']) await turn(name).result();
      expect(stage.effects).toEqual([]);
    });
  } finally {
    stage.remove();
  }
});

it('nothing that is sent over HTTP while no worker runs is taken later, also if the connection is cut; the same request again is taken', async () => {
  const stage = new Stage();
  let id = '';
  try {
    await stage.withWorker(async ({ client }) => {
      const session = await client.openSession({ agent: 'tester', requester });
      id = session.id;
      await stage.overHttp(client, id, async (post) => {
        // A worker runs, and the answer is lost: the same request gets the same answer.
        await expect(post('Hello.', 'first', 1)).rejects.toThrow(/abort|timeout/i);
        expect(await post('Hello.', 'first')).toMatchObject({ status: 202, body: { turn_id: `${id}.1` } });
      });
      await eventually('it is done', async () => (await session.status()).turns === 1);
    });

    await stage.withNobody((client) =>
      stage.overHttp(client, id, async (post) => {
        const tooLate = Date.now() + WAITS_MS + CLOCKS_APART_MS;
        const [cut, waited] = await Promise.allSettled([post('Cut.', 'cut', 2000), post('Waited.', 'waited')]);
        expect(cut.status).toBe('rejected');
        expect(waited).toMatchObject({ value: { status: 503 } });
        // One of the two may not even have been sent, as the other is under way.
        expect((waited as any).value.body.error.message).toMatch(
          /was not taken, and is not taken later|nothing was lost or changed/,
        );
        // Nobody was told the outcome of the one that was cut: a worker that comes in time takes it.
        await sleep(Math.max(0, tooLate - Date.now()));
      }),
    );

    await stage.withWorker(async ({ client }) => {
      const session = client.session(id);
      await sleep(SETTLES);
      expect(await session.status()).toMatchObject({ turns: 1, queue: [], running: null });
      await stage.overHttp(client, id, async (post) => {
        const again = await post('Cut.', 'cut');
        expect(again).toMatchObject({ status: 202, body: { turn_id: `${id}.2` } });
        expect(await post('Cut.', 'cut')).toEqual(again);
      });
      await eventually('it is done', async () => (await session.status()).turns === 2);
      await session.close({ by: 'rita' });
    });
  } finally {
    stage.remove();
  }
});

it('a decision over HTTP while no worker runs is not taken later, wherever the connection is cut: a denial that is given meanwhile counts', async () => {
  const stage = new Stage();
  const cuts = [1, 300, 3000];
  const waiting: { id: string; digest: string }[] = [];
  try {
    await stage.withWorker(async ({ start }) => {
      for (const _ of [...cuts, 'waited']) {
        const turn = await start('Pay.', { requester });
        waiting.push({ id: turn.id, digest: (await turn.waitForPending())[0].digest });
      }
    });

    await stage.withNobody((client) =>
      stage.posting(client, ana, async (post) => {
        const tooLate = Date.now() + WAITS_MS + 2 * CLOCKS_APART_MS;
        const approve = ({ id, digest }: (typeof waiting)[number], cutAfterMs?: number) =>
          post(`turns/${id}/decisions`, { call: digest, decision: 'approve' }, null, cutAfterMs);
        const answers = await Promise.allSettled(waiting.map((one, at) => approve(one, cuts[at])));
        expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
        const message = expect.stringMatching(/was not taken, and is not taken later|nothing was lost or changed/);
        expect(answers[3]).toMatchObject({ value: { status: 503, body: { error: { message } } } });
        await sleep(Math.max(0, tooLate - Date.now()));
      }),
    );

    await stage.withWorker(async ({ client }) => {
      await sleep(SETTLES);
      for (const { id } of waiting) expect((await client.turn(id).status()).state).toBe('awaiting_approval');
      await stage.posting(client, ana, async (post) => {
        for (const { id, digest } of waiting)
          expect(await post(`turns/${id}/decisions`, { call: digest, decision: 'deny' }, null)).toMatchObject({ status: 200 });
      });
      for (const { id } of waiting) expect(await client.turn(id).result()).toMatchObject({ calls: [{ state: 'denied' }] });
      expect(stage.effects).toEqual([]);
    });
  } finally {
    stage.remove();
  }
});

it('nothing that commands, a session’s handle or cut connections send while no worker runs is taken later', async () => {
  const stage = new Stage();
  const waiting: Record<string, { id: string; digest: string }> = {};
  const sessions: Record<string, string> = {};
  try {
    await stage.withWorker(async ({ client, start }) => {
      for (const name of ['approve', 'deny', 'settle', 'httpDeny', 'httpSettle', 'httpSteer', 'httpCancel']) {
        const isLost = /settle/i.test(name);
        const turn = await start(isLost ? 'Lose.' : 'Pay.', { requester });
        const [{ digest }] = await turn.waitForPending();
        waiting[name] = { id: turn.id, digest };
        if (!isLost) continue;
        await turn.approve(digest, { by: 'ana' });
        await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      }
      for (const name of ['waits', 'held', 'open']) {
        const session = await client.openSession({ agent: 'tester', requester });
        sessions[name] = session.id;
        if (name === 'open') continue;
        const turn = await session.started((await session.send('Pay.')).turn_id);
        await turn.waitForPending();
        if (name === 'waits') continue;
        await session.interrupt({ by: 'rita' });
        await eventually('it is held', async () => (await session.status()).held);
      }
    });

    await stage.withNobody(async (client) => {
      const env = environment({
        TEMPORAL_ADDRESS: testAddress(),
        HOLDFAST_TASK_QUEUE: stage.taskQueue,
        HOLDFAST_HOME: stage.folder,
      });
      const command = async (name: string, ...more: string[]) => {
        const { id, digest } = waiting[name]!;
        const { code, stdout, stderr } = await run([name, id, ...more, '--call', digest, '--by', 'ana'], env);
        return `${code} ${stdout}${stderr}`;
      };
      const session = (name: string) => client.session(sessions[name]!);
      const cut = (by: typeof rita, name: string, path: string, body: object, cutAfterMs: number) =>
        stage.posting(client, by, (post) =>
          post(`turns/${waiting[name]!.id}/${path}`, body, null, cutAfterMs).then(() => undefined),
        );
      const tooLate = Date.now() + WAITS_MS + 2 * CLOCKS_APART_MS;
      const sent = Promise.allSettled([
        session('waits').steer('Pay twice.', { by: 'rita' }),
        session('waits').interrupt({ by: 'rita' }),
        session('held').resume(),
        session('open').close({ by: 'rita' }),
      ]);
      const cuts = Promise.allSettled([
        cut(ana, 'httpDeny', 'decisions', { call: waiting.httpDeny!.digest, decision: 'deny' }, 300),
        cut(ana, 'httpSettle', 'decisions', { call: waiting.httpSettle!.digest, decision: 'settle', outcome: 'applied' }, 3000),
        cut(rita, 'httpSteer', 'steer', { text: 'Pay twice.' }, 300),
      ]);
      const commands = await Promise.all([command('approve'), command('deny'), command('settle', 'applied')]);
      for (const told of commands) expect(told).toMatch(new RegExp(`^1 .*${NOT_TAKEN.source}`, 's'));
      for (const one of await sent) expect(said(one)).toMatch(NOT_TAKEN);
      expect((await cuts).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      // Temporal itself keeps a cancellation: the answer says that it is requested, and it counts.
      await stage.posting(client, rita, async (post) =>
        expect(await post(`turns/${waiting.httpCancel!.id}/cancel`, {}, null)).toMatchObject({ status: 202 }),
      );
      await sleep(Math.max(0, tooLate - Date.now()));
    });

    await stage.withWorker(async ({ client }) => {
      const turn = (name: string) => client.turn(waiting[name]!.id);
      expect((await turn('httpCancel').result()).state).toBe('cancelled');
      await sleep(SETTLES);
      for (const name of ['approve', 'deny', 'httpDeny', 'httpSteer'])
        expect(await turn(name).status()).toMatchObject({ state: 'awaiting_approval', ignored_signals: { count: 0 } });
      for (const name of ['settle', 'httpSettle']) expect((await turn(name).status()).state).toBe('in_doubt');
      const session = (name: string) => client.session(sessions[name]!);
      expect(await session('waits').status()).toMatchObject({
        turns: 0,
        held: null,
        running: { turn_id: `${sessions.waits}.1` },
      });
      expect((await client.turn(`${sessions.waits}.1`).status()).state).toBe('awaiting_approval');
      expect(await session('held').status()).toMatchObject({ turns: 1, running: null, held: { turn_id: `${sessions.held}.1` } });
      expect(await session('open').status()).toMatchObject({ state: 'open' });
      expect(stage.effects).toEqual([]);
      for (const name of ['approve', 'deny', 'httpDeny', 'httpSteer']) await turn(name).cancel();
      for (const name of ['settle', 'httpSettle']) await turn(name).settle(waiting[name]!.digest, 'not_applied', { by: 'ana' });
      for (const name of Object.keys(waiting)) await turn(name).result();
      await session('waits').interrupt({ by: 'rita' });
      for (const name of Object.keys(sessions)) await session(name).close({ by: 'rita' });
    });
  } finally {
    stage.remove();
  }
});
