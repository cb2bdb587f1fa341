/** `npm start`: sets up what is missing, then `holdfast start` with whatever stands after `npm start --`. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp } from './lib/set-up.mjs';
import { runChild } from './lib/run-child.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  const { temporalCli } = await setUp(root);
  const { code } = await runChild(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'start', ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, HOLDFAST_TEMPORAL_CLI: temporalCli },
  });
  process.exitCode = code;
} catch (error) {
  console.error(`setup: ${error.message}`);
  process.exitCode = 1;
}
