/** `npm start`: `holdfast start` with whatever stands after `npm start --`. */
import { runAfterSetUp } from './lib/run-after-set-up.mjs';

await runAfterSetUp(['dist/cli/main.js', 'start', ...process.argv.slice(2)]);
