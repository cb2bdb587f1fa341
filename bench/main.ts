/** `npm run bench`: measures what a turn costs, each figure beside a comparison from the same run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { admission } from './admission';
import { auditReplay } from './audit-replay';
import { auditVerify } from './audit-verify';
import { fleet } from './fleet/fleet';
import { gateway } from './gateway';
import { gatewayMemory } from './gateway-memory';
import { growth } from './growth';
import { history } from './history';
import { imports } from './imports';
import { inbox } from './inbox';
import {
  admissionTable,
  fleetTable,
  gatewayMemoryTable,
  gatewayTable,
  growthTable,
  historyTable,
  importsTable,
  inboxTable,
  replayTable,
  speedTable,
  storeTable,
  tracesTable,
  verifyTable,
  waitingTable,
} from './report';
import { SERVERS, speed, type ServerKind } from './speed';
import { store } from './store';
import { traces } from './traces';
import { waiting, type Waiting } from './waiting';

const PARTS = [
  'speed',
  'history',
  'growth',
  'waiting',
  'inbox',
  'admission',
  'store',
  'gateway',
  'audit-replay',
  'audit-verify',
  'imports',
  'traces',
  'fleet',
] as const;
/** Runs only if it is named: half an hour, and a machine that does nothing else. */
const ONLY_BY_NAME: Part = 'fleet';
type Part = (typeof PARTS)[number];

const positive = (text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999999.');
  return Number(text);
};
const servers = (text: string, before: ServerKind[]): ServerKind[] => {
  if (!(SERVERS as readonly string[]).includes(text)) throw new InvalidArgumentError(`It must be one of ${SERVERS.join(', ')}.`);
  return [...before, text as ServerKind];
};
const part = (text: string): Part => {
  if (!(PARTS as readonly string[]).includes(text)) throw new InvalidArgumentError(`It must be one of ${PARTS.join(', ')}.`);
  return text as Part;
};

const program = new Command('npm run bench --')
  .description(
    'Measures turn overhead, growth of history and of the store, turns that wait, the inbox, admission, stores, the gateway under load, replays, verification, imports and traces; prints tables, and writes the figures as JSON. fleet: a run with faults, judged by a ledger.',
  )
  .argument('[part]', `${PARTS.join(', ')}; default: all but ${ONLY_BY_NAME}`, part)
  .option('--server <kind...>', `speed: ${SERVERS.join(', ')}; default: all`, servers, [])
  .option('--turns <n>', 'speed, traces: turns one after the other, each cell', positive, 100)
  .option('--at-once <n>', 'speed: turns at once', positive, 50)
  .option('--load-turns <n>', 'speed: turns of a round with many at once', positive, 150)
  .option('--waiting <n>', 'waiting, inbox: turns that wait', positive, 1000)
  .addOption(
    new Option('--for <what>', 'waiting: what the turns wait for')
      .choices(['approval', 'time', 'completion'])
      .default('approval'),
  )
  .option('--container-mb <n>', 'waiting: as in a container of so much memory; default: this machine', positive)
  .option('--histories <n>', 'audit-replay: how many are replayed', positive, 1000)
  .option('--megabytes <n>', 'audit-verify: size of the larger bundle', positive, 100)
  .option('--rounds <n>', 'gateway, imports: rounds of each kind', positive, 6)
  .option('--only-faces', 'gateway: only what is measured without workers', false)
  .option(
    '--minutes <n>',
    'gateway: instead, its memory under a steady load for so long; fleet: how long faults happen (30)',
    positive,
  )
  .option('--seed <n>', 'fleet: of the plan of faults', positive, 1)
  .option('--workers <n>', 'fleet: two or more', positive, 3)
  .option('--gateways <n>', 'fleet: two or more', positive, 2)
  .option('--containers', 'fleet: in Docker, by docker-compose.yml; run it by .ci/containers', false)
  .option('--per-minute <n>', 'fleet: turns that start in a minute', positive, 40)
  .option('--every <n>', 'fleet: seconds from one fault to the next', positive, 25)
  .option('--profile <folder>', 'gateway, speed: where CPU profiles go')
  .option('--out <file>', 'where the figures go', '.holdfast/bench/latest.json')
  .parse();

