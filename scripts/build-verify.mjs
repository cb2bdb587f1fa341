/** Builds `packages/verify/dist` from src/. `npm pack` of that package runs it first. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildVerify } from './lib/verify-package.mjs';

await buildVerify(dirname(dirname(fileURLToPath(import.meta.url))));
