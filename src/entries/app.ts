/**
 * The exports of `holdfast/app`, for the module that defines an app: agents, tools, rules, hooks and checks. It loads neither Temporal nor a model, so that
 * the threads of tools with `isolate: true`, which load that module, and commands that only look at it begin sooner.
 */
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
export { agentTool, type AgentToolDefinition } from '../agents/agent-tool';
export { defineTool } from '../tools/define/define';
export type { Budget } from '../tools/limits/budgets';
export { ToolError } from '../tools/define/errors';
export { lintTool, type LintFinding } from '../tools/lint/lint';
export type { ToolReference } from '../tools/define/versions';
export { binaryFile, type BinaryFile, type FileResult } from '../tools/results/result-files';
export {
  fetchAllPages,
  page,
  pageInput,
  pageOfList,
  pagePosition,
  pageProperties,
  type AllPages,
  type Page,
  type PageInput,
  type Pagination,
} from '../tools/results/pages';
export { outline, truncated, truncateInput, truncateProperties, type Truncated } from '../tools/results/truncate';
export { readPermissions } from '../rules/read-permissions';
export type { Mode, RuleEntry, TurnFacts } from '../tools/admit/policy';
export type { AfterHook, BeforeHook, HookCall, HookContext, HookResult, Hooks } from '../tools/admit/hooks';
export type { Classifier, ClassifierAnswer } from '../tools/admit/classifier';
export { checkByRules, metacognition, type Check, type CheckRules, type Finding } from '../tools/admit/after-hooks';
export type { CatalogueDefinition } from '../tools/catalogue/find-tools';
export type { Ranker, ToolEntry } from '../tools/catalogue/ranker';
export { callTokens, catalogueTokens, estimateTokens } from '../tools/define/model-text';
export type { ErrorCode, ErrorKind } from '../shared/wire/error-codes';
export type { ToolClass } from '../shared/turn/tool-class';
export type {
  CheckFault,
  DescriptionParts,
  RuleTarget,
  TokenEstimate,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolLimits,
  ToolLogger,
  ToolProgress,
  ToolYield,
  ToolStore,
  TypicalError,
} from '../tools/define/tool';
export type { AgentLimits } from '../agents/limits';
export type { Agent, AgentDefinition } from '../agents/agent';
