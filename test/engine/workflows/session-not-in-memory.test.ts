/**
 * A session that no worker has in memory, as after a restart. With an update the SDK then passes once more what the workflow task
 * before it has handled without a command, in one activation, the update first; a later replay has two (decision 0095).
 */
import type { SessionHandle } from '../../../src/client/sessions/session-handle';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { eventually, withEngine } from '../support/engine';
import { afterTurns, replayedSession, talk } from '../support/sessions';

const TURNS = 4;

describe('a session that no worker has in memory', () => {
  const script = Array.from({ length: TURNS }, (_, n) => say(`Answer ${n}.`));
  const withSession = (between: (session: SessionHandle) => Promise<unknown>) =>
    withEngine({ script: [...script], worker: { maxCachedWorkflows: 0 } }, async ({ client }) => {
      const session = await client.openSession({ agent: 'tester' });
      for (let turn = 1; turn <= TURNS; turn++) {
        await talk(session, `Message ${turn}.`);
        await afterTurns(session, turn);
        await between(session);
      }
      expect(await replayedSession(client, session)).toBe(1);
    });

  it('replays when a message comes after the end of a turn', () => withSession(() => Promise.resolve()));

  it(
    'replays when an interruption comes after the end of a turn, which interrupts nothing',
    () => withSession((session) => expect(session.interrupt({ by: 'ana' })).rejects.toThrow(/no turn runs|the turn has ended/)),
    120_000,
  );

  it('replays when a turn is interrupted, resumed, steered and approved, and the session is closed', () => {
    const pay = ask(['pay', { invoice: 'INV-7', cents: 700 }]);
    const setup = { tools: [pays('pay', [])], script: [pay, pay, say('Paid.'), say('Yes.')], worker: { maxCachedWorkflows: 0 } };
    return withEngine(setup, async ({ client }) => {
      const session = await client.openSession({ agent: 'tester' });
      const { turn: first } = await session.send('Pay.');
      await session.started(first.id);
      await first.waitForPending();
      await session.interrupt({ by: 'ana' });
      expect(await first.result()).toMatchObject({ state: 'cancelled' });
      await eventually('it is held', async () => (await session.status()).held !== null);
      const { turn_id } = await session.resume('Pay it after all.');
      const second = await session.started(turn_id);
      const [{ digest }] = await second.waitForPending();
      for (const text of ['In euros.', 'And today.']) await second.steer(text, { by: 'ana' });
      await second.approve(digest, { by: 'bob' });
      expect(await second.result()).toMatchObject({ state: 'completed' });
      await afterTurns(session, 2);
      expect(await talk(session, 'Is it paid?')).toMatchObject({ state: 'completed' });
      await session.close({ by: 'ana' });
      expect(await replayedSession(client, session)).toBe(1);
    });
  });
});
