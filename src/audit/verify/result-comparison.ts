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
const MOST_AUTHORS = 40;
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
  hasRevisions: boolean;
  /** People whose words the model reads, and people who may be among them; null: unknown. */
  people: { authors: Set<string>; possibleAuthors: Set<string> } | null;
  /** The conversation comes near the limit of the model's context window; null: unknown. */
  full: boolean | null;
  /** Whether a destructive call was refused, and whether one ended otherwise; null: unknown. */
  outcomes: { refused: boolean; otherwise: boolean } | null;
  /** `next` of the last step. */
  next: Json | undefined;
  /** Signals and updates to the workflow: their number, and their names and senders. */
  messages: { count: number; from: Set<string> } | null;
}

interface ScheduledActivity {
  type: string;
  isCancelled: boolean;
}

export class ResultComparison {
  private run: RunState = unknown();
  private readonly runs = new Map<string, RunState>();
  private activities = new Map<string, ScheduledActivity>();

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
  ) {}

  beginRun(): void {
    this.activities = new Map();
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
        const one = this.activities.get(text(attributes.scheduledEventId));
        if (one) one.isCancelled = true;
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
    const previous = this.runs.get(before);
    this.run =
      before === '' ? (payload === UNKNOWN ? unknown() : first(object(payload))) : previous ? copyOf(previous) : unknown();
    this.runs.set(this.history.runs.at(-1)!, this.run);
  }

  private countSignal(name: Json | undefined, identity: Json | undefined): void {
    if (this.run.messages === null) return;
    this.run.messages.count += 1;
    this.run.messages.from.add(text(name)).add(`${text(name)} ${text(identity)}`);
  }

  private activity(event: JsonObject, { activityType, input }: JsonObject): void {
    const type = text(object(activityType).name);
    this.activities.set(text(event.eventId), { type, isCancelled: false });
    const payload = firstPayload(input);
    if (type === 'compact') this.run.full = null;
    // People who wrote to a sub-agent took part in its answer.
    if (payload === UNKNOWN || type === 'openSubTurn') this.run.people = null;
    const value = payload === UNKNOWN ? {} : object(payload);
    const { call, edit, note, by } = value;
    if (Number(object(call).revision ?? 1) > 1) this.run.hasRevisions = true;
    for (const steer of list(value.steers).map(object)) this.addAuthor(steer.by);
    if (type === 'settleEffect' && typeof note === 'string') this.addPossibleAuthor(by);
    if (isJsonObject(edit)) this.addPossibleAuthor(edit.by);
    const decisions = [...list(value.approvals), value.approval, ...list(object(call).earlier)];
    for (const outcome of list(value.outcomes).map(object)) {
      if (Number(outcome.revision ?? 1) > 1) this.run.hasRevisions = true;
      for (const decision of [...list(outcome.approvals), outcome.decision, ...list(outcome.earlier)]) decisions.push(decision);
    }
    for (const outcome of list(value.outcomes).map(object)) this.noteOutcome(outcome);
    if (type === 'takeStep') this.refusals(value.all_refused);
    for (const decision of decisions.map(object)) {
      if (decision.decision === 'answer') this.addAuthor(decision.by);
      else this.addPossibleAuthor(decision.by);
    }
    for (const settlement of list(value.settlements)) this.addPossibleAuthor(object(settlement).by);
  }

  /** The outcome of a stopped call, or of an older build, may lack facts that the workflow knows. */
  private noteOutcome({ digest, class: kind, state, effect }: JsonObject): void {
    if (state === 'cancelled' || state === 'superseded' || (typeof digest === 'string' && kind === undefined))
      this.run.outcomes = null;
    if (this.run.outcomes === null || typeof digest !== 'string' || kind !== 'destructive') return;
    this.run.outcomes[effect === 'refused' ? 'refused' : 'otherwise'] = true;
  }

  /** D6: `all_refused`: there were destructive calls, and all were refused. */
  private refusals(allRefused: Json | undefined): void {
    const { outcomes } = this.run;
    if (
      allRefused !== undefined &&
      outcomes !== null &&
      this.all.whole &&
      allRefused !== (outcomes.refused && !outcomes.otherwise)
    )
      this.all.report(
        'D6',
        `A step is told ${quote(allRefused)} of whether all that might take effect was refused, and it was not so`,
      );
  }

  private noteResult({ scheduledEventId, result }: JsonObject): void {
    const { type, isCancelled } = this.activities.get(text(scheduledEventId)) ?? { type: '', isCancelled: false };
    const payload = firstPayload(result);
    if (type === 'takeStep' && (payload === UNKNOWN || isCancelled))
      Object.assign(this.run, unknown(), { calls: this.run.calls, hasRevisions: this.run.hasRevisions });
    if (payload === UNKNOWN || isCancelled) return;
    const output = object(payload);
    if (type === 'compact') this.run.full = false;
    if (type === 'admitDirect') this.run.calls.add(text(object(output.call).id));
    if (type !== 'takeStep') return;
    this.run.next = output.next;
    this.run.full = output.context_full === true;
    for (const person of list(output.said_before)) this.addAuthor(person);
    if (output.next === 'calls') for (const call of list(output.calls)) this.run.calls.add(text(object(call).id));
  }

  private addAuthor(person: Json | undefined): void {
    if (typeof person === 'string' && person !== '') this.run.people?.authors.add(person);
  }

  private addPossibleAuthor(person: Json | undefined): void {
    if (typeof person === 'string' && person !== '') this.run.people?.possibleAuthors.add(person);
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
    if ((this.run.next === 'end' || view.result !== undefined) && ENDS.has(view.state) && !endsAs(view, calls))
      this.all.report('D6', `The turn's result says ${quote(view.state)}, and its calls do not say so`);
    const earlierFault = this.all.whole && !this.history.wasReset ? this.checkEarlierCalls(view, calls) : null;
    if (earlierFault !== null) this.all.report('D6', `The turn's result ${earlierFault}`);
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
    const { messages } = this.run;
    if (messages === null) return null;
    if (count > messages.count) return `says that ${quote(count)} signals were ignored, and ${messages.count} came`;
    const isSent = ({ signal, identity }: JsonObject) => {
      if (isShort(signal, LONGEST.name) && !messages.from.has(text(signal))) return false;
      // An older build did not record the sender of an update.
      const isComparable = isShort(signal, LONGEST.name) && isShort(identity, LONGEST.identity) && identity !== '';
      return !isComparable || messages.from.has(`${text(signal)} ${text(identity)}`);
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
    const steerers = list(steered_by).map(text);
    const all = [...people.authors, ...people.possibleAuthors];
    const other = steerers.find((one) => !all.some((person) => samePerson(person, one)));
    if (other !== undefined) return `says that ${quote(other)} changed the call or steered the turn, and the history does not`;
    if (steerers.length >= MOST_AUTHORS) return null;
    const names = [text(requester), ...steerers];
    const missingName = [...people.authors].find((person) => !names.some((one) => samePerson(person, one)));
    return missingName === undefined
      ? null
      : `does not say that ${quote(missingName)} changed the call or steered the turn, and the history does`;
  }

  /** Each call that a step proposed is shown, or is counted in `earlier_calls`. */
  private checkEarlierCalls({ earlier_calls, state }: JsonObject, calls: JsonObject[]): string | null {
    const { count = 0 } = object(earlier_calls);
    const { applied = 0, not_applied = 0, refused = 0, in_doubt = 0 } = object(earlier_calls) as Record<string, number>;
    if (applied + not_applied + refused + in_doubt > Number(count)) return 'counts more effects than calls that it leaves out';
    const viewIds = new Set(calls.map(({ id }) => text(id)));
    const omissions = [...this.run.calls].filter((id) => !viewIds.has(id)).length;
    const hasRevisions = this.run.hasRevisions || calls.some(({ revision }) => Number(revision ?? 1) > 1);
    // A turn may be cancelled before it processes the calls of its last step.
    if (state !== 'cancelled' && omissions > Number(count)) return `leaves out ${omissions} calls, and counts ${quote(count)}`;
    return !hasRevisions && Number(count) > omissions
      ? `counts ${quote(count)} calls that it leaves out, and there were ${omissions}`
      : null;
  }
}

