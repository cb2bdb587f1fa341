/**
 * `npm run bench -- fleet`: workers, gateways, PostgreSQL and Temporal's server as processes under a steady load with approvals,
 * while faults of a seeded plan happen. A ledger of its own counts effects, and at the end the run is judged.
 */
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRehearsal } from '../../src/model/rehearsal';
import { choosePort } from '../../src/devserver/ports';
import { person } from '../../test/support/gateway';
import { startNativeCluster, type NativeCluster } from '../../test/system/support/native-cluster';
import { readLedger } from './ledger';
import { Load } from './load';
import { gatewayArgs, Member, workerArgs } from './members';
import { answer } from './model';
import { planOf, type Fault } from './plan';
import { sample } from './samples';
import { brokenRules, verdictOf, type Verdict } from './verdict';

export interface FleetOptions {
  minutes: number;
  seed: number;
  workers: number;
  gateways: number;
  /** Turns a minute. */
  perMinute: number;
  /** Seconds from one fault to the next. */
  every: number;
  /** Ends the run in order, as if its time were over. */
  interrupted: AbortSignal;
}

export interface Fleet extends Verdict {
  minutes: number;
  seed: number;
  faults: Record<string, number>;
  restarts: number;
  refusals: Record<string, number>;
  broken: string[];
}

/** After the last fault turns may take as long as they need. Those are stuck of which none has ended for so long. */
const QUIET_MS = 240_000;
const HOME_BYTES = '256m';
const READY_MS = 120_000;

