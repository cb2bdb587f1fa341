/** `holdfast tools draft`: drafts tools from a data source or from functions. */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { Argument, type Command } from 'commander';
import { UsageError } from './support/exit';
import type { Output } from './support/output';
import { loadToolKit, type ToolKit } from './support/tool-kit';
import { errorMessage } from '../shared/text/error-message';

/** Most bytes that are read of a source; of a CSV file only the beginning is needed. */
const LARGEST = 8 * 1024 * 1024;

export function toolsDraft(tools: Command, output: () => Output): void {
  tools
    .command('draft')
    .description(
      'Drafts tools from a data source or from functions: a TypeScript file for a person to finish, marked with "decide:".',
    )
    .addArgument(new Argument('<kind>', 'what the file is').choices(['openapi', 'sql', 'csv', 'function']))
    .argument('<file>')
    .option('-o, --output <file>', 'a new file; default: standard output')
    .option('--name <export>', 'function: only this one; default: all functions that the file exports')
    .action((kind: string, file: string, options: Options) => {
      if (options.name !== undefined && kind !== 'function') throw new UsageError('--name is for functions.');
      const source = draft(kind, file, options);
      if (options.output === undefined) return output().answer({ source }, source.trimEnd().split('\n'));
      write(options.output, source);
      output().answer({ file: options.output }, [`${options.output}: go through its "decide:" lines.`]);
    });
}

interface Options {
  output?: string;
  name?: string;
}

function draft(kind: string, file: string, options: Options): string {
  const kit = loadToolKit();
  const { text, whole } = read(file);
  if (!whole && kind !== 'csv') throw new UsageError(`${file} is larger than ${LARGEST} bytes: split it.`);
  const name = basename(file);
  try {
    if (kind === 'openapi') return kit.draftFromOpenApi(text, name);
    if (kind === 'sql') return kit.draftFromSql(text, name);
    if (kind === 'function') return draftFunctions(kit, file, text, options);
    return kit.draftFromCsv(text, name, file);
  } catch (error) {
    if (error instanceof Error && ['DraftError', 'ConversionError'].includes(error.name)) throw new UsageError(error.message);
    throw error;
  }
}

function draftFunctions(kit: ToolKit, file: string, text: string, { output = 'draft.ts', name }: Options): string {
  const way = relative(dirname(output), file).split(sep).join('/');
  // The path as a running program imports it: with `.js`, both kinds of module resolution find the source.
  const module = (way.startsWith('../') ? way : `./${way}`).replace(/\.([cm]?)tsx?$/, '.$1js');
  return kit.draftFromFunctions(kit.typescriptFor(file), { text, from: basename(file), module, name });
}

function read(file: string): { text: string; whole: boolean } {
  try {
    const buffer = Buffer.alloc(LARGEST + 1);
    const handle = openSync(file, 'r');
    try {
      const bytes = readSync(handle, buffer, 0, buffer.length, 0);
      return { text: buffer.subarray(0, Math.min(bytes, LARGEST)).toString('utf8'), whole: bytes <= LARGEST };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}

/** Never overwrites a file: a person may have finished it already. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new UsageError(
      exists ? `${file} exists: give another name with -o.` : `${file} cannot be written: ${errorMessage(error)}`,
    );
  }
}
