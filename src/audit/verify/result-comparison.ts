/**
 * Compares the turn's result with its history, besides the results of calls (rules D1 and D6): calls that wait, people who took
 * part, ignored signals, and calls that were left out.
 */
import { samePerson } from '../../shared/approval/approval';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { isCut } from '../../shared/turn/turn-view';
import { list, object, text } from '../../record/fields';
import { quote } from './fault';
import type { History } from './history';
import type { SourceComparison } from './source-comparison';
import { attributesOf, eventType, firstPayload, resultIn, UNKNOWN } from './values';

/** Maximum number of names in the result. */
const MOST_HEARD = 40;
/** Maximum number of ignored signals that are shown. */
const KEPT_SIGNALS = 50;
/** UTF-16 units of a signal's name, and of its sender's identity, that are kept. */
const LONGEST = { name: 100, identity: 200 };
/** States in which a call waits for a person. */
const WAITING = new Set<Json | undefined>(['waiting', 'in_doubt']);

/** States in which a turn ends after its last step. */
const ENDS = new Set<Json | undefined>(['completed', 'refused']);

/** What a run knows, and the run that continues it. */
interface RunState {
  /** Calls that steps proposed. */
  calls: Set<string>;
  /** One of them had another revision. */
  revised: boolean;
  /** People whose words the model reads (`heard`), and people who may count as such (`may`); null: unknown. */
  people: { heard: Set<string>; may: Set<string> } | null;
  /** The conversation comes near the limit of the model's context window; null: unknown. */
  full: boolean | null;
  /** Whether a destructive call was refused, and whether one ended otherwise; null: unknown. */
  ended: { refused: boolean; otherwise: boolean } | null;
  /** `next` of the last step. */
  next: Json | undefined;
  /** Signals and updates to the workflow: their number, and their names and senders. */
  sent: { count: number; from: Set<string> } | null;
}

interface ScheduledActivity {
  type: string;
  cancelled: boolean;
}