export async function fleet(options: FleetOptions, say: (line: string) => void): Promise<Fleet> {
  const closing: (() => unknown)[] = [];
  try {
    return await run(options, say, closing);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function run(options: FleetOptions, say: (line: string) => void, closing: (() => unknown)[]): Promise<Fleet> {
  const { minutes, seed, workers: workerCount, gateways: gatewayCount, interrupted } = options;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fleet-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await startNativeCluster();
  closing.push(() => cluster.stop());
  const ledger = await startLedger(join(folder, 'ledger.jsonl'));
  closing.push(() => ledger.child.disconnect());
  const model = await startRehearsal({ script: Array.from({ length: 1_000_000 }, () => answer), keep: 1 });
  closing.push(() => model.close());
  const { members, urls, people, homes } = await startMembers(options, {
    folder,
    cluster,
    ledger: ledger.url,
    model: model.baseUrl,
  });
  closing.push(() => Promise.all(members.map((member) => member.close())).then(() => homes.unmount()));
  await untilReady(urls);
  const plan = planOf({ ...options, seconds: minutes * 60, without: homes.areSmall ? [] : ['fill-disk'] });
  if (!homes.areSmall) say('  no disk is filled: that needs root, for a small file system of its own');
  say(
    `  ${workerCount} workers and ${gatewayCount} gateways are ready; ${plan.length} faults in ${minutes} minutes; output: ${folder}`,
  );

  const began = Date.now();
  const { samples, stop } = sample([members[0]!, members[workerCount]!], cluster.store);
  closing.push(stop);
  const ledgerCount = async (key: string) =>
    ((await (await fetch(`${ledger.url}/effects?key=${key}`)).json()) as { count: number }).count;
  const load = new Load({
    ...{ gateways: urls, perMinute: options.perMinute, ledgerCount },
    ...{ starter: people.starter.headers, approver: people.approver.headers },
  });
  closing.push(() => load.close());
  const done: Record<string, number> = {};
  const inject = faultsOf(members, cluster, homes, say);
  const running: Promise<void>[] = [];
  const progress = setInterval(() => say(progressOf(began, load, running.length)), 30_000);
  closing.push(() => clearInterval(progress));
  const wait = (ms: number) => sleep(Math.max(0, ms), undefined, { signal: interrupted }).catch(() => undefined);
  for (const fault of plan) {
    await wait(began + fault.at * 1000 - Date.now());
    if (interrupted.aborted) break;
    running.push(inject(fault, interrupted));
    done[fault.kind] = (done[fault.kind] ?? 0) + 1;
  }
  await wait(began + minutes * 60_000 - Date.now());
  load.stopStarting();
  await Promise.all(running);
  say('  the faults are over; the last turns end');
  await untilEnded(load);
  const ran = (Date.now() - began) / 60_000;
  const verdict = verdictOf(load.turns, readLedger(join(folder, 'ledger.jsonl')), samples);
  const broken = brokenRules(verdict, ran);
  if (broken.length > 0) closing.shift(); // the output of the processes tells why
  const restarts = members.reduce((sum, member) => sum + member.restarts, 0);
  return { minutes: ran, seed, faults: done, restarts, refusals: Object.fromEntries(load.refusals), ...verdict, broken };
}

async function untilEnded(load: Load): Promise<void> {
  for (let [ended, at] = [-1, 0]; !load.hasEnded(); await sleep(500)) {
    const now = load.turns.filter(({ end }) => end !== null).length;
    if (now > ended) [ended, at] = [now, Date.now()];
    else if (Date.now() - at > QUIET_MS) return;
  }
}

async function startLedger(file: string): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(__dirname, 'ledger.ts'), [file], { execArgv: ['--import', 'tsx'], stdio: 'inherit' });
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

interface Around {
  folder: string;
  cluster: NativeCluster;
  ledger: string;
  model: string;
}

async function startMembers({ workers, gateways }: FleetOptions, { folder, cluster, ledger, model }: Around) {
  const people = { starter: person('fleet/rita', 'starter'), approver: person('fleet/ana', 'approver') };
  const keys = join(folder, 'gateways/keys');
  const env = {
    FLEET_LEDGER: ledger,
    HOLDFAST_TASK_QUEUE: 'fleet',
    HOLDFAST_LOG_LEVEL: 'info',
    HOLDFAST_MODEL: 'anthropic',
    ANTHROPIC_API_KEY: 'no-key-at-all',
    ANTHROPIC_BASE_URL: model,
    HOLDFAST_APPROVALS: 'attested',
    HOLDFAST_TRUSTED_KEYS: join(keys, 'trusted.json'),
  };
  const around = (name: string) => ({ name, temporal: cluster.address, store: cluster.store, log: join(folder, `${name}.log`) });
  const members: Member[] = [];
  const homes = new Homes(folder);
  const ports: number[] = [];
  const gatewayEnv = {
    ...env,
    HOLDFAST_HOME: join(folder, 'gateways'),
    HOLDFAST_TOKENS: JSON.stringify([people.starter.entry, people.approver.entry]),
    HOLDFAST_HTTP_RATE: '9999999',
  };
  delete (gatewayEnv as Partial<typeof gatewayEnv>).HOLDFAST_TRUSTED_KEYS; // the gateway makes its key, and trusts it
  for (let index = 1; index <= gateways; index++) {
    const port = await steadyPort();
    ports.push(port);
    members.push(await Member.start({ ...around(`gateway-${index}`), args: gatewayArgs(port), env: gatewayEnv }));
    if (index === 1) await untilReady([`http://127.0.0.1:${port}`], '/healthz'); // one makes the key, the others read it
  }
  const fleetWorkers: Member[] = [];
  for (let index = 1; index <= workers; index++) {
    const name = `worker-${index}`;
    fleetWorkers.push(
      await Member.start({ ...around(name), args: workerArgs(), env: { ...env, HOLDFAST_HOME: homes.make(name) } }),
    );
  }
  return { members: [...fleetWorkers, ...members], urls: ports.map((port) => `http://127.0.0.1:${port}`), people, homes };
}

/** Below those that the system hands out: nobody is given it while a gateway is being started again. */
async function steadyPort(): Promise<number> {
  const port = 23_000 + Math.floor(Math.random() * 8000);
  return choosePort('a gateway of the fleet', port, port).then(
    (chosen) => chosen.port,
    () => steadyPort(),
  );
}

/** A home folder for each worker, on a small file system of its own where this process may mount one. */
class Homes {
  areSmall = true;
  private readonly mounted: string[] = [];

  constructor(private readonly folder: string) {}

  make(name: string): string {
    const home = this.of(name);
    mkdirSync(home, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${HOME_BYTES},mode=700`, 'tmpfs', home], { stdio: 'ignore' });
      this.mounted.push(home);
    } catch {
      this.areSmall = false;
    }
    return home;
  }

  /** @returns what makes room again */
  fill(name: string): () => void {
    const file = join(this.of(name), 'filling');
    const { bavail, bsize } = statfsSync(this.of(name));
    try {
      writeFileSync(file, Buffer.alloc(bavail * bsize + bsize));
    } catch {
      // ENOSPC: it is full
    }
    return () => rmSync(file, { force: true });
  }

  unmount(): void {
    for (const home of this.mounted.splice(0)) execFileSync('umount', ['-l', home]);
  }

  private of(name: string): string {
    return join(this.folder, 'homes', name);
  }
}

async function untilReady(urls: readonly string[], path = '/readyz'): Promise<void> {
  for (const until = Date.now() + READY_MS; ; await sleep(200)) {
    const answers = await Promise.all(urls.map((url) => fetch(`${url}${path}`).catch(() => null)));
    if (answers.every((response) => response?.status === 200)) return;
    if (Date.now() > until) throw new Error(`The gateways were not ready in ${READY_MS / 1000} s.`);
  }
}

/** @returns what makes a fault happen; it resolves when the fault is over, at the latest soon after an interruption */
function faultsOf(members: readonly Member[], cluster: NativeCluster, homes: Homes, say: (line: string) => void) {
  let servers = Promise.resolve(); // one restart of a server at a time: Temporal needs PostgreSQL
  const restart = (server: 'postgres' | 'temporal', signal: NodeJS.Signals) =>
    (servers = servers.then(async () => {
      await cluster.restart(server, signal);
      if (!cluster.isTemporalUp()) await cluster.restart('temporal', signal);
    }));
  return async ({ kind, member: name, server, seconds }: Fault, interrupted: AbortSignal): Promise<void> => {
    say(
      `  ${kind}${name === null ? '' : ` ${name}`}${server === null ? '' : ` to ${server}`}${seconds > 0 ? `, ${seconds} s` : ''}`,
    );
    if (kind === 'kill-temporal') return restart('temporal', 'SIGKILL');
    if (kind === 'restart-postgres') return restart('postgres', 'SIGQUIT');
    const member = members.find((one) => one.name === name)!;
    const lasts = () => sleep(seconds * 1000, undefined, { signal: interrupted }).catch(() => undefined);
    if (kind.startsWith('kill-')) return member.signal('SIGKILL');
    if (kind.startsWith('stop-')) return member.signal('SIGTERM');
    const pid = (await member.pid()) ?? undefined;
    const network = server === null ? null : member.network[server];
    const undo: Record<string, () => unknown> = {
      'pause-worker': () => member.signal('SIGCONT', pid),
      'pause-gateway': () => member.signal('SIGCONT', pid),
      'step-clock': () => member.signal('SIGUSR2', pid),
      'cut-network': () => network!.open(),
      'stall-network': () => network!.open(),
      'fill-disk': kind === 'fill-disk' ? homes.fill(name!) : () => undefined,
    };
    if (kind.startsWith('pause-')) await member.signal('SIGSTOP', pid);
    if (kind === 'step-clock') await member.signal('SIGUSR2', pid);
    if (kind === 'cut-network') network!.cut();
    if (kind === 'stall-network') network!.stall();
    await lasts();
    await undo[kind]!();
  };
}

function progressOf(began: number, { turns }: Load, faults: number): string {
  const ended = turns.filter(({ end }) => end !== null).length;
  const inDoubt = turns.reduce((sum, turn) => sum + turn.inDoubt.size, 0);
  return `  ${Math.round((Date.now() - began) / 1000)} s: ${turns.length} turns, ${ended} ended; ${faults} faults; ${inDoubt} calls were in doubt`;
}
