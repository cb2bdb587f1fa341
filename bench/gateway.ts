/**
 * The gateway under load, beside a bare Fastify route that starts an empty workflow: same server, same worker process,
 * round by round in turns, so that a noisy moment meets both. In two parts. First no worker runs: starts are taken and wait,
 * and what differs is the face alone. Then workers run, and share the machine with it: a turn, even one of a single step, is
 * more work than an empty workflow; the bare route that starts our turns says how much of the difference is that.
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
  /** Starts of a round without workers, and with them. */
  starts: number;
  startsWorked: number;
  atOnce: number;
  watchers: number;
  /** Only the first part. */
  onlyFaces: boolean;
  /** Folder for a CPU profile of the gateway without workers. */
  profile?: string;
}

export interface Figures {
  /** Medians over the rounds; `failed` is their sum. */
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
  /** HOLDFAST_HOME of ours. */
  home: string;
}

/** A server of its own with both faces. */
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
  for (const kind of KINDS) await load(starts(stack, options.starts, options.atOnce)[kind]); // warm
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
        await untilDone(client); // or its work would fall on the next
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

/** Asks for one that has ended, again and again. */
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

/** Each round begins with another one. */
function inTurns(round: number): Kind[] {
  const from = round % KINDS.length;
  return [...KINDS.slice(from), ...KINDS.slice(0, from)];
}

function each<T>(of: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<Kind, T>;
}
const samples = <T>() => each((): T[] => []);

/** Starts a second of the latest round. */
const rates = (taken: Record<Kind, Answered[]>) => KINDS.map((kind) => taken[kind].at(-1)!.perSecond.toFixed(0)).join(', ');

function summary(taken: Answered[]): Answered {
  const of = (name: keyof Answered) => median(taken.map((one) => one[name]));
  const failed = taken.reduce((sum, one) => sum + one.failed, 0);
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), cpuMs: of('cpuMs'), failed };
}
