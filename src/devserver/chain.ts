/**
 * Starts the embedded chain: anvil, a development node that comes from npm as an optional dependency. In memory, on loopback, chain
 * id 31337; it ends when this process ends, however that happens (supervisor.ts).
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { secretAddress, startGuardedProxy, type GuardedProxy } from '../telemetry/guarded-proxy';
import { choosePort } from './ports';
import { startSupervisedProcess } from './server-process';
import { errorMessage } from '../shared/text/error-message';

export const DEV_CHAIN_ID = 31337;

export interface DevChain {
  rpcUrl: string;
  pid: number;
  /** Resolves when the node has ended: exit code or signal, and its last lines. */
  exited: Promise<{ how: string; lastLines: string[] }>;
  stop(): Promise<void>;
}

export interface DevChainOptions {
  /** @default any free one */
  port?: number;
  /** @default the one that npm installed */
  anvil?: string;
  /**
   * A block at least this often, besides one for each transaction. Default: only those, so that the chain's time stops between
   * them.
   */
  blockSeconds?: number;
  /** Called with each line that the node writes. */
  onLog?: (line: string) => void;
  /** @default 30000 */
  startTimeoutMs?: number;
}

/** @throws Error with the node's last lines when it does not start, or that says how to install it */
export async function startChain(options: DevChainOptions = {}): Promise<DevChain> {
  const { port: wish = 0, anvil = anvilPath(), blockSeconds, onLog = () => {}, startTimeoutMs = 30_000 } = options;
  if (anvil === null) throw new Error(MISSING);
  const { port } = await choosePort('the chain', wish, wish);
  // The node answers every page, whatever its Origin: it is hidden behind a guarded proxy.
  const own = await secretAddress();
  const args = ['--host', own.host, '--port', String(own.port), '--chain-id', String(DEV_CHAIN_ID), '--quiet'];
  if (blockSeconds !== undefined) args.push('--block-time', String(blockSeconds), '--mixed-mining');
  const node = startSupervisedProcess(anvil, args, onLog);
  const rpcUrl = `http://127.0.0.1:${port}`;
  let proxy: GuardedProxy | undefined;
  try {
    const pid = await node.pid;
    proxy = await startGuardedProxy({ host: '127.0.0.1', port }, own);
    void node.exited.then(() => proxy?.close());
    await untilAnswers(rpcUrl, startTimeoutMs, () => !node.hasExited());
    const exit = node.exited.then((how) => ({ how, lastLines: node.lastLines() }));
    return { rpcUrl, pid, exited: exit, stop: () => node.stop() };
  } catch (error) {
    await node.stop();
    const why = errorMessage(error);
    throw new Error([`The embedded chain (${anvil}) did not come up: ${why}.`, ...node.lastLines()].join('\n'));
  }
}

const MISSING =
  'There is no anvil here, which is the embedded chain: npm installs it as an optional dependency (@foundry-rs/anvil), for ' +
  'Linux and macOS on x64 and arm64, and for Windows on x64. Install without --omit=optional, or set HOLDFAST_EVM_URL to a node of your own.';

/** npm names the packages of binaries after Go's names of processors. */
const PROCESSORS: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Path of the anvil binary; null if npm has installed none. */
export function anvilPath(): string | null {
  const { platform, arch } = process;
  try {
    const wrapper = require.resolve('@foundry-rs/anvil/package.json');
    const name = `@foundry-rs/anvil-${platform}-${PROCESSORS[arch] ?? arch}/package.json`;
    const folder = dirname(createRequire(wrapper).resolve(name));
    const path = join(folder, 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

async function untilAnswers(url: string, withinMs: number, alive: () => boolean): Promise<void> {
  const until = Date.now() + withinMs;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => null);
    if (answer?.ok) return;
    if (!alive()) throw new Error('it ended');
    if (Date.now() > until) throw new Error(`it did not answer within ${withinMs} ms`);
    await wait(50);
  }
}
