/**
 * Measures the gateway under load, beside a bare Fastify route that starts an empty workflow: with the same server and the same
 * worker process, alternately in each round, so that a disturbance of the machine affects both. There are two parts. First no
 * worker runs: starts are accepted and wait, so that only the HTTP servers differ. Then workers run, and share the machine with
 * the HTTP server: even a turn of a single step is more work than an empty workflow. The bare route that starts our turns shows
 * how much of the difference comes from that.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { defaultTrustedKeys } from '../src/config';
import { startDevServer, type DevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import { watchers, type Watchers } from './gateway-watchers';
import { Face } from './support/face-process';
import { load, type Answered, type Load } from './support/http-load';
import { AGENT } from './support/our-app';
import { median } from './support/quantile';
import { Side } from './support/side-process';
import { ONE_STEP, WAITING_TURN } from './support/workload';

export interface GatewayOptions {
  rounds: number;
  /** Starts in a round: without workers, and with workers (`startsWorked`). */
  starts: number;
  startsWorked: number;
  atOnce: number;
  watchers: number;
  /** Run the first part only. */
  onlyFaces: boolean;
  /** Folder for a CPU profile of the gateway while no worker runs. */
  profile?: string;
}

export interface Figures {
  /** Medians over the rounds; `failed` is the sum. */
  untouched: Record<Kind, Answered>;
  more?: {
    worked: Record<Kind, Answered & { endsPerSecond: number }>;
    shown: Record<'bare' | 'gateway', Answered>;
    watchers: Watchers;
  };
}
type More = NonNullable<Figures['more']>;

const KINDS = ['bare, empty workflow', 'bare, our turn', 'gateway', 'gateway, with a key'] as const;
export type Kind = (typeof KINDS)[number];
type Say = (line: string) => void;
const BODY = { agent: AGENT, message: 'Look up.' };

export async function gateway(options: GatewayOptions, say: Say): Promise<Figures> {
  const { profile, ...rest } = options;
  const untouched = await onServer({ ...options, say }, (stack) => withoutWorkers(stack, options, say));
  if (options.onlyFaces) return { untouched };
  const worked = await onServer({ ...rest, say }, (stack) => withWorkers(stack, options, say));
  const watched = await onServer({ ...rest, say }, async ({ dev, ours, home }) => {
    const trustedKeys = defaultTrustedKeys(home); // the gateway signs decisions
    const side = await Side.start({ kind: 'ours', address: dev.address, script: WAITING_TURN, trustedKeys });
    return watchers(ours, options.watchers, say).finally(() => side.stop());
  });
  return { untouched, more: { ...worked, watchers: watched } };
}

interface Stack {
  dev: DevServer;
  bare: Face;
  ours: Face;
  /** HOLDFAST_HOME of the gateway. */
  home: string;
}

/** Runs the function with a Temporal server of its own, the gateway and the bare HTTP server. */
export async function onServer<T>(
  { profile, say }: { profile?: string; say: Say },
  run: (stack: Stack) => Promise<T>,
): Promise<T> {
  const { path } = await findTemporalCli({ onProgress: say });
  const home = await mkdtemp(join(tmpdir(), 'holdfast-bench-gateway-'));
  const dev = await startDevServer({ cli: path, port: 0, headless: true });
  const faces: Face[] = [];
  try {
    const bare = await Face.bare(dev.address);
    faces.push(bare);
    const ours = await Face.gateway({ address: dev.address, home, ...(profile === undefined ? {} : { profile }) });
    faces.push(ours);
    return await run({ dev, bare, ours, home });
  } finally {
    await Promise.all(faces.map((face) => face.stop()));
    await dev.stop();
    await rm(home, { recursive: true, force: true });
  }
}

function starts({ bare, ours }: Stack, count: number, atOnce: number): Record<Kind, Load> {
  const common = { body: BODY, count, atOnce };
  return {
    'bare, empty workflow': { ...common, face: bare, path: '/empty' },
    'bare, our turn': { ...common, face: bare, path: '/turn' },
    gateway: { ...common, face: ours, path: '/v1/turns' },
    'gateway, with a key': { ...common, face: ours, path: '/v1/turns', keyed: true },
  };
}

