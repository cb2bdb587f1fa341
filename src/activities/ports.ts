/** Declares the ports that a worker gives to every activity (`Dependencies`). Those that stand on Temporal are made in `temporal/`. */
import type { BudgetName, Reservation, ReservationAnswer, BudgetSettlement } from '../shared/budget-book';
import type { MessageCard } from '../cards/card';
import type { CallbackMessage } from '../shared/wire/callback';
import type {
  CheckDecisionInput,
  CheckDecisionOutput,
  ForwardDecisionOutput,
  LaterCompletion,
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
import type { ModelGate } from '../model/limits/gate';
import type { Models } from '../model/models';
import type { Registry } from '../tools/catalogue/registry';
import type { ResultCache, SingleFlight } from '../tools/run/cache';
import type { Running } from '../telemetry/running';
import type { Store } from '../store/store';
import type { SubTurnFacts } from '../shared/turn/sub-turn';
import type { ToolGate } from '../tools/limits/gate';
import type { ModelMetrics } from '../telemetry/model-metrics';
import type { ToolMetrics } from '../telemetry/tool-metrics';
import type { RunResult } from '../tools/run/run';
import type { ToolSource } from '../tools/catalogue/tool-source';
import type { ToolThreads } from '../tools/isolation/tool-threads';
import type { ToolLogger } from '../tools/define/tool';

/** What the worker gives to every activity. */
export interface Dependencies {
  registry: Registry;
  /** Tools of MCP servers, which are not part of the app. */
  outside: ToolSource;
  store: Store;
  /** Stores what blocks name by hash: rules, and definitions of agents. */
  archive: PolicyArchive;
  models: Models;
  /** Limits of models, over all workers. */
  modelGate: ModelGate;
  modelMetrics: ModelMetrics;
  cache: ResultCache;
  /** Identical reads that are running in this worker, by cache key. */
  flights: SingleFlight<RunOutcome>;
  /** Threads for isolated tools; null: the app has no isolated tool. */
  toolThreads: ToolThreads | null;
  /** Limits of tools and of their upstreams, over all workers. */
  gate: ToolGate;
  /** What agents have spent, over all workers. */
  budgets: Budgets;
  /** Checks signed decisions and starts. */
  trust: Trust;
  /** Signs the start of a schedule's turn, as this worker; null, and undefined as the answer: it has no key. */
  signStart: ((start: StartToSign) => Promise<string | undefined>) | null;
  /** Which calls own an act, over all turns and workers. */
  intents: Intents;
  /** Access to other turns, such as parents and children. */
  turns: Turns;
  /** How the turns of a session end. */
  turnEnds: TurnEnds;
  /** Null: nobody is notified. */
  notifier: Notifier | null;
  /** Publishes live events to clients. */
  live: LiveBus;
  /** Null: this worker sends no callbacks. */
  callbacks: CallbackSender | null;
  metrics: ToolMetrics;
  /** Records which tool runs code of its own while calls are admitted. */
  running: Running;
  log: ToolLogger;
  /** Whether a call that asks for `debug_info` gets it. */
  debugInfo: boolean;
  /** The time until which destructive calls with digests of version 1 run, ms since 1970. */
  oldDigestsUntil: number;
  /** Base URL of the gateway, as clients that download see it. */
  publicUrl: string;
  /** The same for links to the page in messages to people; null: nobody knows where it is. */
  pageUrl: string | null;
  /** Models without a price that were logged already: each is logged once. */
  unpriced: Set<string>;
}

/** Which calls own an act, over all turns, sessions and workers. `intent`: the hash of the act. */
export interface Intents {
  /** The owners, without claiming anything. @throws if there is no answer in time */
  look(intent: string): Promise<IntentOwner[]>;
  /** May be repeated with the same claim. @throws if there is no answer in time: the claim may have been granted */
  claim(intent: string, claim: IntentClaim): Promise<ClaimAnswer>;
  /** May be repeated, also for an act that was never claimed. @throws if there is no answer in time */
  close(intent: string, close: IntentClose): Promise<void>;
}

/** Tells how the turns of sessions end. */
export interface TurnEnds {
  /** @throws if it cannot be found out now: try again */
  look(input: LookAtTurnInput): Promise<LookAtTurnOutput>;
  /** Whether there are turns that a session of this id started, or seems to have started. @throws if it cannot be found out now */
  hasTurns(sessionId: string): Promise<boolean>;
}

/** Access of activities to other turns. */
export interface Turns {
  /** The state that a turn reports, also after its end. Null: there is no workflow of this id. @throws if there is no answer */
  ask(workflowId: string): Promise<AskedTurn | null>;
  /** Sends a decision to a turn. The same `id` again is the same decision. @throws if there is no answer */
  decide(workflowId: string, decision: PassedOn): Promise<ForwardDecisionOutput>;
  /** Whether exactly this turn still runs. */
  runs(workflowId: string, firstExecutionRunId: string): Promise<boolean>;
  /** Whether this run follows the earlier one by continue-as-new alone. After a reset it does not. @throws if there is no answer */
  continues(workflowId: string, runId: string, earlier: string): Promise<boolean>;
  /** The parent of exactly this workflow, by the server. Null: none, or the workflow is gone. @throws if there is no answer */
  startedBy(workflowId: string, firstExecutionRunId: string): Promise<Starter | null>;
  /** The store that this run bound the turn to. Null: it bound none, or the run is gone. @throws if there is no answer */
  storeOf(workflowId: string, runId: string): Promise<string | null>;
}

export interface PassedOn {
  id: string;
  body: JsonObject;
  identity: string;
  /** ms since 1970: from then on the sender no longer waits for the answer. */
  before: number;
}

export interface Starter {
  workflow_id: string;
  first_execution_run_id: string;
}

export interface AskedTurn {
  /** The status in Temporal; null: it runs. */
  closed: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TERMINATED' | 'TIMED_OUT' | null;
  /** The workflow that started it, by the server. */
  startedBy: string | null;
  /** Null: it is no turn, or never reported its state. */
  facts: SubTurnFacts | null;
}

/** Who signed. With the deputyship that the signature rests on, if there is one: whether it has ended stands in the store. */
export type TrustAnswer = CheckDecisionOutput & {
  /** `isRecord`: it is a gateway's word, which does not count where decisions must be signed. */
  deputyship?: { id: string; isRecord: boolean };
};

/** Checks signatures against the keys that a worker trusts. */
export interface Trust {
  /**
   * Whether a signed decision is genuine, in force, and about exactly this; never throws on invalid input.
   * @param roles the principal needs one of them to approve or settle; empty: any
   * @param at ISO 8601: when it came, and was found valid; absent: it comes now. A key that was revoked since then is not valid.
   */
  check(statement: CheckDecisionInput, roles: readonly string[], at?: string): Promise<TrustAnswer>;
  /**
   * Whether the requester, or a gateway for the requester, started exactly this; never throws.
   * @returns the fault, or null
   */
  checkStart(start: SignedStart): Promise<string | null>;
  /**
   * The end of the second in which a decision says that it was signed, ISO 8601; null: it does not say. Absent: the time counts at which
   * a worker found it valid.
   */
  signedAt?(attestation: string): string | null;
}

export interface StartToSign {
  workflow_id: string;
  agent: string;
  requester: string;
  message_hash: string;
}

export interface SignedStart {
  turn: TurnContext;
  /** The agent of the request; empty: none was named. */
  agent: string;
  /** Hash of the message, or of the tool and input of a direct call. */
  message_hash: string;
  attestation: string;
  /** ISO 8601: when it began, if that was earlier. Absent: now. */
  at?: string;
}

const NOBODY = 'this worker trusts no keys (HOLDFAST_TRUSTED_KEYS)';

/** For a worker without keys. */
export const TRUSTS_NOBODY: Trust = {
  check: async () => ({ ok: false, reason: NOBODY }),
  checkStart: async () => NOBODY,
};

/** The budgets, wherever they are kept. Every method may be repeated. */
export interface Budgets {
  /** @throws Error if the budget cannot be reached in time: the amount may be reserved or not */
  reserve(name: BudgetName, reservation: Reservation): Promise<ReservationAnswer>;
  /** @throws Error if the budget cannot be reached in time */
  settle(name: BudgetName, settlement: BudgetSettlement): Promise<void>;
}

/** Notifies the people who must decide. */
export interface Notifier {
  /**
   * The same `question` again is the same message: a repetition must be harmless.
   * @param card Markdown; null: it could not be read
   * @param delivery for notifiers that have several ways
   * @throws to be retried
   */
  tell(question: NotifyInput, card: string | null, delivery: Delivery, context?: QuestionContext): Promise<void>;
}

/** What else is known of a question when people are told. */
export interface QuestionContext {
  /** The card as an object, whole; null: the store does not have the call. */
  facts: MessageCard | null;
  /** The run that shows the card in the Web UI; null: unknown. */
  run_id: string | null;
}

/** The ways in which people were reached, over all attempts to notify them of one question. */
export interface Delivery {
  readonly done: ReadonlySet<string>;
  reached(way: string): void;
}

/** Sends events of turns to the addresses that their requests named. */
export interface CallbackSender {
  /** @throws CallbackNotAllowed (by its name) for an address that is not allowed; another error to be retried */
  send(url: string, id: string, message: CallbackMessage): Promise<void>;
}

export interface RunOutcome {
  result: RunResult;
  metadata: EnvelopeMetadata;
  /** Debug notes of the tool. */
  notes: JsonObject[];
  /** False: the tool's limits did not let it run. */
  tried: boolean;
  /** How the call ends later, if its tool has asked for that, whatever it returned. */
  later: LaterCompletion | null;
}
