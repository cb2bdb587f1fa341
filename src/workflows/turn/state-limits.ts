/**
 * Limits the bytes of each part of a turn's state. The state is one argument of the next run: Temporal allows 2 MB, and ends a
 * turn that passes more. What people say is refused when its part is full. Data for display is shortened, since the store has all
 * of it.
 */
import { patched } from '@temporalio/workflow';
import { type JsonObject, cutJson, jsonBytes, packJson, isJsonObject, type Json, utf8Length } from '../../shared/json/json';
import type { AdmittedCall, CallOutcome, TakeStepOutput } from '../../shared/io/activities';
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
  /** Why the turn ended. */
  reason: 2_000,
  /** Fifty, of `IGNORED_BYTES` each. */
  ignored: 28_000,
  /** Messages that wait for the next step, names, and hashes of signed messages: more are refused. */
  steered: 56_000,
  /** The views of calls, their outcomes, and the open step, all together; people's words are beside it (room-for-decisions.ts). */
  calls: 335_000,
  outcomes: 0,
  open: 0,
  /** `MOST_FAILURES` hashes. */
  failures: 12_000,
  /** Sub-agents' turns. */
  subs: 40_000,
  /** Of fixed size: numbers, hashes, names of states. */
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
  /** `KEPT_FALLBACKS`, each with the other models of a chain. */
  fallbacks: 18_000,
  below: 400,
  share: 300,
  earlier_calls: 200,
  store_id: 34,
  corrections: 1,
  /** Known only when the turn has ended: it travels to no other run. */
  result: 0,
};

/** The fields of one ignored signal. */
const IGNORED_BYTES = { signal: 60, identity: 150, reason: 300 } as const;
export const MOST_FAILURES = 160;
/** The calls in the view, where repeated texts are written each time. A query answer may have 2 MB. */
const SHOWN_CALLS = 850_000;
/** Waiting calls of sub-agents in the view, shared equally among the sub-agents; their own views have all of them. */
const SHOWN_BELOW = 400_000;
/** The last answer is only in the workflow's result, which Temporal limits to 2 MB too. */
const LAST_ANSWER = 800_000;
/** People's words that the argument carries, not the store. */
export const SAID_ALONG = 24_000;

export function cutIgnoredSignal<T extends Record<keyof typeof IGNORED_BYTES, string>>(signalRecord: T): T {
  const { signal, identity, reason } = signalRecord;
  return {
    ...signalRecord,
    signal: cutJson(signal, IGNORED_BYTES.signal),
    identity: cutJson(identity, IGNORED_BYTES.identity),
    reason: cutJson(reason, IGNORED_BYTES.reason),
  };
}

/** @param last whether the turn ends with this answer */
export function cutAnswer(text: string, last: boolean): string {
  return cutJson(text, last ? LAST_ANSWER : STATE_BYTES.text);
}

export function cutReason(reason: string | null): string | null {
  return reason === null ? null : cutJson(reason, STATE_BYTES.reason);
}

export function fitsSteering(steering: TurnData['steered']): boolean {
  return jsonBytes(steering) <= STATE_BYTES.steered;
}

/**
 * Shortens what is shown of calls until they fit: ended calls first, then the oldest are dropped, then all are shortened. What is
 * decided, run or recorded stays.
 */
export function fitCalls(data: TurnData): void {
  if (fits(data)) return;
  for (const call of data.calls) if (isFinal(call.state)) Object.assign(call, shortView(call));
  forgetOldest(data);
  if (fits(data)) return;
  for (const call of data.calls) Object.assign(call, shortView(call));
  const { calls = [], outcomes = {}, progress = {} } = data.open ?? {};
  for (const outcome of [...data.outcomes, ...Object.values(outcomes)]) Object.assign(outcome, shortOutcome(outcome));
  for (const call of calls) Object.assign(call, shortCall(call));
  for (const entry of Object.values(progress)) {
    if ('question' in entry) entry.question.remarks = entry.question.remarks.slice(-1);
    if (!('result' in entry)) continue;
    const { result } = entry;
    entry.result = { ...result, summary: cutJson(result.summary, SHORT), error: shortError(result.error) };
  }
}