async function withoutWorkers(stack: Stack, options: GatewayOptions, say: Say): Promise<Figures['untouched']> {
  for (const kind of KINDS) await load(starts(stack, options.starts, options.atOnce)[kind]); // warm-up
  const taken = samples<Answered>();
  for (let round = 1; round <= options.rounds; round++) {
    for (const kind of inTurns(round)) taken[kind].push(await load(starts(stack, options.starts, options.atOnce)[kind]));
    say(`  round ${round} of ${options.rounds} without workers: ${rates(taken)}`);
  }
  return each((kind) => summary(taken[kind]));
}

async function withWorkers(stack: Stack, options: GatewayOptions, say: Say): Promise<Omit<More, 'watchers'>> {
  const { address } = stack.dev;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const sides: Side[] = [];
  try {
    for (const kind of ['empty', 'ours'] as const) sides.push(await Side.start({ kind, address, script: ONE_STEP }));
    const taken = samples<Answered & { endsPerSecond: number }>();
    for (let round = 0; round <= options.rounds; round++) {
      for (const kind of inTurns(round)) {
        const began = performance.now();
        const answered = await load(starts(stack, options.startsWorked, options.atOnce)[kind]);
        await untilDone(client); // otherwise its work would count for the next kind
        const endsPerSecond = (options.startsWorked * 1000) / (performance.now() - began);
        if (round > 0) taken[kind].push({ ...answered, endsPerSecond });
      }
      say(`  round ${round} of ${options.rounds} with workers: ${round === 0 ? 'warm' : rates(taken)}`);
    }
    const worked = each((kind) => ({
      ...summary(taken[kind]),
      endsPerSecond: median(taken[kind].map(({ endsPerSecond }) => endsPerSecond)),
    }));
    return { worked, shown: await show(stack, options) };
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
    await connection.close();
  }
}

/** Requests the view of an ended turn, or of an ended workflow, again and again. */
async function show({ bare, ours }: Stack, { rounds, starts: count, atOnce }: GatewayOptions): Promise<More['shown']> {
  const started = async (face: Face, path: string): Promise<string> => {
    const headers = { ...face.headers, 'content-type': 'application/json' };
    const answer = await fetch(face.url + path, { method: 'POST', headers, body: JSON.stringify(BODY) });
    const { turn_id, workflow_id } = (await answer.json()) as { turn_id?: string; workflow_id: string };
    return turn_id ?? workflow_id;
  };
  const loads = {
    bare: { face: bare, path: `/empty/${await started(bare, '/empty')}`, count, atOnce },
    gateway: { face: ours, path: `/v1/turns/${await started(ours, '/v1/turns')}`, count, atOnce },
  };
  await sleep(1000); // both have ended
  const taken = { bare: [] as Answered[], gateway: [] as Answered[] };
  for (let round = 0; round <= rounds; round++)
    for (const kind of ['bare', 'gateway'] as const) {
      const answered = await load(loads[kind]);
      if (round > 0) taken[kind].push(answered);
    }
  return { bare: summary(taken.bare), gateway: summary(taken.gateway) };
}

async function untilDone(client: Client): Promise<void> {
  while ((await client.workflow.count("ExecutionStatus = 'Running'")).count > 0) await sleep(50);
}

/** The kinds in order; each round begins with another one. */
function inTurns(round: number): Kind[] {
  const from = round % KINDS.length;
  return [...KINDS.slice(from), ...KINDS.slice(0, from)];
}

function each<T>(of: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<Kind, T>;
}
const samples = <T>() => each((): T[] => []);

/** Starts per second in the latest round. */
const rates = (taken: Record<Kind, Answered[]>) => KINDS.map((kind) => taken[kind].at(-1)!.perSecond.toFixed(0)).join(', ');

function summary(taken: Answered[]): Answered {
  const of = (name: keyof Answered) => median(taken.map((one) => one[name]));
  const failed = taken.reduce((sum, one) => sum + one.failed, 0);
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), cpuMs: of('cpuMs'), failed };
}
