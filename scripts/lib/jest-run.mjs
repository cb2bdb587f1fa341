/** Runs Jest on one of the three projects of test/jest.config.cjs, or on the tests that its arguments select. */
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './run-child.mjs';

export const LOG = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules/.cache/holdfast/test.log');

/** Test files at once for each core: engine and system tests mostly wait, for a server or a process. */
const FILES_PER_CORE = { unit: 1, engine: 2, system: 2 };
/** The same while engine and system tests run side by side. */
export const FILES_PER_CORE_SIDE_BY_SIDE = { engine: 2, system: 1 };

export const bin = (root, path) => join(root, 'node_modules', ...path.split('/'));

/**
 * Node 20 optimizes code that has run a few times. A test file's code is dropped with the file, so this took an eighth of the CPU
 * time for nothing. With this option Node waits longer. Later versions of Node count differently and have no such option.
 */
const OPTIMIZES_LATE = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=1000000'] : [];

/**
 * MB. Most objects that a test file makes are garbage when it ends: with more room, few of them are copied before that. Not in
 * system tests: their tools' threads would get the same room, no matter what memory limit such a thread has.
 */
const YOUNG_GENERATION = ['--min-semi-space-size=64', '--max-semi-space-size=128'];

/** Arguments for `node` that run Jest on the three projects. Jest's workers get the same options of Node. */
export const jest = (root, project) => [
  ...OPTIMIZES_LATE,
  ...(project === 'unit' || project === 'engine' ? YOUNG_GENERATION : []),
  bin(root, 'jest/bin/jest.js'),
  ...['--config', 'test/jest.config.cjs'],
];

/** @returns {number} test files at once; filesPerCore: set if two projects run side by side */
export const workersOf = (project, filesPerCore = FILES_PER_CORE) =>
  Math.max(1, Math.round(availableParallelism() * filesPerCore[project]));

/** @returns {number} file descriptor of the log for the output of Jest and the tests */
export function openLog() {
  mkdirSync(dirname(LOG), { recursive: true });
  return openSync(LOG, 'w');
}

/**
 * @param {string} root of the checkout
 * @param {{project?: 'unit' | 'engine' | 'system', files?: string[], args?: string[], filesPerCore?: object, log?: number}} what
 *   files: none means all; filesPerCore: set if two projects run side by side; log: only failures and progress are printed, the
 *   rest goes there
 * @returns {Promise<{code: number, summary: object | null}>} summary: Jest's own, null if it wrote none
 */
export async function runProjects(root, { project, files = [], args = [], filesPerCore, log }) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const output = join(folder, 'jest.json');
  const command = [...jest(root, project), '--json', '--outputFile', output, ...args];
  if (project) command.push('--selectProjects', project, '--maxWorkers', String(workersOf(project, filesPerCore)));
  if (files.length > 0) command.push('--runTestsByPath', ...files);
  if (log !== undefined) command.push('--reporters', join(root, 'scripts', 'lib', 'brief-reporter.cjs'));
  // In a whole run no test runs in Jest's own process. Once it has written its results it must end, even if one of its child processes
  // has not: a run was once stopped by the time limit of CI, with all tests passed.
  if (log !== undefined) command.push('--forceExit');
  // The reporter prints to file descriptor 3; Jest's own two outputs go to the log.
  const quiet = log === undefined ? {} : { stdio: ['inherit', log, log, process.stdout.fd] };
  const env = {
    ...process.env,
    ...(log === undefined ? {} : { HOLDFAST_TEST_OUTPUT: '3' }),
    // Threads and open files of one system test file would remain for the next: in a whole run each file has a process of its own.
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
