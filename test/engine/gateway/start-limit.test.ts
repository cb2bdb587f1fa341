/**
 * While the workers cannot keep up the gateway refuses new work, and people's decisions are carried out before the work that waits;
 * afterwards it takes new work again. On a server of its own, with one partition of its task queues, so that their order is certain.
 */
import { randomBytes } from 'node:crypto';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import type { ModelProvider, ModelRequest } from '../../../src/model/provider';
import { eventually } from '../support/engine';
import { ana, gatewayScene, invoice, rita } from '../support/gateway-scene';
import { ask, say, ScriptedModel } from '../../support/scripted-model';

const LIMIT = { ageMs: 500, tasks: 3 };
const SLOTS = 2;
const WAITING = 20;

/** Asks for a payment in a turn that says so; each request of another turn waits until the test lets one through. */
class HeldModel implements ModelProvider {
  readonly name = 'held';
  readonly held: (() => void)[] = [];
  answered = 0;
  isOpen = false;

  async request(request: ModelRequest, context: { signal: AbortSignal }) {
    const pays = JSON.stringify(request.messages[0]).includes('Pay');
    if (!pays && !this.isOpen) await new Promise<void>((resolve) => this.held.push(resolve));
    if (!pays) this.answered += 1;
    const isFirst = request.messages.every(({ role }) => role !== 'assistant');
    return new ScriptedModel([pays && isFirst ? ask(['pay', invoice]) : say('done')]).request(request, context);
  }

  open(): void {
    this.isOpen = true;
    for (const go of this.held.splice(0)) go();
  }
}

describe('a gateway whose workers cannot keep up', () => {
  let server: DevServer;
  beforeAll(async () => {
    const { path } = await findTemporalCli();
    const dynamicConfig = { 'matching.numTaskqueueReadPartitions': 1, 'matching.numTaskqueueWritePartitions': 1 };
    server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
  });
  afterAll(() => server?.stop());

  it('refuses starts, finds those that it has let in, and carries out decisions before the work that waits', async () => {
    const model = new HeldModel();
    const worker = { maxConcurrentActivityTaskExecutions: SLOTS };
    await gatewayScene(
      { model, worker, address: server.address },
      async ({ send, client, effects, app }) => {
        const start = (key: string, message = 'Wait.') =>
          send(rita, 'POST', '/v1/turns', { agent: 'tester', message }, { 'idempotency-key': key });
        const paying = (await start('paying', 'Pay it.')).body.turn_id;
        const [{ digest }] = await client.turn(paying).waitForPending();
        const first = await start('wait-0');
        const ids: string[] = [first.body.turn_id];
        for (let index = 1; index < WAITING; index++) ids.push((await start(`wait-${index}`)).body.turn_id);

        let late = 0;
        await eventually(
          'a start is refused',
          async () => {
            const { status, body } = await start(`late-${late}`);
            if (status === 202) late = ids.push(body.turn_id);
            return status === 429;
          },
          60_000,
        );
        const refused = await app.inject({
          method: 'POST',
          url: '/tools/pay',
          headers: rita.headers,
          payload: { input: invoice },
        });
        expect(refused.statusCode).toBe(429);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(5);
        expect(refused.json().error).toMatchObject({ code: 'RATE_LIMITED', reason: 'workers_behind' });
        expect(await start('wait-0')).toMatchObject({ status: 202, body: { turn_id: first.body.turn_id } });
        expect((await send(rita, 'POST', `/v1/turns/${ids.at(-1)!}/cancel`)).status).toBe(202);

        const decided = send(ana, 'POST', `/v1/turns/${paying}/decisions`, { decision: 'approve', call: digest });
        const checked = () => scheduledIn(client, paying, 'checkDecision');
        await eventually('the decision waits for its check', checked);
        await eventually('the payment', async () => {
          model.held.shift()?.(); // another slot is free
          return effects.length === 1;
        });
        expect((await decided).status).toBe(200);
        // Of at least twenty requests before it in the queue.
        expect(model.answered).toBeLessThan(WAITING / 2);

        model.open();
        for (const id of [paying, ...ids]) await client.turn(id).result();
        await eventually('a start is taken', async () => (await start(`after-${randomBytes(4).toString('hex')}`)).status === 202);
        expect(effects).toHaveLength(1);
      },
      { startLimit: LIMIT },
    );
  });
});

async function scheduledIn(client: Parameters<Parameters<typeof gatewayScene>[1]>[0]['client'], turn: string, type: string) {
  const { events } = await client.temporal.workflow.getHandle(`turn/${turn}`).fetchHistory();
  return (events ?? []).some(({ activityTaskScheduledEventAttributes: attributes }) => attributes?.activityType?.name === type);
}
