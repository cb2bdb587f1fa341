/**
 * Each example in TypeScript of the README, of docs/ and of the packages compiles, against the types of the packages as they are built, and
 * each one that needs nothing else runs. An example is a module of
 * its own; where its first line names a file (`// app.ts`), the other examples of its page can import that. Code that an
 * example leaves out is before it, in a comment that begins with `<!-- ts`: declarations, or a file with its name in the first line.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { ROOT } from '../../support/named-tests';
import { pdf } from '../../support/files/samples';
import { eventually } from '../../engine/support/engine';
import { MESSAGES } from '../../support/model/wires/messages';
import { startWireServer } from '../../support/model/wires/server';
import { collect, environment, run as runCommand } from '../cli/support/cli';
import { startDev } from '../cli/support/dev';

/** A user's options, as strict as they come. */
const OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  esModuleInterop: true,
  types: ['node'],
};

interface Example {
  /** Path of the module that is compiled; the folder is the page's. */
  file: string;
  text: string;
  page: string;
  /** The line of the page that is the first of `text`. */
  line: number;
}

function pages(): string[] {
  const folders = ['packs', 'packages'].flatMap((group) => readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`));
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const names = ['README.md', ...docs.map((name) => `docs/${name}`), ...folders.map((folder) => `${folder}/README.md`)];
  return names.filter((name) => existsSync(join(ROOT, name)));
}

/** The examples of a page, with what stands in comments before them. */
function examplesOf(page: string, markdown: string): Example[] {
  const examples: Example[] = [];
  let before = '';
  for (const { 1: hidden, 3: code, index } of markdown.matchAll(/^<!-- ts\n(.*?)-->$|^( *)```ts\n(.*?)^\2```$/gms)) {
    const line = markdown.slice(0, index).split('\n').length + 1;
    const text = hidden ?? code!;
    const name = /^\s*\/\/ ([\w-]+\.ts)\b/.exec(text)?.[1];
    if (hidden !== undefined && name === undefined) before = text;
    else {
      const file = join(ROOT, 'examples', page, name ?? `line-${line}.ts`);
      examples.push({ file, text: before + text, page, line: line - before.split('\n').length + 1 });
      before = '';
    }
  }
  return examples;
}

function faultsOf(examples: Example[]): string[] {
  const texts = new Map(examples.map(({ file, text }) => [file, text]));
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.directoryExists = (path) => [...texts.keys()].some((file) => file.startsWith(`${path}/`)) || directoryExists!(path);
  host.getSourceFile = (path, language, ...others) => {
    const text = texts.get(path);
    return text === undefined ? getSourceFile(path, language, ...others) : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([...texts.keys()], OPTIONS, host);
  return examples.flatMap(({ file, page, line }) => {
    const source = program.getSourceFile(file)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((fault) => {
      const at = line + source.getLineAndCharacterOfPosition(fault.start ?? 0).line;
      return `${page}:${at} ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`;
    });
  });
}

/** It starts turns: an engine has to run. */
const NEEDS_ENGINE = /HoldfastClient\.connect\(|http:\/\/localhost:8480/;
/** It asks the gateway, with the token of a principal. */
const ASKS_GATEWAY = /http:\/\/localhost:8480/;

/** Examples that run elsewhere. */
const RUN_ELSEWHERE: Record<string, RegExp> = {
  'README.md': /service\.ts/, // e2e/pack
  'docs/embedding.md': /./, // embedding.test.ts
  'docs/tutorial.md': /./, // tutorial.test.ts
  // Below, each by itself.
  'docs/encryption.md': /createWorker/,
  'docs/results.md': /invoiceApp|service\.ts/,
  'docs/testing-tools.md': /testBank/,
};

/** What pages declare as the reader's own, and what a run has in its place. */
const READERS_OWN: [declared: RegExp, code: string][] = [
  [
    /^declare const app: App, connection.*$/m,
    `import { NativeConnection as Connection } from '@temporalio/worker';
import { randomBytes } from 'node:crypto';
import { defineApp } from 'holdfast/app';
const app: App = defineApp({ agents: [] });
const connection: NativeConnection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
const log = { debug() {}, info() {}, warn() {}, error() {} } as unknown as ToolLogger;
const [ring, k1] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64'));
const kms = { unwrap: async (_name: string): Promise<unknown> => ({ v: 'holdfast.keys/1', ring, current: 'k1', keys: { k1 } }) };
setImmediate(() => main().then(() => process.exit()));
`,
  ],
  [/postgres:\/\/localhost\/holdfast/, 'file:encrypted-store'],
  [
    /^declare function parrot[^]*?startParrotServer.*$/m,
    `import { AnthropicProvider } from '${join(ROOT, 'dist/model/anthropic/provider.js')}';
import { MESSAGES } from '${join(ROOT, 'test/support/model/wires/messages')}';
import { startWireServer } from '${join(ROOT, 'test/support/model/wires/server')}';
const parrot = (options: { baseUrl: string; apiKey: string; timeoutMs?: number | undefined }): ModelProvider => new AnthropicProvider(options);
const startParrotServer = (): Promise<WireServer> => startWireServer(MESSAGES);
`,
  ],
];

const OPENAPI = `openapi: 3.1.0
info: { title: Stock, version: 1.0.0 }
paths:
  /stock/{id}:
    get:
      operationId: stock
      summary: What is in stock.
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: The stock. } }
`;

/** The agents that the pages name. */
const APP = `import { defineAgent, defineApp, defineTool } from 'holdfast';
import { z } from 'zod';

