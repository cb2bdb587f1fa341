/** What a user imports from `holdfast`. */
export {
  defineAgent,
  defineApp,
  type Agent,
  type AgentDefinition,
  type AgentLimits,
  type AgentPermissions,
  type App,
} from './agents/define';
export { agentTool, type AgentToolDefinition } from './agents/agent-tool';
export {
  defineTool,
  type CheckFault,
  type DescriptionParts,
  type RuleTarget,
  type TokenEstimate,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolLimits,
  type ToolLogger,
  type ToolProgress,
  type ToolYield,
  type ToolStore,
  type TypicalError,
} from './tools/define';
export type { Budget } from './tools/budgets';
export { ToolError } from './tools/errors';
export { lintTool, type LintFinding } from './tools/lint';
export { Registry, type RegistryOptions } from './tools/registry';
export type { ToolReference } from './tools/versions';
export { binaryFile, type BinaryFile, type FileResult } from './tools/binary';
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
} from './tools/pages';
export { outline, truncated, truncateInput, truncateProperties, type Truncated } from './tools/truncate';
export { readPermissions, type Mode, type RuleEntry, type TurnFacts } from './tools/permission';
export type { AfterHook, BeforeHook, HookCall, HookContext, HookResult, Hooks } from './tools/hooks';
export type { Classifier, ClassifierAnswer } from './tools/classifier';
export { checkByRules, metacognition, type Check, type CheckRules, type Finding } from './tools/metacognition';
export * as convert from './tools/convert';
export { compareVersions, type Comparison } from './tools/migrate/compare';
export type { LiveBus, LiveEvent } from './live/bus';
export { InProcessLive } from './live/in-process';
export { HoldfastClient, type PendingTurn, type StartTurn, type TurnSummary } from './client';
export { signDecisions, signSteer, type SignedDecision, type Signing } from './client/attest';
export { FileTrust } from './attestation/file-trust';
export { SigningKey } from './attestation/signing-key';
export type { BudgetFilter, ListedBudget } from './client/budgets';
export { CallHandle, type DirectCall, type DirectCallOptions } from './client/direct-call';
export type { ForkSession, OpenSession, SessionSummary } from './client/open-session';
export { SessionHandle, type SendMessage, type SentMessage } from './client/session-handle';
export type { SessionView } from './shared/session';
export { TurnHandle, type By, type WaitingCall } from './client/turn-handle';
export type { NewQuestion, WatchPending } from './client/watch-pending';
export { TrailQueryError, type TrailEntry, type TrailPage, type TrailQuery, type TrailState } from './store/trail';
export type { TurnEvent } from './client/events';
export type { Sent } from './client/senders';
export {
  DecisionNotAccepted,
  ForkRefused,
  IdempotencyConflict,
  InvalidRequest,
  NoWorker,
  ServerUnreachable,
  SessionNotFound,
  TurnEnded,
  TurnNotFound,
} from './client/errors';
export { createWorker, MissingSearchAttributes, type WorkerParts } from './worker';
export { startWorker, type RunningWorker } from './worker-process';
export { loadConfig, type Config } from './config';
export { createNotifier, type MailSettings, type NotifySettings, type WebhookSettings } from './notify';
export type { Delivery, Notifier } from './activities/notify';
export { creditAnalyst } from './agents/credit-analyst';
export {
  edgarData,
  financeTools,
  snapshotData,
  SmtpMailer,
  type EdgarSettings,
  type FilingsProvider,
  type FinanceData,
  type Mailer,
  type MarketDataProvider,
  type NewsProvider,
  type PeersProvider,
  type PriceSeries,
} from './packs/finance';
export {
  onchainTools,
  type OnchainSettings,
  type SessionAccount,
  type SessionKeys,
  type SwapJournal,
  type SwapTransaction,
} from './packs/onchain';
export { workspaceTools, type WorkspaceSettings } from './packs/workspace';
export { promToolMetrics } from './telemetry/prom-tool-metrics';
export type { ToolMetrics } from './telemetry/tool-metrics';
export { referenceTools, type ReferenceSettings, type WeatherProvider } from './packs/reference';
export type { CatalogueDefinition } from './tools/catalogue/choice';
export type { Ranker, ToolEntry } from './tools/catalogue/ranker';
export { callTokens, catalogueTokens, estimateTokens } from './tools/tokens';
export type { ErrorCode, ErrorKind } from './shared/errors';
export type { ToolClass } from './shared/tool-class';
export type { CallState, CallView, Effect, SubTurnView, SurfacedCall, TurnState, TurnView } from './shared/turn-view';
export type { Envelope } from './shared/envelope';
