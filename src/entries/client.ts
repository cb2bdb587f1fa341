/** The exports of `holdfast/client`, for a backend. It loads little more than Temporal's own client. */
export {
  HoldfastClient,
  type BundleOf,
  type ClientSettings,
  type DescribedTurn,
  type StartTurn,
  type TurnFilter,
} from '../client/holdfast-client';
export type { Card, CardState, CardWords } from '../shapes/card';
export type { PendingTurn, Question, TurnSummary } from '../shapes/turn-view';
export { signDecisions, signSteer, type SignedDecision, type Signing } from '../client/approvals/attest';
export { BadSigningKey, SigningKey } from '../attestation/signing-key';
export type { DecisionAudience } from '../attestation/claims';
export { Schedules, type Backfill, type SchedulesOf } from '../client/schedules';
export type { ScheduleBudget, ScheduleDefinition } from '../schedules/definition';
export type { ScheduleView } from '../shapes/schedule';
export type { BudgetFilter, ListedBudget } from '../client/budgets';
export { CallHandle, type DirectCall, type DirectCallOptions } from '../client/turns/direct-call';
export type { ForkSession, OpenSession } from '../client/sessions/open-session';
export type { SessionSummary } from '../shapes/session';
export { SessionHandle, type SendMessage, type SentMessage } from '../client/sessions/session-handle';
export type { SessionView } from '../shared/turn/session';
export type { GivesResult } from '../shared/turn/result';
export { Files, type PutFile } from '../client/files';
export type { InputPart, MessageInput, UploadedFile } from '../shapes/message';
export type { Message } from '../shared/turn/message';
export { TurnHandle, type By, type EndedTurn, type WaitingNow } from '../client/turns/turn-handle';
export type { Act, DoneBefore } from '../client/turns/start-turn';
export type { TurnPage, Visibility } from '../client/turns/listing';
export type { Backlog } from '../temporal/backlog';
export type { WatchOptions } from '../client/events/feeds';
export type { WatchedEvent } from '../client/events/feed';
export type { WaitingCall } from '../shapes/turn-view';
export type { FollowedEvent, Inbox } from '../client/approvals/inbox';
export type { InboxLimits, InboxSource } from '../client/approvals/inbox-reader';
export type { InboxEvent, PendingRow } from '../shapes/inbox';
export type { NewQuestion, WatchPending } from '../client/approvals/watch-pending';
export { OfAnotherTurn, type Owner } from '../record/owner';
export { TrailQueryError, type TrailEntry, type TrailPage, type TrailQuery, type TrailState } from '../store/core/trail';
export type { Sent } from '../client/turns/missing-answer';
export {
  AmbiguousKey,
  DecisionNotAccepted,
  ForkRefused,
  IdempotencyConflict,
  InvalidRequest,
  NoWorker,
  ScheduleNotFound,
  ServerUnreachable,
  SessionEmpty,
  SessionNotFound,
  TurnEnded,
  TurnNotFound,
} from '../client/errors';
export type { Config } from '../config';
export { ConfigError } from '../config/error';
export type { CodecKeys, KeyService } from '../encryption/key-source';
export type { KeyRingJson } from '../encryption/key-ring';
export { BadKeyRing } from '../shared/wire/errors';
export { NoCodecKeys } from '../shared/wire/payload';
export { PackageMissing } from '../optional-package';
export { loadConfig } from './load-config';
export type { CallState, CallView, Effect, SubTurnView, SurfacedCall, TurnState, TurnView } from '../shared/turn/turn-view';
export type { Envelope } from '../shared/wire/errors';
export type { TurnEvent } from '../shapes/turn-event';
export { StoreError, type Store } from '../store/store';
export type { Json, JsonObject } from '../shared/json/json';
export type { BundleSigner } from '../attestation/bundle-signer';
export type { LiveBus, LiveListener } from '../live/bus';
export type { LiveEvent } from '../shapes/turn-event';
export type { TreeHead } from '../witness/tree-head';
