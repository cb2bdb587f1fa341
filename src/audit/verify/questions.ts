/** Finds the run in which people were asked about a call, and whether an approval answers that question (rule T9). */
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { RunBody } from '../format/lines';
import { wordsOf, type DecisionMessage, type DecisionMessages } from './decision-messages';
import { eventType } from './values';

export interface ScheduledActivity {
  type: string;
  value: JsonObject;
  place: number;
}

export interface Run {
  id: string;
  /** The run that it continues. */
  before: string | null;
  /** For each event: a key that its copies share. */
  keys: string[];
  /** Runs that its events so far are copies of. Once there is none, its own events begin. */
  copies: Run[];
  activities: Map<string, ScheduledActivity>;
  /** By digest: the place at which people were asked, in its own events. */
  questionPlaces: Map<string, number>;
  /** `runCall`s in its own events. */
  calls: { value: JsonObject; place: number }[];
}

export class Questions {
  private readonly runs: Run[] = [];

  constructor(private readonly messages: DecisionMessages) {}

  get run(): Run {
    return this.runs.at(-1)!;
  }

  begin({ run_id: id, began }: RunBody): void {
    const copies = began === 'reset' ? [...this.runs] : [];
    const empty = { keys: [], activities: new Map(), questionPlaces: new Map(), calls: [] };
    this.runs.push({ id, before: null, copies, ...empty });
  }

  /** Whether the event is no copy of another run's. */
  isOwn(event: JsonObject, { input, result }: JsonObject): boolean {
    const { run } = this;
    const type = eventType(event);
    const [payload] = type.startsWith('ACTIVITY') ? list(object(input ?? result).payloads) : [];
    const data = text(object(payload).data);
    const payloadHash = data === '' ? '' : createHash('sha256').update(data).digest('base64url');
    const key = `${type} ${text(event.eventTime)} ${payloadHash}`;
    const index = run.keys.push(key) - 1;
    // The first event of a copy differs.
    if (index > 0) run.copies = run.copies.filter(({ keys }) => keys[index] === key);
    return run.copies.length === 0;
  }

  of(run_id: Json | undefined): Run | undefined {
    return this.runs.find(({ id }) => id === run_id);
  }

  ask(digest: string, place: number): void {
    if (!this.run.questionPlaces.has(digest)) this.run.questionPlaces.set(digest, place);
  }

  /** Takes over a question of the run before: answers count from this run's beginning. */
  continueQuestion(digest: string): void {
    this.ask(digest, 0);
  }

  /** The runs whose questions are those of this run: itself, and the runs that it continues. */
  lineage({ id, before }: Run): Set<string> {
    const runs = new Set([id]);
    for (let next = before; next !== null && !runs.has(next); next = this.of(next)?.before ?? null) runs.add(next);
    return runs;
  }

  /** Whether all approvals of a call name the run, and answer a question of the run or of one that it continues. */
  isApprovedIn(run: Run, value: JsonObject, until: number): boolean {
    return approvalsIn(value).every((one) => one.run_id === run.id) && this.areAnswers(run, value, until);
  }

  /** The same, only for the approvals that name the run. */
  areAnswers(run: Run, value: JsonObject, until: number): boolean {
    const lineage = this.lineage(run);
    const digest = text(object(value.call).digest);
    const askedAt = (message: DecisionMessage) => this.of(message.run)?.questionPlaces.get(digest) ?? Infinity;
    const answers = (message: DecisionMessage) =>
      message.own && lineage.has(message.run) && askedAt(message) < message.place && message.place < until;
    return approvalsIn(value).every((one) => one.run_id !== run.id || this.messages.of(wordsOf(one)).some(answers));
  }
}

/** An older history has a single `approval`, or null. */
function approvalsIn({ approvals, approval }: JsonObject): JsonObject[] {
  return Array.isArray(approvals) ? approvals.map(object) : isJsonObject(approval) ? [approval] : [];
}
