/**
 * Compares a turn's activities and runs with the server's own events (rules D1 to D6): an activity's `at`, and the turn's beginning
 * and end, with the times of workflow tasks; the head that an activity continues from; what a run passes on to the next run.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { PartBody } from '../format/lines';
import { quote } from './fault';
import type { History } from './history';
import { HISTORY, TRANSCRIPT, type SourceComparison } from './source-comparison';
import { fieldsOf } from './turn-in-history';
import { attributesOf, eventType, firstPayload, hashOf, resultIn, timeOf, UNKNOWN } from './values';

/** Activities whose `at` is the time of the task that schedules them. `at` of a `settleEffect` is the time of the statement. */
const TIMED_ACTIVITIES = new Set([
  'takeStep',
  'compact',
  'admitDirect',
  'runCall',
  'openSubTurn',
  'closeSubTurn',
  'inspectEffect',
  'reconcileEffect',
  'completeCall',
  'checkDecision',
  'checkAnswer',
  'checkSteer',
  'notify',
  'endTurn',
]);
/** Activities whose result has the head of another turn. */
const OF_OTHERS = new Set(['lookAtSubTurn', 'lookAtTurn', 'checkFork']);
/** Time that the activity of a call has beyond the call's own limit, ms. */
const AROUND_MS = 10_000;

interface ScheduledActivity {
  type: string;
  /** Its cancellation was requested: a result that came all the same may not count. */
  isCancelled: boolean;
  /** The value that its result is compared with. */
  of: Json | undefined;
}

/** What a run knows, and the run that continues it. */
interface RunState {
  /** When the turn's first task began, ms since 1970. NaN: unknown. */
  began: number;
  /** Heads from which the next activity may continue. Null: unknown. */
  heads: Set<Json> | null;
  /** Number of denials by the classifier: so far, and before the last task. Null: unknown. */
  denials: { now: number; before: number } | null;
}

const NOTHING: ScheduledActivity = { type: '', isCancelled: false, of: undefined };

/** What a run says of the run that continues it. */
interface Next {
  run: Json | undefined;
  type: Json | undefined;
  queue: Json | undefined;
  /** The known values of its memo and its search attributes. */
  fields: Record<string, Json>;
}

