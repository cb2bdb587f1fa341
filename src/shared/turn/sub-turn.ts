/**
 * A sub-agent's turn, which a call of another turn started: what links the two turns, the child's share of the parent's limits, and
 * what the parent knows of its child. Plain data: it travels through history.
 */
import { hashJson } from '../json/digests';
import { isTurnId } from '../ids';
import { type JsonObject, jsonBytes } from '../json/json';
import { addTokensWithoutPrice, shortView, type CallView, type TurnState, type TurnUsage } from './turn-view';

/** What a turn may use; as a reservation: the share of its parent's limits that it holds. */
export interface TurnLimits {
  /** Model requests, including those of its sub-agents. */
  steps: number;
  /** Input and output tokens. */
  tokens: number;
  cost_usd: number;
  /** Working time, ms. */
  time_ms: number;
}

/** Modes that bind a whole tree of turns: no sub-agent may do more than the turn that asked it. */
export type OuterMode = 'plan' | 'locked';

/** The call that a sub-agent's turn answers, and the turn whose call it is. */
export interface ParentTurn {
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  call_id: string;
  digest: string;
  /** The parent's head when the child began: its transcript holds the admission of the call. */
  head: string;
  /** Modes of all turns above that also bind this turn. */
  within: OuterMode[];
  /** A turn above had read untrusted text before it made this call. */
  untrusted: boolean;
  /** How many levels of turns may nest below this one. */
  depth_left: number;
}

/** Further arguments that start a sub-agent's turn. */
export interface SubTurnStart extends ParentTurn {
  /** Reserved for it from what its parent had left. */
  limits: TurnLimits;
  /** Who changed or steered the call, besides the requester: they count as makers of every call that the child proposes. */
  makers: string[];
}

/** What a turn has used, including its sub-agents' turns. */
export interface TurnSpending {
  usage: TurnUsage;
  steps: number;
  time_ms: number;
}

/** A question of a turn, as a turn above shows it. */
export interface SurfacedQuestion {
  kind: 'approval' | 'doubt' | 'question';
  /** The turn that asks. A signed decision is signed for this turn. */
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  /** The store of its turn. */
  store_id?: string;
  /** The run that asks; it changes with a reset. */
  run_id: string;
  agent: string;
  head: string | null;
  call: CallView;
  /** Markdown, as that turn shows it; empty in a view, and if the card was left out. */
  card: string;
}

/** Answer of a child to its parent's query `sub_turn`. */
export interface SubTurnFacts {
  parent: Pick<ParentTurn, 'workflow_id' | 'first_execution_run_id' | 'call_id' | 'digest'> | null;
  first_execution_run_id: string;
  agent: string;
  state: TurnState;
  ended: boolean;
  head: string | null;
  text: string;
  /** Absent: it has none. */
  result?: JsonObject;
  reason: string | null;
  spent: TurnSpending;
  waiting: SurfacedQuestion[];
  /** Who sent messages to the turn, besides the requester. Absent: nobody did, or it is the parent's stored report. */
  said_by?: string[];
}

/** Bytes of JSON of all cards that travel together. Cards beyond it are shown in their own turn only. */
const MOST_CARDS = 100_000;
/** Most questions that are shown above. */
const MOST_WAITING = 64;

/** The part of a turn's questions that goes to the turn above. */
export function travelling(waiting: SurfacedQuestion[]): SurfacedQuestion[] {
  let room = MOST_CARDS;
  return waiting.slice(0, MOST_WAITING).map((question) => {
    room -= jsonBytes(question.card);
    return { ...question, call: shortView(question.call), card: room < 0 ? '' : question.card };
  });
}

/** What a parent keeps of a child, without the answer, which is in the store. */
export type SubTurnReport = Omit<SubTurnFacts, 'parent' | 'text' | 'result'>;

/**
 * `<parent>~<call>`, and `~<nth>` from the second turn for one call on (after a reset another action may have the same call id). If
 * the parent's id is too long, a hash replaces it. In the id of a direct call, `call/` is written `call~`.
 */
export function subTurnId(parentId: string, callId: string, nth = 1): string {
  const tail = `~${callId}${nth === 1 ? '' : `~${nth}`}`;
  const id = `${parentId.replace('/', '~')}${tail}`;
  if (isTurnId(id)) return id;
  return `h_${hashJson({ v: 'holdfast.sub/1', parent: parentId }).slice(0, 40)}${tail}`;
}

const NOTHING: TurnUsage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost_usd: 0 };
export const ZERO_SPENDING: TurnSpending = { usage: NOTHING, steps: 0, time_ms: 0 };

export function sumUsage(a: TurnUsage, b: TurnUsage): TurnUsage {
  const sum: TurnUsage = {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cost_usd: a.cost_usd + b.cost_usd,
  };
  addTokensWithoutPrice(sum, a);
  addTokensWithoutPrice(sum, b);
  return sum;
}

/** The smaller of both limits. */
export function narrower(a: TurnLimits, b: TurnLimits): TurnLimits {
  return {
    steps: Math.min(a.steps, b.steps),
    tokens: Math.min(a.tokens, b.tokens),
    cost_usd: Math.min(a.cost_usd, b.cost_usd),
    time_ms: Math.min(a.time_ms, b.time_ms),
  };
}

/**
 * The share of `rest` for one of `among` turns that may run at the same time; null: nothing is left to work with. Time is not
 * divided: it passes for all of them at once.
 */
export function shareOf(rest: TurnLimits, among: number): TurnLimits | null {
  if (rest.steps < 1 || rest.tokens < 1 || rest.cost_usd <= 0 || rest.time_ms <= 0) return null;
  return {
    steps: Math.max(1, Math.floor(rest.steps / among)),
    tokens: Math.max(1, Math.floor(rest.tokens / among)),
    cost_usd: rest.cost_usd / among,
    time_ms: rest.time_ms,
  };
}
