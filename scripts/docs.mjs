/**
 * `npm run docs` shows the documentation as a site, and follows changes of docs/. `npm run docs:build` makes site/dist; `--out FOLDER` another
 * folder. The packages for it are in site/, with a lock file of their own, and are installed with the first call only.
 */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { generate } from './lib/http-types.mjs';
import { install } from './lib/install.mjs';
import { runChild } from './lib/run-child.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, 'site');
const say = (line) => console.error(`docs: ${line}`);

try {
  const { values } = parseArgs({ options: { build: { type: 'boolean' }, out: { type: 'string' }, port: { type: 'string' } } });
  await install(site, say);
  await generate(root, say);
  const { copyPages } = await import(pathToFileURL(join(site, 'pages.mjs')).href);
  copyPages({ follow: !values.build });
  await node('api.mjs');
  const out = values.out === undefined ? {} : { HOLDFAST_SITE_OUT: resolve(values.out) };
  const vitepress = join('node_modules', 'vitepress', 'bin', 'vitepress.js');
  if (values.build) await node(vitepress, ['build'], out);
  else await node(vitepress, ['dev', '--host', '127.0.0.1', ...(values.port === undefined ? [] : ['--port', values.port])]);
} catch (error) {
  say(error.message);
  process.exit(1);
}

async function node(program, args = [], env = {}) {
  const { code } = await runChild(process.execPath, [program, ...args], { cwd: site, env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
