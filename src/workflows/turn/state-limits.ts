/**
 * How many bytes each part of a turn's state takes at most: it goes on in another run as one argument, of which Temporal takes
 * 2 MB, and ends a turn that brings more. What people say is refused when its part is full; what is there to be looked at is
 * shortened, since the store has it whole.
 */
import { type JsonObject, cutJson, jsonBytes, packJson, isJsonObject, type Json } from '../../shared/json/json';
import type { AdmittedCall, CallOutcome } from '../../shared/io/activities';
import { isFinal } from '../../shared/turn/calls';
import {
  SHORT,
  short,
  shortError,
  shortView,
  type CallView,
  type EarlierCalls,
  type IgnoredSignal,
} from '../../shared/turn/turn-view';
import type { OpenStep, Progress, TurnData, SubTurn } from './state';

/** UTF-8 bytes of JSON; `calls`: with each text written once (shared/json/json.ts). A field without a limit does not compile. */
export const STATE_BYTES: Readonly<Record<keyof TurnData, number>> = {
  /** A step's answer while the turn goes on; the transcript has all of it. */
  text: 12_000,
  /** Of the end. */
  reason: 2_000,
  /** Fifty, of `IGNORED_BYTES` each. */
  ignored: 28_000,
  /** What waits for the next step, names, and hashes of signed messages: refused beyond. */
  steered: 56_000,
  /** The views of calls, their outcomes, and the open step, all together; what people have said is beside it (recorded-decisions.ts). */
  calls: 335_000,
  outcomes: 0,
  open: 0,
  /** `MOST_FAILURES` hashes. */
  failures: 12_000,
  /** Turns of sub-agents. */
  subs: 40_000,
  /** Fixed: numbers, hashes, names of states. */
  state: 20,
  head: 66,
  step: 20,
  usage: 300,
  started_at: 26,
  ended_at: 26,
  policy: 1_000,
  worked_ms: 30,
  denials: 100,
  interrupted: 1_300,
  context_full: 5,
  paused: 5,
  below: 400,
  share: 300,
  earlier_calls: 200,
  store_id: 34,
};

/** Of one signal that changed nothing. */
const IGNORED_BYTES = { signal: 60, identity: 150, reason: 300 } as const;
export const MOST_FAILURES = 160;
/** Of the calls in the view, where each text stands at all its places. An answer to a query takes 2 MB. */
const SHOWN_CALLS = 850_000;
/** Of what waits in sub-agents' turns, each of which has as much as the others: their own views have it all. */
const SHOWN_BELOW = 400_000;
/** The last answer goes nowhere but into the result: Temporal takes 2 MB of that too. */
const LAST_ANSWER = 800_000;
/** What people have said of it, where it is not in the store. */
export const SAID_ALONG = 24_000;

export function cutIgnoredSignal<T extends Record<keyof typeof IGNORED_BYTES, string>>(ignored: T): T {
  const { signal, identity, reason } = ignored;
  return {
    ...ignored,
    signal: cutJson(signal, IGNORED_BYTES.signal),
    identity: cutJson(identity, IGNORED_BYTES.identity),
    reason: cutJson(reason, IGNORED_BYTES.reason),
  };
}

/** @param last the turn ends with this answer */
export function cutAnswer(text: string, last: boolean): string {
  return cutJson(text, last ? LAST_ANSWER : STATE_BYTES.text);
}

export function cutReason(reason: string | null): string | null {
  return reason === null ? null : cutJson(reason, STATE_BYTES.reason);
}

export function fitsSteering(steered: TurnData['steered']): boolean {
  return jsonBytes(steered) <= STATE_BYTES.steered;
}

/** Shortens what is shown of calls, the oldest first, until they fit. What is decided, run and written down stays as it is. */
export function fitCalls(data: TurnData): void {
  if (fits(data)) return;
  for (const call of data.calls) if (isFinal(call.state)) Object.assign(call, shortView(call));
  forgetOldest(data);
  if (fits(data)) return;
  for (const call of data.calls) Object.assign(call, shortView(call));
  const { calls = [], outcomes = {}, progress = {} } = data.open ?? {};
  for (const outcome of [...data.outcomes, ...Object.values(outcomes)]) Object.assign(outcome, shortOutcome(outcome));
  for (const call of calls) Object.assign(call, shortCall(call));
  for (const kept of Object.values(progress)) {
    if ('question' in kept) kept.question.remarks = kept.question.remarks.slice(-1);
    if (!('result' in kept)) continue;
    const { result } = kept;
    kept.result = { ...result, summary: cutJson(result.summary, SHORT), error: shortError(result.error) };
  }
}

