/**
 * The stage of a fault test: a turn whose model, reads and mail server are the test's own, and worker
 * processes that are started and killed one after the other over one store.
 *
 * Unless a test brings its own, the turn is always the same: the model asks for four reads at once, then for the memo, then says that it is done.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { NoWorker } from '../../../src/client/errors';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { makeClient } from '../../../src/temporal/make-client';
import { startRehearsal, type Rehearsal, type ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { eventually } from '../../engine/support/engine';
import { Gates, type Gate } from './fault-gates';
import { startBackend, startPostOffice, type Backend, type PostOffice } from './fault-servers';

export const KEYS = ['a', 'b', 'c', 'd'];

const ROOT = join(__dirname, '../../..');
const CLI = join(ROOT, 'dist/cli/main.js');
const APP = join(ROOT, 'test/system/fault/fixtures/memo.app.ts');
const READY_WITHIN = 60_000;
const MEMO = {
  recipient: 'credit@example.com',
  subject: 'Credit memo: a company',
  body_md: `# Credit memo\n\n${'Every figure in it was read before. '.repeat(5)}`,
};

export interface Stage {
  /** Folder of the workers' state; the store is in it. */
  home: string;
  taskQueue: string;
  gates: Gates;
  backend: Backend;
  post: PostOffice;
  model: Rehearsal;
  client: HoldfastClient;
  turn: TurnHandle;
  /** Every worker that was started, dead or alive. */
  workers: WorkerProcess[];
  /** Starts another worker; `address` for a worker that reaches Temporal through a proxy. */
  startWorker(address?: string, settings?: Record<string, string>): Promise<WorkerProcess>;
  /** Starts the turn; the gates that the row needs must be closed before. */
  begin(agent?: string): Promise<TurnHandle>;
  /** After a restart of the server: connects anew. */
  reconnect(): Promise<void>;
  /** Kills what is left of the workers, closes everything, and removes the store. */
  close(): Promise<void>;
}

/**
 * @param play.app the file that the workers serve
 * @param play.node the program that runs the workers; default: the Node of this process
 * @param play.answer the model's answer to a request; it depends on the conversation alone
 */
export async function openStage(
  address: string,
  play: { app?: string; node?: string; answer?: (body: JsonObject) => ScriptedResponse } = {},
): Promise<Stage> {
  if (!existsSync(CLI)) throw new Error('dist/ has not been built. Run `npm run setup`.');
  const home = await mkdtemp(join(tmpdir(), 'holdfast-fault-'));
  const taskQueue = `fault-${randomBytes(6).toString('hex')}`;
  const gates = new Gates();
  const backend = await startBackend(gates);
  const post = await startPostOffice(gates);
  const script = Array.from({ length: 100 }, () => play.answer ?? memoAnswer);
  const onRequest = (body: JsonObject) => gates.pass(`model ${stepOf(body)}`, `model ${stepOf(body)}${ofWhom(body)}`);
  const model = await startRehearsal({ script, onRequest });
  const connect = async () => {
    const connection = await Connection.connect({ address });
    return new HoldfastClient(makeClient({ connection, namespace: 'default', codec: null }), { taskQueue, uiUrl: null });
  };
  const env = {
    HOLDFAST_HOME: home,
    HOLDFAST_TASK_QUEUE: taskQueue,
    HOLDFAST_MODEL: 'anthropic',
    HOLDFAST_LOG_LEVEL: 'error',
    ANTHROPIC_API_KEY: 'no-key-at-all',
    ANTHROPIC_BASE_URL: model.baseUrl,
    FAULT_BACKEND: backend.url,
    FAULT_SMTP_PORT: String(post.port),
  };
  const stage: Stage = {
    home,
    taskQueue,
    gates,
    backend,
    post,
    model,
    client: await connect(),
    turn: undefined as never,
    workers: [],
    async startWorker(by = address, settings = {}) {
      const worker = new WorkerProcess({ ...env, TEMPORAL_ADDRESS: by, ...settings }, play.app, play.node);
      stage.workers.push(worker);
      await worker.ready;
      return worker;
    },
    async begin(agent = 'memo') {
      stage.turn = await stage.client.start({ agent, message: 'Send the memo.' });
      return stage.turn;
    },
    async reconnect() {
      const { client } = stage;
      stage.client = await connect();
      await client.close();
    },
    async close() {
      for (const worker of stage.workers) await worker.kill();
      await Promise.all([stage.client.close(), backend.close(), post.close(), model.close()]);
      await rm(home, { recursive: true, force: true });
    },
  };
  return stage;
}

