/** Builds Go programs, such as the Temporal CLI, with `go install`. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder, cachedCli, CLI_VERSION, EXECUTABLE } from './cli-cache';
import { onPath } from './on-path';
import { isAlive } from './state-file';

export const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`;

const TELL_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 500;

/**
 * Builds the CLI with Go into our cache; about six minutes the first time.
 * @returns its path
 * @throws Error when there is no Go, or with the last lines that Go wrote
 */
export async function goInstallCli(env: NodeJS.ProcessEnv, onProgress: (line: string) => void): Promise<string> {
  const target = cachedCli(env);
  const build = { what: 'the Temporal CLI', takes: 'about 6 minutes', packages: [GO_PACKAGE], files: { [EXECUTABLE]: target } };
  await goInstall(build, env, onProgress);
  return target;
}

export interface GoBuild {
  /** In words, for progress lines. */
  what: string;
  /** Duration of the first build: `about 6 minutes`. */
  takes: string;
  /** `path/of/command@v1.2.3` */
  packages: string[];
  /** Name of each executable → the path that it gets. */
  files: Record<string, string>;
}

/**
 * `go install`, in a folder of its own; then each file is moved to its place. If another process builds the same, this waits for it.
 * @throws Error when there is no Go, or with the last lines that Go wrote
 */
export async function goInstall(build: GoBuild, env: NodeJS.ProcessEnv, onProgress: (line: string) => void): Promise<void> {
  const go = onPath('go', env);
  if (!go) throw new Error('there is no go on the PATH');
  const targets = Object.values(build.files);
  for (const target of targets) mkdirSync(dirname(target), { recursive: true });
  const lock = `${targets[0]}.lock`;
  if (!takeLock(lock)) {
    onProgress(`another process builds ${build.what}: waiting for it …`);
    do await sleep(LOOK_EVERY_MS);
    while (!takeLock(lock));
  }
  mkdirSync(cacheFolder(env), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(env), 'go-install-'));
  try {
    if (targets.every((target) => existsSync(target))) return;
    await run(go, build, { ...env, GOBIN: folder }, onProgress);
    // Whole or not at all: another process may be looking for the file.
    for (const [name, target] of Object.entries(build.files)) renameSync(join(folder, name), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(lock, { force: true });
  }
}

/**
 * A link that names the process: made in one step, so it is never without its owner. Where links cannot be made, nobody waits.
 * @returns false: a process that runs has it. The link of one that was killed is removed, for the next try.
 */
function takeLock(path: string): boolean {
  try {
    symlinkSync(String(process.pid), path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
    if (!isAlive(ownerOf(path))) rmSync(path, { force: true });
    return false;
  }
}

/** This process, if the link was removed meanwhile: the next try takes it. */
function ownerOf(path: string): number {
  try {
    return Number(readlinkSync(path));
  } catch {
    return process.pid;
  }
}

function run(go: string, build: GoBuild, env: NodeJS.ProcessEnv, onProgress: (line: string) => void): Promise<void> {
  const { what, takes, packages } = build;
  return new Promise((resolve, reject) => {
    onProgress(`building ${what}: go install ${packages.join(' ')} (${takes} the first time) …`);
    const startMs = Date.now();
    const tell = setInterval(
      () => onProgress(`building ${what}: ${Math.round((Date.now() - startMs) / 1000)} s of ${takes} …`),
      TELL_EVERY_MS,
    );
    const child = spawn(go, ['install', ...packages], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const kill = () => void child.kill();
    process.once('exit', kill);
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-4000)));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => {
      clearInterval(tell);
      process.off('exit', kill);
      if (code === 0) resolve();
      else reject(new Error(`go install failed: ${output.trim().split('\n').slice(-3).join(' / ') || `exit code ${code}`}`));
    });
  });
}
