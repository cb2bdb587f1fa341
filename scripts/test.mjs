/**
 * `npm test`: sets up what is missing, then three gates (types, lint, format) and every Jest test.
 * Each gate counts as one test; the last line is `N passed, N failed`. `npm test -- <jest arguments>`
 * narrows the Jest run, the gates stay. In the whole run a few files that fail are run again, alone (docs/decisions/0017), and
 * only failures and progress are printed: the rest is in a log.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interruption, runChild } from './lib/run-child.mjs';
import { setUp } from './lib/set-up.mjs';
import { countAgain, countJest, failedFiles, totalLines } from './lib/tally.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (path) => join(root, 'node_modules', ...path.split('/'));

const GATES = [
  { name: 'types', args: [bin('typescript/bin/tsc'), '--noEmit', '-p', 'test/tsconfig.json'] },
  { name: 'lint', args: [bin('eslint/bin/eslint.js'), '--cache', '--cache-location', 'node_modules/.cache/eslint/', '.'] },
  { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
];

const LOG = join(root, 'node_modules', '.cache', 'holdfast', 'test.log');

/** More failed files than this are no matter of a busy machine. */
const MAX_AGAIN = 3;

const total = { passed: 0, failed: 0, skipped: 0 };
try {
  await setUp(root);
  const run = ({ args }) => runChild(process.execPath, args, { cwd: root, capture: true });
  const gates = GATES.map((gate) => ({ ...gate, running: run(gate) }));
  for (const { name, running } of gates) {
    const { code, output } = await running;
    if (interruption()) continue;
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}${code === 0 ? '' : `\n${output.trim()}`}`);
    total[code === 0 ? 'passed' : 'failed'] += 1;
  }
  if (!interruption()) add(await runJest(process.argv.slice(2)));
} catch (error) {
  console.error(`setup: ${error.message}`);
  total.failed += 1;
}
if (interruption()) total.failed += 1;
// Jest writes to stderr, and both streams may be pipes: the last line waits for what stands before it.
process.stderr.write('', () => process.stdout.write(`${totalLines(total)}\n`));
process.exitCode = interruption() ? 130 : total.failed > 0 ? 1 : 0;

async function runJest(args) {
  const { code, summary } = await (args.length > 0 ? jest(args) : briefly());
  let counts = countJest(code, summary);
  const failed = failedFiles(summary);
  if (args.length > 0 || failed.length > MAX_AGAIN) return counts;
  for (const file of failed) {
    if (interruption()) break;
    const name = relative(root, file.name);
    console.log(`again, alone: ${name}`);
    const again = await jest(['--runTestsByPath', file.name]);
    counts = countAgain(counts, file, countJest(again.code, again.summary));
    console.log(again.code === 0 ? `FLAKY ${name}: failed beside other tests, passed alone` : `FAIL ${name}: failed twice`);
  }
  return counts;
}

/** The whole run: what Jest prints goes into the log, and its reporter writes to our own output, as file 3. */
async function briefly() {
  mkdirSync(dirname(LOG), { recursive: true });
  const log = openSync(LOG, 'w');
  try {
    console.log(`tests: a line for each 25 files; everything else in ${relative(root, LOG)}`);
    return await jest(['--reporters', join(root, 'scripts', 'lib', 'brief-reporter.cjs')], {
      stdio: ['inherit', log, log, process.stdout.fd],
      env: { ...process.env, HOLDFAST_TEST_OUTPUT: '3' },
    });
  } finally {
    closeSync(log);
  }
}

async function jest(args, { stdio, env } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const summary = join(folder, 'jest.json');
  try {
    const command = [bin('jest/bin/jest.js'), '--config', 'test/jest.config.cjs', '--json', '--outputFile', summary, ...args];
    const { code } = await runChild(process.execPath, command, { cwd: root, stdio, env });
    return { code, summary: read(summary) };
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

function add(counts) {
  for (const key of Object.keys(total)) total[key] += counts[key];
}
