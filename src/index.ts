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
export {
  defineTool,
  type CheckFault,
  type DescriptionParts,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolLogger,
  type ToolProgress,
  type ToolStore,
} from './tools/define';
export { ToolError } from './tools/errors';
export { HoldfastClient, type PendingTurn, type StartTurn, type TurnSummary } from './client';
export { TurnHandle, type By, type WaitingCall } from './client/turn-handle';
export type { TurnEvent } from './client/events';
export {
  DecisionNotAccepted,
  IdempotencyConflict,
  InvalidRequest,
  NoWorker,
  ServerUnreachable,
  TurnEnded,
  TurnNotFound,
} from './client/errors';
export { createWorker, MissingSearchAttributes, type WorkerParts } from './worker';
export { startWorker, type RunningWorker } from './worker-process';
export { loadConfig, type Config } from './config';
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
export type { ErrorCode, ErrorKind } from './shared/errors';
export type { ToolClass } from './shared/tool-class';
export type { CallState, CallView, Effect, TurnState, TurnView } from './shared/turn-view';
export type { Envelope } from './shared/envelope';
