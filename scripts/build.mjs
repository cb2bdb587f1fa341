/** `npm run build`: builds dist/ with the workflow bundle inside; needs no Temporal CLI. `npm pack` runs it first. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp } from './lib/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  await setUp(root, { cli: false });
} catch (error) {
  console.error(`build: ${error.message}`);
  process.exitCode = 1;
}