/**
 * One of several turns that share a stage, and its workers: what it sees of gates, mails, reads and model requests is this
 * turn's alone. Gates of effect records are closed by `closeRecordGate`, as only the call's key tells them apart.
 */
export function sceneOf(stage: Stage, name: string): Stage {
  const mine = ` of ${name}`;
  const close = (point: string) => stage.gates.close(point.includes(' of ') ? point : point + mine);
  let id = '';
  const own: { [Field in keyof Stage]?: () => Stage[Field] } = {
    turn: () => stage.client.turn(id),
    gates: () => Object.create(stage.gates, { close: { value: close } }) as Gates,
    post: () => ({ ...stage.post, mails: stage.post.mails.filter((to) => to === `${name}@example.com`) }),
    backend: () => ({ ...stage.backend, reads: ownReads(stage.backend.reads, mine) }),
    model: () => ({ ...stage.model, requests: stage.model.requests.filter((body) => ofWhom(body) === mine) }),
    begin:
      () =>
      async (agent = 'memo') => {
        const turn = await stage.client.start({ agent, message: `Send the memo${mine}.` });
        id = turn.id;
        return turn;
      },
  };
  const fields = Object.entries(own).map(([field, get]) => [field, { get }]);
  return Object.create(stage, Object.fromEntries(fields) as PropertyDescriptorMap) as Stage;
}

function ownReads(reads: Record<string, number>, mine: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(reads).flatMap(([key, count]) => (key.endsWith(mine) ? [[key.slice(0, -mine.length), count]] : [])),
  );
}

/** Closes a gate at an effect record of the call that waits. */
export async function closeRecordGate({ gates, turn }: Stage, point: string): Promise<Gate> {
  const [call] = await turn.waitForPending();
  return gates.close(`${point} of ${call.idempotency_key}`);
}

/** Runs `work`; an error includes the workers' output. */
export async function hearing<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const said = stage.workers.map(({ output }) => output).join('\n');
    throw new Error(`${String(error)}\nThe workers said:\n${said}`, { cause: error });
  }
}

/** A real `holdfast worker` process. */
export class WorkerProcess {
  readonly ready: Promise<void>;
  /** How it ended: `SIGKILL`, or an exit code. */
  readonly ended: Promise<string>;
  /** The same, once it has ended. */
  how: string | undefined;
  private readonly child: ChildProcess;
  private said = '';

