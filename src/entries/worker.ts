/** The exports of `holdfast/worker`, for a program that runs a worker: `createWorker`, and all that it takes. */
export { createWorker, MissingSearchAttributes, type WorkerParts } from '../worker';
export type { App } from '../agents/define';
export type { ScheduleBudget, ScheduleDefinition } from '../schedules/definition';
export type { RunningWorker } from '../worker-process';
export { startWorker } from './start-worker';
export { HealthUnavailable, MetricsUnavailable } from '../telemetry/unavailable';
export { BadKeyRing, ServerUnreachable } from '../shared/wire/errors';
export { Registry, type PreparedAgent, type RegistryOptions } from '../tools/catalogue/registry';
export type { Offered, ToolSource } from '../tools/catalogue/tool-source';
export { openStore } from '../store/open-store';
export type { CodecKeys, KeyService } from '../encryption/key-source';
export type { KeyRingJson } from '../encryption/key-ring';
export { createStore, encryptBacking, type StoreBacking } from '../store/core/create-store';
export type { Bytes, ObjectLines, Objects } from '../store/core/content-store';
export type { EffectRecord } from '../record/effect';
export { namesOf as effectNames, type EffectVersion, type EffectVersions } from '../store/core/effects';
export type { CheckedTrailQuery, TrailEntry } from '../store/core/trail';
export { positionOf as trailPosition, type TrailRead, type TrailSource } from '../store/core/trail-pages';
export { StoreError, type RegisterChange, type RegisterStore, type Store, type StoreIdentity } from '../store/store';
export type { GateOptions } from '../model/limits/gate';
export { createModel, type Model, type ModelOptions } from '../model';
export {
  ModelFailure,
  type ModelCallbacks,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
  type ModelUsage,
  type RateReport,
  type RateRoom,
  type RawToolInput,
  type StopReason,
} from '../model/provider';
export type { Thinking, ThinkingModel } from '../model/thinking';
export type { ApprovalPolicy } from '../shared/approval/approval';
export type { ApprovalSettings } from '../rules/approvals';
export { FileTrust, type TrustSettings } from '../attestation/file-trust';
export type { CallbackMessage } from '../shared/wire/callback';
export type { CheckDecisionInput, CheckDecisionOutput, NotifyInput } from '../shared/io/people';
export { createNotifier, type MailSettings, type NotifySettings, type WebhookSettings } from '../notify';
export type { CallbackSender, Delivery, Notifier, QuestionContext, SignedStart, Trust, TrustAnswer } from '../activities/ports';
export type { MessageCard } from '../cards/card';
export type { Version } from '../temporal/worker-versions';
export { Running, type Work } from '../telemetry/running';
export { openTraces, type ProcessTraces, type TraceSettings } from '../telemetry/traces/open';
export { promToolMetrics, type PromRegistry } from '../telemetry/prom-tool-metrics';
export type { ToolMetrics } from '../telemetry/tool-metrics';
export type { ErrorCode } from '../shared/wire/error-codes';
export type { LiveBus, LiveListener } from '../live/bus';
export type { LiveEvent } from '../shapes/turn-event';
export { InProcessLive } from '../live/in-process';
export type { Config } from '../config';
export { ConfigError } from '../config/error';
export { PackageMissing } from '../optional-package';
export type { Json, JsonObject } from '../shared/json/json';
export { loadConfig } from './load-config';
export type { Tool, ToolLogger } from '../tools/define/tool';
