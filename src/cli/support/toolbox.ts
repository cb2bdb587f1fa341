/** Collects the tools of an app for the commands `tools …`. */
import type { Command } from 'commander';
import type { App } from '../../agents/define';
import { callableTools, listedTools, type ToolWithAgents } from '../../agents/listed-tools';
import { loadConfig } from '../../config';
import { LOCAL_PRINCIPAL } from '../../shared/ids';
import { nearest } from '../../shared/text/similar';
import { oneLine } from './describe';
import { UsageError } from './exit';
import type { Agent } from '../../agents/agent';

export type { ToolWithAgents } from '../../agents/listed-tools';

export interface ToolboxOptions {
  app?: string;
  agent?: string;
  /** Who would request the call. */
  by?: string;
}

export function withToolbox(command: Command): Command {
  return command
    .option('--app <file>', 'module whose default export is defineApp({…}); default: the agents that ship')
    .option('--agent <name>', 'only the tools of this agent');
}

/** Every tool and version of the app, with the agents that have it; `callable` are those that a call can reach. */
export async function toolbox({
  app: file,
  agent: name,
  by = LOCAL_PRINCIPAL,
}: ToolboxOptions): Promise<{ tools: ToolWithAgents[]; callable: ToolWithAgents[]; agents: Agent[] }> {
  const { appOf } = await import('./app.js');
  const config = loadConfig();
  const app: App = await appOf(config, file);
  const agents = name === undefined ? [...app.agents] : app.agents.filter((agent) => agent.name === name);
  if (agents.length === 0) {
    const names = app.agents.map((agent) => agent.name);
    throw new UsageError(`There is no agent ${JSON.stringify(name)}; agents: ${names.join(', ')}.`);
  }
  const tools = listedTools(app, name);
  return { tools, callable: callableTools(app, tools, { environment: config.environment, requester: by }), agents };
}

/** The versions of a tool, by its name. @throws UsageError that names the nearest tools */
export function versionsOf(tools: readonly ToolWithAgents[], name: string): ToolWithAgents[] {
  const versions = tools.filter(({ tool }) => tool.name === name);
  if (versions.length > 0) return versions;
  const names = [...new Set(tools.map(({ tool }) => tool.name))];
  const like = nearest(name, names);
  const hint = like.length > 0 ? `Did you mean ${like.join(', ')}?` : `Tools: ${names.join(', ')}.`;
  throw new UsageError(`There is no tool "${oneLine(name, 64)}". ${hint}`);
}
