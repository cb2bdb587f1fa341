/**
 * Writes src/http-client/schema.ts, the types of the HTTP API, from the gateway's own OpenAPI document, if its sources have
 * changed. Needs no build. The build runs it, and npm runs it after an installation (`prepare`): with --after-install it does
 * nothing if the development dependencies are not installed.
 */
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isGenerated, keep, TYPES } from './lib/http-types.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const HEAD = '/** The HTTP API, generated from its OpenAPI document by scripts/generate-http-client.mjs: not to be edited. */\n';

if (!isGenerated(root) && !(process.argv.includes('--after-install') && !hasGenerator())) await generate();

function hasGenerator() {
  try {
    return Boolean(require.resolve('openapi-typescript'));
  } catch {
    return false;
  }
}

async function generate() {
  // Loaded only here: most runs have nothing to generate.
  const [{ default: openapiTS, astToString }, { formatted }, { openApiDocument }] = await Promise.all([
    import('openapi-typescript'),
    import('./lib/formatted.mjs'),
    import('./lib/openapi-document.mjs'),
  ]);
  const document = await openApiDocument();
  const text = formatted(join(root, TYPES), HEAD + astToString(await openapiTS(document)));
  keep(root, text, loadedSources());
}

/** The files of src that the gateway has loaded: a change in other files changes no route. */
function loadedSources() {
  return Object.keys(require.cache)
    .map((path) => relative(root, path).split(sep).join('/'))
    .filter((path) => path.startsWith('src/'))
    .sort();
}
