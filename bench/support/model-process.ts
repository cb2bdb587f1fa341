/** Starts and stops the process of the scripted model, for the benchmark. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Script } from './workload';

export interface ModelServer {
  url: string;
  stop(): void;
}

export async function startModelServer(script: Script): Promise<ModelServer> {
  const child = fork(join(__dirname, 'model-server.ts'), [JSON.stringify(script)], { execArgv: ['--import', 'tsx'] });
  const [url] = (await once(child, 'message')) as [string];
  return { url, stop: () => child.kill() };
}
