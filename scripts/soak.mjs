/**
 * `npm run test:soak -- NAME N`: runs the test files whose path contains NAME, N times beside threads that keep the machine busy,
 * to find races. `--load K`: the number of busy threads (default: two for each core).
 */
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { openLog, runProjects } from './lib/jest-run.mjs';
import { interruption } from './lib/run-child.mjs';
import { setUp } from './lib/set-up.mjs';
import { failedTests } from './lib/tally.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const at = args.indexOf('--load');
const load = at < 0 ? 2 * availableParallelism() : Number(args.splice(at, 2)[1]);
const [name, times] = [args[0], Number(args[1] ?? 10)];

if (!name || !Number.isInteger(times) || times < 1 || !Number.isInteger(load) || load < 0) {
  console.error('usage: npm run test:soak -- NAME N [--load K]    for example: npm run test:soak -- workflows/floods 20');
  process.exit(2);
}
process.env.HOLDFAST_TEST_LONG ??= '1'; // test/support/runs.ts
await setUp(root);
const log = openLog();
const busy = Array.from({ length: load }, () => new Worker('for (;;);', { eval: true }));
const failed = new Map();
for (let run = 1; run <= times && !interruption(); run++) {
  const began = Date.now();
  const { summary } = await runProjects(root, { args: [name], log });
  if (summary?.numTotalTests === 0) throw new Error(`No test file's path holds ${name}.`);
  for (const { file, title } of failedTests(summary, root))
    failed.set(`${file} › ${title}`, (failed.get(`${file} › ${title}`) ?? 0) + 1);
  const failures = summary?.numFailedTests ?? 'Jest ended without a summary';
  console.log(`run ${run} of ${times}: ${Math.round((Date.now() - began) / 1000)} s, ${failures} failed`);
}
await Promise.all(busy.map((worker) => worker.terminate()));
for (const [test, count] of failed) console.log(`failed ${count} times: ${test}`);
console.log(failed.size === 0 ? `no test failed in ${times} runs beside ${load} busy threads` : `${failed.size} tests failed`);
process.exitCode = failed.size === 0 ? 0 : 1;
