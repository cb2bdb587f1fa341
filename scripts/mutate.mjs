/**
 * `npm run mutate -- ROOM [FILE…]`: Stryker changes the source of one room (scripts/lib/mutation-rooms.mjs), or only these files
 * of it, in a copy, one small change at a time, and runs the room's unit tests over each. Prints what share of the changes some
 * test has noticed, and each that none has. What was found is kept for the next run, which tries again what no test has noticed, and
 * what has changed since; `--fresh` forgets it. One test run at a time: the machine has other work. `--tests=PATTERN,…`: these of the
 * unit tests alone, which is quicker, and says at least what share all of them notice.
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
    unitTests: { config: 'test/jest.unit.cjs', patterns: (tests ?? room.tests).map((path) => `<rootDir>/${path}`) },
    coverageAnalysis: 'perTest',
    mutate: files.length > 0 ? files : room.source,
    concurrency: 1,
    // Long, so that a busy machine is not taken for an endless loop, which would count as noticed.
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
  // Of the others it has what was found before.
  if (files.length > 0) found.files = Object.fromEntries(Object.entries(found.files).filter(([file]) => files.includes(file)));
  console.log(mutationReport(found));
}
process.exitCode = code;

/** Stryker does not see that a new test may notice what runs while a file loads. */
function forgetUnnoticed(path) {
  if (!existsSync(path)) return;
  const report = JSON.parse(readFileSync(path, 'utf8'));
  for (const [name, file] of Object.entries(report.files))
    if (files.length === 0 || files.includes(name)) file.mutants = file.mutants.filter(({ status }) => status === 'Killed');
  writeFileSync(path, JSON.stringify(report));
}
