/** `npm run setup`: see lib/set-up.mjs. Uses Node's own modules only, until the dependencies are there. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp } from './lib/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  const { temporalCli } = await setUp(root);
  console.error(`setup: ready (Temporal CLI: ${temporalCli})`);
} catch (error) {
  console.error(`setup: ${error.message}`);
  process.exitCode = 1;
}
