/** Agents, tools and their rules; budgets; the trail. */
import type { AgentSummary, AgentView, ExplanationView } from '../../../../src/shapes/agent-view';
import type { BudgetEntry, TrailEntryView } from '../../../../src/shapes/records';
import type { JsonObject } from '../../../../src/shared/json/json';
import { get, post } from './http';

export interface ToolCheck {
  tool: string;
  input: JsonObject;
  /** As if the conversation had read text of outsiders. */
  untrusted: boolean;
  /** Whose turn it would be. Default: that of who asks. */
  requester?: string;
}

export const listAgents = (): Promise<{ agents: AgentSummary[] }> => get('v1/agents');
export const readAgent = (agent: string): Promise<AgentView> => get<AgentView>(`v1/agents/${encodeURIComponent(agent)}`);
export const checkTool = (agent: string, body: ToolCheck): Promise<ExplanationView> =>
  post<ExplanationView>(`v1/agents/${encodeURIComponent(agent)}/check`, body);
export const readBudgets = (): Promise<{ budgets: BudgetEntry[] }> => get('v1/budgets');

export interface TrailPage {
  entries: TrailEntryView[];
  damaged: number;
  next_cursor: string | null;
}

export function readTrail(query: Record<string, string>): Promise<TrailPage> {
  const filters = Object.entries(query).filter(([, value]) => value !== '');
  return get<TrailPage>(`v1/trail?${new URLSearchParams(filters).toString()}`);
}
