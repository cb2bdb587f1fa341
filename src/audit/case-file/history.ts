/** Turns a turn's events, run by run, into activities, messages and runs. Events that a reset copied count once. */
import type { Json, JsonObject } from '../../shared/json/json';
import { DECIDE_UPDATE } from '../../workflows/contract';
import { list, number, object, text, textOrNull, time } from '../../record/fields';
import { redactedIn } from '../redact/events';
import { readFirstPayload, jsonOrNull, LEFT_OUT, type DecodedPayload } from './payload';
import type { ActivityCase, MessageCase, RunCase } from './types';

const END_STATES: Readonly<Record<string, string>> = {
  workflowExecutionCompletedEventAttributes: 'completed',
  workflowExecutionFailedEventAttributes: 'failed',
  workflowExecutionCanceledEventAttributes: 'cancelled',
  workflowExecutionTerminatedEventAttributes: 'terminated',
  workflowExecutionTimedOutEventAttributes: 'timed_out',
  workflowExecutionContinuedAsNewEventAttributes: 'continued',
};
const FAILURE_OUTCOMES: Readonly<Record<string, ActivityCase['outcome']>> = {
  activityTaskFailedEventAttributes: 'failed',
  activityTaskTimedOutEventAttributes: 'timed_out',
  activityTaskCanceledEventAttributes: 'cancelled',
};

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
  private readonly seen = new Set<string>();
  private readonly scheduled = new Map<string, ActivityCase>();
  private readonly updates = new Map<string, MessageCase>();

  /** An event of the session repeats what the turn's own history says, so only its redacted payloads are counted. */
  ofSession(event: JsonObject): void {
    this.leftOut += redactedIn(event);
  }

  run(runId: string, began: string): void {
    if (began === 'continued') this.scheduled.clear();
    this.copying = began === 'reset';
    this.runs.push({ runId, began, startedAt: null, endedAt: null, ended: null, reason: null, by: null, events: 0 });
  }

  event(event: JsonObject): void {
    const run = this.runs.at(-1);
    const found = Object.entries(event).find(([name]) => name.endsWith('EventAttributes'));
    if (!run || !found) return;
    const [name, value] = found;
    const facts = object(value);
    const at = time(event.eventTime);
    const id = String(event.eventId);
    run.events += 1;
    run.startedAt ??= at;
    const key = `${id} ${text(event.eventTime)} ${name}`;
    if (this.copying && this.seen.has(key)) return;
    if (this.copying) this.takeBack(number(Number(id)), run, at);
    this.seen.add(key);
    this.readStart(name, facts);
    this.activity(name, facts, { at, id, run });
    this.message(name, facts, { at, id });
    this.ending(name, facts, run, at);
  }

  /** From this event on, the activities of the run before are taken back. */
  private takeBack(from: number, run: RunCase, at: string | null): void {
    this.copying = false;
    run.startedAt = at;
    const before = this.runs.at(-2)?.runId;
    for (const activity of this.activities) if (activity.runId === before && activity.eventId >= from) activity.takenBack = true;
    for (const [id] of this.scheduled) if (Number(id) >= from) this.scheduled.delete(id);
  }

  private readStart(name: string, facts: JsonObject): void {
    if (name !== 'workflowExecutionStartedEventAttributes') return;
    this.workflowType ||= text(object(facts.workflowType).name);
    const input = this.read(facts.input);
    if (Object.keys(this.input).length === 0) this.input = object(jsonOrNull(input));
  }

  private activity(name: string, facts: JsonObject, { at, id, run }: { at: string | null; id: string; run: RunCase }): void {
    if (name === 'activityTaskScheduledEventAttributes') {
      const activity: ActivityCase = {
        type: text(object(facts.activityType).name),
        id: text(facts.activityId),
        runId: run.runId,
        eventId: number(Number(id)),
        input: jsonOrNull(this.read(facts.input)),
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
      this.scheduled.set(id, activity);
      this.activities.push(activity);
      return;
    }
    const activity = this.scheduled.get(String(facts.scheduledEventId));
    if (!activity) return;
    if (name === 'activityTaskStartedEventAttributes') {
      activity.startedAt = at;
      activity.attempts = number(facts.attempt, 1);
      activity.worker = textOrNull(facts.identity);
      activity.lastFailure = failureText(facts.lastFailure);
    } else if (name === 'activityTaskCompletedEventAttributes') {
      Object.assign(activity, { endedAt: at, outcome: 'completed', output: jsonOrNull(this.read(facts.result)) });
    } else if (FAILURE_OUTCOMES[name]) {
      Object.assign(activity, { endedAt: at, outcome: FAILURE_OUTCOMES[name], failure: failureText(facts.failure) });
    }
  }

  private message(name: string, facts: JsonObject, { at, id }: { at: string | null; id: string }): void {
    if (name === 'workflowExecutionSignaledEventAttributes') {
      const body = jsonOrNull(this.read(facts.input));
      const identity = textOrNull(facts.identity);
      this.messages.push({ at, channel: 'signal', name: text(facts.signalName), body, identity, accepted: null, answer: null });
    }
    if (name === 'workflowExecutionUpdateAcceptedEventAttributes') {
      const request = object(facts.acceptedRequest);
      const input = object(request.input);
      const body = object(jsonOrNull(this.read(input.args)));
      const what = text(input.name);
      const message: MessageCase = {
        at,
        channel: 'update',
        name: what === DECIDE_UPDATE ? text(body.decision) || what : what,
        body,
        identity: textOrNull(object(request.meta).identity),
        accepted: null,
        answer: null,
      };
      this.updates.set(id, message);
      this.messages.push(message);
    }
    if (name === 'workflowExecutionUpdateCompletedEventAttributes') {
      const message = this.updates.get(String(facts.acceptedEventId));
      const answer = object(jsonOrNull(this.read(object(facts.outcome).success)));
      if (message) Object.assign(message, { accepted: answer.accepted === true, answer: textOrNull(answer.reason) });
    }
  }

  private ending(name: string, facts: JsonObject, run: RunCase, at: string | null): void {
    if (name === 'workflowExecutionCancelRequestedEventAttributes') run.by = textOrNull(facts.identity);
    const resets = name === 'workflowTaskFailedEventAttributes' && textOrNull(facts.newRunId) !== null;
    if (resets) run.reason = failureText(facts.failure);
    const ended = END_STATES[name];
    if (ended === undefined) return;
    Object.assign(run, { ended, endedAt: at });
    const failure = object(facts.failure);
    if (ended === 'terminated') Object.assign(run, { reason: textOrNull(facts.reason), by: textOrNull(facts.identity) });
    if (ended === 'failed') run.reason = failureText(failure);
    const info = object(failure.applicationFailureInfo ?? failure.canceledFailureInfo);
    const view = jsonOrNull(this.read(facts.result ?? info.details ?? facts.details));
    this.view = object(view);
  }

  private read(payloads: Json | undefined): DecodedPayload {
    const value = readFirstPayload(payloads);
    this.leftOut += list(object(payloads).payloads).filter((payload) => object(payload).redacted === true).length;
    return value === LEFT_OUT ? LEFT_OUT : value;
  }
}

/** A failure and what caused it, in one line. */
function failureText(failure: Json | undefined, depth = 0): string | null {
  const { message, cause, applicationFailureInfo } = object(failure);
  const type = textOrNull(object(applicationFailureInfo).type);
  const own = [type, textOrNull(message)].filter((part) => part !== null).join(': ');
  const below = depth < 5 ? failureText(cause, depth + 1) : null;
  return [own, below].filter((part) => part !== null && part !== '').join(' ← ') || null;
}