export class RunComparison {
  private activities = new Map<string, ScheduledActivity>();
  /** When each task began: by the event that started it, and (`tasks`) by the event that completed it. */
  private taskStarts = new Map<string, number>();
  private tasks = new Map<string, number>();
  /**
   * When the task before began, by the event that completed a task. A worker that does not have the run in memory may answer a query
   * before the task, from what came since the task before: the workflow then acts on that by the clock of the task before.
   */
  private tasksBefore = new Map<string, number>();
  private latestTask = NaN;
  /** The times of all tasks of the turn. */
  private readonly clock = new Set<number>();
  private run: RunState = { began: NaN, heads: null, denials: null };
  private readonly runs = new Map<string, RunState>();
  private readonly next = new Map<string, Next>();
  /** Times that steps allow people to decide, ms. Null: one step does not say it. */
  private waits: Set<number> | null = new Set();
  /** By call: how long a question of the model waits, as its step has it, ms. */
  private readonly questionWaits = new Map<string, Json>();
  /** A task has been completed since a head was named. */
  private taskSince = true;
  /** Task time of the last `takeStep` or `endTurn`, ms since 1970. */
  private latest = -Infinity;

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
  ) {}

  beginRun(): void {
    this.activities = new Map();
    this.taskStarts = new Map();
    this.tasks = new Map();
    this.tasksBefore = new Map();
    this.latestTask = NaN;
    this.taskSince = true;
    this.latest = -Infinity;
  }

  event(event: JsonObject): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    switch (type) {
      case 'WORKFLOW_EXECUTION_STARTED':
        return this.checkStart(attributes);
      case 'WORKFLOW_TASK_STARTED':
        return void this.taskStarts.set(text(event.eventId), timeOf(event.eventTime));
      case 'WORKFLOW_TASK_COMPLETED':
        return this.task(event, attributes);
      case 'ACTIVITY_TASK_SCHEDULED':
        return this.activity(event, attributes);
      case 'ACTIVITY_TASK_CANCEL_REQUESTED': {
        const one = this.activities.get(text(attributes.scheduledEventId));
        if (one) one.isCancelled = true;
        return;
      }
      case 'ACTIVITY_TASK_COMPLETED':
        return this.checkResult(attributes);
      case 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW': {
        const { newExecutionRunId: run, workflowType, taskQueue } = attributes;
        const { name: type } = object(workflowType);
        this.next.set(this.history.runs.at(-1)!, { run, type, queue: object(taskQueue).name, fields: handedOn(attributes) });
        return;
      }
    }
    const view = resultIn(type, attributes);
    if (view !== null) this.view(view);
  }

  /** D5: the decisions that the store kept while the turn continued in another run. */
  part({ ref, part }: PartBody): void {
    const body = part?.body ?? null;
    if (!isJsonObject(body)) return;
    if (this.all.facts.knows('said', ref, 'said')) this.all.addFacts('said', ref, { said: hashOf(body.said) }, TRANSCRIPT);
  }

  /** D1: compares the run with what the run before said of it. */
  private checkStart(attributes: JsonObject): void {
    const { input, continuedExecutionRunId, originalExecutionRunId, workflowType, taskQueue } = attributes;
    const run = this.history.runs.at(-1)!;
    const before = text(continuedExecutionRunId);
    const previous = this.runs.get(before);
    const argument = firstPayload(input);
    const heads = argument === UNKNOWN ? null : new Set<Json>([object(argument).parent_head ?? null]);
    const denials = { now: 0, before: 0 };
    this.run =
      before === ''
        ? { began: NaN, heads, denials }
        : previous
          ? {
              ...previous,
              heads: previous.heads && new Set(previous.heads),
              denials: previous.denials && { ...previous.denials },
            }
          : { began: NaN, heads: null, denials: null };
    this.runs.set(run, this.run);
    const next = this.next.get(before);
    if (next === undefined) return;
    const statement = { run: next.run, type: next.type, queue: next.queue };
    const own = { run: text(originalExecutionRunId) || run, type: object(workflowType).name, queue: object(taskQueue).name };
    const other = (['run', 'type', 'queue'] as const).find(
      (field) => statement[field] !== undefined && statement[field] !== own[field],
    );
    if (other) this.all.report('D1', `The run began with another ${other} than the run before it says`);
    const began = handedOn(attributes);
    const difference = Object.keys(next.fields).find(
      (name) => name in began && hashOf(began[name]) !== hashOf(next.fields[name]),
    );
    if (difference) this.all.report('D1', `The run began with another ${difference} than the run before it has handed on`);
  }

  private task(event: JsonObject, { startedEventId }: JsonObject): void {
    const time = this.taskStarts.get(text(startedEventId)) ?? NaN;
    this.tasks.set(text(event.eventId), time);
    if (!Number.isNaN(this.latestTask)) this.tasksBefore.set(text(event.eventId), this.latestTask);
    this.latestTask = time;
    this.clock.add(time);
    this.taskSince = true;
    if (this.run.denials) this.run.denials.before = this.run.denials.now;
    // The first task of the turn, in any run.
    if (Number.isNaN(this.run.began) && this.run.heads !== null) this.run.began = time;
  }

  /** What the workflow's clock may have shown in a task. Empty: the task is not known. */
  private timesOf(task: string): number[] {
    return [this.tasks.get(task), this.tasksBefore.get(task)].filter((time) => time !== undefined);
  }

  /** `openSubTurn` tries further names for a turn with the time of the first try. */
  private isTimeOf(type: string, at: number, times: readonly number[]): boolean {
    if (times.some((time) => time === at)) return true;
    return type === 'openSubTurn' && (this.clock.has(at) || !this.history.whole);
  }

  private activity(event: JsonObject, attributes: JsonObject): void {
    const type = text(object(attributes.activityType).name);
    const payload = firstPayload(attributes.input);
    const value = payload === UNKNOWN ? {} : object(payload);
    const of = { keepSaid: hashOf(value.said), readSaid: value.said_ref, reconcileEffect: value.not_applied_from }[type];
    this.activities.set(text(event.eventId), { type, isCancelled: false, of: payload === UNKNOWN ? undefined : of });
    const task = text(attributes.workflowTaskCompletedEventId);
    const time = this.tasks.get(task);
    const times = this.timesOf(task);
    if (
      TIMED_ACTIVITIES.has(type) &&
      value.at !== undefined &&
      time !== undefined &&
      !this.isTimeOf(type, timeOf(value.at), times)
    )
      this.all.report('D1', `An activity was scheduled at ${quote(value.at)}, it says, and the workflow's clock says otherwise`);
    if (type === 'takeStep' || type === 'endTurn') this.latest = Math.max(this.latest, time ?? -Infinity);
    if (value.head !== undefined && this.run.heads !== null && this.all.whole && !this.run.heads.has(value.head))
      this.all.report('D1', 'An activity was to go on from another block than the last that the history has');
    if (type === 'runCall' || type === 'openSubTurn') this.call(event, object(value.call));
    if (type === 'runCall') this.timeLimit(attributes, object(value.call));
    const { undecided } = value;
    if (type === 'admitCall' && isJsonObject(undecided)) this.denials(object(undecided.denials));
    if (type === 'admitCall' && time !== undefined) this.expiry(value.expires_at, times, text(object(value.call).id));
  }

  /** D4: the summary of the activity that the Web UI shows. */
  private call({ userMetadata }: JsonObject, { id, tool, version, class: kind }: JsonObject): void {
    const summary = firstPayload({ payloads: [object(userMetadata).summary ?? null] });
    const right = `${text(kind)} ${text(tool)}@${text(version)}, call ${text(id)}`;
    if (summary !== null && summary !== UNKNOWN && kind !== undefined && summary !== right)
      this.all.report('D4', `The summary of the activity says ${quote(summary)}, and it runs another call`);
  }

  /** D2: the call's time limit. */
  private timeLimit({ startToCloseTimeout }: JsonObject, { id }: JsonObject): void {
    const seconds = /^([0-9]+(?:[.][0-9]+)?)s$/.exec(text(startToCloseTimeout))?.[1];
    if (seconds !== undefined && !this.all.unknown)
      this.all.addFacts('use', id, { timeout_ms: Math.round(Number(seconds) * 1000) - AROUND_MS }, HISTORY);
  }

  /** D4: the expiry of a question follows from the workflow's clock and from the policy of a step; that of a question of the model from its call. */
  private expiry(until: Json | undefined, times: readonly number[], call: string): void {
    if (until === undefined || until === null || times.some(Number.isNaN) || !this.all.whole) return;
    const own = this.questionWaits.get(call);
    const isRight = (wait: number) => (own === undefined ? this.waits === null || this.waits.has(wait) : own === wait);
    if (!times.some((time) => isRight(timeOf(until) - time)))
      this.all.report(
        'D4',
        `People were asked until ${quote(until)}, and by the workflow's clock and its policy until another time`,
      );
  }

  /** D4: the number of denials by the classifier. The workflow may not have processed those since the last task. */
  private denials({ in_all, in_a_row }: JsonObject): void {
    const { denials } = this.run;
    if (in_all === undefined || denials === null || !this.all.whole) return;
    const right = typeof in_all === 'number' && denials.before <= in_all && in_all <= denials.now && Number(in_a_row) <= in_all;
    if (!right) this.all.report('D4', `Admission was told of ${quote(in_all)} denials, and the history has ${denials.now}`);
  }

  private checkResult({ scheduledEventId, result }: JsonObject): void {
    const { type, isCancelled, of } = this.activities.get(text(scheduledEventId)) ?? NOTHING;
    if (OF_OTHERS.has(type)) return;
    const payload = firstPayload(result);
    if (payload === UNKNOWN) this.run.heads = null;
    if (payload === UNKNOWN) return;
    const output = object(payload);
    this.noteHeads(output, isCancelled);
    if (type === 'takeStep' || type === 'admitDirect') this.waitsFor(object(output.policy).approval_expiry_ms);
    if (type === 'takeStep') this.limitCalls(output);
    if (type === 'admitDirect') this.limit(object(output.call));
    if (type === 'admitCall' && output.ok === false && output.by_classifier === true && this.run.denials)
      this.run.denials.now += 1;
    if (type === 'readCard' && output.run_id !== undefined && !this.history.runs.includes(text(output.run_id)))
      this.all.report('D3', 'The card is shown in a run that the turn does not have');
    if (type === 'keepSaid') this.all.addFacts('said', output.said_ref, { said: of }, HISTORY);
    if (type === 'readSaid') this.all.addFacts('said', of, { said: hashOf(output.said) }, HISTORY);
    const { not_applied_from: until } = output;
    if (type === 'reconcileEffect' && until !== undefined && of !== undefined && !(timeOf(until) >= timeOf(of)))
      this.all.report('D6', 'A probe was to be believed sooner than the workflow had said');
  }

  private waitsFor(ms: Json | undefined): void {
    if (typeof ms === 'number') this.waits?.add(ms);
    else this.waits = null;
  }

  /** Calls of a step, each with its time limit. */
  private limitCalls({ calls }: JsonObject): void {
    for (const call of list(calls).map(object)) {
      this.limit(call);
      if (call.question_ms !== undefined) this.questionWaits.set(text(call.id), call.question_ms);
    }
  }

  private limit({ id, timeout_ms }: JsonObject): void {
    this.all.facts.forget('use', text(id), 'timeout_ms');
    this.all.addFacts('use', id, { timeout_ms }, HISTORY);
  }

  private noteHeads(output: JsonObject, isCancelled: boolean): void {
    const heads = [output, object(output.outcome), object(output.settled), object(output.refused)].flatMap(
      ({ head, answer_head }) => [head, answer_head].filter((one) => typeof one === 'string'),
    );
    const { heads: runHeads } = this.run;
    if (heads.length === 0 || runHeads === null) return;
    if (this.taskSince && !isCancelled) runHeads.clear();
    this.taskSince = false;
    for (const head of heads) runHeads.add(head);
  }

  /** D1: when the turn began and ended, by the clock of its workflow. */
  private view(view: JsonObject & { calls: Json[] }): void {
    const { started_at, ended_at, ignored_signals } = view;
    if (started_at !== undefined && !Number.isNaN(this.run.began) && timeOf(started_at) !== this.run.began)
      this.all.report('D1', `The turn's result says that it began at ${quote(started_at)}, and its first task began otherwise`);
    const end = timeOf(ended_at);
    if (ended_at !== undefined && !([...this.tasks.values()].includes(end) && end >= this.latest))
      this.all.report('D1', `The turn's result says that it ended at ${quote(ended_at)}, when its workflow did nothing`);
    for (const { at } of list(object(ignored_signals).last).map(object))
      if (at !== undefined && this.history.whole && !this.clock.has(timeOf(at)))
        this.all.report('D1', "The turn's result has a signal that was ignored when its workflow did nothing");
  }
}

/** The values of a run's memo and search attributes, by name. */
function handedOn({ memo, searchAttributes }: JsonObject): Record<string, Json> {
  return { ...fieldsOf(memo, 'fields'), ...fieldsOf(searchAttributes, 'indexedFields') };
}
