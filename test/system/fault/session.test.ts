/**
 * A long conversation with a worker that is killed again and again: thirty turns, in several runs of the session,
 * compacted on the way, steered, interrupted, forked from its middle. No message may be lost or appear twice.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { HoldfastClient } from '../../../src/client';
import type { SessionHandle } from '../../../src/client/sessions/session-handle';
import { dataConverter } from '../../../src/temporal/data-converter';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { startRehearsal, type Rehearsal, type ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { FileStore } from '../../../src/store/files/file-store';
import { walk } from '../../../src/store/core/transcript';
import { eventually } from '../../engine/support/engine';
import { onceAnswered, WorkerProcess } from '../support/fault-stage';
import { Gates } from '../support/fault-gates';
import { afterTurns, chainFaults, replayedSession } from '../../engine/support/sessions';

const TURNS = 30;
const KILLS = 5;
const STEERED = 13;
const FORKED = 15;
const INTERRUPTED = 20;
const APP = join(__dirname, 'fixtures/session.app.ts');
/** Long enough that the window is full after some turns. */
const PADDING = 'and so on and so forth, '.repeat(30);
const message = (turn: number) => `Message ${turn}. ${PADDING}`;

describe('a conversation of thirty turns', () => {
  let home: string;
  let server: DevServer;
  let native: NativeConnection;
  let model: Rehearsal;
  let client: HoldfastClient;
  let worker: WorkerProcess;
  let env: Record<string, string>;
  const gates = new Gates();

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'holdfast-session-'));
    const { path } = await findTemporalCli();
    const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 150 };
    server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
    const onRequest = (body: JsonObject) => gates.pass(`message ${lastMessage(body) ?? 0}`);
    model = await startRehearsal({ script: Array.from({ length: 1000 }, () => answer), onRequest });
    const connection = await Connection.connect({ address: server.address });
    native = await NativeConnection.connect({ address: server.address });
    const taskQueue = `session-${randomBytes(6).toString('hex')}`;
    client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
    env = {
      HOLDFAST_HOME: home,
      HOLDFAST_TASK_QUEUE: taskQueue,
      HOLDFAST_MODEL: 'anthropic',
      HOLDFAST_LOG_LEVEL: 'error',
      ANTHROPIC_API_KEY: 'no-key-at-all',
      ANTHROPIC_BASE_URL: model.baseUrl,
      TEMPORAL_ADDRESS: server.address,
    };
    worker = new WorkerProcess(env, APP);
    await worker.ready;
  });

  afterAll(async () => {
    await worker.kill();
    await Promise.all([client.close(), native.close(), model.close()]);
    await server.stop();
    await rm(home, { recursive: true, force: true });
  });

  it('continues in other runs, is compacted, steered, interrupted and forked, while a worker is killed five times', async () => {
    const kills = killPlan();
    console.log(`a worker is killed during turns ${[...kills].join(', ')}`); // to find out why it failed
    const session = await client.openSession({ agent: 'talker', id: `long-${randomBytes(4).toString('hex')}` });
    const heads: (string | null)[] = [];
    for (let turn = 1; turn <= TURNS; turn++) {
      const restarted = kills.has(turn) ? killSoon() : Promise.resolve();
      const view =
        turn === STEERED ? await steered(session) : turn === INTERRUPTED ? await interrupted(session) : await said(session, turn);
      heads.push(view.head);
      await restarted;
    }

    const end = await afterTurns(session, TURNS + 1); // the interrupted one, resumed
    expect(end.held).toBeNull();
    expect(end.cached_share!).toBeGreaterThan(0.3);
    console.log(
      `cached share of all that was sent: ${end.cached_share!.toFixed(2)}; ${end.usage.input_tokens + end.usage.cache_read_tokens + end.usage.cache_creation_tokens!} tokens`,
    );

    const store = await FileStore.open(join(home, 'store'));
    const blocks = await walk(store, end.head); // each block is held to its hash
    expect(await chainFaults(store, end.head)).toEqual([]);
    const hashes = blocks.map(({ hash }) => hash);
    expect(heads.map((head) => hashes.indexOf(head!)).every((at, index, all) => at > (all[index - 1] ?? -1))).toBe(true);
    expect(blocks.filter(({ block }) => block.kind === 'summary').length).toBeGreaterThanOrEqual(1);
    const spoken = blocks.filter(({ block }) => block.kind === 'message').map(({ bodies }) => JSON.stringify(bodies));
    const numbers = spoken.flatMap((text) => /"Message (\d+)\./.exec(text)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(Array.from({ length: TURNS }, (_, index) => index + 1));
    expect(spoken.filter((text) => text.includes('In euros, please.'))).toHaveLength(1);
    expect(spoken.filter((text) => text.includes('Go on.'))).toHaveLength(1);

    const forked = await client.fork({ from: heads[FORKED - 1]! });
    const other = await said(forked, TURNS + 1);
    const chain = await walk(store, other.head);
    expect(chain.map(({ hash }) => hash).slice(0, hashes.indexOf(heads[FORKED - 1]!) + 1)).toEqual(
      hashes.slice(0, hashes.indexOf(heads[FORKED - 1]!) + 1),
    );
    expect(await chainFaults(store, other.head)).toEqual([]);

    const runs = await replayedSession(client, session);
    console.log(`${runs} runs of the session`);
    expect(runs).toBeGreaterThanOrEqual(3);
  }, 560_000);

  async function said(session: SessionHandle, turn: number): Promise<TurnView> {
    const { turn_id } = await onceAnswered(() => session.send(message(turn), { id: `m-${turn}` }));
    const view = await resultOf(session, turn_id);
    expect(`${view.state}: ${view.text.slice(0, `Answer to ${turn}.`.length)}`).toBe(`completed: Answer to ${turn}.`);
    return view;
  }

  async function steered(session: SessionHandle): Promise<TurnView> {
    const gate = gates.close(`message ${STEERED}`);
    const { turn_id } = await onceAnswered(() => session.send(message(STEERED), { id: 'steered' }));
    await gate.reached();
    await onceAnswered(() => session.steer('In euros, please.', { by: 'ana' }));
    gate.open();
    const view = await resultOf(session, turn_id);
    expect(view).toMatchObject({ state: 'completed', steered_by: ['ana'] });
    return view;
  }

  async function interrupted(session: SessionHandle): Promise<TurnView> {
    const gate = gates.close(`message ${INTERRUPTED}`);
    const { turn_id } = await onceAnswered(() => session.send(message(INTERRUPTED), { id: 'interrupted' }));
    await gate.reached();
    await onceAnswered(() => session.interrupt({ by: 'ana' }));
    expect(await resultOf(session, turn_id)).toMatchObject({ state: 'cancelled', reason: 'Interrupted by ana.' });
    gate.open();
    await eventually('it is held', async () => (await onceAnswered(() => session.status())).held !== null);
    const resumed = await onceAnswered(() => session.resume(undefined, { id: 'resumed' }));
    const view = await resultOf(session, resumed.turn_id);
    expect(view.state).toBe('completed');
    return view;
  }

  async function resultOf(session: SessionHandle, turnId: string): Promise<TurnView> {
    const turn = await onceAnswered(() => session.started(turnId));
    return onceAnswered(() => turn.result());
  }

  /** Kills a worker at some moment of the turn that begins now. Resolves when another worker is ready. */
  async function killSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 800));
    expect(await worker.kill()).toBe('SIGKILL');
    worker = new WorkerProcess(env, APP);
    await worker.ready;
  }
});

