/** A run takes up a step that an earlier run has left open: from the store, and with the messages that come meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { FileStore } from '../../../src/store/files/file-store';
import { isJsonObject } from '../../../src/shared/json/json';
import { StoreError, type Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import { eventually, withEngine, type Engine } from '../support/engine';
import { FILLED_MS, FILLS_A_SHORT_RUN, fillRun, sendJunk, shortRunServer } from '../support/fill-run';
import { withAgents } from '../support/sub-agents';
import { ask, say } from '../../support/scripted-model';
import { loses, pays } from '../../support/tools';

const LONG_NOTE = '甲'.repeat(4000);
const script = () => [ask(['pay', { invoice: 'INV-7', cents: 700 }], ['pay', { invoice: 'INV-8', cents: 800 }]), say('done')];
const agent = { approvals: { quorum: 4 } };
const server = shortRunServer();

/** A store that does something before it gives a part to this activity, or takes one from it. */
async function withStore(activity: string, before: (hash: string) => Promise<void>, body: (store: Store) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-taken-up-'));
  try {
    const store = await FileStore.open(folder);
    const getPart = store.getPart.bind(store);
    store.getPart = async (hash) => {
      if (running() === activity) await before(hash);
      return getPart(hash);
    };
    const putPart = store.putPart.bind(store);
    store.putPart = async (scope, body) => {
      if (running() === activity) await before('');
      return putPart(scope, body);
    };
    await body(store);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function running(): string {
  try {
    return Context.current().info.activityType;
  } catch {
    return ''; // the client reads too
  }
}

/** Three of four have approved, with long notes: the store takes them. */
async function approvedByThree({ start, client }: Engine) {
  const turn = await start();
  const [first, { digest: second }] = await eventually('both wait', async () => {
    const [one, other] = await turn.pending();
    return one && other && ([one, other] as const);
  });
  const { digest } = first;
  for (let n = 0; n < 3; n++) await turn.approve(digest, { by: `x${n}`, note: `${n}${LONG_NOTE.slice(1)}` });
  await sendJunk(client, turn, FILLS_A_SHORT_RUN);
  return { turn, digest, second };
}

/** A gate that an activity waits for, and whether it has come there. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const all = {
    reached: false,
    open,
    wait: async () => {
      all.reached = true;
      // A test that fails does not open it.
      await Promise.race([opened, Context.current().cancelled.catch(() => undefined)]);
    },
  };
  return all;
}

describe.each(['readSaid', 'readCard'])('during %s', (activity) => {
  it('a cancelled turn gives each call its outcome, and records the decisions', async () => {
    const reading = gate();
    const effects: unknown[] = [];
    await withStore(activity, reading.wait, (store) =>
      withEngine({ address: server.address, store, tools: [pays('pay', effects)], agent, script: script() }, async (engine) => {
        const { turn } = await approvedByThree(engine);
        await eventually('the step is being taken up', async () => reading.reached, FILLED_MS);
        await turn.cancel();
        await eventually('it is asked to end', async () => {
          const { events } = await engine.client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
          return events!.some((event) => event.workflowExecutionCancelRequestedEventAttributes);
        });
        reading.open();
        const done = await turn.result();
        expect([done.state, ...done.calls.map(({ state }) => state)]).toEqual(['cancelled', 'cancelled', 'cancelled']);
        expect(effects).toEqual([]);
        const blocks = await walk(store, done.head!);
        const said = blocks.flatMap(({ block, bodies }) => (block.kind === 'decision' ? [(bodies[0] as { by: string }).by] : []));
        expect(said).toEqual(['x0', 'x1', 'x2']);
        expect(JSON.stringify(blocks.findLast(({ block }) => block.kind === 'message')!.bodies)).toContain('turn_cancelled');
      }),
    );
  });

  it('a call still waits, and a decision waits until its question is asked again, as update and as signal', async () => {
    const reading = gate();
    const effects: unknown[] = [];
    await withStore(activity, reading.wait, (store) =>
      withEngine({ address: server.address, store, tools: [pays('pay', effects)], agent, script: script() }, async (engine) => {
        const { turn, digest, second } = await approvedByThree(engine);
        await eventually('the step is being taken up', async () => reading.reached, FILLED_MS);
        const { state, pending, calls } = await turn.status();
        expect([state, ...pending]).toEqual(['awaiting_approval', ...calls.map((call) => call.digest)]);
        const handle = engine.client.temporal.workflow.getHandle(turn.workflowId);
        await handle.signal('deny', { call: second, by: 'zoe', note: 'Not this one.' });
        const approved = turn.approve(digest, { by: 'ana' });
        await eventually('both have come', async () => {
          const { events } = await handle.fetchHistory();
          const came = events!.flatMap(({ workflowExecutionSignaledEventAttributes: signal, ...event }) =>
            signal?.input?.payloads?.length && signal.signalName === 'deny'
              ? ['deny']
              : event.workflowExecutionUpdateAcceptedEventAttributes
                ? ['approve']
                : [],
          );
          return came.length === 2;
        });
        reading.open();
        await approved;
        const done = await turn.result();
        expect(done.calls.map(({ state }) => state)).toEqual(['succeeded', 'denied']);
        expect(effects).toEqual([{ invoice: 'INV-7', cents: 700 }]);
      }),
    );
  });

  it('an interrupted turn asks nothing any more', async () => {
    const reading = gate();
    const effects: unknown[] = [];
    await withStore(activity, reading.wait, (store) =>
      withEngine({ address: server.address, store, tools: [pays('pay', effects)], agent, script: script() }, async (engine) => {
        const { turn } = await approvedByThree(engine);
        await eventually('the step is being taken up', async () => reading.reached, FILLED_MS);
        const interrupted = turn.interrupt({ by: 'ana' });
        reading.open();
        await interrupted;
        const done = await turn.result();
        expect([done.state, ...done.calls.map(({ state }) => state)]).toEqual(['cancelled', 'cancelled', 'cancelled']);
        expect(effects).toEqual([]);
      }),
    );
  });
});

it('a call is decided also by decisions that came while the store took earlier ones', async () => {
  const keeping = gate();
  const effects: unknown[] = [];
  await withStore('keepSaid', keeping.wait, (store) =>
    withEngine({ address: server.address, store, tools: [pays('pay', effects)], agent, script: script() }, async (engine) => {
      const { turn, digest, second } = await approvedByThree(engine);
      await eventually('the store takes what was said', async () => keeping.reached);
      const { run_id } = await turn.status();
      await turn.approve(second, { by: 'zoe', note: 'Mine.' });
      keeping.open();
      await eventually('another run', async () => (await turn.status()).run_id !== run_id);
      await eventually('both wait', async () => (await turn.pending()).length === 2);
      const said = (await turn.status()).calls.map(({ approval }) =>
        approval.decisions.map(({ by, note }) => [by, note?.length]),
      );
      expect(said).toEqual([['x0', 'x1', 'x2'].map((by) => [by, 4000]), [['zoe', 5]]]);
      await turn.approve(digest, { by: 'ana' });
      await turn.deny(second, { by: 'ana' });
      expect((await turn.result()).calls.map(({ state }) => state)).toEqual(['succeeded', 'denied']);
    }),
  );
});

it('a turn ends if the card to be shown again is that of another call', async () => {
  const effects: unknown[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-taken-up-'));
  const store = await FileStore.open(folder);
  const putPart = store.putPart.bind(store);
  store.putPart = (scope, body) => {
    const isCard = running() === 'admitCall' && isJsonObject(body) && 'card' in body;
    return putPart(scope, isCard ? { ...body, digest: 'f'.repeat(64) } : body);
  };
  try {
    const setup = { address: server.address, store, tools: [pays('pay', effects)], agent, script: script(), madeUp: true };
    await withEngine(setup, async (engine) => {
      const { turn } = await approvedByThree(engine);
      const done = await turn.result();
      expect(done).toMatchObject({ state: 'failed', reason: expect.stringContaining('is that of another call') });
      expect(effects).toEqual([]);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('a turn ends if the store has lost decisions, and says what is missing', async () => {
  const effects: unknown[] = [];
  let lost = '';
  const lose = async (hash: string) => {
    lost = hash;
    throw new StoreError('not_found', `There is no part ${hash}.`);
  };
  await withStore('readSaid', lose, (store) =>
    withEngine({ address: server.address, store, tools: [pays('pay', effects)], agent, script: script() }, async (engine) => {
      const { turn } = await approvedByThree(engine);
      const done = await turn.result().catch(() => turn.status());
      expect(done.state).toBe('failed');
      expect(done.reason).toContain(lost);
      expect(effects).toEqual([]);
    }),
  );
});

it('a cancelled turn that goes on in another run, since a call is in doubt, runs none of the others', async () => {
  const effects: unknown[] = [];
  const calls = ask(['lose', { to: 'ana' }], ['pay', { invoice: 'INV-7', cents: 700 }]);
  const tools = [loses('lose'), pays('pay', effects)];
  await withEngine({ address: server.address, tools, script: [calls, say('done')] }, async ({ start, client }) => {
    const turn = await start();
    const digests = await eventually('both wait', async () => {
      const pending = await turn.pending(); // in the order of the calls; "pending" of the view has that of the questions
      return pending.length === 2 && pending.map(({ digest }) => digest);
    });
    for (const digest of digests) await turn.approve(digest, { by: 'ana' });
    await eventually('the first is in doubt', async () => (await turn.status()).calls[0]!.state === 'in_doubt');
    await turn.cancel();
    const handle = client.temporal.workflow.getHandle(turn.workflowId);
    const { runId } = await handle.describe();
    await sendJunk(client, turn, FILLS_A_SHORT_RUN);
    await eventually('another run goes on', async () => (await handle.describe()).runId !== runId, FILLED_MS);
    await turn.settle(digests[0]!, 'not_applied', { by: 'ana' });
    const done = await turn.result();
    expect([done.state, ...done.calls.map(({ state }) => state)]).toEqual(['cancelled', 'failed', 'cancelled']);
    expect(effects).toEqual([]);
  });
});

it('an interrupted turn that goes on in another run still waits for its sub-agent', async () => {
  const effects: unknown[] = [];
  const payer = defineAgent({ name: 'payer', prompt: 'Pay.', tools: [pays('pay', effects)] });
  const delegate = agentTool(payer, { description: 'Pays.' });
  const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [delegate] });
  const scripts = {
    'Lead.': [ask([delegate.name, { task: 'Pay it.' }]), say('done')],
    'Pay it.': [ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('paid')],
  };
  await withAgents(
    [lead, payer],
    scripts,
    async ({ start, client }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      await turn.interrupt({ by: 'ana' });
      await fillRun(client, turn, FILLS_A_SHORT_RUN);
      await turn.approve(digest, { by: 'ana' });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'cancelled', calls: [{ tool: delegate.name, state: 'succeeded' }] });
      expect(effects).toHaveLength(1);
    },
    { address: server.address },
  );
});
