/** What the app offers besides tools, on one server: nothing where it defines nothing. */
import type { McpDefinition } from '../../agents/mcp';
import type { AppAnswers } from './app-answers';
import { offerCompletion, offerPrompts } from './app-prompts';
import { offerResources } from './app-resources';
import type { Server, ServerCapabilities } from './sdk';
import { ToolLogs } from './tool-logs';

export function capabilitiesOf({
  prompts = [],
  resources = [],
  resourceTemplates = [],
  toolLogs,
}: McpDefinition): ServerCapabilities {
  const completions = [
    ...prompts.flatMap((prompt) => Object.values(prompt.arguments ?? {}).map(({ complete }) => complete)),
    ...resourceTemplates.flatMap(({ complete }) => Object.values(complete ?? {})),
  ];
  return {
    ...(prompts.length > 0 ? { prompts: {} } : {}),
    ...(resources.length + resourceTemplates.length > 0 ? { resources: { subscribe: true } } : {}),
    ...(completions.some((complete) => complete !== undefined) ? { completions: {} } : {}),
    ...(toolLogs === true ? { logging: {} } : {}),
  };
}

export interface OfApp {
  /** Null: clients are told of no logs. */
  logs: ToolLogs | null;
  /** The client is gone: nothing is watched for it any more. */
  end(): void;
}

/** @param capabilities of `capabilitiesOf`, which the server was made with */
export function offerOfApp(server: Server, app: AppAnswers, capabilities: ServerCapabilities): OfApp {
  if (capabilities.prompts) offerPrompts(server, app);
  if (capabilities.completions) offerCompletion(server, app);
  const subscriptions = capabilities.resources ? offerResources(server, app) : null;
  const logs = capabilities.logging ? new ToolLogs(server) : null;
  return { logs, end: () => subscriptions?.end() };
}
