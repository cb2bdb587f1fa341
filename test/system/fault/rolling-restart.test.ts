/**
 * A rolling restart under load: two worker processes, twenty turns, and one worker stopped and replaced after the
 * other, twice. Each stop falls while the worker runs calls that the test holds: reads, then writes, then effects,
 * then reads again. No turn may fail, no call may run twice, and every effect happens once.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { dataConverter } from '../../../src/temporal/data-converter';
import { startRehearsal, type ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { WorkerProcess } from '../support/fault-stage';

const TURNS = Array.from({ length: 20 }, (_, index) => index + 1);
const PHASES = ['look_up', 'note', 'book', 'check'] as const;
type Phase = (typeof PHASES)[number];
const APP = join(__dirname, 'fixtures/ledger.app.ts');

describe('a rolling restart under twenty running turns', () => {
  let home: string;
  let barriers: Barriers;
  let close: (() => Promise<void>)[];
  let client: HoldfastClient;
  const workers: WorkerProcess[] = [];
  const taskQueue = `rolling-${randomBytes(6).toString('hex')}`;
  let env: Record<string, string>;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'holdfast-rolling-'));
    barriers = await Barriers.open();
    const model = await startRehearsal({ script: Array.from({ length: 200 }, () => answer) });
    const connection = await Connection.connect({ address: testAddress() });
    client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
    close = [() => client.close(), () => model.close(), () => barriers.close()];
    env = {
      HOLDFAST_HOME: home,
      HOLDFAST_TASK_QUEUE: taskQueue,
      HOLDFAST_MODEL: 'anthropic',
      HOLDFAST_LOG_LEVEL: 'info',
      HOLDFAST_DRAIN_SECONDS: '60',
      ANTHROPIC_API_KEY: 'no-key-at-all',
      ANTHROPIC_BASE_URL: model.baseUrl,
      TEMPORAL_ADDRESS: testAddress(),
      FAULT_BACKEND: barriers.url,
      FAULT_LEDGER: join(home, 'ledger.txt'),
    };
  });

  afterAll(async () => {
    for (const worker of workers) await worker.kill();
    for (const end of close) await end();
    await rm(home, { recursive: true, force: true });
  });

  it('fails no turn, runs no call twice, and lets every effect happen once', async () => {
    let pair = await Promise.all([start(), start()]);
    const turns = await Promise.all(TURNS.map((turn) => client.start({ agent: 'clerk', message: `Turn ${turn}.` })));

    for (const phase of PHASES) {
      if (phase === 'book') await Promise.all(turns.map(async (turn) => approveFirst(turn)));
      const pids = await barriers.full(phase);
      const [old, other] = pair[0].pid === pids[0] ? pair : [pair[1], pair[0]]; // one that runs calls of this phase
      const said = old.logs('draining');
      old.signal('SIGTERM');
      await said;
      barriers.open(phase);
      expect(await old.ended).toBe('0');
      expect(old.lastEvent('stopped; everything had ended')).toMatchObject({ handed_back: [], cut_off: [] });
      pair = [other, await start()];
    }

    const views = await Promise.all(turns.map((turn) => turn.result()));
    expect(views.map((view) => `${view.state} ${view.calls.map((call) => call.state).join(' ')}`)).toEqual(
      TURNS.map(() => 'completed succeeded succeeded succeeded succeeded'),
    );
    for (const phase of PHASES) expect(barriers.seen(phase)).toEqual(TURNS); // each call ran once
    const ledger = (await readFile(env.FAULT_LEDGER!, 'utf8')).trim().split('\n');
    for (const name of ['note', 'book']) {
      const lines = ledger.filter((line) => line.startsWith(`${name} `));
      expect(lines).toHaveLength(TURNS.length);
      expect(new Set(lines.map((line) => line.split(' ')[2])).size).toBe(TURNS.length); // each with a key of its own
    }
    const booked = ledger.filter((line) => line.startsWith('book ')).map((line) => line.split(' ')[2]);
    expect(views.map((view) => view.calls[2]!.idempotency_key).sort()).toEqual(booked.sort());
    expect(workers).toHaveLength(2 + PHASES.length);
    for (const turn of turns.slice(0, 3)) await keepForReplay(client.temporal, turn);
  }, 400_000);

  async function start(): Promise<WorkerProcess> {
    const worker = new WorkerProcess(env, APP);
    workers.push(worker);
    await worker.ready;
    return worker;
  }

  async function approveFirst(turn: Awaited<ReturnType<HoldfastClient['start']>>): Promise<void> {
    const [call] = await turn.waitForPending();
    await turn.approve(call!.digest, { by: 'ana' });
  }
});

/** The same four calls for each turn, one after the other; depends on the conversation alone. */
function answer(body: JsonObject): ScriptedResponse {
  const messages = body.messages as JsonObject[];
  const turn = Number(/Turn (\d+)\./.exec(JSON.stringify(messages[0]))![1]);
  const phase = PHASES[messages.filter((message) => message.role === 'assistant').length];
  if (phase === undefined) return { content: [{ type: 'text', text: 'Done.' }] };
  return { content: [{ type: 'tool_use', name: phase, input: { turn } }] };
}

/** Holds the calls of a phase until the test opens it. */
class Barriers {
  private readonly held = new Map<string, { turn: number; pid: number; go: () => void }[]>();
  private readonly opened = new Set<string>();

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Barriers> {
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://backend');
      const text = (name: string) => searchParams.get(name) ?? '';
      barriers.arrive(text('phase'), { turn: Number(text('turn')), pid: Number(text('pid')), go: () => response.end() });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    const barriers = new Barriers(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, close);
    return barriers;
  }

  /** Resolves when the call of every turn stands there; the processes that run them. */
  async full(phase: Phase): Promise<number[]> {
    await eventually(`${TURNS.length} calls of ${phase} run`, async () => this.at(phase).length >= TURNS.length, 60_000);
    return this.at(phase).map(({ pid }) => pid);
  }

  open(phase: Phase): void {
    this.opened.add(phase);
    for (const { go } of this.at(phase)) go();
  }

  /** The turns whose call came, in order of their numbers; one that came twice stands there twice. */
  seen(phase: Phase): number[] {
    return this.at(phase)
      .map(({ turn }) => turn)
      .sort((a, b) => a - b);
  }

  private arrive(phase: string, call: { turn: number; pid: number; go: () => void }): void {
    this.held.set(phase, [...(this.held.get(phase) ?? []), call]);
    if (this.opened.has(phase)) call.go();
  }

  private at(phase: string) {
    return this.held.get(phase) ?? [];
  }
}
