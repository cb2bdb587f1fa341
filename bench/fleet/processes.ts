/** The fleet as processes of this machine: workers, gateways, PostgreSQL and Temporal's server. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePort } from '../../src/devserver/ports';
import { startNativeCluster, type NativeCluster } from '../../test/system/support/native-cluster';
import type { Around, Deployment, Size } from './deployment';
import { gatewayArgs, Member, workerArgs } from './members';
import type { Fault } from './plan';
import { connectionsTo } from './samples';

const HOME_BYTES = '256m';
const READY_MS = 120_000;

export async function startProcesses(size: Size, around: Around): Promise<Deployment> {
  const cluster = await startNativeCluster();
  const started: Started = { members: [], homes: new Homes(around.folder) };
  const close = async () => {
    await Promise.all(started.members.map((member) => member.close()));
    started.homes.unmount();
    await cluster.stop();
  };
  try {
    const urls = await startMembers(size, around, cluster, started);
    await untilReady(urls);
    const { members, homes } = started;
    if (!homes.areSmall) around.say('  no disk is filled: that needs root, for a small file system of its own');
    return {
      urls,
      impossible: homes.areSmall ? [] : ['fill-disk'],
      steady: members.filter(({ name }) => name.endsWith('-1')),
      connections: () => connectionsTo(cluster.store),
      inject: faultsOf(members, cluster, homes),
      restarts: () => members.reduce((sum, member) => sum + member.restarts, 0),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Started {
  members: Member[];
  homes: Homes;
}

/** @returns the addresses of the gateways */
async function startMembers(
  { workers, gateways }: Size,
  { folder, ledger, model, people }: Around,
  cluster: NativeCluster,
  { members, homes }: Started,
): Promise<string[]> {
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
  const urls: string[] = [];
  const gatewayEnv = {
    ...env,
    HOLDFAST_HOME: join(folder, 'gateways'),
    HOLDFAST_TOKENS: JSON.stringify([people.starter.entry, people.approver.entry]),
    HOLDFAST_HTTP_RATE: '9999999',
  };
  delete (gatewayEnv as Partial<typeof gatewayEnv>).HOLDFAST_TRUSTED_KEYS; // the gateway makes its key, and trusts it
  for (let index = 1; index <= gateways; index++) {
    const port = await steadyPort();
    urls.push(`http://127.0.0.1:${port}`);
    members.push(await Member.start({ ...around(`gateway-${index}`), args: gatewayArgs(port), env: gatewayEnv }));
    if (index === 1) await untilReady(urls, '/healthz'); // one makes the key, the others read it
  }
  for (let index = 1; index <= workers; index++) {
    const name = `worker-${index}`;
    members.push(await Member.start({ ...around(name), args: workerArgs(), env: { ...env, HOLDFAST_HOME: homes.make(name) } }));
  }
  return urls;
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
function faultsOf(members: readonly Member[], cluster: NativeCluster, homes: Homes): Deployment['inject'] {
  let servers = Promise.resolve(); // one restart of a server at a time: Temporal needs PostgreSQL
  const restart = (server: 'postgres' | 'temporal', signal: NodeJS.Signals) =>
    (servers = servers.then(async () => {
      await cluster.restart(server, signal);
      if (!cluster.isTemporalUp()) await cluster.restart('temporal', signal);
    }));
  return async ({ kind, member: name, server, seconds }: Fault, interrupted: AbortSignal): Promise<void> => {
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
