/** What a worker gives to every activity: its ports, in one place. Adapters to Temporal are in entities/ and worker/. */
import type { BudgetName, Reservation, ReservationAnswer, BudgetSettlement } from '../shared/budget-book';
import type { CallbackMessage } from '../shared/wire/callback';
import type {
  CheckDecisionInput,
  CheckDecisionOutput,
  ForwardDecisionOutput,
  LookAtTurnInput,
  LookAtTurnOutput,
  NotifyInput,
  TurnContext,
} from '../shared/io/activities';
import type { ClaimAnswer, IntentClaim, IntentClose, IntentOwner } from '../shared/intent';
import type { EnvelopeMetadata } from '../shared/wire/errors';
import type { JsonObject } from '../shared/json/json';
import type { PolicyArchive } from './step/agent-definition';
import type { LiveBus } from '../live/bus';
import type { ModelProvider } from '../model/provider';
import type { Registry } from '../tools/catalogue/registry';
import type { ResultCache, SingleFlight } from '../tools/run/cache';
import type { Running } from '../telemetry/running';
import type { Store } from '../store/store';
import type { SubTurnFacts } from '../shared/turn/sub-turn';
import type { ToolGate } from '../tools/limits/gate';
import type { ToolMetrics } from '../telemetry/tool-metrics';
import type { RunResult } from '../tools/run/run';
import type { ToolSource } from '../tools/catalogue/tool-source';
import type { ToolThreads } from '../tools/isolation/tool-threads';
import type { ToolLogger } from '../tools/define/tool';

/** What the worker gives to every activity. */
export interface Dependencies {
  registry: Registry;
  /** Tools that are not part of the app: MCP servers'. */
  outside: ToolSource;
  store: Store;
  /** What blocks name by hash: rules, and definitions of agents. */
  archive: PolicyArchive;
  model: ModelProvider;
  /** Model id for agents that name none. */
  defaultModel: string;
  cache: ResultCache;
  /** Identical reads that are under way in this worker, by the cache's key. */
  flights: SingleFlight<RunOutcome>;
  /** Where isolated tools run; null: no tool of the app is one. */
  toolThreads: ToolThreads | null;
  /** Limits of tools and of their upstreams, over all workers. */
  gate: ToolGate;
  /** What agents have spent, over all workers. */
  budgets: Budgets;
  /** Whose signed decisions count. */
  trust: Trust;
  /** Who owns an act, over all turns and workers. */
  intents: Intents;
  /** Turns above and below one. */
  turns: Turns;
  /** How the turns of a session end. */
  turnEnds: TurnEnds;
  /** Null: there is nobody to tell. */
  notifier: Notifier | null;
  /** Tells those who watch what happens right now. */
  live: LiveBus;
  /** Null: it sends no callbacks. */
  callbacks: CallbackSender | null;
  metrics: ToolMetrics;
  /** Told which tool is asked something while calls are admitted. */
  running: Running;
  log: ToolLogger;
  /** Whether a call that asks for `debug_info` gets it. */
  debugInfo: boolean;
  /** Until when destructive calls with digests of version 1 run, ms since 1970. */
  oldDigestsUntil: number;
  /** Base of the gateway's addresses, as whoever downloads sees them. */
  publicUrl: string;
  /** Models without a price that the log has told of: once is enough. */
  unpriced: Set<string>;
}

/** Who owns an act, over all turns, sessions and workers. `intent`: its hash. */
export interface Intents {
  /** The owners, without claiming anything. @throws when nobody answers in time */
  look(intent: string): Promise<IntentOwner[]>;
  /** May be asked again with the same claim. @throws when nobody answers in time: then it may have been granted */
  claim(intent: string, claim: IntentClaim): Promise<ClaimAnswer>;
  /** May be told again, also of what was never claimed. @throws when nobody answers in time */
  close(intent: string, close: IntentClose): Promise<void>;
}

/** How the turns of sessions end, as whoever keeps them tells. */
export interface TurnEnds {
  /** @throws when nobody can tell now: ask again */
  look(input: LookAtTurnInput): Promise<LookAtTurnOutput>;
  /** Whether there are turns that a session of this id has started, or seems to have. @throws when nobody can tell now */
  hasTurns(sessionId: string): Promise<boolean>;
}

