/** `packages/verify/dist`, made of src/: what `npm pack` of that package runs first. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildVerify } from './lib/verify-package.mjs';

await buildVerify(dirname(dirname(fileURLToPath(import.meta.url))));
