/**
 * Reads from the history of a session the events about one of its turns: the message for it, its start, and the end that the
 * session found (decision 0039). The other events are about other turns, and are in those turns' bundles.
 */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { workflowId } from '../../shared/ids';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { SessionBody } from '../format/lines';
import { object, text } from '../../record/fields';
import { readRun } from '../../temporal/history';
import { eventJson, valuesOf } from './event-json';

/** The run of the session that started a turn, as the turn's first event says. */
export interface StartedIn {
  workflow_id: string;
  run_id: string;
}

interface ReadRun {
  /** Events by workflow id of the turn that they are about. */
  about: Map<string, JsonObject[]>;
  /** The run that this one continues. */
  before: string | null;
}

/** Caches the last run: turns of a session follow one another, so a run is read once for all its turns. */
export class SessionHistory {
  private last: { name: string; run: ReadRun | null } | null = null;

  constructor(private readonly temporal: Client) {}

  /** Events from the run that took the message to the run that started the turn. Null: Temporal no longer has them. */
  async about(turn: string, { workflow_id, run_id }: StartedIn): Promise<SessionBody[] | null> {
    const lines: SessionBody[] = [];
    for (let next: string | null = run_id; next !== null;) {
      const id: string = next;
      const run = await this.run(workflow_id, id);
      if (run === null) return null;
      const events = [...(run.about.get(turn) ?? [])].sort((a, b) => Number(a.eventId) - Number(b.eventId));
      lines.unshift(...events.map((event) => ({ run_id: id, event })));
      next = events.some(isMessage) ? null : run.before;
    }
    return lines;
  }

  private async run(workflowId: string, runId: string): Promise<ReadRun | null> {
    const name = `${workflowId} ${runId}`;
    if (this.last?.name === name) return this.last.run;
    const reading = new Reading();
    try {
      for await (const event of readRun(this.temporal, { workflowId, runId }, { follow: false })) reading.take(eventJson(event));
      this.last = { name, run: reading.run };
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) && (error as { code?: unknown }).code !== NOT_FOUND) throw error;
      this.last = { name, run: null };
    }
    return this.last.run;
  }
}

/** Status code of gRPC. */
const NOT_FOUND = 5;
const UPDATE_RESULT = 'workflowExecutionUpdateCompleted';

function isMessage(event: JsonObject): boolean {
  return `${UPDATE_RESULT}EventAttributes` in event;
}

class Reading {
  readonly run: ReadRun = { about: new Map(), before: null };
  /** Open updates and `lookAtTurn` activities, by their ids. */
  private readonly sent = new Map<string, JsonObject[]>();
  private readonly looks = new Map<string, JsonObject>();

  take(event: JsonObject): void {
    const of = (name: string) => (isJsonObject(event[`${name}EventAttributes`]) ? object(event[`${name}EventAttributes`]) : null);
    const started = of('workflowExecutionStarted');
    if (started) this.run.before = text(started.continuedExecutionRunId) || null;
    const sent = of('workflowExecutionUpdateAdmitted') ?? of('workflowExecutionUpdateAccepted');
    if (sent) this.send(event, sent);
    const taken = of(UPDATE_RESULT);
    if (taken) this.noteUpdateResult(event, taken);
    const begun = of('startChildWorkflowExecutionInitiated');
    if (begun) this.note(text(begun.workflowId), event);
    const child = of('childWorkflowExecutionStarted');
    if (child) this.note(text(object(child.workflowExecution).workflowId), event);
    const look = of('activityTaskScheduled');
    if (look && text(object(look.activityType).name) === 'lookAtTurn') this.looks.set(text(event.eventId), event);
    const looked = of('activityTaskCompleted');
    if (looked) this.noteLookResult(event, looked);
  }

  private send(event: JsonObject, sent: JsonObject): void {
    const { meta, input } = object(sent.acceptedRequest ?? sent.request);
    const id = text(object(meta).updateId) || text(sent.protocolInstanceId);
    const known = this.sent.get(id);
    if (known || text(object(input).name) === 'send') this.sent.set(id, [...(known ?? []), event]);
  }

  private noteUpdateResult(event: JsonObject, { meta, outcome }: JsonObject): void {
    const id = text(object(meta).updateId);
    const events = this.sent.get(id);
    this.sent.delete(id);
    const answer = object(valuesOf(object(outcome).success)[0]);
    if (events && answer.again !== true && answer.turn_id !== undefined)
      this.note(workflowId(text(answer.turn_id)), ...events, event);
  }

  private noteLookResult(event: JsonObject, { scheduledEventId, result }: JsonObject): void {
    const asked = this.looks.get(text(scheduledEventId));
    this.looks.delete(text(scheduledEventId));
    if (!asked || object(valuesOf(result)[0]).state === 'running') return;
    const { input } = object(asked.activityTaskScheduledEventAttributes as Json);
    this.note(workflowId(text(object(valuesOf(input)[0]).turn_id)), asked, event);
  }

  private note(turn: string, ...events: JsonObject[]): void {
    this.run.about.set(turn, [...(this.run.about.get(turn) ?? []), ...events]);
  }
}
