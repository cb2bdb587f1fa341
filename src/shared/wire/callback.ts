/** Checks where a turn's callbacks may go, and builds their messages. */
import { jsonBytes } from '../json/json';
import type { TurnContext } from '../io/turn';
import type { CallView, TurnView } from '../turn/turn-view';
import type { CallbackMessage } from '../../shapes/callback';

export type { CallbackMessage };

/** One host that callbacks may go to. */
export interface CallbackHost {
  /** In the form of URLs: lower case, IPv6 in brackets. */
  hostname: string;
  /** Null: the scheme's default. */
  port: number | null;
  /** http is allowed; else https only. */
  http: boolean;
  /** The host may have an address that is not public. */
  private: boolean;
}

const LONGEST_URL = 2000;

/**
 * The allowed host that a callback address names, or why the address may not be used. Only plain addresses are taken, so that no
 * two parsers see two hosts in one.
 */
export function callbackHost(text: string, hosts: readonly CallbackHost[]): CallbackHost | string {
  if (text.length > LONGEST_URL || !URL.canParse(text) || /[\s\\\p{C}]/u.test(text))
    return 'it is no URL of at most 2,000 characters';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'it has a user name or a password in it';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'it is neither https nor http';
  const matches = hosts.filter(
    ({ hostname, port }) => hostname === url.hostname && (port === null ? '' : String(port)) === url.port,
  );
  const match = matches.find(({ http }) => http || url.protocol === 'https:');
  if (match) return match;
  return matches.length > 0 ? 'its host is allowed by https only' : 'its host is none of HOLDFAST_CALLBACK_HOSTS';
}

type CalledBack = CallbackMessage['turn']['calls'][number];

const LONGEST_TEXT = 8000;
const RESULT_BYTES = 32_000;
const MOST_CALLS = 20;

/** What the workflow knows; the activity that sends it adds the card and the link. */
export type CallbackFacts = Omit<CallbackMessage, 'card' | 'link'>;

export function callbackMessage(type: CallbackMessage['type'], timestamp: string, view: TurnView): CallbackFacts {
  const { turn_id, workflow_id, run_id, agent, session_id, requester, trace_id, state, step, usage, started_at, ended_at } = view;
  const own = view.calls.filter((call) => call.class === 'destructive' || view.pending.includes(call.digest ?? ''));
  const below = (view.sub_turns ?? []).flatMap(({ waiting }) =>
    waiting.map(({ call, turn_id: of_turn, agent: of_agent }) => ({ ...brief(call), of: { turn_id: of_turn, agent: of_agent } })),
  );
  const calls: CalledBack[] = [...own.map(brief), ...below].slice(-MOST_CALLS);
  const about = {
    turn_id,
    workflow_id,
    run_id,
    agent,
    session_id,
    requester,
    trace_id,
    state,
    step,
    usage,
    started_at,
    ended_at,
  };
  return {
    type,
    timestamp,
    turn: {
      ...about,
      text: view.text.slice(0, LONGEST_TEXT).toWellFormed(),
      text_truncated: view.text.length > LONGEST_TEXT,
      ...resultOf(view),
      reason: view.reason?.slice(0, 2000).toWellFormed() ?? null,
      pending: view.pending.slice(0, MOST_CALLS),
      calls,
    },
  };
}

function resultOf({ result }: TurnView): Pick<CallbackMessage['turn'], 'result' | 'result_left_out'> {
  if (result === undefined) return {};
  return jsonBytes(result) > RESULT_BYTES ? { result_left_out: true } : { result };
}

function brief({ id, revision, tool, version, class: kind, digest, state, effect }: CallView): CalledBack {
  return { id, revision, tool, version, class: kind, digest, state, effect };
}

/** The argument of a callback's workflow. */
export interface CallbackInput {
  turn: TurnContext;
  /** The same for a repeated delivery. 36 characters. */
  id: string;
  /** Part of the store with the address. Many services put a key into the address, so it must not be in history. */
  callback_ref: string;
  message: CallbackFacts;
  /** Absent at the end of the turn, and from an older build. */
  question?: CallbackQuestion;
}

/** The question that the message is about. */
export interface CallbackQuestion {
  kind: 'approval' | 'in_doubt' | 'question';
  digest: string;
  /** The transcript of the turn that asks. */
  head: string | null;
  expires_at: string | null;
  /** Part with the card; null: the store has none, or it is a sub-agent's. */
  card_ref: string | null;
}

/** @param question what is known of it, in this turn or in a sub-agent's */
export function callbackQuestion(
  view: TurnView,
  { kind, digest, card_ref = null }: { kind: 'approval' | 'doubt' | 'question'; digest: string; card_ref?: string | null },
): CallbackQuestion {
  const below = (view.sub_turns ?? []).flatMap(({ waiting }) => waiting).find(({ call }) => call.digest === digest);
  const call = below?.call ?? view.calls.find((one) => one.digest === digest);
  const { expires_at = null } = kind === 'doubt' ? {} : (call?.approval ?? {});
  return { kind: kind === 'doubt' ? 'in_doubt' : kind, digest, head: (below ?? view).head, expires_at, card_ref };
}
