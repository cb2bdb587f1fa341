/** Schemas of an agent as clients see it: what it may do, under which rules, and what its limits are. Wire format: snake_case. */
import { z } from 'zod';
import { TOOL_CLASSES } from '../shared/turn/tool-class';
import { callError, jsonObject } from './envelope';
import { approvalRequirement } from './policy-entry';

export const agentSummary = z.object({
  name: z.string(),
  model: z.string().nullable().describe("Null: the workers' setting."),
  fallback: z
    .array(z.string())
    .optional()
    .describe('Models that take a step if those before them do not answer, in order. Absent: none.'),
  mode: z.string().describe('What happens to calls that no rule names: `default`, `auto`, `plan` or `locked`.'),
  tools: z.array(z.string()),
  mcp_servers: z.array(z.string()).describe('Their tools are known to the workers only.'),
});

const limit = z.number().nullable().describe('Null: none.');

const agentTool = z.object({
  name: z.string(),
  version: z.string(),
  class: z.enum(TOOL_CLASSES),
  description: z.string(),
  agent: z.string().nullable().describe('The agent that answers its calls; null: it is no agent.'),
  words: z.array(z.string()).describe('When a call runs by itself, asks a person, or is refused, in sentences.'),
  rules: z
    .array(z.object({ effect: z.string(), rule: z.string(), why: z.string().nullable() }))
    .describe('The rules that name it.'),
  approval_entries: z
    .array(
      z.object({
        when: z.string().nullable().describe('Null: it fits every call.'),
        needs: approvalRequirement.nullable().describe('Null: a call that it fits runs without being asked about.'),
      }),
    )
    .describe('Its list of approval rules, of which the first that fits applies. Empty: its rules are no list.'),
  budgets: z.array(z.string()).describe('Names of the budgets that its calls spend from.'),
});

export const agentView = agentSummary.omit({ tools: true }).extend({
  prompt: z.string().nullable().describe('Null for roles other than `auditor` and `admin`.'),
  tools: z.array(agentTool),
  limits: z.object({ steps: limit, tokens: limit, cost_usd: limit, time_ms: limit }).describe('Of one turn.'),
  approval_expiry_ms: z.number().describe('How long a call waits for a person.'),
  permissions: jsonObject.describe('Mode and rules, as the agent is defined (docs/permissions.md).'),
  approvals: jsonObject
    .nullable()
    .describe('Who must approve, as the agent is defined. Workers may ask for more. Null: one person.'),
  budgets: z.array(jsonObject).describe('As the agent is defined (docs/budgets.md).'),
  result: jsonObject.nullable().describe('JSON Schema of what its turns give (docs/results.md). Null: they give text only.'),
});

export const explanation = z.object({
  agent: z.string(),
  tool: z.string(),
  version: z.string(),
  class: z.string(),
  mode: z.string(),
  fault: callError.nullable().describe('Null: the input passes the schema and the tool’s own check.'),
  input: jsonObject.describe('The effective input, defaults applied.'),
  hooks: z
    .array(z.object({ name: z.string(), io: z.boolean() }))
    .describe('Hooks that would run; they may refuse the call or change it.'),
  rules: z.array(
    z.object({
      effect: z.string(),
      rule: z.string(),
      matched: z.boolean(),
      because: z.string(),
      specificity: z.array(z.number()),
    }),
  ),
  verdict: z.enum(['allow', 'ask', 'classify', 'deny', 'rejected']),
  words: z.string().describe('The verdict in words.'),
  reason: z.string(),
  rule: z.string().nullable().describe('The rule that decides; null: the mode or the class does.'),
  warnings: z.array(z.string()),
  approval: approvalRequirement
    .nullable()
    .describe('What an approval of the call requires, with the entry of a list that says so. Null: the input is not valid.'),
});

export type AgentSummary = z.infer<typeof agentSummary>;
export type AgentView = z.infer<typeof agentView>;
export type ExplanationView = z.infer<typeof explanation>;
