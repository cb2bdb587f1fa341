/** `create-holdfast` as a program, what its templates say, and the service of one. pack.test.ts runs the projects that it makes, with packed packages. */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preProcessFile } from 'typescript';
import { parse } from 'yaml';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { waitUntil } from '../../../src/agents/wait-until';
import { NAMESPACE_ATTRIBUTES } from '../../../src/shared/search-attributes';
import { composeFaults } from '../support/compose-file';
import { collect, environment, type Running } from '../cli/support/cli';
import { eventually, testAddress, withEngine } from '../../engine/support/engine';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { ROOT } from '../../support/named-tests';

const PACKAGE = join(ROOT, 'packages/create-holdfast');
const TEMPLATES = ['payables', 'support', 'research'];

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-create-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function create(...args: string[]) {
  const bin = join(PACKAGE, 'bin/create-holdfast.js');
  const options = { cwd: folder, env: environment(), encoding: 'utf8', input: '' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], options);
  return { code: status, stdout, stderr };
}

const filesIn = (path: string) => readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const textOf = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>;

describe('create-holdfast', () => {
  it('makes a project under the name of its folder, and prints the next three commands', () => {
    const { code, stdout, stderr } = create('My Agent', '--template', 'payables');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const commands = [...stdout.matchAll(/^ {2}(\S.*?)(?: {2,}#.*)?$/gm)].map(([, command]) => command);
    expect(commands).toEqual(['cd "My Agent" && npm install', 'npm run dev', 'npm run service']);
    const { version } = jsonOf(join(ROOT, 'package.json'));
    const manifest = jsonOf(join(folder, 'My Agent/package.json'));
    expect(manifest).toMatchObject({ name: 'my-agent', dependencies: { holdfast: `^${String(version)}` } });
    expect(textOf('My Agent', '.gitignore')).toContain('node_modules/');
    expect(existsSync(join(folder, 'My Agent/node_modules'))).toBe(false);
  });

  it('takes a folder that has nothing but a repository', () => {
    mkdirSync(join(folder, 'agent/.git'), { recursive: true });
    expect(create('agent', '--template', 'research').code).toBe(0);
  });

  it.each<[string, string[], RegExp]>([
    [
      'a folder that has files',
      ['full', '--template', 'payables'],
      /full is not empty: it has note\.txt\. Nothing was written\./,
    ],
    ['a file', ['full/note.txt', '--template', 'payables'], /full\/note\.txt is a file/],
    ['an unknown template', ['agent', '--template', 'payable'], /no template "payable"; there are payables, support, research/],
    ['no template, without a terminal', ['agent'], /--template; there are payables, support, research/],
    ['no folder, without a terminal', [], /Name a folder/],
    ['two folders', ['a', 'b'], /One folder/],
    ['an unknown option', ['agent', '--tempalte', 'payables'], /--tempalte.*--help/],
  ])('writes nothing, and says what is wrong, for %s', (_, args, message) => {
    mkdirSync(join(folder, 'full'));
    writeFileSync(join(folder, 'full/note.txt'), 'mine');
    const { code, stdout, stderr } = create(...args);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(filesIn(folder).map(({ name }) => name)).toEqual(['note.txt']);
  });

  it.each([
    ['mine\n2\n', 'mine', 'support'],
    ['\n\n', 'my-agent', 'payables'],
    ['\nresearch\n', 'my-agent', 'researcher'],
  ])('asks at a terminal for what is left out: %j', (typed, made, agent) => {
    const { status, stdout } = atTerminal(typed);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/Folder .*Template /s) });
    expect(textOf(made, 'app.ts')).toContain(`name: '${agent}'`);
  });

  it('writes nothing if the terminal is left without an answer', () => {
    expect(atTerminal('mine\n')).toMatchObject({ status: 2, stderr: expect.stringContaining('Nothing was written.') });
    expect(readdirSync(folder)).toEqual([]);
  });

  /** The program with its streams as a terminal has them: one line after the other. */
  function atTerminal(typed: string) {
    const main = join(PACKAGE, 'src/main.js');
    const script = `
      import { PassThrough } from 'node:stream';
      import { main } from ${JSON.stringify(main)};
      const stdin = Object.assign(new PassThrough(), { isTTY: true });
      const lines = ${JSON.stringify(typed)}.split('\\n').slice(0, -1);
      const stdout = Object.assign(new PassThrough(), { isTTY: false });
      stdout.on('data', (text) => {
        process.stdout.write(text);
        if (!/\\): $/.test(String(text))) return;
        if (lines.length > 0) stdin.write(lines.shift() + '\\n');
        else stdin.end();
      });
      process.exitCode = await main([], { stdin, stdout, stderr: process.stderr });`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' });
  }
});