/** Other turns, as the activities of one reach them. */
export interface Turns {
  /** What a turn says of itself, also after its end. Null: there is no workflow of this id. @throws when nobody answers */
  ask(workflowId: string): Promise<AskedTurn | null>;
  /** Gives it a decision. The same `id` again is the same decision. @throws when nobody answers */
  decide(workflowId: string, decision: PassedOn): Promise<ForwardDecisionOutput>;
  /** Whether this very turn still runs. */
  runs(workflowId: string, firstExecutionRunId: string): Promise<boolean>;
  /** Whether this run goes on from that earlier one by continue-as-new alone. After a reset it does not. @throws when nobody answers */
  continues(workflowId: string, runId: string, earlier: string): Promise<boolean>;
  /** Who has started this very workflow as its child, as the server knows. Null: nobody, or it is not there any more. @throws when nobody answers */
  startedBy(workflowId: string, firstExecutionRunId: string): Promise<Starter | null>;
  /** The store that this run bound the turn to. Null: it came to none, or is not there any more. @throws when nobody answers */
  storeOf(workflowId: string, runId: string): Promise<string | null>;
}

export interface PassedOn {
  id: string;
  body: JsonObject;
  identity: string;
  /** ms since 1970: from then on nobody waits for what becomes of it. */
  before: number;
}

export interface Starter {
  workflow_id: string;
  first_execution_run_id: string;
}

export interface AskedTurn {
  /** As Temporal says; null: it runs. */
  closed: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TERMINATED' | 'TIMED_OUT' | null;
  /** The workflow that has started it, as the server knows. */
  startedBy: string | null;
  /** Null: it is no turn, or has never come to say anything. */
  facts: SubTurnFacts | null;
}

/** Whose signed decisions a worker believes. */
export interface Trust {
  /**
   * Whether a signed decision is genuine, in force, and about exactly this; never throws on what it is given.
   * @param roles one of which the principal must hold, where it approves or settles; empty: any
   * @param at ISO 8601: when it came, and was found good; absent: it comes now. A key that is revoked since then counts no more.
   */
  check(said: CheckDecisionInput, roles: readonly string[], at?: string): Promise<CheckDecisionOutput>;
  /**
   * Whether the requester himself, or a gateway for him, has started exactly this; never throws.
   * @returns why not, or null
   */
  checkStart(said: SignedStart): Promise<string | null>;
}

export interface SignedStart {
  turn: TurnContext;
  /** As it was asked for; empty: none was named. */
  agent: string;
  /** Hash of what was asked. */
  message_hash: string;
  attestation: string;
  /** ISO 8601: when it began, where that is long ago. Absent: now. */
  at?: string;
}

const NOBODY = 'this worker trusts no keys (HOLDFAST_TRUSTED_KEYS)';

/** A worker without keys. */
export const TRUSTS_NOBODY: Trust = {
  check: async () => ({ ok: false, reason: NOBODY }),
  checkStart: async () => NOBODY,
};

/** The books, wherever they are kept. Every method may be repeated. */
export interface Budgets {
  /** @throws Error when the book cannot be reached in time: then nobody knows whether it is reserved */
  reserve(name: BudgetName, asked: Reservation): Promise<ReservationAnswer>;
  /** @throws Error when the book cannot be reached in time */
  settle(name: BudgetName, said: BudgetSettlement): Promise<void>;
}

/** Tells whoever must decide. */
export interface Notifier {
  /**
   * The same `question` again is the same message: a repetition must be harmless.
   * @param delivery for notifiers that know several ways
   * @throws to be tried again
   */
  tell(question: NotifyInput, card: string | null, delivery: Delivery): Promise<void>;
}

/** By which ways people have been reached, over all attempts to tell them of one question. */
export interface Delivery {
  readonly done: ReadonlySet<string>;
  reached(way: string): void;
}

/** Sends what turns tell of themselves to where they were asked to. */
export interface CallbackSender {
  /** @throws CallbackNotAllowed (by its name) for an address that will never do; another error to be tried again */
  send(url: string, id: string, message: CallbackMessage): Promise<void>;
}

export interface RunOutcome {
  result: RunResult;
  metadata: EnvelopeMetadata;
  /** What the tool said for whoever debugs it. */
  notes: JsonObject[];
  /** False: its limits never let it run. */
  tried: boolean;
}
