/**
 * Downloads a Temporal CLI with the SDK, which does so only while it starts a server, and cannot be interrupted. So a process of
 * its own does it (download-child.ts), and is ended when nothing arrives.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder, cachedCli } from './cli-cache';
import { ownScript } from './own-script';

/** Without a byte for that long, the network counts as closed. */
const STALL_TIMEOUT_MS = 25_000;
/** Even a very slow download ends after this time. */
const TOTAL_MS = 600_000;

/**
 * Downloads the CLI into our cache.
 * @returns its path
 * @throws Error with the reason, within 30 s if the network is closed
 */
export async function downloadCli(env: NodeJS.ProcessEnv, onProgress: (line: string) => void): Promise<string> {
  mkdirSync(cacheFolder(env), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(env), 'download-'));
  try {
    onProgress('downloading a Temporal CLI …');
    await runChild(folder, env);
    const file = readdirSync(folder).find((name) => name.startsWith('temporal-'));
    if (!file) throw new Error('the download left no file');
    const target = cachedCli(env);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(folder, file), target);
    return target;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runChild(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...ownScript('download-child'), folder], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const startMs = Date.now();
    let errors = '';
    let size = 0;
    let lastGrowth = startMs;
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-4000)));
    const kill = () => void child.kill('SIGKILL');
    process.once('exit', kill);
    const watch = setInterval(() => {
      const now = sizeOf(folder);
      if (now > size) [size, lastGrowth] = [now, Date.now()];
      if (Date.now() - lastGrowth < STALL_TIMEOUT_MS && Date.now() - startMs < TOTAL_MS) return;
      errors = `nothing arrived for ${STALL_TIMEOUT_MS / 1000} s`;
      kill();
    }, 500);
    child.on('error', (error) => (errors = error.message));
    child.on('close', (code) => {
      clearInterval(watch);
      process.off('exit', kill);
      if (code === 0) resolve();
      else reject(new Error(errors.trim().split('\n').at(-1) || `the download ended with exit code ${code}`));
    });
  });
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return 0; // renamed between two checks
  }
}
