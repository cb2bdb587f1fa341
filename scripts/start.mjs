/** `npm start`: runs `holdfast start`, with the arguments after `npm start --`. */
import { runAfterSetUp } from './lib/run-after-set-up.mjs';

await runAfterSetUp(['dist/cli/main.js', 'start', ...process.argv.slice(2)]);
