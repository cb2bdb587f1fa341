/**
 * `kill -9` of the worker while it swaps: between decision, signature, broadcast and receipt. Each time a fresh worker
 * goes on by itself, nobody is asked twice, and the chain has exactly one swap more, with the amounts that the turn reports. That
 * worker is killed next.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { dataConverter } from '../../../src/temporal/data-converter';
import { startChain, type DevChain } from '../../../src/devserver/chain';
import { startRehearsal, type ScriptedResponse } from '../../../src/model/rehearsal';
import { deployDemo, type Demo } from '../../../packs/onchain/src';
import type { JsonObject } from '../../../src/shared/json/json';
import { startRpcProxy } from '../packs/onchain/rpc-proxy';
import { swaps, UNIT } from '../packs/onchain/support';
import { testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { Gates, type Gate } from '../support/fault-gates';
import { startBackend, startWire, type Wire } from '../support/fault-servers';
import { WorkerProcess } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/swap.app.ts');

interface Stage {
  node: DevChain;
  demo: Demo;
  gates: Gates;
  client: HoldfastClient;
  wire: Wire;
  /** Through the wire, or else directly. */
  startWorker(address?: string): Promise<WorkerProcess>;
  /** Starts the turn and approves its swap. */
  begin(): Promise<TurnHandle>;
}

let stage: Stage;
/** The one that serves the turns now. */
let worker: WorkerProcess;
/** Swaps on the chain before the test. */
let before: number;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-swap-fault-'));
  closing.push(() => rm(home, { recursive: true, force: true }));
  const node = await startChain();
  closing.push(() => node.stop());
  const demo = await deployDemo(node.rpcUrl);
  const gates = new Gates();
  const backend = await startBackend(gates);
  closing.push(() => backend.close());
  const proxy = await startRpcProxy(node.rpcUrl, {
    before: (method) => gates.pass(`before ${method}`),
    after: (method) => gates.pass(`after ${method}`),
  });
  closing.push(() => proxy.close());
  const model = await startRehearsal({ script: Array.from({ length: 30 }, () => (body: JsonObject) => answer(body, demo)) });
  closing.push(() => model.close());
  const wire = await startWire(testAddress());
  closing.push(() => wire.close());
  const taskQueue = `swap-fault-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address: testAddress() });
  const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
  closing.push(() => client.close());
  const env = {
    HOLDFAST_HOME: home,
    HOLDFAST_TASK_QUEUE: taskQueue,
    HOLDFAST_MODEL: 'anthropic',
    HOLDFAST_LOG_LEVEL: 'error',
    ANTHROPIC_API_KEY: 'no-key-at-all',
    ANTHROPIC_BASE_URL: model.baseUrl,
    FAULT_BACKEND: backend.url,
    FAULT_RPC: proxy.url,
    FAULT_ROUTER: demo.router,
    FAULT_SESSION_KEYS: JSON.stringify(demo.sessionKeys),
    FAULT_JOURNAL: join(home, 'evm'),
  };
  stage = {
    ...{ node, demo, gates, client, wire },
    async startWorker(address = wire.address) {
      const worker = new WorkerProcess({ ...env, TEMPORAL_ADDRESS: address }, APP);
      closing.push(() => worker.kill());
      await worker.ready;
      return worker;
    },
    async begin() {
      const turn = await client.start({ agent: 'trader', message: 'Swap one AAA.' });
      const [call] = await turn.waitForPending();
      await turn.approve(call!.digest, { by: 'ana' });
      return turn;
    },
  };
  worker = await stage.startWorker();
});

beforeEach(async () => {
  before = (await swaps(stage)).length;
});

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe('a worker that is killed with -9 while it swaps', () => {
  it.each([
    ['after the decision, before a signed transaction is stored', 'before signed', 0],
    ['between signature and broadcast', 'before eth_sendRawTransaction', 0],
    ['between broadcast and its answer', 'after eth_sendRawTransaction', 1],
    ['between broadcast and receipt', 'before eth_getTransactionReceipt', 1],
  ])(
    '%s: one swap on the chain',
    async (_when, point, swapped) => {
      const gate = stage.gates.close(point);
      const turn = await stage.begin();
      await gate.reached();
      expect(await worker.kill()).toBe('SIGKILL');
      expect(await swaps(stage)).toHaveLength(before + swapped);
      worker = await stage.startWorker();
      await endsWithOneSwap(turn);
    },
    120_000,
  );

  it('or that is cut off before it broadcasts, while another one broadcasts: one swap on the chain, also when it wakes up', async () => {
    const sending = stage.gates.close('before eth_sendRawTransaction');
    const turn = await stage.begin();
    await sending.reached();
    await stage.wire.close();
    await stage.startWorker(testAddress());
    await endsWithOneSwap(turn);
    await sent(sending);
    expect(worker.how).toBeUndefined(); // it lives, and has sent the same bytes
    expect(await swaps(stage)).toHaveLength(before + 1);
  });
});

/** Lets the held broadcast go, and waits until the node has answered it. */
async function sent(gate: Gate): Promise<void> {
  const answered = stage.gates.close('after eth_sendRawTransaction');
  gate.open();
  await answered.reached();
  answered.open();
}

async function endsWithOneSwap(turn: TurnHandle): Promise<void> {
  const view = await turn.result();
  expect(view).toMatchObject({ state: 'completed', calls: [{ tool: 'swap_token', state: 'succeeded', effect: 'applied' }] });
  const events = (await swaps(stage)).slice(before);
  expect(events).toHaveLength(1);
  expect(events[0]!.args.amountIn).toBe(UNIT);
  expect(view.calls[0]!.result_summary).toContain(events[0]!.transactionHash);
  await keepForReplay(stage.client.temporal, turn);
}

/** The swap, and then the end. */
function answer(body: JsonObject, { tokens, sessionKeyId }: Demo): ScriptedResponse {
  const asked = (body.messages as JsonObject[]).some((message) => message.role === 'assistant');
  if (asked) return { content: [{ type: 'text', text: 'Done.' }] };
  const input = {
    ...{ from_token: tokens[0], to_token: tokens[1], amount_in: UNIT.toString(), max_slippage_bps: 50 },
    ...{ deadline_ts: Math.floor(Date.now() / 1000) + 1800, session_key_id: sessionKeyId, simulated_min_out: '1' },
  };
  return { content: [{ type: 'tool_use', name: 'swap_token', input }] };
}
