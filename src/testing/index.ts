/** What an author of agents, of tools, of a store or of a model provider imports from `holdfast/testing` (docs/testing-agents.md, docs/testing-tools.md, docs/embedding.md). */
export { BrokenClaims, testTool, type ToolReport } from './test-tool';
export type { Claim, ToolTest } from './types';
export type { Agent } from '../agents/agent';
export type { App } from '../agents/define';
export { DecisionNotAccepted } from '../client/errors';
export type { StartTurn } from '../client/turns/start-turn';
export type { CompletionOutcome } from '../completions/token';
export type { ModelRequest, ModelResponse } from '../model/provider';
export type { JsonObject } from '../shared/json/json';
export type { Tool } from '../tools/define/tool';
export type { Store } from '../store/store';
export type { EvalCall, EvalGrade, EvalRubric, EvalRun, EvalState } from '../evals/types';
export { testAgent, type AgentTest, type AgentTestOptions, type TestDecision, type TestTurn } from './agent';
export { ask, say, ScriptedModel, type Answer } from './agent/scripted-model';
export { BrokenStore, testStore, type StoreReport } from './test-store';
export {
  modelConformance,
  type ConformanceCheck,
  type ConformanceSubject,
  type WireAnswer,
  type WireFault,
  type WireServer,
} from './model-conformance';
