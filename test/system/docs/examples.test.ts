/**
 * Each example in TypeScript of the README, of docs/ and of the packages compiles, against the types of the packages as they are built. An example is a module of
 * its own; where its first line names a file (`// app.ts`), the other examples of its page can import that. Code that an
 * example leaves out is before it, in a comment that begins with `<!-- ts`: declarations, or a file with its name in the first line.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../support/named-tests';

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

describe('the examples in TypeScript', () => {
  it('compile, all of them', () => {
    const examples = pages().flatMap((page) => examplesOf(page, readFileSync(join(ROOT, page), 'utf8')));
    expect(examples.length).toBeGreaterThan(30);
    // An example that does not compile shows that faults are found, and where.
    const page = 'Text.\n\n<!-- ts\ndeclare const name: string;\n-->\n\n```ts\nconst length = name.length;\nname.lenght;\n```\n';
    expect(faultsOf([...examples, ...examplesOf('docs/none.md', page)])).toEqual([
      "docs/none.md:9 Property 'lenght' does not exist on type 'string'. Did you mean 'length'?",
    ]);
  });
});