/** Not while the test holds the model: a held request of a dead worker holds up nothing. */
function killPlan(): Set<number> {
  const may = Array.from({ length: TURNS }, (_, index) => index + 1).filter((turn) => turn !== STEERED && turn !== INTERRUPTED);
  const plan = new Set<number>();
  while (plan.size < KILLS) plan.add(may[Math.floor(Math.random() * may.length)]!);
  return plan;
}

function texts(body: JsonObject): string[] {
  return (body.messages as { role: string; content: JsonObject[] }[])
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])));
}

/** Null for a request to summarize. */
function lastMessage(body: JsonObject): number | null {
  const said = texts(body);
  if (said.at(-1)!.startsWith('Summarize this conversation')) return null;
  const numbers = said.flatMap((text) => /^Message (\d+)\./.exec(text)?.[1] ?? []);
  return Number(numbers.at(-1) ?? 0);
}

/** Depends on the conversation alone; every fifth turn looks something up first. */
function answer(body: JsonObject): ScriptedResponse {
  const turn = lastMessage(body);
  if (turn === null) return { content: [{ type: 'text', text: 'They send numbered messages, and are answered.' }] };
  const last = (body.messages as { content: JsonObject[] }[]).at(-1)!.content;
  const looked = last.some(({ type }) => type === 'tool_result');
  if (turn % 5 === 0 && !looked) return { content: [{ type: 'tool_use', name: 'look', input: { key: `k${turn}` } }] };
  return { content: [{ type: 'text', text: `Answer to ${turn}. ${PADDING}` }] };
}