/** A turn ends as refused if and only if there were destructive calls and all were refused. Older builds may not say the class. */
function endsAs({ state, earlier_calls }: JsonObject, calls: JsonObject[]): boolean {
  const currentCalls = calls.filter((call) => typeof call.digest === 'string' && call.state !== 'superseded');
  if (currentCalls.some((call) => call.class === undefined)) return true;
  const destructive = currentCalls.filter((call) => call.class === 'destructive');
  const before = object(earlier_calls);
  const hasCount = (...effects: string[]) => effects.some((effect) => typeof before[effect] === 'number' && before[effect] > 0);
  const otherwise = hasCount('applied', 'not_applied', 'in_doubt') || destructive.some(({ effect }) => effect !== 'refused');
  return (state === 'refused') === (!otherwise && (destructive.length > 0 || hasCount('refused')));
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
  return { calls: new Set(), hasRevisions: false, people: null, full: null, outcomes: null, next: undefined, messages: null };
}

function first({ parent, context_full }: JsonObject): RunState {
  const authors = new Set(list(object(parent).makers).filter((one) => typeof one === 'string'));
  return {
    calls: new Set(),
    hasRevisions: false,
    people: { authors, possibleAuthors: new Set() },
    full: context_full === true,
    outcomes: { refused: false, otherwise: false },
    next: undefined,
    messages: { count: 0, from: new Set() },
  };
}

function copyOf({ calls, hasRevisions, people, full, outcomes, next, messages }: RunState): RunState {
  return {
    calls: new Set(calls),
    hasRevisions,
    people: people && { authors: new Set(people.authors), possibleAuthors: new Set(people.possibleAuthors) },
    full,
    outcomes: outcomes && { ...outcomes },
    next,
    messages: messages && { count: messages.count, from: new Set(messages.from) },
  };
}