export class ResultComparison {
  private run: RunState = unknown();
  private readonly runs = new Map<string, RunState>();
  private scheduled = new Map<string, ScheduledActivity>();

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
  ) {}

  beginRun(): void {
    this.scheduled = new Map();
  }

  event(event: JsonObject): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    switch (type) {
      case 'WORKFLOW_EXECUTION_STARTED':
        return this.beginFrom(attributes);
      case 'WORKFLOW_EXECUTION_SIGNALED':
        return this.countSignal(attributes.signalName, attributes.identity);
      case 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED':
      case 'WORKFLOW_EXECUTION_UPDATE_ADMITTED': {
        const { input, meta } = object(attributes.acceptedRequest ?? attributes.request);
        return this.countSignal(object(input).name, object(meta).identity);
      }
      case 'ACTIVITY_TASK_SCHEDULED':
        return this.activity(event, attributes);
      case 'ACTIVITY_TASK_CANCEL_REQUESTED': {
        const one = this.scheduled.get(text(attributes.scheduledEventId));
        if (one) one.cancelled = true;
        return;
      }
      case 'ACTIVITY_TASK_COMPLETED':
        return this.noteResult(attributes);
    }
    const view = resultIn(type, attributes);
    if (view !== null) this.view(view);
  }

  private beginFrom({ input, continuedExecutionRunId }: JsonObject): void {
    const before = text(continuedExecutionRunId);
    const payload = firstPayload(input);
    const known = this.runs.get(before);
    this.run = before === '' ? (payload === UNKNOWN ? unknown() : first(object(payload))) : known ? copyOf(known) : unknown();
    this.runs.set(this.history.runs.at(-1)!, this.run);
  }

  private countSignal(name: Json | undefined, identity: Json | undefined): void {
    if (this.run.sent === null) return;
    this.run.sent.count += 1;
    this.run.sent.from.add(text(name)).add(`${text(name)} ${text(identity)}`);
  }

  private activity(event: JsonObject, { activityType, input }: JsonObject): void {
    const type = text(object(activityType).name);
    this.scheduled.set(text(event.eventId), { type, cancelled: false });
    const payload = firstPayload(input);
    if (type === 'compact') this.run.full = null;
    // People who wrote to a sub-agent took part in its answer.
    if (payload === UNKNOWN || type === 'openSubTurn') this.run.people = null;
    const value = payload === UNKNOWN ? {} : object(payload);
    const { call, edit, note, by } = value;
    if (Number(object(call).revision ?? 1) > 1) this.run.revised = true;
    for (const steer of list(value.steers).map(object)) this.heard(steer.by);
    if (type === 'settleEffect' && typeof note === 'string') this.may(by);
    if (isJsonObject(edit)) this.may(edit.by);
    const decisions = [...list(value.approvals), value.approval, ...list(object(call).earlier)];
    for (const outcome of list(value.outcomes).map(object)) {
      if (Number(outcome.revision ?? 1) > 1) this.run.revised = true;
      decisions.push(...list(outcome.approvals), outcome.decision, ...list(outcome.earlier));
    }
    for (const outcome of list(value.outcomes).map(object)) this.noteOutcome(outcome);
    if (type === 'takeStep') this.refusals(value.all_refused);
    for (const decision of decisions) this.may(object(decision).by);
    for (const settlement of list(value.settlements)) this.may(object(settlement).by);
  }

  /** The outcome of a stopped call, or of an older build, may lack facts that the workflow knows. */
  private noteOutcome({ digest, class: kind, state, effect }: JsonObject): void {
    if (state === 'cancelled' || state === 'superseded' || (typeof digest === 'string' && kind === undefined))
      this.run.ended = null;
    if (this.run.ended === null || typeof digest !== 'string' || kind !== 'destructive') return;
    this.run.ended[effect === 'refused' ? 'refused' : 'otherwise'] = true;
  }

  /** D6: `all_refused`: there were destructive calls, and all were refused. */
  private refusals(said: Json | undefined): void {
    const { ended } = this.run;
    if (said !== undefined && ended !== null && this.all.whole && said !== (ended.refused && !ended.otherwise))
      this.all.report('D6', `A step is told ${quote(said)} of whether all that might take effect was refused, and it was not so`);
  }

  private noteResult({ scheduledEventId, result }: JsonObject): void {
    const { type, cancelled } = this.scheduled.get(text(scheduledEventId)) ?? { type: '', cancelled: false };
    const payload = firstPayload(result);
    if (type === 'takeStep' && (payload === UNKNOWN || cancelled))
      Object.assign(this.run, unknown(), { calls: this.run.calls, revised: this.run.revised });
    if (payload === UNKNOWN || cancelled) return;
    const said = object(payload);
    if (type === 'compact') this.run.full = false;
    if (type === 'admitDirect') this.run.calls.add(text(object(said.call).id));
    if (type !== 'takeStep') return;
    this.run.next = said.next;
    this.run.full = said.context_full === true;
    for (const person of list(said.said_before)) this.heard(person);
    if (said.next === 'calls') for (const call of list(said.calls)) this.run.calls.add(text(object(call).id));
  }

  private heard(person: Json | undefined): void {
    if (typeof person === 'string' && person !== '') this.run.people?.heard.add(person);
  }

  private may(person: Json | undefined): void {
    if (typeof person === 'string' && person !== '') this.run.people?.may.add(person);
  }

  private view(view: JsonObject & { calls: Json[] }): void {
    const calls = view.calls.map(object);
    const fault =
      this.pending(view, calls) ??
      this.full(view) ??
      this.checkIgnoredSignals(view) ??
      (this.all.whole ? this.people(view) : null);
    if (fault !== null) this.all.report('D1', `The turn's result ${fault}`);
    const other = this.all.whole ? checkRevisions(calls, this.history.wasReset) : null;
    if (other !== null) this.all.report('D6', `The turn's result ${other}`);
    if (this.run.next === 'end' && ENDS.has(view.state) && !endsAs(view, calls))
      this.all.report('D6', `The turn's result says ${quote(view.state)}, and its calls do not say so`);
    const left = this.all.whole && !this.history.wasReset ? this.checkEarlierCalls(view, calls) : null;
    if (left !== null) this.all.report('D6', `The turn's result ${left}`);
  }

  /** Each digest in `pending` is of a waiting call, own or of a sub-agent. */
  private pending({ pending, sub_turns }: JsonObject, calls: JsonObject[]): string | null {
    const below = list(sub_turns).flatMap((turn) => list(object(turn).waiting).map((one) => object(object(one).call)));
    const waits = new Set([...calls.filter(({ state }) => WAITING.has(state)), ...below].map(({ digest }) => digest));
    const other = list(pending).find((digest) => !waits.has(digest));
    return other === undefined ? null : `says that ${quote(other)} waits for a person, and no such call waits`;
  }

  private full({ context_full }: JsonObject): string | null {
    const { full } = this.run;
    if (full === null || full === (context_full === true)) return null;
    return `says ${quote(context_full ?? false)} of whether the conversation is full, and the steps say otherwise`;
  }

  private checkIgnoredSignals({ ignored_signals }: JsonObject): string | null {
    if (!isJsonObject(ignored_signals)) return null;
    const { count, last } = ignored_signals;
    if (typeof count !== 'number' || list(last).length !== Math.min(count, KEPT_SIGNALS))
      return `says that ${quote(count)} signals were ignored, and shows ${list(last).length}`;
    const { sent } = this.run;
    if (sent === null) return null;
    if (count > sent.count) return `says that ${quote(count)} signals were ignored, and ${sent.count} came`;
    const isSent = ({ signal, identity }: JsonObject) => {
      if (isShort(signal, LONGEST.name) && !sent.from.has(text(signal))) return false;
      // An older build did not record the sender of an update.
      const named = isShort(signal, LONGEST.name) && isShort(identity, LONGEST.identity) && identity !== '';
      return !named || sent.from.has(`${text(signal)} ${text(identity)}`);
    };
    const other = list(last)
      .map(object)
      .find((one) => !isSent(one));
    return other === undefined ? null : `has an ignored signal ${quote(other.signal)} that nobody has sent`;
  }

  /** People whose words the model reads, besides the requester. */
  private people({ steered_by, requester }: JsonObject): string | null {
    const { people } = this.run;
    if (people === null) return null;
    const shown = list(steered_by).map(text);
    const all = [...people.heard, ...people.may];
    const other = shown.find((one) => !all.some((person) => samePerson(person, one)));
    if (other !== undefined) return `says that ${quote(other)} changed the call or steered the turn, and the history does not`;
    if (shown.length >= MOST_HEARD) return null;
    const known = [text(requester), ...shown];
    const lost = [...people.heard].find((person) => !known.some((one) => samePerson(person, one)));
    return lost === undefined
      ? null
      : `does not say that ${quote(lost)} changed the call or steered the turn, and the history does`;
  }

  /** Each call that a step proposed is shown, or is counted in `earlier_calls`. */
  private checkEarlierCalls({ earlier_calls, state }: JsonObject, calls: JsonObject[]): string | null {
    const { count = 0 } = object(earlier_calls);
    const { applied = 0, not_applied = 0, refused = 0, in_doubt = 0 } = object(earlier_calls) as Record<string, number>;
    if (applied + not_applied + refused + in_doubt > Number(count)) return 'counts more effects than calls that it leaves out';
    const shown = new Set(calls.map(({ id }) => text(id)));
    const left = [...this.run.calls].filter((id) => !shown.has(id)).length;
    const revised = this.run.revised || calls.some(({ revision }) => Number(revision ?? 1) > 1);
    // A turn may be cancelled before it processes the calls of its last step.
    if (state !== 'cancelled' && left > Number(count)) return `leaves out ${left} calls, and counts ${quote(count)}`;
    return !revised && Number(count) > left ? `counts ${quote(count)} calls that it leaves out, and there were ${left}` : null;
  }
}