/** Checks both forms: as the view shows them, unpacked, and as the next run gets them, without people's words (`setAside`). */
function fits(data: TurnData): boolean {
  const most = STATE_BYTES.calls - SAID_ALONG;
  const all = callsOf(data);
  if (isFarBelow(all, most)) return true;
  if (jsonBytes(data.calls) > SHOWN_CALLS) return false;
  const { rest } = setAside(all);
  return isFarBelow(rest, most) || jsonBytes(packJson(rest)) <= most;
}

/** What packing adds to a state in which no text occurs twice. */
const PACKING_BYTES = 1_000;

/** Most states are: this is seen without packing them. A character of JSON takes at most three bytes. */
function isFarBelow(value: Json, most: number): boolean {
  const text = JSON.stringify(value);
  return text.length * 3 <= most || utf8Length(text) + PACKING_BYTES <= most;
}

/** Everything about calls, in the form for the next run. */
export function callsOf({ calls, outcomes, open }: TurnData): JsonObject {
  return { calls, outcomes, ...(open ? { open: withoutCopies(open) } : {}) } as unknown as JsonObject;
}

/** Without cards, which are in the store, and inputs that the call itself has. */
export function withoutCopies(open: OpenStep): OpenStep {
  const openEntries = Object.entries(open.progress).filter(([id]) => open.outcomes[id] === undefined);
  const calls = open.calls.map((call) =>
    open.outcomes[call.id] === undefined ? call : { ...withoutRunFields(call), error: null },
  );
  return { ...open, calls, progress: Object.fromEntries(openEntries.map(([id, progress]) => [id, withoutCopy(progress)])) };
}

/** Without fields that only a call still to run needs. */
function withoutRunFields({ changes: _, approval: __, ...call }: AdmittedCall): AdmittedCall {
  return { ...call, input: null };
}

function withoutCopy(progress: Progress): Progress {
  return withoutCard({ ...progress, args: { ...progress.args, input: null } });
}

export function withoutCard(progress: Progress): Progress {
  return progress.at === 'question' ? { ...progress, question: { ...progress.question, card: '' } } : progress;
}

/** The reverse of `withoutCopies`, except for cards. A call without an input gets none back. */
export function withInputs({ calls, ...open }: OpenStep): OpenStep {
  const inputs = new Map(calls.map(({ id, input }) => [id, input]));
  const progress = Object.entries(open.progress).map(
    ([id, entry]) => [id, { ...entry, args: { ...entry.args, input: entry.args.input ?? inputs.get(id) ?? null } }] as const,
  );
  return { ...open, calls, progress: Object.fromEntries(progress) };
}

/** Removes calls of earlier steps and superseded revisions, ten at a time, and counts their effects. */
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

/** The smallest number for which `holds` is true; `most` if it is true for none below. Calls `holds` rarely: it is expensive. */
function fewest(most: number, holds: (count: number) => boolean): number {
  let [below, above] = [-1, 0];
  for (let step = 1; above < most && !holds(above); step *= 2) [below, above] = [above, Math.min(most, above + step)];
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}

const NO_CALLS: EarlierCalls = { count: 0, applied: 0, refused: 0, in_doubt: 0, not_applied: 0 };

