/**
 * A Python that can run packages/verify/python/verify_bundle.py, in a virtual environment beside our other caches. Made where
 * HOLDFAST_REQUIRE_PYTHON_VERIFIER=1 demands it; used wherever it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = ['cryptography==48.0.0', 'rfc3161-client==1.0.9'];
const FOLDER = join(
  process.env.HOLDFAST_CACHE || join(homedir(), '.cache', 'holdfast'),
  PACKAGES.join('-').replaceAll('==', '-'),
);

/** Its program; null: it is not here, and nobody demands it. */
export function pythonVerifier(): string | null {
  const bin = join(FOLDER, 'bin');
  const program = join(bin, 'python3');
  if (existsSync(join(bin, '.complete'))) return program;
  if (process.env.HOLDFAST_REQUIRE_PYTHON_VERIFIER !== '1') return null;
  // In the place where it stays: a virtual environment cannot be moved. The mark comes last.
  rmSync(FOLDER, { recursive: true, force: true });
  run('python3', ['-m', 'venv', FOLDER]);
  run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  writeFileSync(join(bin, '.complete'), '');
  return program;
}

function run(command: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}