/** As they are shown, where nobody packs them, and as they travel, without what people have said (set-aside.ts). */
function fits(data: TurnData): boolean {
  const most = STATE_BYTES.calls - SAID_ALONG;
  const all = callsOf(data);
  // Most states are small: a character of JSON is three bytes at most.
  if (JSON.stringify(all).length * 3 <= most) return true;
  if (jsonBytes(data.calls) > SHOWN_CALLS) return false;
  const { rest } = setAside(all);
  return JSON.stringify(rest).length * 3 <= most || jsonBytes(packJson(rest)) <= most;
}

/** All that there is of calls, as it travels. */
export function callsOf({ calls, outcomes, open }: TurnData): JsonObject {
  return { calls, outcomes, ...(open ? { open: withoutCopies(open) } : {}) } as unknown as JsonObject;
}

/** Without cards, which are in the store, and inputs that the call itself has. */
export function withoutCopies(open: OpenStep): OpenStep {
  const begun = Object.entries(open.progress).filter(([id]) => open.outcomes[id] === undefined);
  const calls = open.calls.map((call) =>
    open.outcomes[call.id] === undefined ? call : { ...withoutRunFields(call), error: null },
  );
  return { ...open, calls, progress: Object.fromEntries(begun.map(([id, kept]) => [id, withoutCopy(kept)])) };
}

/** What only a call that is still to run needs. */
function withoutRunFields({ changes: _, approval: __, ...call }: AdmittedCall): AdmittedCall {
  return { ...call, input: null };
}

function withoutCopy(kept: Progress): Progress {
  return withoutCard({ ...kept, args: { ...kept.args, input: null } });
}

export function withoutCard(kept: Progress): Progress {
  return kept.at === 'question' ? { ...kept, question: { ...kept.question, card: '' } } : kept;
}

/** The reverse, but for the cards. Of a call without an input there is none to give back. */
export function withInputs({ calls, ...open }: OpenStep): OpenStep {
  const inputs = new Map(calls.map(({ id, input }) => [id, input]));
  const progress = Object.entries(open.progress).map(
    ([id, kept]) => [id, { ...kept, args: { ...kept.args, input: kept.args.input ?? inputs.get(id) ?? null } }] as const,
  );
  return { ...open, calls, progress: Object.fromEntries(progress) };
}

/** Calls of steps before, and revisions that others have superseded, ten at a time; what they did is counted. */
function forgetOldest(data: TurnData): void {
  const open = new Set(data.open?.calls.map(({ id }) => id));
  const mayGo = data.calls.filter((call) => isFinal(call.state) && (!open.has(call.id) || call.state === 'superseded'));
  const without = (tens: number): CallView[] => {
    const going = new Set(mayGo.slice(0, tens * 10));
    return data.calls.filter((call) => !going.has(call));
  };
  const tens = fewest(Math.ceil(mayGo.length / 10), (some) => fits({ ...data, calls: without(some) }));
  if (tens === 0) return;
  data.earlier_calls = mayGo.slice(0, tens * 10).reduce(countForgottenCall, data.earlier_calls ?? NO_CALLS);
  data.calls = without(tens);
}

/** The smallest number from which on it holds; `most` where it holds for none below. Few are asked about: each answer costs. */
function fewest(most: number, holds: (count: number) => boolean): number {
  let [below, found] = [-1, 0];
  for (let step = 1; found < most && !holds(found); step *= 2) [below, found] = [found, Math.min(most, found + step)];
  while (found - below > 1) {
    const middle = Math.floor((below + found) / 2);
    if (holds(middle)) found = middle;
    else below = middle;
  }
  return found;
}

const NO_CALLS: EarlierCalls = { count: 0, applied: 0, refused: 0, in_doubt: 0, not_applied: 0 };

