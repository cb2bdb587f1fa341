/**
 * `npm run mutate -- ROOM [FILE…]`: mutation test of one room (scripts/lib/mutation-rooms.mjs), or of only these files of it.
 * Stryker makes one small change at a time, in a copy of the source, and runs the room's unit tests on each. Prints the share of
 * changes that some test notices, and each change that none notices. Results are kept for the next run, which tests again the
 * changes that no test noticed and the code that has changed; `--fresh` deletes them. Runs one test at a time: the machine has
 * other work. `--tests=PATTERN,…`: runs only these unit tests, which is quicker; the share is then a lower bound.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bin } from './lib/jest-run.mjs';
import { MUTATION_ROOMS } from './lib/mutation-rooms.mjs';
import { mutationReport } from './lib/mutation-report.mjs';
import { runChild } from './lib/run-child.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const [name, ...files] = args.filter((arg) => !arg.startsWith('--'));
const [tests] = args.filter((arg) => arg.startsWith('--tests=')).map((arg) => arg.slice('--tests='.length).split(','));
const room = Object.hasOwn(MUTATION_ROOMS, name ?? '') ? MUTATION_ROOMS[name] : null;

if (room === null) {
  console.error(
    `usage: npm run mutate -- ROOM [FILE…] [--fresh] [--tests=PATTERN,…]    rooms: ${Object.keys(MUTATION_ROOMS).join(', ')}`,
  );
  process.exit(2);
}
const folder = join(root, 'node_modules/.cache/holdfast/mutation');
const kept = join(folder, `${name}.incremental.json`);
const report = join(folder, `${name}.json`);
const config = join(folder, `${name}.config.json`);
mkdirSync(folder, { recursive: true });
if (args.includes('--fresh')) rmSync(kept, { force: true });
else forgetUnnoticed(kept);
rmSync(report, { force: true });
writeFileSync(
  config,
  JSON.stringify({
    testRunner: 'unit',
    plugins: ['./scripts/lib/stryker-runner.mjs'],
    unitTests: {
      config: 'test/jest.unit.cjs',
      patterns: (tests ?? room.tests).map((path) => `<rootDir>/${path}`),
      lazy: room.lazy ?? [],
    },
    coverageAnalysis: 'perTest',
    mutate: files.length > 0 ? files : room.source,
    concurrency: 1,
    // Long, so that a busy machine does not look like an endless loop, which would count as noticed.
    timeoutMS: 60_000,
    incremental: true,
    incrementalFile: kept,
    ignorePatterns: ['dist', 'dist.*', 'docs', 'coverage', '.holdfast', '.env'],
    tempDirName: '.holdfast/mutation',
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    allowEmpty: true,
  }),
);
const { code } = await runChild(process.execPath, [bin(root, '@stryker-mutator/core/bin/stryker.js'), 'run', config], {
  cwd: root,
});
if (code === 0) {
  const found = JSON.parse(readFileSync(report, 'utf8'));
  // For other files the report has only earlier results.
  if (files.length > 0) found.files = Object.fromEntries(Object.entries(found.files).filter(([file]) => files.includes(file)));
  console.log(mutationReport(found));
}
process.exitCode = code;

/** Stryker does not see that a new test may notice code that runs while a file loads. */
function forgetUnnoticed(path) {
  if (!existsSync(path)) return;
  const report = JSON.parse(readFileSync(path, 'utf8'));
  for (const [name, file] of Object.entries(report.files))
    if (files.length === 0 || files.includes(name)) file.mutants = file.mutants.filter(({ status }) => status === 'Killed');
  writeFileSync(path, JSON.stringify(report));
}
