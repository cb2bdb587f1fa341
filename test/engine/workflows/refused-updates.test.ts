/**
 * History has nothing of an update that a validator refused. So it must change nothing either: each workflow is filled until Temporal
 * suggests another run, while updates are refused, and each of its runs is replayed.
 */
import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { traceSinks } from '../../../src/telemetry/traces/workflow-spans';
import { dataConverter } from '../../../src/temporal/data-converter';
import { fetchHistory } from '../../../src/temporal/history/read-history';
import { workflowBundlePath } from '../../../src/worker/workflow-bundle';
import {
  DECIDE_UPDATE,
  OWNERS_QUERY,
  RESERVE_UPDATE,
  SESSION_UPDATES,
  STATUS_QUERY,
  STEER,
} from '../../../src/workflows/contract';
import { everyNth } from '../../support/runs';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { eventually, withEngine, type Engine } from '../support/engine';
import { FILLED_MS } from '../support/fill-run';

const SUGGESTED_AT = 80;
const key = `hf_${'0'.repeat(40)}`;
const approval = [ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('Paid.')];

/** What anybody may send to a workflow, by what becomes of it. */
interface Senders {
  /** Something that history has. */
  taken: () => Promise<unknown>;
  refused: () => Promise<unknown>;
  query: string;
}

/** Where a workflow runs that takes these. */
type Scene = (engine: Engine) => Promise<{ handle: WorkflowHandle } & Senders>;

const scenes: Record<string, Scene> = {
  session: async ({ client }) => {
    const { workflowId } = await client.openSession({ agent: 'tester', id: `r-${randomBytes(4).toString('hex')}` });
    return {
      ...update(client.temporal.workflow.getHandle(workflowId), SESSION_UPDATES.rename, { title: 'Another' }, { title: 7 }),
      query: STATUS_QUERY,
    };
  },
  'session whose turn waits for a person': async ({ client }) => {
    const session = await client.openSession({ agent: 'tester', id: `r-${randomBytes(4).toString('hex')}` });
    const { turn } = await session.send('Pay.');
    await session.started(turn.id);
    await turn.waitForPending();
    return {
      ...update(client.temporal.workflow.getHandle(session.workflowId), SESSION_UPDATES.rename, { title: 'Another' }, {}),
      query: STATUS_QUERY,
    };
  },
  intent: async ({ client, taskQueue }) => {
    const handle = await client.temporal.workflow.start('intent', {
      taskQueue,
      workflowId: `intent/${taskQueue}/full`,
      args: [{ owners: [], until: 0 }],
    });
    const owner = { key, digest: 'd', turn_id: 't', call_id: '1.1', requester: 'ana' };
    return {
      ...update(handle, 'claim', { owner, window_ms: 3_600_000, accepted: [] }, { owner }),
      query: OWNERS_QUERY,
    };
  },
  budget: async ({ client, taskQueue }) => {
    const handle = await client.temporal.workflow.start('budget', {
      taskQueue,
      workflowId: `budget/${taskQueue}/full`,
      args: [{ agent: 'tester', budget: 'daily', per: 'agent', of: '' }],
    });
    const reservation = {
      key,
      dispatch: 1,
      amount: '1',
      cap: '1000',
      window_ms: 3_600_000,
      lasts_ms: 1000,
      proven: 0,
      accepted: false,
    };
    return { ...update(handle, RESERVE_UPDATE, reservation, { ...reservation, cap: 'much' }), query: 'budget' };
  },
  turn: async (engine) => {
    const turn = await engine.start('Pay.');
    const scene = await waiting(engine, turn.workflowId);
    // A replay has an activation for a new patch, even if nothing else has come. So this one is used before the run is full.
    for (const room of [true, true, false]) {
      const steer = scene.handle.executeUpdate(STEER, { args: [{ text: '\u0001'.repeat(4000), by: 'ana' }] });
      expect(await steer).toMatchObject({ accepted: room });
    }
    return scene;
  },
  'direct call': async (engine) => {
    const { turn } = await engine.call('pay', { invoice: 'INV-8', cents: 700 });
    return waiting(engine, turn.workflowId);
  },
};