  constructor(settings: Record<string, string>, app = APP, node = process.execPath) {
    const { PATH, HOME } = process.env;
    // The pipe of `fork` ties it to us: when this process dies, the worker ends too.
    this.child = fork(CLI, ['worker', '--app', app], {
      cwd: ROOT,
      env: { PATH, HOME, ...settings },
      execArgv: [],
      execPath: node,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const keep = (text: Buffer) => (this.said = (this.said + text.toString()).slice(-8000));
    this.child.stdout!.on('data', keep);
    this.child.stderr!.on('data', keep);
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code, signal) => resolve((this.how = String(signal ?? code)))),
    );
    this.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The worker was not ready in time. It said:\n${this.said}`)), READY_WITHIN);
      this.child.once('message', () => {
        clearTimeout(timer);
        resolve();
      });
      void this.ended.then((how) => {
        clearTimeout(timer);
        reject(new Error(`The worker ended (${how}) before it was ready. It said:\n${this.said}`));
      });
    });
    this.ready.catch(() => undefined);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get output(): string {
    return this.said;
  }

  /** Resolves when it logs an event with this message; ask before it can happen. */
  async logs(message: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      let text = '';
      const look = (chunk: Buffer) => {
        text = (text + chunk.toString()).slice(-20_000);
        if (text.includes(`"msg":${JSON.stringify(message)}`)) resolve();
      };
      this.child.stderr!.on('data', look);
      void this.ended.then((how) => reject(new Error(`The worker ended (${how}) without logging "${message}". ${this.said}`)));
    });
  }

  /** The fields of the last event that it logged with this message. */
  lastEvent(message: string): Record<string, unknown> | undefined {
    const lines = this.said
      .split('\n')
      .filter((line) => line.endsWith(`"msg":${JSON.stringify(message)}}`) && line.startsWith('{'));
    return lines.length === 0 ? undefined : (JSON.parse(lines.at(-1)!) as Record<string, unknown>);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<string> {
    this.child.kill('SIGKILL');
    return this.ended;
  }

  /** An orderly end: running calls are ended first. */
  async stop(): Promise<string> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  isGone(): boolean {
    return isGone(this.pid);
  }
}

export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/**
 * Asks again where no worker answered: a query after a kill waits ten seconds for the dead worker before another gets it.
 * For queries, and for requests with an id of their own.
 */
export async function onceAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const until = Date.now() + 120_000;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NoWorker) || Date.now() > until) throw error;
    }
  }
}

/** The turn's state as Temporal lists it: answered without a worker. */
export async function listedState({ client, turn }: Stage): Promise<string> {
  const { searchAttributes } = await client.temporal.workflow.getHandle(turn.workflowId).describe();
  return String((searchAttributes?.HoldfastState as unknown[] | undefined)?.[0] ?? '');
}

export async function reachesState(stage: Stage, ...states: string[]): Promise<string> {
  return eventually(
    `state ${states.join(' or ')}`,
    async () => {
      const state = await listedState(stage);
      return states.includes(state) && state;
    },
    60_000,
  );
}

export interface Recorded {
  /** Completed activities, by type. */
  completed: Record<string, number>;
  /** Scheduled activities, by type. */
  scheduled: Record<string, number>;
  /** Processes that a worker's event names. */
  pids: Set<number>;
}

/** The history so far; answered without a worker. */
export async function recorded({ client, turn }: Stage): Promise<Recorded> {
  const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
  const types = new Map<string, string>();
  const found: Recorded = { completed: {}, scheduled: {}, pids: new Set() };
  for (const event of history.events ?? []) {
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskCompletedEventAttributes: completed } = event;
    if (scheduled) {
      const type = scheduled.activityType?.name ?? '';
      types.set(String(event.eventId), type);
      found.scheduled[type] = (found.scheduled[type] ?? 0) + 1;
    }
    if (completed) {
      const type = types.get(String(completed.scheduledEventId)) ?? '';
      found.completed[type] = (found.completed[type] ?? 0) + 1;
    }
    const identity = completed?.identity ?? event.workflowTaskCompletedEventAttributes?.identity;
    if (identity) found.pids.add(Number(identity.split('@')[0]));
  }
  return found;
}

/** Waits until so many runs of an activity are recorded as completed. */
export function recordedRuns(stage: Stage, type: string, count: number): Promise<true> {
  return eventually(`${count} completed ${type}`, async () => (await recorded(stage)).completed[type] === count);
}

/** Waits until the memo waits, and gives its digest. */
export async function memoWaits({ turn }: Stage): Promise<string> {
  const [call] = await turn.waitForPending();
  return call!.digest;
}

/** Approves by signal, as the Web UI does: that needs no worker. */
export function approve({ client, turn }: Stage, digest: string): Promise<void> {
  return client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: digest, by: 'ana' });
}

function stepOf(body: JsonObject): number {
  return 1 + (body.messages as JsonObject[]).filter((message) => message.role === 'assistant').length;
}

/** The memo of a scene, to a recipient of its own, where the turn's message names it. */
export function memoOf(body: JsonObject) {
  const whose = ofWhom(body);
  return whose === '' ? MEMO : { ...MEMO, recipient: `${whose.slice(' of '.length)}@example.com` };
}

/** ` of NAME`, where the turn's message says so. */
function ofWhom(body: JsonObject): string {
  return /memo( of \w+)\./.exec(JSON.stringify((body.messages as JsonObject[])[0]))?.[1] ?? '';
}

/** Depends on the conversation alone: a request that is repeated gets the same answer. */
function memoAnswer(body: JsonObject): ScriptedResponse {
  const step = stepOf(body);
  const whose = ofWhom(body);
  const read = (key: string) => ({ type: 'tool_use' as const, name: 'read_figure', input: { key: key + whose } });
  if (step === 1) return { content: KEYS.map(read) };
  if (step === 2) return { content: [{ type: 'tool_use', name: 'send_credit_memo', input: memoOf(body) }] };
  return { content: [{ type: 'text', text: 'Done.' }] };
}
