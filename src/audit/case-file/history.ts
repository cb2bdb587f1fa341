/** Turns a turn's events, run by run, into activities, messages and runs. Events that a reset copied count once. */
import type { Json, JsonObject } from '../../shared/json/json';
import { DECIDE_UPDATE } from '../../workflows/contract';
import { number, object, text, textOrNull, time } from '../../record/fields';
import { readFact, type EventFact, type Failure } from '../../record/history';
import { isLeftOut, jsonOrNull, leftOutIn, readFirst } from './payload';
import type { ActivityCase, MessageCase, RunCase } from './types';

export class History {
  readonly runs: RunCase[] = [];
  readonly activities: ActivityCase[] = [];
  readonly messages: MessageCase[] = [];
  /** The first run's argument. */
  input: JsonObject = {};
  /** The last run's result, or the details of its failure: a view of the turn. */
  view: JsonObject = {};
  workflowType = '';
  /** Number of payloads that were left out. */
  leftOut = 0;
  /** The run begins with events that a reset copied from the run before. */
  private copying = false;
  private readonly eventKeys = new Set<string>();
  private readonly activitiesByEvent = new Map<string, ActivityCase>();
  private readonly updates = new Map<string, MessageCase>();

  /** An event of the session repeats what the turn's own history says, so only its redacted payloads are counted. */
  ofSession(event: JsonObject): void {
    this.leftOut += leftOutIn(event);
  }

  run(runId: string, began: string): void {
    if (began === 'continued') this.activitiesByEvent.clear();
    this.copying = began === 'reset';
    this.runs.push({ runId, began, startedAt: null, endedAt: null, ended: null, reason: null, by: null, events: 0 });
  }

  event(event: JsonObject): void {
    const run = this.runs.at(-1);
    const fact = readFact(event);
    if (!run || !fact) return;
    const at = time(event.eventTime);
    run.events += 1;
    run.startedAt ??= at;
    const key = `${fact.event_id} ${text(event.eventTime)} ${fact.event_name}`;
    if (this.copying && this.eventKeys.has(key)) return;
    if (this.copying) this.takeBack(number(Number(fact.event_id)), run, at);
    this.eventKeys.add(key);
    this.take(fact, run, at);
  }

  /** From this event on, the activities of the run before are taken back. */
  private takeBack(from: number, run: RunCase, at: string | null): void {
    this.copying = false;
    run.startedAt = at;
    const before = this.runs.at(-2)?.runId;
    for (const activity of this.activities) if (activity.runId === before && activity.eventId >= from) activity.takenBack = true;
    for (const [id] of this.activitiesByEvent) if (Number(id) >= from) this.activitiesByEvent.delete(id);
  }

  private take(fact: EventFact<Json>, run: RunCase, at: string | null): void {
    switch (fact.kind) {
      case 'run_started': {
        this.workflowType ||= fact.workflow_type;
        const input = object(this.read(fact.input));
        if (Object.keys(this.input).length === 0) this.input = input;
        break;
      }
      case 'activity_scheduled':
        this.schedule(fact, run, at);
        break;
      case 'activity_started':
      case 'activity_completed':
      case 'activity_failed':
        this.activity(fact, at);
        break;
      case 'signal':
      case 'update_accepted':
        this.message(fact, at);
        break;
      case 'update_completed': {
        const message = this.updates.get(fact.accepted);
        const answer = object(this.read(fact.answer ?? []));
        if (message) Object.assign(message, { accepted: answer.accepted === true, answer: textOrNull(answer.reason) });
        break;
      }
      case 'cancel_requested':
        run.by = fact.identity || null;
        break;
      case 'task_failed':
        if (fact.new_run !== null) run.reason = failureText(fact.failure);
        break;
      case 'run_ended':
        this.end(fact, run, at);
        break;
      default: // nothing of the others is shown
    }
  }

  private schedule({ event_id, type, activity_id, input }: FactOf<'activity_scheduled'>, run: RunCase, at: string | null): void {
    const activity: ActivityCase = {
      type,
      id: activity_id,
      runId: run.runId,
      eventId: number(Number(event_id)),
      input: this.read(input),
      output: null,
      scheduledAt: at,
      startedAt: null,
      endedAt: null,
      attempts: 0,
      worker: null,
      lastFailure: null,
      outcome: 'running',
      failure: null,
      takenBack: false,
    };
    this.activitiesByEvent.set(event_id, activity);
    this.activities.push(activity);
  }

  private activity(fact: FactOf<'activity_started' | 'activity_completed' | 'activity_failed'>, at: string | null): void {
    const activity = this.activitiesByEvent.get(fact.scheduled);
    if (!activity) return;
    if (fact.kind === 'activity_started') {
      activity.startedAt = at;
      activity.attempts = fact.attempt;
      activity.worker = fact.worker;
      activity.lastFailure = failureText(fact.last_failure);
    } else if (fact.kind === 'activity_completed') {
      Object.assign(activity, { endedAt: at, outcome: 'completed', output: this.read(fact.result) });
    } else {
      Object.assign(activity, { endedAt: at, outcome: fact.outcome, failure: failureText(fact.failure) });
    }
  }

  private message(fact: FactOf<'signal' | 'update_accepted'>, at: string | null): void {
    const fields = { at, identity: fact.identity || null, accepted: null, answer: null };
    if (fact.kind === 'signal') {
      this.messages.push({ ...fields, channel: 'signal', name: fact.name, body: this.read(fact.input) });
      return;
    }
    const body = object(this.read(fact.input));
    const name = fact.name === DECIDE_UPDATE ? text(body.decision) || fact.name : fact.name;
    const message: MessageCase = { ...fields, channel: 'update', name, body };
    this.updates.set(fact.event_id, message);
    this.messages.push(message);
  }

  private end({ how, result, failure, reason, identity }: FactOf<'run_ended'>, run: RunCase, at: string | null): void {
    Object.assign(run, { ended: how, endedAt: at });
    if (how === 'terminated') Object.assign(run, { reason, by: identity || null });
    if (how === 'failed') run.reason = failureText(failure);
    this.view = object(this.read(result));
  }

  /** The first value; null: there is none, it is unreadable, or it was left out. */
  private read(payloads: Json[]): Json {
    this.leftOut += payloads.filter(isLeftOut).length;
    return jsonOrNull(readFirst(payloads));
  }
}

type FactOf<K extends EventFact<Json>['kind']> = Extract<EventFact<Json>, { kind: K }>;

/** A failure and what caused it, in one line. */
function failureText(failure: Failure | null): string | null {
  if (failure === null) return null;
  const { type, message, cause } = failure;
  const own = [type, message].filter((part) => part !== null).join(': ');
  const below = failureText(cause);
  return [own, below].filter((part) => part !== null && part !== '').join(' ← ') || null;
}
