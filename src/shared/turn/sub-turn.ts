/**
 * A sub-agent's turn: a turn that a call of another turn has started. What ties the two together, what the one may
 * spend of the other's limits, and what the parent knows of its child. Plain data: it travels through history.
 */
import { hashJson } from '../json/digests';
import { isTurnId } from '../ids';
import { jsonBytes } from '../json/json';
import { shortView, type CallView, type TurnState, type TurnUsage } from './turn-view';

/** What a turn may use; as a reservation: what it holds of its parent's. */
export interface TurnLimits {
  /** Model requests, those of its sub-agents included. */
  steps: number;
  /** Input and output tokens. */
  tokens: number;
  cost_usd: number;
  /** Working time, ms. */
  time_ms: number;
}

/** Modes that hold for a whole tree of turns: no sub-agent is freer than whoever asked it. */
export type OuterMode = 'plan' | 'locked';

/** The call that a sub-agent's turn answers, and the turn whose call it is. */
export interface ParentTurn {
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  call_id: string;
  digest: string;
  /** The parent's transcript when the child began: it holds the admission of the call. */
  head: string;
  /** Modes of all turns above that bind this one too. */
  within: OuterMode[];
  /** What outsiders wrote had been read above before this was asked. */
  untrusted: boolean;
  /** How many turns may stand below this one. */
  depth_left: number;
}

/** What a sub-agent's turn is started with besides. */
export interface SubTurnStart extends ParentTurn {
  /** Reserved for it of what its parent had left. */
  limits: TurnLimits;
  /** Who has had a hand in the call, besides the requester: they have one in all that the child proposes. */
  makers: string[];
}

/** What a turn has used, its sub-agents' turns included. */
export interface TurnSpending {
  usage: TurnUsage;
  steps: number;
  time_ms: number;
}

/** A question of a turn, as a turn above shows it. */
export interface SurfacedQuestion {
  kind: 'approval' | 'doubt';
  /** The turn whose question it is. A signed decision is signed for this one. */
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  /** As of its turn. */
  store_id?: string;
  /** The run that asks: another one after a reset. */
  run_id: string;
  agent: string;
  head: string | null;
  call: CallView;
  /** Markdown, as that turn shows it; empty in a view, and where it was left out. */
  card: string;
}

/** Query `sub_turn`: what a parent asks its child. */
export interface SubTurnFacts {
  parent: Pick<ParentTurn, 'workflow_id' | 'first_execution_run_id' | 'call_id' | 'digest'> | null;
  first_execution_run_id: string;
  agent: string;
  state: TurnState;
  ended: boolean;
  head: string | null;
  text: string;
  reason: string | null;
  spent: TurnSpending;
  waiting: SurfacedQuestion[];
  /** Who has said something to it, besides the requester. Absent: nobody; and in what the turn above keeps. */
  said_by?: string[];
}

/** Cards that travel, bytes of JSON all together: those that are too much are shown in their own turn only. */
const MOST_CARDS = 100_000;
/** Questions that are shown above. */
const MOST_WAITING = 64;

/** What of a turn's questions goes to the turn above. */
export function travelling(waiting: SurfacedQuestion[]): SurfacedQuestion[] {
  let left = MOST_CARDS;
  return waiting.slice(0, MOST_WAITING).map((question) => {
    left -= jsonBytes(question.card);
    return { ...question, call: shortView(question.call), card: left < 0 ? '' : question.card };
  });
}

/** What a parent keeps of a child: no answer, which is in the store. */
export type SubTurnReport = Omit<SubTurnFacts, 'parent' | 'text'>;

/**
 * `<parent>~<call>`, and `~<nth>` from the second turn for one call on (after a reset another act may stand under its
 * id). Of a parent whose id leaves no room, a hash stands for it; of a direct call's, `call/` is written `call~`.
 */
export function subTurnId(parentId: string, callId: string, nth = 1): string {
  const tail = `~${callId}${nth === 1 ? '' : `~${nth}`}`;
  const id = `${parentId.replace('/', '~')}${tail}`;
  if (isTurnId(id)) return id;
  return `h_${hashJson({ v: 'holdfast.sub/1', parent: parentId }).slice(0, 40)}${tail}`;
}

const NOTHING: TurnUsage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost_usd: 0 };
export const ZERO_SPENDING: TurnSpending = { usage: NOTHING, steps: 0, time_ms: 0 };

export function addUsage(a: TurnUsage, b: TurnUsage): TurnUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cost_usd: a.cost_usd + b.cost_usd,
  };
}

/** Both limits at once. */
export function narrower(a: TurnLimits, b: TurnLimits): TurnLimits {
  return {
    steps: Math.min(a.steps, b.steps),
    tokens: Math.min(a.tokens, b.tokens),
    cost_usd: Math.min(a.cost_usd, b.cost_usd),
    time_ms: Math.min(a.time_ms, b.time_ms),
  };
}

/**
 * What of `left` one of `among` turns gets that may run beside each other; null where nothing is left to work with.
 * Time is not divided: it passes for all of them at once.
 */
export function shareOf(left: TurnLimits, among: number): TurnLimits | null {
  if (left.steps < 1 || left.tokens < 1 || left.cost_usd <= 0 || left.time_ms <= 0) return null;
  return {
    steps: Math.max(1, Math.floor(left.steps / among)),
    tokens: Math.max(1, Math.floor(left.tokens / among)),
    cost_usd: left.cost_usd / among,
    time_ms: left.time_ms,
  };
}
