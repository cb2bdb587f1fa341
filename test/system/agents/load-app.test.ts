/** An app file of the user's, loaded as a worker does. In a process of its own: Jest cannot load it. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = join(process.cwd(), 'dist');
const APP = `import { defineAgent, defineApp, defineTool } from 'holdfast';

interface Input { invoice: string }
const pay = defineTool({
  name: 'pay', version: '1.0.0', class: 'read', description: 'Pays one supplier invoice, in full.',
  input: { type: 'object', properties: {} },
  run: async (input: Input) => {
    const { transfer } = await import('bank');
    return transfer(input.invoice);
  },
});
export default defineApp({ agents: [defineAgent({ name: 'a', prompt: 'A.', tools: [pay] })] });
`;
const RUN = `const [load, ...files] = process.argv.slice(1);
const thrown = async (file) => {
  const { agents } = await require(load).loadApp(file);
  return agents[0].tools[0].run({ invoice: 'A-1' }).then(() => 'nothing', (error) => error.stack);
};
Promise.all(files.map(thrown)).then((stacks) => console.log(JSON.stringify(stacks)));`;

/** The package counts how often it is loaded in the process, and so does the app; the tool's name has both counts. */
const COUNTED_PACKAGE = 'exports.times = globalThis.timesOfPackage = (globalThis.timesOfPackage ?? 0) + 1;';
const COUNTED_APP = `import { times } from 'counted';
import { defineAgent, defineApp } from 'holdfast';

const own: number = ((globalThis as any).timesOfApp = ((globalThis as any).timesOfApp ?? 0) + 1);
export default defineApp({ agents: [defineAgent({ name: \`app-\${own}-package-\${times}\`, prompt: 'A.', tools: [] })] });
`;
const RUN_TWICE = `const [load, file] = process.argv.slice(1);
require('counted');
(async () => {
  const names = [];
  for (let time = 0; time < 2; time++) names.push((await require(load).loadApp(file)).agents[0].name);
  const engines = Object.keys(require.cache).filter((path) => path.includes('define.js') && path.includes('agents'));
  console.log(JSON.stringify({ names, engines: engines.length }));
})();`;

const KINDS: [string, object, string][] = [
  ['CommonJS, as npm init makes it', { type: 'commonjs' }, 'app.ts'],
  ['CommonJS, as older versions of npm make it', {}, 'app.ts'],
  ['an ES module', { type: 'module' }, 'app.ts'],
  ['CommonJS by its name', { type: 'module' }, 'app.cts'],
  ['an ES module by its name', { type: 'commonjs' }, 'app.mts'],
];

let folder: string;
let files: string[];
let stacks: string[];
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-load-app-')));
  await packageOf('holdfast', 'commonjs', `module.exports = require(${JSON.stringify(join(LIBRARY, 'index.js'))});`);
  await packageOf('bank', 'module', 'export function transfer() { throw new Error("the bank is closed"); }');
  files = await Promise.all(KINDS.map(([, manifest, name], index) => appIn(join(folder, String(index)), manifest, name)));
  const load = join(LIBRARY, 'agents/load-app.js');
  stacks = JSON.parse(execFileSync(process.execPath, ['-e', RUN, load, ...files], { encoding: 'utf8' })) as string[];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function packageOf(name: string, type: string, code: string): Promise<void> {
  const path = join(folder, 'node_modules', name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'package.json'), JSON.stringify({ name, type, main: 'index.js' }));
  await writeFile(join(path, 'index.js'), code);
}

async function appIn(path: string, manifest: object, name: string, app = APP): Promise<string> {
  await mkdir(path);
  await writeFile(join(path, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(path, name), app);
  return join(path, name);
}

it.each(KINDS.map(([kind], index) => [kind, index] as const))(
  'an exception of a tool names the line of the app file, and a package that is imported late is found: %s',
  (_kind, index) => {
    expect(stacks[index]).toMatch(/^Error: the bank is closed\n/);
    expect(stacks[index]).toContain(`${files[index]}:9:12)`);
    expect(stacks[index]).not.toContain('data:');
  },
);

it('is loaded anew each time, in CommonJS, and its packages once a process: the engine that serves it is the one that it imports', async () => {
  await packageOf('counted', 'commonjs', COUNTED_PACKAGE);
  const file = await appIn(join(folder, 'counted-app'), {}, 'app.ts', COUNTED_APP);
  const args = ['-e', RUN_TWICE, join(LIBRARY, 'agents/load-app.js'), file];
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', cwd: folder });
  expect(JSON.parse(said)).toEqual({ names: ['app-1-package-1', 'app-2-package-1'], engines: 1 });
});
