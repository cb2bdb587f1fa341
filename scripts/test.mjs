/**
 * `npm test`: sets up what is missing, then runs two gates (types and lint, format), all unit tests, the main engine tests, and a
 * smoke test of each part of test/system. `npm test -- --all`: all tests. `npm test -- <jest arguments>`: the gates, and those tests.
 * Each gate counts as one test; the last line is `N passed, N failed`. A test that fails beside others and passes alone is reported
 * as unstable, and the run fails all the same (docs/decisions/0041).
 */
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GATE_TESTS } from './lib/gate-tests.mjs';
import { FILES_PER_CORE_SIDE_BY_SIDE, bin, LOG, openLog, runProjects } from './lib/jest-run.mjs';
import { interruption, runChild } from './lib/run-child.mjs';
import { setUp } from './lib/set-up.mjs';
import { addCounts, countJest, failedTests, totalLines } from './lib/tally.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const GATES = [
  { name: 'types and lint', args: [bin(root, 'oxlint/bin/oxlint'), '--type-aware', '--type-check'] },
  { name: 'format', args: [bin(root, 'oxfmt/bin/oxfmt'), '--check'] },
];

/** Up to this many failed tests are run again alone, to find unstable ones: the run has failed either way. */
const MAX_AGAIN = 5;

let total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
try {
  await setUp(root);
  await gates();
  if (!interruption()) await tests(process.argv.slice(2));
} catch (error) {
  console.error(`setup: ${error.message}`);
  total.failed += 1;
}
if (interruption()) total.failed += 1;
// Jest writes to stderr, and both streams may be pipes: the last line waits for the output before it.
process.stderr.write('', () => process.stdout.write(`${totalLines(total, failures)}\n`));
process.exitCode = interruption() ? 130 : total.failed > 0 ? 1 : 0;

async function gates() {
  const running = GATES.map(({ args }) => runChild(process.execPath, args, { cwd: root, capture: true }));
  for (const [index, { name }] of GATES.entries()) {
    const { code, output } = await running[index];
    if (interruption()) continue;
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}${code === 0 ? '' : `\n${output.trim()}`}`);
    total[code === 0 ? 'passed' : 'failed'] += 1;
  }
}

async function tests(args) {
  if (args.length > 0 && args[0] !== '--all') {
    const { code, summary } = await runProjects(root, { args });
    total = addCounts(total, countJest(code, summary));
    return;
  }
  if (args[0] === '--all') process.env.HOLDFAST_TEST_LONG = '1'; // test/support/runs.ts
  const log = openLog();
  console.log(`tests: a line for each 25 files; everything else in ${relative(root, LOG)}`);
  const phase = async (what) => {
    if (interruption()) return;
    const began = Date.now();
    const { code, summary } = await runProjects(root, { ...what, log });
    total = addCounts(total, countJest(code, summary));
    failures.push(...failedTests(summary, root));
    console.log(`${what.project}: ${Math.round((Date.now() - began) / 1000)} s`);
  };
  await phase({ project: 'unit' });
  if (args[0] === '--all') {
    await phase({ project: 'engine' });
    await phase({ project: 'system' });
  } else {
    // Side by side: tests of one project often wait for servers and processes, and tests of the other run meanwhile.
    const filesPerCore = FILES_PER_CORE_SIDE_BY_SIDE;
    await Promise.all(Object.entries(GATE_TESTS).map(([project, files]) => phase({ project, files, filesPerCore })));
  }
  await examineFailures(log);
}

/** Runs failed tests once more, each file alone, only to say which of them are unstable. */
async function examineFailures(log) {
  if (failures.length > MAX_AGAIN) return;
  for (const file of new Set(failures.map((failure) => failure.file))) {
    if (interruption()) return;
    console.log(`again, alone: ${file}`);
    const { summary } = await runProjects(root, { args: ['--runTestsByPath', join(root, file)], log });
    const still = new Set(failedTests(summary, root).map(({ title }) => title));
    for (const failure of failures) if (failure.file === file) failure.unstable = summary !== null && !still.has(failure.title);
  }
}
