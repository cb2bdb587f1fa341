/** `holdfast tools migrate`: compares two versions of a tool. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseDefinition, toolDefinition, type ToolJson } from '../tools/convert';
import { compareVersions, type Change } from '../tools/migrate/compare';
import { migrationGuide } from '../tools/migrate/guide';
import { oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Output } from './support/output';
import { toolbox, versionsOf, withToolbox, type ToolWithAgents, type ToolboxOptions } from './support/toolbox';
import { errorMessage } from '../shared/text/error-message';

interface MigrateOptions extends ToolboxOptions {
  tool?: string;
  from?: string;
  to?: string;
  fromFile?: string;
  toFile?: string;
  guide?: boolean;
}

export function toolsMigrate(tools: Command, output: () => Output): void {
  withToolbox(tools.command('migrate'))
    .description(
      'Compares two versions of a tool: what breaks, which version step is due; exit 1 when the versions do not make it.',
    )
    .option('--tool <name>', 'a tool of the app')
    .option('--from <version>', 'the version that callers use now')
    .option('--to <version>', 'the version that replaces it')
    .option('--from-file <file>', 'a definition as JSON (tools export --format holdfast), instead of --from')
    .option('--to-file <file>', 'a definition as JSON, instead of --to')
    .option('--guide', 'prints the drafted migration guide (Markdown)')
    .action(async (options: MigrateOptions) => {
      const [old, next] = await both(options);
      const comparison = compareVersions(old, next);
      const guide = migrationGuide(comparison, old, next);
      const { tool, from, to, changes, breaking, due, satisfied, verdict } = comparison;
      const lines = options.guide ? guide.trimEnd().split('\n') : [`${tool} ${from} → ${to}: ${verdict}`, ...changes.map(line)];
      output().answer({ tool, from, to, breaking, due, satisfied, verdict, changes, guide }, lines);
      if (!satisfied) throw new Exit(EXIT.failed);
    });
}

function line({ breaking, approval, part, path, what }: Change): string {
  const mark = breaking ? '✗' : approval ? '!' : '·';
  return oneLine(`${mark} ${part} ${path === '' ? '/' : path}: ${what}`, 300);
}

async function both(options: MigrateOptions): Promise<[ToolJson, ToolJson]> {
  const { tool: name, from, to, fromFile, toFile } = options;
  if ((from === undefined) === (fromFile === undefined) || (to === undefined) === (toFile === undefined)) {
    throw new UsageError('Give --from VERSION or --from-file FILE, and --to VERSION or --to-file FILE.');
  }
  const needsTool = fromFile === undefined || toFile === undefined;
  if (needsTool && name === undefined) throw new UsageError('--from and --to need --tool NAME.');
  const versions = needsTool ? versionsOf((await toolbox(options)).tools, name!) : [];
  return [
    fromFile === undefined ? version(versions, from!) : file(fromFile),
    toFile === undefined ? version(versions, to!) : file(toFile),
  ];
}

function version(versions: ToolWithAgents[], wantedVersion: string): ToolJson {
  const match = versions.find(({ tool }) => tool.version === wantedVersion);
  if (match) return toolDefinition(match.tool);
  const numbers = versions.map(({ tool }) => tool.version).join(', ');
  throw new UsageError(
    `${versions[0]!.tool.name} has no version ${JSON.stringify(wantedVersion)}; versions: ${numbers}. An old one can be given by --from-file.`,
  );
}

function file(path: string): ToolJson {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${errorMessage(error)}`);
  }
  try {
    return parseDefinition(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`${path}: ${errorMessage(error)}`);
  }
}