/** A turn ends as refused if and only if there were destructive calls and all were refused. Older builds may not say the class. */
function endsAs({ state, earlier_calls }: JsonObject, calls: JsonObject[]): boolean {
  const said = calls.filter((call) => typeof call.digest === 'string' && call.state !== 'superseded');
  if (said.some((call) => call.class === undefined)) return true;
  const destructive = said.filter((call) => call.class === 'destructive');
  const before = object(earlier_calls);
  const counted = (...effects: string[]) => effects.some((effect) => typeof before[effect] === 'number' && before[effect] > 0);
  const otherwise = counted('applied', 'not_applied', 'in_doubt') || destructive.some(({ effect }) => effect !== 'refused');
  return (state === 'refused') === (!otherwise && (destructive.length > 0 || counted('refused')));
}

/** Another revision of a call replaces a revision that has not run: the replaced one has no result or effect. */
function checkRevisions(calls: JsonObject[], wasReset: boolean): string | null {
  for (const [index, { id, state, attempts, error, result_summary, result_ref, effect }] of calls.entries()) {
    const next = text(id) !== '' ? calls.slice(index + 1).find((one) => one.id === id) : undefined;
    if (next === undefined) continue;
    if (state !== 'superseded') return `says ${quote(state)} of a call that another revision has superseded`;
    if ([error, result_summary, result_ref, wasReset ? null : effect].some((one) => one !== null && one !== undefined))
      return 'says that something became of a call that another revision has superseded';
    if (typeof attempts === 'number' && !(attempts <= Number(next.attempts)))
      return `says that a call was tried ${attempts} times, and less often once another revision had superseded it`;
  }
  return null;
}

/** The text is whole. */
function isShort(value: Json | undefined, longest: number): boolean {
  return typeof value === 'string' && value.length < longest && !isCut(value);
}

function unknown(): RunState {
  return { calls: new Set(), revised: false, people: null, full: null, ended: null, next: undefined, sent: null };
}

function first({ parent, context_full }: JsonObject): RunState {
  const heard = new Set(list(object(parent).makers).filter((one) => typeof one === 'string'));
  return {
    calls: new Set(),
    revised: false,
    people: { heard, may: new Set() },
    full: context_full === true,
    ended: { refused: false, otherwise: false },
    next: undefined,
    sent: { count: 0, from: new Set() },
  };
}

function copyOf({ calls, revised, people, full, ended, next, sent }: RunState): RunState {
  return {
    calls: new Set(calls),
    revised,
    people: people && { heard: new Set(people.heard), may: new Set(people.may) },
    full,
    ended: ended && { ...ended },
    next,
    sent: sent && { count: sent.count, from: new Set(sent.from) },
  };
}
