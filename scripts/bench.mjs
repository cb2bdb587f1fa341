/** `npm run bench`: the benchmarks, with whatever stands after `npm run bench --`. */
import { runAfterSetUp } from './lib/run-after-set-up.mjs';

await runAfterSetUp(['--import', 'tsx', 'bench/main.ts', ...process.argv.slice(2)]);
