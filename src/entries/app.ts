/**
 * The exports of `holdfast/app`, for the module that defines an app: agents, tools, rules, hooks and checks. It loads neither Temporal nor a model, so that
 * the threads of tools with `isolate: true`, which load that module, and commands that only look at it begin sooner.
 */
export * from './tool-exports';
export { defineAgent, defineApp, type AgentPermissions, type App } from '../agents/define';
export type {
  McpArgument,
  McpCompletion,
  McpContent,
  McpDefinition,
  McpMessage,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
} from '../agents/mcp';
export type { McpAsks, McpForm, McpSample, McpAsker } from '../agents/mcp-asks';
export type { ScheduleBudget, ScheduleDefinition } from '../schedules/definition';
export type { TriggerBudget, TriggerDefinition, TriggerDelivery, VerifyDelivery } from '../triggers/definition';
export { github, slack, standardWebhooks, stripe } from '../triggers/signatures';
export type { DeliveryRequest, SecretPlace, SignatureScheme, Verification } from '../triggers/signatures';
export { agentTool, type AgentToolDefinition } from '../agents/agent-tool';
export { askPerson, type AskPersonOptions } from '../tools/people/ask-person';
export { waitUntil, type WaitUntilOptions } from '../agents/wait-until';
export type { Budget } from '../tools/limits/budgets';
export { lintTool, type LintFinding } from '../tools/lint/lint';
export type { ToolReference } from '../tools/define/versions';
export { readPermissions } from '../rules/read-permissions';
export type { Mode, RuleEntry, TurnFacts } from '../tools/admit/policy';
export type { AfterHook, BeforeHook, HookCall, HookContext, HookResult, Hooks } from '../tools/admit/hooks';
export type { Classifier, ClassifierAnswer } from '../tools/admit/classifier';
export { checkByRules, metacognition, type Check, type CheckRules, type Finding } from '../tools/admit/after-hooks';
export type { CatalogueDefinition } from '../tools/catalogue/find-tools';
export type { Ranker, ToolEntry } from '../tools/catalogue/ranker';
export { callTokens, catalogueTokens, estimateTokens, type TextKind } from '../tools/define/model-text';
export type { ModelDefinitions, ModelLimits, ModelSetting, ModelSettings } from '../model/settings';
export type { ModelTool } from '../model/provider';
export type { Thinking, ThinkingLevel } from '../model/thinking';
export type { AgentLimits } from '../agents/limits';
export type { Agent, AgentDefinition } from '../agents/agent';
export type { ResultDefinition } from '../agents/give-result';
