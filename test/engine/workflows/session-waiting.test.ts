/** A session whose turn waits for a person, while people send more messages. Its cost is bounded; these tests show it. */
import { randomBytes } from 'node:crypto';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { eventually, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { afterTurns, chainFaults, replayedSession } from '../support/sessions';
import { pays } from '../../support/tools';

const SUGGESTED_AT = 60;
const QUEUED = 6;
const RENAMED = 40;

describe('a session with a turn that waits for its approval', () => {
  let server: DevServer;
  beforeAll(async () => {
    const { path } = await findTemporalCli();
    const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': SUGGESTED_AT };
    server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
  });
  afterAll(() => server.stop());

  it('goes on in other runs while messages arrive; each run is short, and nothing is lost or doubled', () => {
    const effects: unknown[] = [];
    const answers = Array.from({ length: QUEUED }, (_, index) => say(`Answer ${index + 1}.`));
    const script = [ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('Paid.'), ...answers];
    return withEngine({ address: server.address, tools: [pays('pay', effects)], script }, async (engine) => {
      const session = await engine.client.openSession({ agent: 'tester', id: `w-${randomBytes(4).toString('hex')}` });
      const { turn } = await session.send('Pay.', { id: 'm-0' });
      await session.started(turn.id);
      const [call] = await turn.waitForPending();
      const sent = [];
      for (let n = 1; n <= QUEUED; n++) {
        sent.push((await session.send(`Message ${n}.`, { id: `m-${n}` })).turn_id);
        for (let again = 0; again < RENAMED / QUEUED; again++) await session.rename(`Title ${n}-${again}`);
      }
      const runs = await eventually('it goes on in a third run', async () => {
        const found: string[] = [];
        const query = `WorkflowId = '${session.workflowId}'`;
        for await (const { runId } of engine.client.temporal.workflow.list({ query })) found.push(runId);
        return found.length >= 3 && found;
      });
      const sizes = await Promise.all(
        runs.map(async (runId) => {
          const handle = engine.client.temporal.workflow.getHandle(session.workflowId, runId);
          const { events = [] } = await handle.fetchHistory();
          return { events: events?.length ?? 0, argument: argumentBytes(events ?? []) };
        }),
      );
      console.log(`runs of the session while its turn waits: ${JSON.stringify(sizes)}`);
      for (const { events, argument } of sizes) {
        expect(events).toBeLessThan(2 * SUGGESTED_AT);
        expect(argument).toBeLessThan(10_000); // a head, a short queue, and one entry for each message
      }

      const waiting = await session.status();
      expect(waiting).toMatchObject({ running: { turn_id: turn.id }, turns: 0 });
      expect(waiting.queue.map(({ turn_id }) => turn_id)).toEqual(sent);
      // Temporal has forgotten the update of another run; the session has not.
      expect(await session.send('Message 1.', { id: 'm-1' })).toMatchObject({ again: true, turn_id: sent[0], ahead: 1 });
      await expect(session.send('Another.', { id: 'm-1' })).rejects.toThrow('has been used for another message');

      await turn.approve(call.digest, { by: 'ana' });
      const end = await afterTurns(session, QUEUED + 1);
      expect(end.last).toEqual([turn.id, ...sent].map((turn_id) => ({ turn_id, state: 'completed' })));
      expect(effects).toHaveLength(1);
      expect(await chainFaults(engine.store, end.head)).toEqual([]);
      expect(await replayedSession(engine.client, session)).toBeGreaterThanOrEqual(3);
    });
  });
});

type Event = {
  workflowExecutionStartedEventAttributes?: { input?: { payloads?: { data?: Uint8Array | null }[] | null } | null } | null;
};

/** The size of the argument with which a run is started. */
function argumentBytes(events: Event[]): number {
  const payloads = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return payloads.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
}
