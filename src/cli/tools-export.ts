/** `holdfast tools export`: prints the definitions of tools in another program's format. */
import { Option, type Command } from 'commander';
import { toAnthropic, toMcp, toolDefinition, toOpenAiChat, type Conversion, type ToolJson } from '../tools/convert';
import { oneLine } from './support/describe';
import type { Output } from './support/output';
import { toolbox, withToolbox, type ToolboxOptions } from './support/toolbox';

const FORMATS: Record<string, (definition: ToolJson) => Conversion<unknown>> = {
  anthropic: (definition) => toAnthropic(definition),
  openai: (definition) => toOpenAiChat(definition),
  mcp: toMcp,
  holdfast: (value) => ({ value, losses: [] }),
};

export function toolsExport(tools: Command, output: () => Output): void {
  withToolbox(tools.command('export'))
    .description(
      "Definitions for another program; what it has no words for is said on standard error. The vendor's server tools stay apart.",
    )
    .addOption(new Option('--format <format>', 'whose').choices(Object.keys(FORMATS)).makeOptionMandatory())
    .action(async ({ format, ...options }: ToolboxOptions & { format: string }) => {
      const { tools, agents } = await toolbox(options);
      const selection = tools.filter(({ tool }) => format === 'holdfast' || tool.internalOnly !== true);
      const definitions = selection.map(({ tool }) => ({ name: tool.name, ...FORMATS[format]!(toolDefinition(tool)) }));
      const values = definitions.map(({ value }) => value);
      const losses = definitions.flatMap(({ name, losses }) => losses.map((loss) => ({ tool: name, ...loss })));
      const server_tools = format === 'anthropic' ? agents.flatMap((agent) => agent.serverTools) : [];
      const out = output();
      out.answer({ format, tools: values, server_tools, losses }, JSON.stringify(values, null, 2).split('\n'));
      if (!out.json) for (const { tool, path, what } of losses) out.note(oneLine(`${tool}${path}: ${what}`, 300));
    });
}
