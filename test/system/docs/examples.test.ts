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
import { collect, environment } from '../cli/support/cli';

jest.setTimeout(120_000);

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
const NEEDS_ENGINE = /HoldfastClient\.connect\(|NativeConnection\.connect\(|http:\/\/localhost:8480|declare const holdfast\b/;

/** Pages whose examples about something of the reader's own only compile. */
const NEEDS_MORE = {
  'docs/encryption.md': 'a key service',
  'docs/models.md': "a vendor's server",
  'docs/testing-tools.md': 'a bank',
};

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

/** Imports each file that it is given. */
const RUN = `for (const file of process.argv.slice(2)) {
  console.log('runs ' + file);
  await import(file);
}
`;

function allExamples(): Example[] {
  return pages().flatMap((page) => examplesOf(page, readFileSync(join(ROOT, page), 'utf8')));
}

describe('the examples in TypeScript', () => {
  it('run, if they need no engine', async () => {
    const examples = allExamples();
    const alone = examples.filter(
      ({ text, page }) => !NEEDS_ENGINE.test(text) && !(page in NEEDS_MORE && /^(export )?declare /m.test(text)),
    );
    expect(alone.length).toBeGreaterThan(35);

    // Below the packages, which the examples import by name.
    mkdirSync(join(ROOT, '.holdfast'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, '.holdfast/examples-'));
    try {
      const fileOf = ({ file }: Example) => join(folder, file.slice(join(ROOT, 'examples').length));
      for (const example of examples) {
        mkdirSync(dirname(fileOf(example)), { recursive: true });
        writeFileSync(fileOf(example), example.text);
      }
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(folder, 'run.mjs'), RUN);
      writeFileSync(join(folder, 'stock.yaml'), OPENAPI);
      copyFileSync(join(ROOT, 'test/bundles/trust.json'), join(folder, 'keys.json'));
      copyFileSync(join(ROOT, 'test/bundles/approval.jsonl'), join(folder, 'turn.jsonl'));
      const files = alone.map((example) => pathToFileURL(fileOf(example)).href);
      const args = ['--import', pathToFileURL(require.resolve('tsx')).href, 'run.mjs', ...files];
      const child = spawn(process.execPath, args, { cwd: folder, env: environment({}), stdio: ['ignore', 'pipe', 'pipe'] });
      const { code, stdout, stderr } = await collect(child).ended;
      const last = stdout
        .trim()
        .split('\n')
        .findLast((line) => line.startsWith('runs '));
      expect({ code, last, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, last: `runs ${files.at(-1)}`, stderr: '' });
      expect(stdout).toContain('ok 1 - an invoice is paid once a person has approved');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('compile, all of them', () => {
    const examples = allExamples();
    expect(examples.length).toBeGreaterThan(30);
    // An example that does not compile shows that faults are found, and where.
    const page = 'Text.\n\n<!-- ts\ndeclare const name: string;\n-->\n\n```ts\nconst length = name.length;\nname.lenght;\n```\n';
    expect(faultsOf([...examples, ...examplesOf('docs/none.md', page)])).toEqual([
      "docs/none.md:9 Property 'lenght' does not exist on type 'string'. Did you mean 'length'?",
    ]);
  });
});
