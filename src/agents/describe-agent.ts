/** Describes an agent to people: its tools with the rules that name them, in words, its approvals, budgets and limits. */
import { compileRules, decide, type Policy } from '../rules';
import { compileApprovalLists, type ApprovalLists } from '../rules/approval-entries';
import type { AgentSummary, AgentView } from '../shapes/agent-view';
import { asJson, type JsonObject } from '../shared/json/json';
import { ruledTool } from '../tools/admit/policy';
import { describe } from '../tools/define/model-text';
import type { Tool } from '../tools/define/tool';
import { budgetsFor } from '../tools/limits/budgets';
import { VERDICT_WORDS } from '../tools/lint/explain-permission';
import type { Agent } from './agent';

export function summarizeAgent({ name, model, permissions, tools, mcpServers }: Agent): AgentSummary {
  const [first = null, ...fallback] = typeof model === 'string' ? [model] : (model ?? []);
  const chain = { model: first, ...(fallback.length === 0 ? {} : { fallback }) };
  const common = { name, ...chain, mode: permissions.mode, mcp_servers: [...mcpServers] };
  return { ...common, tools: tools.map((tool) => tool.name) };
}

/** @param withPrompt false for readers who may not see it: a prompt may say what its author tells nobody else */
export function describeAgent(agent: Agent, withPrompt: boolean): AgentView {
  const policy = compileRules(agent.permissions);
  const lists = compileApprovalLists(agent.approvals, { channel: 'any', notify: false });
  const { steps, tokens, costUsd, timeMs } = agent.limits;
  return {
    ...summarizeAgent(agent),
    prompt: withPrompt ? agent.prompt : null,
    tools: agent.tools.map((tool) => describeTool(agent, policy, lists, tool)),
    limits: { steps: finite(steps), tokens: finite(tokens), cost_usd: finite(costUsd), time_ms: finite(timeMs) },
    approval_expiry_ms: agent.approvalExpiryMs,
    permissions: plain(agent.permissions),
    approvals: agent.approvals === undefined ? null : plain(agent.approvals),
    budgets: (agent.budgets ?? []).map(plain),
  };
}

const BY_LIST = 'the first of its approval rules that fits the input decides; where none fits it asks a person.';

function describeTool(agent: Agent, policy: Policy, lists: ApprovalLists, tool: Tool): AgentView['tools'][number] {
  const { name, version, class: toolClass } = tool;
  const rules = policy.rulesOf(ruledTool(tool)).map(({ rule }) => rule);
  return {
    ...{ name, version, class: toolClass, description: describe(tool), agent: tool.subAgent?.name ?? null },
    words: [
      ...rules.map(({ effect, pattern, condition, text, why }) => {
        const where = pattern === null && condition === null ? '' : `, for ${text}`;
        return `By a rule ${VERDICT_WORDS[effect]}${where}${why === null ? '' : `: ${why}`}.`;
      }),
      otherwise(policy, tool, { hasRules: rules.length > 0, hasList: lists.has(name) }),
    ],
    rules: rules.map(({ effect, text, why }) => ({ effect, rule: text, why })),
    approval_entries: (lists.get(name)?.entries ?? []).map((entry) => ({
      when: entry.when,
      needs: entry.allow ? null : entry.policy,
    })),
    budgets: budgetsFor(agent.budgets, tool).map((budget) => budget.name),
  };
}

/** What happens to a call that no rule matches. */
function otherwise({ mode, within }: Policy, tool: Tool, has: { hasRules: boolean; hasList: boolean }): string {
  const turn = { untrusted: false, requester: '', agent: '', step: 1 };
  const noRules: Policy = { mode, ...(within === undefined ? {} : { within }), rulesOf: () => [] };
  const { verdict, reason } = decide(noRules, { tool: ruledTool(tool), input: {}, targets: null, turn });
  // A list decides in place of the class and of most modes, never against a refusal.
  const sentence = has.hasList && verdict !== 'deny' ? BY_LIST : `${VERDICT_WORDS[verdict]}: ${reason}.`;
  return `${has.hasRules ? 'Otherwise ' : ''}${sentence}`.replace(/^./, (first) => first.toUpperCase());
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Definitions are plain data. */
function plain(definition: object): JsonObject {
  return asJson(definition) as JsonObject;
}
