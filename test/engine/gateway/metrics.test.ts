/** `GET /metrics` of a gateway over a real turn that waits. */
import { openTurnSource, type ListedRun } from '../../../src/client/turns/open-turns';
import { timeOf } from '../../../src/temporal/history/read-history';
import { gatewayScene } from '../support/gateway-scene';

const value = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
};

it('tell how many turns wait, and for how long the one that waits for longest', () =>
  gatewayScene(
    {},
    async ({ app, client }) => {
      const turn = await client.start({ agent: 'tester', message: 'Pay it.', requester: 'acme/rita' });
      await turn.waitForPending();
      const source = openTurnSource(async () => client.temporal);
      const waiting = async () => {
        const runs: ListedRun[] = [];
        for await (const run of source.list('awaiting_approval')) runs.push(run);
        return runs.find(({ workflowId }) => workflowId === turn.workflowId);
      };
      let run = await waiting();
      while (run === undefined) run = await waiting(); // Temporal lists it a moment later
      const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      expect(run.startedAt).toBe(Date.parse(timeOf(events![0]!)));
      expect(await source.lastEventAt(run)).toBe(Date.parse(timeOf(events!.at(-1)!)));
      expect(await source.lastEventAt({ ...run, workflowId: 'turn/none' })).toBeNull();

      const scraped = (await app.inject({ url: '/metrics' })).body;
      expect(value(scraped, 'holdfast_turns{state="awaiting_approval"}')).toBeGreaterThanOrEqual(1); // other tests have theirs
      expect(value(scraped, 'holdfast_turns{state="running"}')).toBeGreaterThanOrEqual(0);
      expect(value(scraped, 'holdfast_turn_idle_seconds{state="awaiting_approval"}')).toBeGreaterThan(0);
      expect(value(scraped, 'holdfast_turns_stuck')).toBeGreaterThanOrEqual(0);
      await turn.cancel();
    },
    { openMetrics: true },
  ));