const say = (line: string): void => void process.stderr.write(`${line}\n`);
interface Options {
  server: ServerKind[];
  turns: number;
  atOnce: number;
  loadTurns: number;
  waiting: number;
  for: Waiting['kind'];
  rounds: number;
  histories: number;
  megabytes: number;
  onlyFaces: boolean;
  containers: boolean;
  containerMb?: number;
  minutes?: number;
  seed: number;
  workers: number;
  gateways: number;
  perMinute: number;
  every: number;
  profile?: string;
  out: string;
}
const options = program.opts<Options>();
const [only] = program.processedArgs as [Part | undefined];

async function main(): Promise<void> {
  const figures: Record<string, unknown> = { node: process.version, cpus: cpus().length, at: new Date().toISOString() };
  for (const name of PARTS.filter((candidate) => (only === undefined ? candidate !== ONLY_BY_NAME : candidate === only))) {
    say(`${name}:`);
    if (name === 'speed') console.log(speedTable((figures.speed = await speed(speedOptions(), say)) as never));
    if (name === 'history') console.log(historyTable((figures.history = await history(say)) as never));
    if (name === 'growth') console.log(growthTable((figures.growth = await growth(say)) as never));
    if (name === 'admission') console.log(admissionTable((figures.admission = await admission(say)) as never));
    if (name === 'store') console.log(storeTable((figures.store = await store(say)) as never));
    if (name === 'gateway') await underLoad(figures);
    if (name === 'audit-replay')
      console.log(replayTable((figures.audit_replay = await auditReplay(options.histories, say)) as never));
    if (name === 'audit-verify')
      console.log(verifyTable((figures.audit_verify = await auditVerify(options.megabytes, say)) as never));
    if (name === 'imports') console.log(importsTable((figures.imports = imports(options.rounds, say)) as never));
    if (name === 'traces') console.log(tracesTable((figures.traces = await traces(options.turns, say)) as never));
    if (name === 'fleet') await underFaults(figures);
    if (name === 'inbox') console.log(inboxTable((figures.inbox = await inbox(options.waiting, say)) as never));
    if (name === 'waiting')
      console.log(
        waitingTable((figures.waiting = await waiting(options.for, options.waiting, options.containerMb, say)) as never),
      );
  }
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(options.out, `${JSON.stringify(figures, null, 2)}\n`);
  say(`Figures: ${options.out}`);
}

function speedOptions(): Parameters<typeof speed>[0] {
  const { server, profile, ...rest } = options;
  return { ...rest, servers: server.length > 0 ? server : SERVERS, ...(profile === undefined ? {} : { profile }) };
}

/** Ctrl-C ends the load and the faults, and the run is judged by what it has seen. */
async function underFaults(figures: Record<string, unknown>): Promise<void> {
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  const result = await fleet({ ...options, minutes: options.minutes ?? 30, interrupted: interruption.signal }, say);
  figures.fleet = result;
  console.log(fleetTable(result));
  for (const rule of result.broken) say(`broken: ${rule}`);
  if (result.broken.length > 0) process.exitCode = 1;
}

async function underLoad(figures: Record<string, unknown>): Promise<void> {
  const { minutes, rounds, onlyFaces, profile } = options;
  if (minutes !== undefined)
    return console.log(gatewayMemoryTable((figures.gateway_memory = await gatewayMemory(minutes, say)) as never));
  const load = { rounds, onlyFaces, starts: 500, startsWorked: 60, atOnce: 20, watchers: 200 };
  const gatewayFigures = await gateway({ ...load, ...(profile === undefined ? {} : { profile }) }, say);
  console.log(gatewayTable((figures.gateway = gatewayFigures) as never));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