function countForgottenCall(so_far: EarlierCalls, { class: kind, digest, effect, state }: CallView): EarlierCalls {
  const counted = { ...so_far, count: so_far.count + 1 };
  if (kind !== 'destructive' || digest === null || state === 'superseded') return counted;
  const became = effect ?? 'not_applied';
  return { ...counted, [became]: counted[became] + 1 };
}

function shortCall({ reason, error, changes }: AdmittedCall): Partial<AdmittedCall> {
  const shorter = changes?.slice(-1).map(({ hook, why, by }) => ({
    hook,
    why: cutJson(why, SHORT),
    ...(by === undefined ? {} : { by: cutJson(by, SHORT) }),
  }));
  return { reason: cutJson(reason, SHORT), error: shortError(error), ...(shorter ? { changes: shorter } : {}) };
}

function shortOutcome(outcome: CallOutcome): CallOutcome {
  return { ...outcome, summary: short(outcome.summary), error: shortError(outcome.error), note: short(outcome.note) };
}

/** What a view has of the questions of one of so many sub-agents that run: the first of them, as far as they fit. */
export function fitShownBelow<T>(waiting: T[], running: number): T[] {
  let left = SHOWN_BELOW / running;
  return waiting.filter((question) => (left -= jsonBytes(question)) >= 0);
}

/** Sub-agents' turns that have ended are forgotten, the oldest first; of those that run, what waits in them is asked for anew. */
export function fitSubs(subs: SubTurn[]): SubTurn[] {
  const fit = (some: SubTurn[]) => jsonBytes(some) <= STATE_BYTES.subs;
  if (fit(subs)) return subs;
  const ended = subs.filter(({ reserved }) => reserved === null);
  let left = subs.map((sub) => (sub.reserved === null ? sub : { ...sub, report: null }));
  while (!fit(left) && ended.length > 0) {
    const oldest = ended.shift();
    left = left.filter((sub) => sub !== oldest);
  }
  return left;
}

export const KEPT_SIGNALS = 50;

/** A signal that changed nothing: counted, and the last 50 kept. */
export function ignoreSignal(data: TurnData, ignored: IgnoredSignal): void {
  data.ignored.count += 1;
  data.ignored.last = [...data.ignored.last.slice(1 - KEPT_SIGNALS), cutIgnoredSignal(ignored)];
}

// What people have said, taken out of a turn's state: where it is long the store has it, and the state goes on in another run
// without it.

/** What was said, and who has said it. Only lists and objects of these names are taken out. */
const FIELDS = new Set(['approvals', 'earlier', 'settlements', 'decision', 'decisions', 'by', 'makers']);
/** What a model has written has names of its own. */
const FOREIGN = 'input';

/** Where each piece is, by its JSON. */
export type Places = ReadonlyMap<string, number>;

/**
 * @param places of the pieces that are taken out; absent: all are, in the order in which they stand
 * @returns what was said, and the value with its place there in stead of each piece
 */
export function setAside(value: Json, places?: Places): { rest: Json; said: Json[] } {
  const said: Json[] = [];
  const place = (held: Json) => (places ? (places.get(JSON.stringify(held)) ?? held) : said.push(held) - 1);
  const rest = mapFields(value, (held) => (isSaid(held) ? place(held) : held));
  return { rest, said };
}

export function placesOf(said: Json[]): Places {
  return new Map(said.map((held, place) => [JSON.stringify(held), place]));
}

/** The reverse. @param said null: it is not known yet, and nothing stands in its place */
export function putBack(rest: Json, said: Json[] | null): Json {
  return mapFields(rest, (held, name) => {
    if (typeof held !== 'number') return held;
    if (said === null) return name === 'decision' ? null : [];
    return said[held]!;
  });
}

function isSaid(held: Json): boolean {
  return Array.isArray(held) ? held.length > 0 : isJsonObject(held);
}

/** @param change what becomes of a field with one of the names */
function mapFields(value: Json, change: (held: Json, name: string) => Json): Json {
  if (Array.isArray(value)) return value.map((one) => mapFields(one, change));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([, held]) => (held as unknown) !== undefined);
  return Object.fromEntries(
    fields.map(([name, held]) => {
      if (name === FOREIGN) return [name, held];
      return [name, FIELDS.has(name) ? change(held, name) : mapFields(held, change)];
    }),
  );
}
