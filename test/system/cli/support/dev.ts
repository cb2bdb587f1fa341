import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../engine/support/engine';
import { environment, start, type Running } from './cli';
import { family, stillThere } from './processes';

export interface Dev {
  child: Running;
  /** For commands that shall find this stack. */
  env: NodeJS.ProcessEnv;
  home: string;
  facts: {
    pid: number;
    address: string;
    worker_pid: number;
    outbox: string;
    ui_url: string | null;
    http_url: string;
    http_token: string;
    chain_url: string | null;
  };
  stop(): Promise<void>;
}

/** `holdfast dev` on free ports with a home of its own; other commands find it by that home. */
export async function startDev(
  args: string[] = [],
  more: NodeJS.ProcessEnv = {},
  { headless = true, cwd }: { headless?: boolean; cwd?: string } = {},
): Promise<Dev> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-dev-'));
  const env = environment({ HOLDFAST_HOME: home, ...more });
  const ports = ['--port', '0', '--http-port', '0'];
  const child = start(['dev', '--json', ...(headless ? ['--headless'] : []), ...ports, ...args], env, cwd);
  const up = await eventually(
    'the stack is up',
    async () => child.output.stdout.includes('\n') || (child.exitCode !== null && 'ended'),
    60_000,
  );
  if (up === 'ended') throw new Error(`holdfast dev ended: ${child.output.stderr}`);
  const stop = async () => {
    const all = family(child.pid!);
    if (child.exitCode === null) child.kill('SIGTERM');
    await stillThere(all, 20_000);
    rmSync(home, { recursive: true, force: true });
  };
  return { child, env, home, facts: JSON.parse(child.output.stdout.split('\n')[0]!), stop };
}
