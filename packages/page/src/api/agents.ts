/** Agents, tools and their rules; budgets; the trail. */
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { get, post } from './http';

export interface AgentSummary {
  name: string;
  tools: number | string[];
}

export interface AgentTool {
  name: string;
  version: string;
  class: string;
  description?: string;
  parameters?: JsonObject;
}

export interface AgentView extends JsonObject {
  name: string;
}

export const listAgents = (): Promise<{ agents: AgentSummary[] }> => get('v1/agents');
export const readAgent = (agent: string): Promise<JsonObject> => get(`v1/agents/${encodeURIComponent(agent)}`);
export const checkTool = (agent: string, body: { tool: string; input: JsonObject }): Promise<JsonObject> =>
  post(`v1/agents/${encodeURIComponent(agent)}/check`, body);
export const readBudgets = (): Promise<JsonObject> => get('v1/budgets');
export const readTrail = (query: Record<string, string>): Promise<{ [key: string]: Json }> =>
  get(`v1/trail?${new URLSearchParams(query).toString()}`);
