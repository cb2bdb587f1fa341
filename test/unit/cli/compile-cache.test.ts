/** The folder of compiled code: it belongs to the user, and needs a Node that can use it. */
import module from 'node:module';

const node = module as { enableCompileCache?: unknown };
const own = node.enableCompileCache;
afterEach(() => void (node.enableCompileCache = own));

async function load(enable: unknown): Promise<void> {
  process.env.XDG_CACHE_HOME = '/home/ana/.cache';
  node.enableCompileCache = enable;
  await jest.isolateModulesAsync(async () => void (await import('../../../src/cli/support/compile-cache.js')));
}

it('is below the user’s cache folder', async () => {
  const folders: unknown[] = [];
  await load((folder: unknown) => folders.push(folder));
  expect(folders).toEqual(['/home/ana/.cache/holdfast/compiled']);
});

it('does not exist with Node 20', () => expect(load(undefined)).resolves.toBeUndefined());
