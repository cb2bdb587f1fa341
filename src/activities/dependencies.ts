import type { LiveBus } from '../live/bus';
import type { ModelProvider } from '../model/provider';
import type { Store } from '../store/store';
import type { Running } from '../telemetry/running';
import type { ToolMetrics } from '../telemetry/tool-metrics';
import type { ResultCache } from '../tools/cache';
import type { ToolLogger } from '../tools/define';
import type { ToolThreads } from '../tools/isolation/tool-threads';
import type { ToolGate } from '../tools/limits/gate';
import type { Registry } from '../tools/registry';
import type { ToolSource } from '../tools/tool-source';
import type { SingleFlight } from '../tools/single-flight';
import type { Budgets } from './budgets';
import type { CallbackSender } from './deliver-callback';
import type { Intents } from './intents';
import type { KeptObjects } from './kept-objects';
import type { Notifier } from './notify';
import type { Ran } from './run-once';
import type { Trust } from './trust';
import type { TurnEnds } from './turn-ends';
import type { Turns } from './turns';

/** What the worker gives to every activity. */
export interface Dependencies {
  registry: Registry;
  /** Tools that are not part of the app: MCP servers'. */
  outside: ToolSource;
  store: Store;
  /** What blocks name by hash: rules, and definitions of agents. */
  kept: KeptObjects;
  model: ModelProvider;
  /** Model id for agents that name none. */
  defaultModel: string;
  cache: ResultCache;
  /** Identical reads that are under way in this worker, by the cache's key. */
  flights: SingleFlight<Ran>;
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
