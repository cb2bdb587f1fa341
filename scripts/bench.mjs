/** `npm run bench`: sets up what is missing, then bench/main.ts with whatever stands after `npm run bench --`. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp } from './lib/set-up.mjs';
import { runChild } from './lib/run-child.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  const { temporalCli } = await setUp(root);
  const { code } = await runChild(process.execPath, ['--import', 'tsx', join('bench', 'main.ts'), ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, HOLDFAST_TEMPORAL_CLI: temporalCli },
  });
  process.exitCode = code;
} catch (error) {
  console.error(`setup: ${error.message}`);
  process.exitCode = 1;
}