describe('the templates', () => {
  const shared = join(PACKAGE, 'templates/shared');
  const manifest = jsonOf(join(shared, 'package.json'));
  const root = jsonOf(join(ROOT, 'package.json'));

  it('have the versions that this repository is tested with, and the package the version of holdfast', () => {
    const { holdfast: _, ...named } = { ...manifest.dependencies, ...manifest.devDependencies };
    const tested: Record<string, string> = { ...root.dependencies, ...root.devDependencies };
    const wanted = (name: string) => `^${tested[name]!.replace(/^\^/, '')}`;
    expect(named).toEqual(Object.fromEntries(Object.keys(named).map((name) => [name, wanted(name)])));
    expect(jsonOf(join(PACKAGE, 'package.json')).version).toBe(root.version);
  });

  it.each(TEMPLATES)('%s: imports what its package.json names', (template) => {
    const sources = filesIn(join(PACKAGE, 'templates', template)).filter(({ name }) => name.endsWith('.ts'));
    const imported = sources.flatMap(({ parentPath, name }) =>
      preProcessFile(readFileSync(join(parentPath, name), 'utf8'), true, true).importedFiles.map(({ fileName }) => fileName),
    );
    const packages = imported.filter((name) => !name.startsWith('.') && !isBuiltin(name)).map((name) => name.split('/')[0]!);
    expect(packages).toContain('holdfast');
    expect(packages.filter((name) => !(name in manifest.dependencies!))).toEqual([]);
  });

  it('run in their image, which has no development dependencies, only programs that are there', () => {
    expect(readFileSync(join(shared, 'Dockerfile'), 'utf8')).toContain('npm ci --omit=dev');
    const texts = [join(shared, 'Dockerfile'), ...TEMPLATES.map((name) => join(PACKAGE, 'templates', name, 'README.md'))];
    const programs = texts.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/node_modules\/\.bin\/([\w-]+)/g)]);
    const names = [...new Set(programs.map(([, name]) => name!))].toSorted();
    expect(names).toEqual(['holdfast', 'tsx']);
    expect(names.filter((name) => !(name in manifest.dependencies!))).toEqual([]);
  });

  it('have an image of their own name', () => {
    const compose = parse(readFileSync(join(shared, 'compose.yaml'), 'utf8'), { merge: true }) as ComposeText;
    const images = Object.values(compose.services).flatMap(({ image, build }) => (build === undefined ? [] : [image]));
    expect(images).toEqual(['${COMPOSE_PROJECT_NAME:-agent}', '${COMPOSE_PROJECT_NAME:-agent}']);
  });

  it('have a compose file that is valid, with the search attributes that turns write', () => {
    const compose = parse(readFileSync(join(shared, 'compose.yaml'), 'utf8'), { merge: true }) as ComposeText;
    expect(composeFaults(compose)).toEqual([]);
    expect(Object.keys(compose.services)).toEqual(['temporal', 'retention', 'postgresql', 'worker', 'gateway']);
    const attributes = [...String(compose.services.temporal!.command).matchAll(/--search-attribute (\w+)=(\w+)/g)];
    expect(attributes.map(([, name, type]) => [name, type]).toSorted()).toEqual([...NAMESPACE_ATTRIBUTES].toSorted());
    expect(compose.services.retention!.image).toBe(compose.services.temporal!.image);
  });

  it('have a compose file that lets processes drain before they are killed, and gives the model’s key to the worker alone', () => {
    const { services } = parse(readFileSync(join(shared, 'compose.yaml'), 'utf8'), { merge: true }) as ComposeText;
    for (const name of ['worker', 'gateway']) {
      const { stop_grace_period: grace, environment } = services[name]!;
      // 10 s for what comes after the drain (worker-process.ts).
      expect(Number.parseInt(grace!, 10)).toBeGreaterThanOrEqual(Number(environment!.HOLDFAST_DRAIN_SECONDS) + 10);
    }
    const withKey = Object.entries(services).filter(([, { environment }]) => 'ANTHROPIC_API_KEY' in (environment ?? {}));
    expect(withKey.map(([name]) => name)).toEqual(['worker']);
  });
});

describe('the service of the template support', () => {
  it.each(['any', 'attested'] as const)('wakes a turn that sleeps, where decisions are %s', async (approvals) => {
    const customer = `mara-${randomUUID()}`;
    const signers = new Signers();
    const signingKey = approvals === 'any' ? undefined : await signers.file(signers.gateway);
    const agent = defineAgent({ name: 'support', prompt: 'Answer.', tools: [waitUntil({ longestMs: 7 * 86_400_000 })] });
    const setup = {
      app: defineApp({ agents: [agent] }),
      script: [ask(['wait_until', { after: '3 days', reason: 'It arrives on Thursday.' }]), say('Good!')],
      settings: { approvals, trust: signers.trust },
      signingKey,
    };
    // Below node_modules, where it finds the packages that it imports.
    mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
    const place = mkdtempSync(join(ROOT, 'node_modules/.cache/support-'));
    const file = join(place, 'service.mts');
    writeFileSync(file, readFileSync(join(PACKAGE, 'templates/support/service.ts'), 'utf8').replace("'mara'", `'${customer}'`));
    const services: Running[] = [];
    try {
      await withEngine(setup, async ({ client, model, taskQueue }) => {
        const settings = { TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: taskQueue, HOLDFAST_HOME: folder };
        const env = environment({ ...settings, ...(signingKey === undefined ? {} : { HOLDFAST_SIGNING_KEY: signingKey }) });
        const tsx = pathToFileURL(require.resolve('tsx')).href;
        const service = (message: string) => {
          const options = { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
          const child = collect(spawn(process.execPath, ['--import', tsx, file, message], options));
          services.push(child);
          return child;
        };
        const first = service('Where is my chair?');
        await eventually('the turn sleeps', async () => {
          const [, id] = /^Turn (\S+)\./.exec(first.output.stdout) ?? [];
          return id !== undefined && (await client.turn(id).status()).state === 'sleeping';
        });
        const succeeds = async ({ ended }: Running) =>
          expect(await ended).toEqual({ code: 0, stdout: expect.stringContaining('completed: Good!'), stderr: '' });
        await succeeds(service('It has arrived.'));
        await succeeds(first);
        expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain('It has arrived.');
      });
    } finally {
      for (const child of services) child.kill();
      rmSync(place, { recursive: true });
      signers.remove();
    }
  });
});

interface ComposeText {
  services: Record<
    string,
    {
      image?: string;
      build?: string;
      command?: string | string[];
      environment?: Record<string, string>;
      stop_grace_period?: string;
    }
  >;
}
