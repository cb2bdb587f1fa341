/** `holdfast tools …`: lists, shows and checks the tools of an app. */
import type { Command } from 'commander';
import { cardMarkdown } from '../tools/cards/markdown';
import { definitionTokens, toolCard } from '../tools/cards/card';
import { toolDefinition } from '../tools/convert';
import { lintTool } from '../tools/lint/lint';
import { oneLine } from './support/describe';
import { EXIT, Exit } from './support/exit';
import type { Output } from './support/output';
import { listMcpTools } from './support/mcp-tools';
import { toolbox, versionsOf, withToolbox, type ToolWithAgents, type ToolboxOptions } from './support/toolbox';
import { toolsCheck } from './tools-check';
import { toolsCards } from './tools-cards';
import { toolsDraft } from './tools-draft';
import { toolsExport } from './tools-export';
import { toolsMigrate } from './tools-migrate';

/** @param tools the command `tools` itself, which main.ts makes */
export function toolsCommands(tools: Command, output: () => Output): void {
  list(tools, output);
  show(tools, output);
  lint(tools, output);
  for (const mount of [toolsCheck, toolsCards, toolsMigrate, toolsExport, toolsDraft]) mount(tools, output);
}

function list(tools: Command, output: () => Output): void {
  withToolbox(tools.command('list'))
    .description(
      'Every tool and version that a call can reach in this environment today, with the tokens that its definition costs in every request; and what the agents’ MCP servers offer now.',
    )
    .option('--by <name>', 'those that this principal may call; default: local')
    .action(async (options: ToolboxOptions) => {
      const { callable: tools, agents } = await toolbox(options);
      const outside = await listMcpTools(agents);
      const rows = tools.map(row);
      const total = rows
        .filter(({ internal_only }) => !internal_only)
        .reduce((sum, { definition_tokens }) => sum + definition_tokens, 0);
      const lines = rows.map(
        (each) =>
          `${each.name.padEnd(26)} ${each.version.padEnd(8)} ${each.class.padEnd(12)} ${String(each.definition_tokens).padStart(5)} tokens  ${each.agents.join(', ')}${each.deprecated ? '  (deprecated)' : ''}`,
      );
      const theirs = outside.tools.map(
        (each) =>
          `${each.name.padEnd(26)} ${'MCP'.padEnd(8)} ${each.class.padEnd(12)} ${each.state.padStart(12)}  ${each.agents.join(', ')}  (server ${each.server})`,
      );
      const silent = Object.entries(outside.missing).map(([server, why]) => `The tools of ${server} are not known: ${why}`);
      const sum = `${rows.length} tools, ${total} tokens in all${theirs.length > 0 ? `; ${theirs.length} tools of MCP servers` : ''}`;
      output().answer({ tools: rows, definition_tokens: total, outside: outside.tools, missing: outside.missing }, [
        ...lines,
        ...theirs,
        ...silent,
        sum,
      ]);
    });
}

function row({ tool, agents }: ToolWithAgents) {
  const definition = toolDefinition(tool);
  return {
    name: definition.name,
    version: definition.version,
    class: definition.class,
    group: definition.group ?? null,
    agents,
    internal_only: definition.internal_only,
    deprecated: definition.deprecated,
    definition_tokens: definitionTokens(definition),
    estimated_tokens: definition.estimated_tokens ?? null,
  };
}

function show(tools: Command, output: () => Output): void {
  withToolbox(tools.command('show'))
    .description('The data sheet of one tool; with --json its definition.')
    .argument('<name>')
    .action(async (name: string, options: ToolboxOptions) => {
      const versions = versionsOf((await toolbox(options)).tools, name);
      const value = versions.map((each) => toolDefinition(each.tool));
      const lines = versions.flatMap((each) => cardMarkdown(toolCard(each.tool)).trimEnd().split('\n'));
      output().answer(value.length === 1 ? value[0] : value, lines);
    });
}

function lint(tools: Command, output: () => Output): void {
  withToolbox(tools.command('lint'))
    .description('What is wrong with the definitions; exit 1 when something is.')
    .option('--advice', 'and what could be better')
    .action(async ({ advice: withAdvice, ...options }: ToolboxOptions & { advice?: boolean }) => {
      const all = (await toolbox(options)).tools.flatMap(({ tool }) => lintTool(tool));
      const faults = all.filter(({ level }) => level === 'fault');
      const findings = withAdvice === true ? all : faults;
      const lines = findings.map(({ tool, path, rule, message, fix }) =>
        oneLine(`${tool}${path} ${rule}: ${message} ${fix}`, 400),
      );
      const untold = all.length - findings.length;
      const more = untold > 0 ? [`--advice shows what could be better: ${untold}.`] : [];
      output().answer({ findings }, [...(faults.length > 0 ? lines : [...lines, 'Nothing to mend.']), ...more]);
      if (faults.length > 0) throw new Exit(EXIT.failed);
    });
}
