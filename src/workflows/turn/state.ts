/** The state of a turn between its steps: plain data, bounded (state-limits.ts), the same after a replay. */
import type {
  AdmittedCall,
  CallArguments,
  CallOutcome,
  Denials,
  LaterCompletion,
  RunCallOutput,
  TurnContext,
  TurnInput,
  TurnPolicy,
} from '../../shared/io/activities';
import type { Decision } from '../../shared/approval/approval';
import type { JsonObject } from '../../shared/json/json';
import type { Steer } from '../../shared/approval/decision';
import {
  type TurnSpending,
  type TurnLimits,
  type SubTurnReport,
  sumUsage,
  narrower,
  ZERO_SPENDING,
} from '../../shared/turn/sub-turn';
import type { Waker } from '../../shared/turn/turn-states';
import type { EarlierCalls, FallbackView, TurnView, TurnUsage } from '../../shared/turn/turn-view';
import type { ApprovalQuestion, DoubtQuestion, PersonQuestion } from '../approvals/question';

type ViewField = 'state' | 'head' | 'step' | 'text' | 'reason' | 'usage' | 'calls' | 'started_at' | 'ended_at';

export interface TurnData extends Pick<TurnView, ViewField> {
  ignored: TurnView['ignored_signals'];
  /** Null until the first step has answered. */
  policy: TurnPolicy | null;
  /** Results that the next step appends. */
  outcomes: CallOutcome[];
  /** How often a call with this input digest has failed. */
  failures: Record<string, number>;
  /** Working time so far, ms. */
  worked_ms: number;
  /** Steps that another model than the first took, the last of them; absent: none. */
  fallbacks?: FallbackView[];
  /** Counts of the calls that were removed from `calls`; absent: none. */
  earlier_calls?: EarlierCalls;
  /** Denials by the classifier; absent until the first. */
  denials?: Denials;
  /** What people have said to the turn while it runs; absent: nothing. */
  steered?: SteeringState;
  /** Somebody wants the turn to end before its next step; absent: nobody. */
  interrupted?: { by: string };
  /** The conversation is compacted before the next step; absent: it need not be. */
  context_full?: boolean;
  /** The model paused in the middle of its answer: it continues before it gets any message. */
  paused?: boolean;
  /** The step whose calls are under way; absent between steps. */
  open?: OpenStep;
  /** Turns of sub-agents, ended ones too; absent: none. */
  subs?: SubTurn[];
  /** Usage of ended sub-agents' turns; absent: none. */
  below?: TurnSpending;
  /** The store that the turn is bound to; absent before the first step, and in turns with digests of version 1. */
  store_id?: string;
  /** How often a result of the model was not taken; absent: never. */
  corrections?: number;
  /** The turn's result, once it has ended with one. */
  result?: JsonObject;
  /** For a sub-agent's turn: what the parent turn has reserved for it. */
  share?: TurnLimits;
}

export interface SteeringState {
  /** Messages that wait for the next step, in the order in which they came. */
  waiting: Steer[];
  /** People, besides the requester, whose messages a step has taken, or whose other words the model reads. */
  by: string[];
  /** Hashes of the accepted signed messages: each counts once. */
  signed: string[];
}

/** A step that this run did not end, for the next run. */
export interface OpenStep {
  calls: AdmittedCall[];
  /** By call id. */
  outcomes: Record<string, CallOutcome>;
  /** By call id, for calls that are asked about, may run, or are in doubt. */
  progress: Record<string, Progress>;
  /** By call id: references of completions whose check has not ended. Absent: none. */
  offered?: Record<string, string>;
}

export type Progress =
  | { at: 'question'; args: CallArguments; question: ApprovalQuestion | PersonQuestion }
  | { at: 'ready'; args: CallArguments; approvals: Decision[] }
  /** The call waits. Times in ms since 1970; `woke_by`: null until the wait is over. */
  | { at: 'sleep'; args: CallArguments; approvals: Decision[]; since: number; until: number; woke_by: Waker | null }
  /** The call ends later. `poll`: when its tool is asked next, and the pause before that, ms; null: never. */
  | {
      at: 'pending';
      args: CallArguments;
      approvals: Decision[];
      later: LaterCompletion;
      poll: { at: number; pause: number } | null;
      /** Its end is known. */
      over?: true;
    }
  /** A sub-agent's turn answers the call. */
  | { at: 'sub_turn'; args: CallArguments; approvals: Decision[]; turn_id: string }
  /** `believed`: until then the attempt may still act. `until`: when the probe is given up. Both ms since 1970. */
  | { at: 'probing'; args: CallArguments; approvals: Decision[]; result: RunCallOutput; believed: number; until: number }
  | { at: 'doubt'; args: CallArguments; approvals: Decision[]; result: RunCallOutput; question: DoubtQuestion };

