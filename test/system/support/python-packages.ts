/**
 * Packages of PyPI in a virtual environment beside our other caches. It is made where a variable demands it (.ci/run sets all of
 * them), and used wherever it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface PythonPackages {
  /** Of its folder: changes with the versions. */
  name: string;
  /** `name==version` of each. */
  packages: string[];
  /** It is made where this is 1. */
  variable: string;
}

/** The folder of its programs; null: it is not here, and nobody demands it. */
export function pythonPackages({ name, packages, variable }: PythonPackages): string | null {
  const folder = join(process.env.HOLDFAST_CACHE || join(homedir(), '.cache', 'holdfast'), name);
  const bin = join(folder, 'bin');
  if (existsSync(join(bin, '.complete'))) return bin;
  if (process.env[variable] !== '1') return null;
  // In the place where it stays: a virtual environment cannot be moved. The mark comes last.
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  writeFileSync(join(bin, '.complete'), '');
  return bin;
}

function run(command: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}
