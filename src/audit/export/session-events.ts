/**
 * Reads from the history of a session the events about one of its turns: the message for it, its start, and the end that the
 * session found (decision 0039). The other events are about other turns, and are in those turns' bundles.
 */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { workflowId } from '../../shared/ids';
import type { Json, JsonObject } from '../../shared/json/json';
import type { SessionBody } from '../format/lines';
import { object, text } from '../../record/fields';
import { readFact, type EventFact } from '../../record/history';
import { readRun } from '../../temporal/history/read-history';
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

function isMessage(event: JsonObject): boolean {
  return readFact(event)?.kind === 'update_completed';
}

class Reading {
  readonly run: ReadRun = { about: new Map(), before: null };
  /** Open updates and `lookAtTurn` activities, by their ids. */
  private readonly updates = new Map<string, JsonObject[]>();
  private readonly looks = new Map<string, { event: JsonObject; turn: string }>();

  take(event: JsonObject): void {
    const fact = readFact(event);
    switch (fact?.kind) {
      case 'run_started':
        this.run.before = fact.continued_run;
        break;
      case 'update_admitted':
      case 'update_accepted':
        this.send(event, fact);
        break;
      case 'update_completed':
        this.noteUpdateResult(event, fact);
        break;
      case 'child_initiated':
      case 'child_started':
        this.note(fact.workflow_id, event);
        break;
      case 'activity_scheduled':
        if (fact.type === 'lookAtTurn') this.looks.set(fact.event_id, { event, turn: text(firstOf(fact.input).turn_id) });
        break;
      case 'activity_completed':
        this.noteLookResult(event, fact);
        break;
      default: // about no turn
    }
  }

  private send(event: JsonObject, { update_id: id, name }: FactOf<'update_admitted' | 'update_accepted'>): void {
    const events = this.updates.get(id);
    if (events || name === 'send') this.updates.set(id, [...(events ?? []), event]);
  }

  private noteUpdateResult(event: JsonObject, { update_id: id, answer }: FactOf<'update_completed'>): void {
    const events = this.updates.get(id);
    this.updates.delete(id);
    const { again, turn_id } = firstOf(answer ?? []);
    if (events && again !== true && turn_id !== undefined) this.note(workflowId(text(turn_id)), ...events, event);
  }

  private noteLookResult(event: JsonObject, { scheduled, result }: FactOf<'activity_completed'>): void {
    const look = this.looks.get(scheduled);
    this.looks.delete(scheduled);
    if (look && firstOf(result).state !== 'running') this.note(workflowId(look.turn), look.event, event);
  }

  private note(turn: string, ...events: JsonObject[]): void {
    this.run.about.set(turn, [...(this.run.about.get(turn) ?? []), ...events]);
  }
}

type FactOf<K extends EventFact<Json>['kind']> = Extract<EventFact<Json>, { kind: K }>;

/** The first value, if it is an object. */
function firstOf(payloads: readonly Json[]): JsonObject {
  return object(valuesOf(payloads)[0]);
}
