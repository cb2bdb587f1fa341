/** What an entry loads, in a process of its own: a program pays for what it uses. */
import { execFileSync } from 'node:child_process';
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
  const known = new Set(loaded(...bare));
  return [...new Set(loaded(join(ROOT, 'dist', entry)))].filter((name) => !known.has(name)).sort();
}

const CLIENT = ['@temporalio/client'];
const WORKER = [...CLIENT, '@temporalio/worker', '@anthropic-ai/sdk', 'ajv', 'zod'];

it('holdfast/client loads no package but those of the Temporal client', () => {
  expect(more('entries/client.js', CLIENT)).toEqual([]);
});

it('holdfast/app loads neither Temporal nor a model: what reads schemas and patterns of files alone', () => {
  expect(more('entries/app.js', ['ajv', 'zod'])).toEqual(['ajv-formats', 'lru-cache', 'picomatch']);
});

it('holdfast/worker loads few packages besides the SDKs, ajv and zod: none of a pack, a store or mail that is not used', () => {
  expect(more('entries/worker.js', WORKER)).toEqual(['ajv-formats', 'lru-cache', 'p-limit', 'picomatch', 'yocto-queue']);
});