function countForgottenCall(so_far: EarlierCalls, { class: kind, digest, effect, state }: CallView): EarlierCalls {
  const counts = { ...so_far, count: so_far.count + 1 };
  if (kind !== 'destructive' || digest === null || state === 'superseded') return counts;
  const became = effect ?? 'not_applied';
  return { ...counts, [became]: counts[became] + 1 };
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

/** The first questions of one sub-agent that fit into the view. @param running how many sub-agents share it */
export function fitShownBelow<T>(waiting: T[], running: number): T[] {
  let room = SHOWN_BELOW / running;
  return waiting.filter((question) => (room -= jsonBytes(question)) >= 0);
}

/** Removes ended sub-agents' turns, the oldest first, and the reports of running ones, which the next run queries again. */
export function fitSubs(subs: SubTurn[]): SubTurn[] {
  const fit = (some: SubTurn[]) => jsonBytes(some) <= STATE_BYTES.subs;
  if (fit(subs)) return subs;
  const endedTurns = subs.filter(({ reserved }) => reserved === null);
  let rest = subs.map((sub) => (sub.reserved === null ? sub : { ...sub, report: null }));
  while (!fit(rest) && endedTurns.length > 0) {
    const oldest = endedTurns.shift();
    rest = rest.filter((sub) => sub !== oldest);
  }
  return rest;
}

export const KEPT_FALLBACKS = 10;
/** A chain has at most five models; their names are short, but not ours. */
const NAME_BYTES = 200;

/** Records that another model than the first took a step. */
export function recordFallback(
  data: TurnData,
  step: number,
  { origin, passed = [] }: Pick<TakeStepOutput, 'origin' | 'passed'>,
): void {
  if (origin === undefined || passed.length === 0) return;
  const shortPassed = passed.slice(0, 4).map(({ model, reason, attempts }) => ({
    model: cutJson(model, NAME_BYTES),
    reason: cutJson(reason, 100),
    attempts,
  }));
  const fallback = { step, model: cutJson(origin.model, NAME_BYTES), passed: shortPassed };
  data.fallbacks = [...(data.fallbacks ?? []).slice(1 - KEPT_FALLBACKS), fallback];
}

export const KEPT_SIGNALS = 50;

/** Records a signal that changed nothing: counts it, and keeps the last 50. */
export function ignoreSignal(data: TurnData, signal: IgnoredSignal): void {
  data.ignored.count += 1;
  data.ignored.last = [...data.ignored.last.slice(1 - KEPT_SIGNALS), cutIgnoredSignal(signal)];
}

// Takes people's words out of a turn's state: if they are long the store keeps them, and the state goes to the next run without
// them.

/** Fields with people's words and names. Only lists and objects under these names are taken out. */
const FIELDS = new Set(['approvals', 'earlier', 'settlements', 'decision', 'decisions', 'by', 'makers']);
/** The fields of a call's input are not searched: the model has named them. */
const FOREIGN = 'input';

/** The position of each piece, by its JSON. */
export type Places = ReadonlyMap<string, number>;

/**
 * @param places positions of the pieces that are taken out; absent: all pieces, in their order
 * @returns the pieces, and the value with its position in the place of each piece
 */
export function setAside(value: Json, places?: Places): { rest: Json; pieces: Json[] } {
  const pieces: Json[] = [];
  const place = (piece: Json) => (places ? (places.get(JSON.stringify(piece)) ?? piece) : pieces.push(piece) - 1);
  const rest = mapFields(value, (field) => (isSaid(field) ? place(field) : field));
  return { rest, pieces };
}

export function placesOf(pieces: Json[]): Places {
  return new Map(pieces.map((piece, place) => [JSON.stringify(piece), place]));
}

/** The reverse of `setAside`. @param pieces null: not known yet, and the fields stay empty */
export function putBack(rest: Json, pieces: Json[] | null): Json {
  return mapFields(rest, (field, name) => {
    if (typeof field !== 'number') return field;
    if (pieces === null) return name === 'decision' ? null : [];
    return pieces[field]!;
  });
}

function isSaid(field: Json): boolean {
  return Array.isArray(field) ? field.length > 0 : isJsonObject(field);
}

/** @param change gives the new value of a field with one of the names */
function mapFields(value: Json, change: (field: Json, name: string) => Json): Json {
  if (Array.isArray(value)) return value.map((one) => mapFields(one, change));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => (field as unknown) !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => {
      if (name === FOREIGN) return [name, field];
      return [name, FIELDS.has(name) ? change(field, name) : mapFields(field, change)];
    }),
  );
}

// Whether a run enforces these limits, and how many events it may have.

/**
 * Whether data that has no room in the state is refused. Older builds accepted all of it, and their histories continue so. Call
 * it only if something has no room, so that few histories get the patch marker.
 */
export function isBounded(): boolean {
  return patched('state-is-bounded');
}

/** A run with more refuses input. Temporal ends it at about 50,000. */
export const MANY_EVENTS = 20_000;