const pay = defineTool({
  name: 'pay_invoice', version: '1.0.0', class: 'destructive', description: 'Pays one supplier invoice.',
  input: z.object({ invoice: z.string(), cents: z.number().int().default(700) }), run: async ({ invoice }) => ({ paid: invoice }),
});
const payables = defineAgent({ name: 'payables', prompt: 'Pay due invoices.', tools: [pay] });
const reader = defineAgent({ name: 'reader', prompt: 'Read.', tools: [], result: z.object({ cents: z.number() }) });
const analyst = defineAgent({ name: 'credit-analyst', prompt: 'Answer.', tools: [] });
export default defineApp({ agents: [payables, reader, analyst] });
`;

/** What the model of docs/results.md reads off the invoice. */
const PROPOSAL = {
  ...{ invoice: 'INV-7', supplier: 'Papier AG', iban: 'DE02120300000000202051' },
  ...{ cents: 125_000, currency: 'EUR', due: '2026-12-15' },
};

/** Imports each file that it is given, and ends. */
const RUN = `for (const file of process.argv.slice(2)) {
  console.log('\\nruns ' + file); // an example may end within a line
  await import(file);
}
`;

describe('the examples in TypeScript', () => {
  const examples = pages().flatMap((page) => examplesOf(page, readFileSync(join(ROOT, page), 'utf8')));
  const run = examples.filter(({ page, text }) => !RUN_ELSEWHERE[page]?.test(text));
  let folder: string;
  const fileOf = ({ file }: Example) => join(folder, file.slice(join(ROOT, 'examples').length));

  beforeAll(() => {
    // Below the packages, which the examples import by name.
    mkdirSync(join(ROOT, '.holdfast'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.holdfast/examples-'));
    for (const example of examples) {
      mkdirSync(dirname(fileOf(example)), { recursive: true });
      writeFileSync(
        fileOf(example),
        READERS_OWN.reduce((text, [declared, code]) => text.replace(declared, code), example.text),
      );
    }
    const files = { 'package.json': '{ "type": "module" }', 'run.mjs': RUN, 'stock.yaml': OPENAPI, 'engine.ts': APP };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, 'invoice.pdf'), pdf());
    copyFileSync(join(ROOT, 'test/bundles/trust.json'), join(folder, 'keys.json'));
    copyFileSync(join(ROOT, 'test/bundles/approval.jsonl'), join(folder, 'turn.jsonl'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const runs = (args: string[], env: NodeJS.ProcessEnv, cwd = folder) => {
    const options = ['--import', pathToFileURL(require.resolve('tsx')).href, ...args];
    return collect(spawn(process.execPath, options, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  };

  /** All in one process. @returns what they have printed */
  async function ranAll(some: Example[], env: NodeJS.ProcessEnv): Promise<string> {
    const files = some.map((example) => pathToFileURL(fileOf(example)).href);
    const { code, stdout, stderr } = await runs(['run.mjs', ...files], env).ended;
    const last = stdout.split('\n').findLast((line) => line.startsWith('runs '));
    if (code !== 0) throw new Error(`${last} ended with ${code}:\n${stdout}${stderr}`);
    expect(last).toBe(`runs ${files.at(-1)}`);
    return stdout;
  }

  it('run, if they need no engine', async () => {
    const alone = run.filter(({ text }) => !NEEDS_ENGINE.test(text));
    expect(alone.length).toBeGreaterThan(40);
    expect(await ranAll(alone, environment({}))).toMatch(/^ok \d+ - an invoice is paid once a person has approved$/m);
  });

  it('run beside an engine, if they start turns', async () => {
    const dev = await startDev(['--app', './engine.ts'], {}, { cwd: folder });
    try {
      const { http_url: url, http_token: token } = dev.facts;
      const [asking, starting] = [true, false].map((asks) =>
        run.filter(({ text }) => NEEDS_ENGINE.test(text) && ASKS_GATEWAY.test(text) === asks),
      );
      for (const example of asking!) writeFileSync(fileOf(example), example.text.replaceAll('http://localhost:8480', url));
      expect([asking!.length, starting!.length]).toEqual([3, 5]);
      expect(await ranAll(asking!, { ...dev.env, HOLDFAST_TOKEN: token })).toContain('I call pay_invoice');
      expect(await ranAll(starting!, dev.env)).toMatch(/^7$/m); // the cents of INV-7, of docs/results.md
      const encrypted = examples.find(({ page, text }) => page === 'docs/encryption.md' && text.includes('createWorker'))!;
      const ran = await runs([fileOf(encrypted)], { ...dev.env, TEMPORAL_ADDRESS: dev.facts.address }).ended;
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(join(folder, 'encrypted-store'))).toBe(true);
    } finally {
      await dev.stop();
    }
  });

  it('tests a tool whose process is killed (docs/testing-tools.md)', async () => {
    const example = examples.find(({ page, text }) => page === 'docs/testing-tools.md' && text.includes('testBank'))!;
    const { code, stderr } = await runs([fileOf(example)], environment({}), dirname(fileOf(example))).ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(readdirSync(join(dirname(fileOf(example)), 'payments')).length).toBeGreaterThan(10);
  });

  it('reads an invoice, and pays it once a person has approved (docs/results.md)', async () => {
    const cwd = join(folder, 'docs/results.md');
    const models = await startWireServer(MESSAGES, () => ({
      calls: [{ id: 'toolu_1', name: 'give_result', json: JSON.stringify(PROPOSAL) }],
    }));
    const model = { HOLDFAST_MODEL: 'anthropic', ANTHROPIC_BASE_URL: models.baseUrl, ANTHROPIC_API_KEY: 'sk-ant-test' };
    const dev = await startDev(['--app', './app.ts'], model, { headless: false, cwd });
    try {
      const service = runs(['service.ts', join(folder, 'invoice.pdf')], dev.env, cwd);
      await eventually('the service says where to approve, or ends', async () => {
        return service.output.stdout.includes('\n') || service.exitCode !== null;
      });
      expect(service.output).toEqual({
        stdout: expect.stringMatching(/^Approve it: http\S+\/workflows\/call%2F\S+\n$/),
        stderr: '',
      });
      const pending = await eventually(
        'it waits',
        async () => JSON.parse((await runCommand(['pending', '--json'], dev.env)).stdout)[0],
      );
      const { turn_id, calls } = pending as { turn_id: string; calls: { digest: string }[] };
      const approval = ['approve', turn_id, '--call', calls[0]!.digest, '--by', 'ana'];
      expect(await runCommand(approval, dev.env)).toMatchObject({ code: 0 });
      const { code, stdout } = await service.ended;
      expect([code, stdout]).toEqual([0, expect.stringContaining('INV-7 hf_')]);
    } finally {
      await dev.stop();
      await models.close();
    }
  });

  it('compile, all of them', () => {
    expect(examples.length).toBeGreaterThan(30);
    // An example that does not compile shows that faults are found, and where.
    const page = 'Text.\n\n<!-- ts\ndeclare const name: string;\n-->\n\n```ts\nconst length = name.length;\nname.lenght;\n```\n';
    expect(faultsOf([...examples, ...examplesOf('docs/none.md', page)])).toEqual([
      "docs/none.md:9 Property 'lenght' does not exist on type 'string'. Did you mean 'length'?",
    ]);
  });
});
