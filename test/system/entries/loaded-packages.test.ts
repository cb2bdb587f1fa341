/** The packages that an entry loads, in a process of its own: a program loads only what it uses. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const SCRIPT = `
  for (const name of process.argv.slice(1)) require(name);
  console.log(JSON.stringify(Object.keys(require.cache)));`;

function loaded(...names: string[]): string[] {
  const files = JSON.parse(execFileSync(process.execPath, ['-e', SCRIPT, '--', ...names], { cwd: ROOT, encoding: 'utf8' }));
  return (files as string[]).flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
}

/** Packages that an entry loads and the bare ones do not. */
function more(entry: string, bare: string[]): string[] {
  const known = new Set(bare.length === 0 ? [] : loaded(...bare));
  return [...new Set(loaded(join(ROOT, entry)))].filter((name) => !known.has(name)).sort();
}

const { exports: entries } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { default: string }>;
};

const CLIENT = ['@temporalio/client'];
const SCHEMAS = ['ajv', 'zod'];
const WORKER = [...CLIENT, '@temporalio/worker', ...SCHEMAS];
const SERVER = [...CLIENT, ...SCHEMAS, 'fastify', '@fastify/cors', '@fastify/rate-limit', '@fastify/swagger'];

/** For each entry the packages that a program without holdfast would load in its place, and what the entry loads besides. */
const CASES: Record<string, { bare: string[]; besides: string[] }> = {
  '.': { bare: WORKER, besides: ['ajv-formats', 'lru-cache', 'p-limit', 'picomatch', 'yocto-queue'] },
  './app': { bare: SCHEMAS, besides: ['ajv-formats', 'lru-cache', 'picomatch'] },
  './client': { bare: CLIENT, besides: [] },
  './worker': { bare: WORKER, besides: ['ajv-formats', 'lru-cache', 'p-limit', 'picomatch', 'yocto-queue'] },
  './gateway': { bare: SERVER, besides: ['@temporalio/envconfig', 'ajv-formats', 'lru-cache', 'picomatch', 'smol-toml'] },
  './models': { bare: [], besides: [] },
  './tools': { bare: SCHEMAS, besides: ['ajv-formats', 'lru-cache'] },
  './testing': { bare: SCHEMAS, besides: ['ajv-formats', 'lru-cache', 'picomatch'] },
  './http': { bare: [], besides: ['openapi-fetch'] },
};

it('every entry is in the table', () => {
  expect(Object.keys(CASES)).toEqual(Object.keys(entries).filter((entry) => entry !== './package.json'));
});

it.each(Object.entries(CASES))(
  'holdfast, %s loads no package of a pack, model, store or mail that it does not use',
  (entry, { bare, besides }) => {
    expect(more((entries[entry] as { default: string }).default, bare)).toEqual(besides);
  },
);
