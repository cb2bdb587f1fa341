import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as csv from 'csv-parse/sync';
import { defineTool } from '../../../../src/tools/define/define';
import { ToolError } from '../../../../src/tools/define/errors';
import ts from 'typescript';
import { isTool, type Tool } from '../../../../src/tools/define/tool';

/**
 * Runs a drafted file and gives its tools; fails on any syntax error and on any import that drafts do not make.
 * @param beside what the draft imports of the project that it was drafted from, by path
 */
export function load(source: string, database?: unknown, beside: Record<string, unknown> = {}): Tool[] {
  const { outputText, diagnostics } = ts.transpileModule(source, {
    reportDiagnostics: true,
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  expect(diagnostics!.map(({ messageText }) => messageText)).toEqual([]);
  const modules: Record<string, unknown> = {
    holdfast: { defineTool, ToolError },
    'node:fs/promises': { readFile: async (path: string) => readFileSync(path, 'utf8') },
    'csv-parse/sync': csv,
    ...beside,
  };
  const exports: { tools?: Tool[]; databaseTools?(database: unknown): Tool[] } = {};
  new Function('exports', 'require', outputText)(exports, (name: string) => modules[name] ?? fail(name));
  const tools = exports.tools ?? exports.databaseTools!(database);
  expect(tools.every(isTool)).toBe(true);
  return tools;
}

function fail(name: string): never {
  throw new Error(`A draft imports ${name}`);
}

/**
 * Type errors of drafted files, checked against the declarations of this project.
 * @param beside source files that drafts import, by name
 */
export function typeErrors(sources: string[], beside: Record<string, string> = {}): string[] {
  const root = join(__dirname, '../../../..');
  const files = new Map(
    sources.map((source, index) => [join(root, `test/draft-${index}.ts`), source.replace("'holdfast'", "'../dist/index'")]),
  );
  for (const [name, text] of Object.entries(beside)) files.set(join(root, 'test', name), text);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    esModuleInterop: true,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, ...rest) =>
    files.has(name) ? ts.createSourceFile(name, files.get(name)!, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].flatMap((name) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}
