/** `npm run bench`: runs the benchmarks, with the arguments after `npm run bench --`. */
import { runAfterSetUp } from './lib/run-after-set-up.mjs';

await runAfterSetUp(['--import', 'tsx', 'bench/main.ts', ...process.argv.slice(2)]);
