/** Runs Jest over one of the three projects of test/jest.config.cjs, or over whatever its arguments say. */
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './run-child.mjs';

export const LOG = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules/.cache/holdfast/test.log');

/** Test files at once for each core: engine and system tests mostly wait, for a server or a process. */
const FILES_PER_CORE = { unit: 1, engine: 2, system: 1.5 };
/** Engine tests beside a smoke test of each system part. */
export const BESIDE_SMOKE = { engine: 2, system: 1 };

export const bin = (root, path) => join(root, 'node_modules', ...path.split('/'));

/**
 * Node 20 optimizes what has run a few times, and a test file's code is thrown away with the file: that took an eighth of the CPU
 * time. So it waits longer. Later versions of Node count in another way, and have no such option.
 */
const OPTIMIZES_LATE = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=1000000'] : [];

/**
 * MB. Most of what a test file makes is garbage when it ends: with room for it, little of it is copied before. Not in system
 * tests: it would be the room of their tools' threads too, whatever limit of memory such a thread has.
 */
const ROOM_FOR_GARBAGE = ['--min-semi-space-size=64', '--max-semi-space-size=128'];

/** Jest over the three projects: arguments for `node`. Its workers have Node's options too. */
export const jest = (root, project) => [
  ...OPTIMIZES_LATE,
  ...(project === 'unit' || project === 'engine' ? ROOM_FOR_GARBAGE : []),
  bin(root, 'jest/bin/jest.js'),
  ...['--config', 'test/jest.config.cjs'],
];

/** @returns {number} test files at once; filesPerCore: where two projects run side by side */
export const workersOf = (project, filesPerCore = FILES_PER_CORE) =>
  Math.max(1, Math.round(availableParallelism() * filesPerCore[project]));

/** @returns {number} a file that what Jest and the tests print goes into */
export function openLog() {
  mkdirSync(dirname(LOG), { recursive: true });
  return openSync(LOG, 'w');
}

/**
 * @param {string} root of the checkout
 * @param {{project?: 'unit' | 'engine' | 'system', files?: string[], args?: string[], filesPerCore?: object, log?: number}} what files:
 *   none means all; filesPerCore: where two projects run side by side; log: only failures and progress are printed, the rest goes there
 * @returns {Promise<{code: number, summary: object | null}>} summary: Jest's own, null where it wrote none
 */
export async function runProjects(root, { project, files = [], args = [], filesPerCore, log }) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const output = join(folder, 'jest.json');
  const command = [...jest(root, project), '--json', '--outputFile', output, ...args];
  if (project) command.push('--selectProjects', project, '--maxWorkers', String(workersOf(project, filesPerCore)));
  if (files.length > 0) command.push('--runTestsByPath', ...files);
  if (log !== undefined) command.push('--reporters', join(root, 'scripts', 'lib', 'brief-reporter.cjs'));
  // The reporter prints as file 3: Jest's own two outputs are the log.
  const quiet = log === undefined ? {} : { stdio: ['inherit', log, log, process.stdout.fd] };
  const env = {
    ...process.env,
    ...(log === undefined ? {} : { HOLDFAST_TEST_OUTPUT: '3' }),
    // Threads and open files of one system test file would be there for the next: in a whole run each has a process of its own.
    ...(project === 'system' && files.length === 0 ? { HOLDFAST_TEST_FRESH_PROCESS: '1' } : {}),
  };
  try {
    const { code } = await runChild(process.execPath, command, { cwd: root, env, ...quiet });
    return { code, summary: read(output) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