function update(handle: WorkflowHandle, name: string, good: object, bad: object) {
  const send = (body: object) => handle.executeUpdate(name, { args: [body] });
  return { handle, taken: () => send(good), refused: () => expect(send(bad)).rejects.toThrow() };
}

/** A turn that waits for an approval. Decisions on calls that do not wait are taken, and recorded as ignored. */
async function waiting({ client }: Engine, workflowId: string): ReturnType<Scene> {
  await client.turn(workflowId.replace(/^turn\//, '')).waitForPending();
  const handle = client.temporal.workflow.getHandle(workflowId);
  const junk = { decision: 'approve', call: 'f'.repeat(64), by: 'mallory' };
  return { ...update(handle, DECIDE_UPDATE, junk, { decision: 'perhaps' }), query: STATUS_QUERY };
}

const CELLS = Object.entries(scenes).flatMap(([name, begin]) => [true, false].map((kept) => ({ name, begin, kept })));

describe('a workflow whose run becomes full while it refuses updates', () => {
  let server: DevServer;
  beforeAll(async () => {
    const { path } = await findTemporalCli();
    const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': SUGGESTED_AT };
    server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
  });
  afterAll(() => server.stop());

  const engineWith = (body: (engine: Engine) => Promise<void>, worker = {}) =>
    withEngine({ address: server.address, tools: [pays('pay', [])], script: [...approval], madeUp: true, worker }, body);

  it.each(Object.entries(scenes))(
    '%s: goes on in another run, and each run replays',
    (_, begin) =>
      engineWith(async (engine) => {
        const { handle, taken, refused } = await begin(engine);
        await untilAnotherRun(handle, async () => {
          await taken();
          await refused();
        });
        await replayed(engine.client.temporal, handle);
      }),
    FILLED_MS,
  );

  it.each(everyNth(CELLS, 6))(
    '$name, in memory: $kept: each run replays, whatever arrives together and in whatever order',
    ({ name, begin, kept }) =>
      engineWith(
        async (engine) => {
          const { handle, taken, refused, query } = await begin(engine);
          const kinds = [taken, refused, refused, () => handle.signal('junk', 1), () => handle.query(query)];
          await untilAnotherRun(handle, async () => {
            const together = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () =>
              Math.floor(Math.random() * kinds.length),
            );
            order.push(`${name}: ${together.join()}`);
            await Promise.allSettled(together.map((kind) => kinds[kind]!())); // at the end of a run an update may fail
          });
          await replayed(engine.client.temporal, handle);
        },
        kept ? {} : { maxCachedWorkflows: 0 },
      ),
    FILLED_MS,
  );
});

/** What the property sent, to find out why it failed. */
const order: string[] = [];

async function untilAnotherRun(handle: WorkflowHandle, send: () => Promise<void>): Promise<void> {
  const { runId } = await handle.describe();
  await eventually('another run', async () => (await send(), (await handle.describe()).runId !== runId), FILLED_MS);
}

/** Every run of this workflow. */
async function replayed(temporal: Client, { workflowId }: WorkflowHandle): Promise<void> {
  const options = { workflowBundle: { codePath: workflowBundlePath() }, dataConverter, sinks: traceSinks(null) };
  const histories = [];
  for await (const { runId } of temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
    histories.push({ workflowId, history: await fetchHistory(temporal, workflowId, runId) });
  const whole = histories.filter(({ history }) => history.events!.length > 3); // another has only begun
  expect(whole.length).toBeGreaterThan(0);
  const errors = [];
  for await (const { error } of Worker.runReplayHistories(options, whole)) if (error) errors.push(error);
  if (errors.length > 0) throw new Error(`A run does not replay. Sent: ${order.slice(-40).join(' · ')}`, { cause: errors[0] });
}