export function newTurn(input: TurnInput, now: string): TurnData {
  return {
    state: 'running',
    head: input.parent_head,
    step: 0,
    text: '',
    reason: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost_usd: 0 },
    calls: [],
    ignored: { count: 0, last: [] },
    started_at: now,
    ended_at: null,
    policy: null,
    outcomes: [],
    failures: {},
    worked_ms: 0,
    ...(input.parent ? { share: input.parent.limits } : {}),
    ...(input.parent?.makers.length ? { steered: { waiting: [], by: input.parent.makers, signed: [] } } : {}),
    ...(input.context_full ? { context_full: true } : {}),
  };
}

/** From its first step on the turn is bound to that step's store. */
export function bindToStore(turn: TurnContext, data: TurnData, storeId: string | undefined): void {
  if (storeId === undefined) return;
  data.store_id = storeId;
  turn.store_id = storeId;
}

/** True if there were destructive calls and every one was refused. */
export function hasOnlyRefusals(data: TurnData): boolean {
  const destructive = data.calls.filter(
    (call) => call.class === 'destructive' && call.digest !== null && call.state !== 'superseded',
  );
  const { refused = 0, applied = 0, not_applied = 0, in_doubt = 0 } = data.earlier_calls ?? {};
  const hasActed = applied + not_applied + in_doubt > 0;
  return destructive.length + refused > 0 && !hasActed && destructive.every((call) => call.effect === 'refused');
}

/** Records how far a call of the open step has come, for the next run. */
export function keepProgress(data: TurnData, id: string, progress: Progress): void {
  if (data.open) data.open.progress[id] = progress;
}

export interface SubTurn {
  call_id: string;
  turn_id: string;
  workflow_id: string;
  agent: string;
  /** Reserved from this turn's limits; null once the child has ended: then its usage is counted. */
  reserved: TurnLimits | null;
  /** The last report of the child; null: none yet. */
  report: SubTurnReport | null;
  /** Look at the child: it signalled, it ended, or this run is new. */
  news: boolean;
}

// What a turn has used and what it has left. Its sub-agents' turns spend from the same limits; a running one has a reservation.

/** Ended sub-agents included. Working time: of calls that ran in parallel, only the longest. */
export function spentBy(data: TurnData): TurnSpending {
  const below = data.below ?? ZERO_SPENDING;
  return { usage: sumUsage(data.usage, below.usage), steps: data.step + below.steps, time_ms: data.worked_ms };
}

/** The same for the view, with what is known of running sub-agents. */
export function usageSoFar(data: TurnData): TurnUsage {
  const running = (data.subs ?? []).filter(({ reserved }) => reserved !== null);
  return running.reduce((sum, { report }) => (report ? sumUsage(sum, report.spent.usage) : sum), spentBy(data).usage);
}

/** The agent's own limits, narrowed to what the parent turn has reserved. Before the first step only the reserved ones, or null. */
export function limitsOf({ policy, share }: TurnData): TurnLimits | null {
  if (!policy) return share ?? null;
  return share ? narrower(policy.limits, share) : policy.limits;
}

/** Neither spent nor reserved. */
export function leftOf(data: TurnData, limits: TurnLimits): TurnLimits {
  const { usage, steps, time_ms } = spentBy(data);
  const reservations = (data.subs ?? []).flatMap((sub) => sub.reserved ?? []);
  const sumOf = (of: (limit: TurnLimits) => number) => reservations.reduce((sum, limit) => sum + of(limit), 0);
  return {
    steps: limits.steps - steps - sumOf((limit) => limit.steps),
    tokens: limits.tokens - usage.input_tokens - usage.output_tokens - sumOf((limit) => limit.tokens),
    cost_usd: limits.cost_usd - usage.cost_usd - sumOf((limit) => limit.cost_usd),
    time_ms: limits.time_ms - time_ms,
  };
}

/** Why the turn may not take another step, or null. */
export function limitReason(data: TurnData): string | null {
  const limits = limitsOf(data);
  if (!limits) return null;
  const { usage, steps, time_ms } = spentBy(data);
  const tokens = usage.input_tokens + usage.output_tokens;
  const limit = (name: 'steps' | 'tokens' | 'cost_usd' | 'time_ms', text: string) =>
    data.share && data.share[name] <= (data.policy?.limits[name] ?? Infinity)
      ? `The limit of ${text} that the turn above had left for it is reached`
      : `The agent's limit of ${text} is reached`;
  if (steps >= limits.steps) return `${limit('steps', `${limits.steps} steps`)}.`;
  if (tokens >= limits.tokens) return `${limit('tokens', `${limits.tokens} tokens`)} (${tokens} used).`;
  if (usage.cost_usd >= limits.cost_usd)
    return `${limit('cost_usd', `$${limits.cost_usd}`)} ($${usage.cost_usd.toFixed(4)} used).`;
  if (time_ms >= limits.time_ms) return `${limit('time_ms', `${limits.time_ms} ms of working time`)}.`;
  return null;
}
