/** Reads people's decisions from the signals and updates of a turn's history, whether or not they took effect. */
import { claimsOfDecision } from '../../attestation/deputy-decision';
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import { list, object, text } from '../../record/fields';
import { plainName } from '../../shared/approval/approval';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { attributesOf, eventType, firstPayload, timeOf, UNKNOWN, type JsonOrUnknown } from './values';

/** Minimum length of a digest prefix that names a call. */
const SHORTEST_NAME = 12;

/** Signals that decide. */
const DECISIONS = new Set(['approve', 'deny', 'settle', 'answer']);

interface RecordedDecision {
  kind: string;
  /** ms since 1970, the server's clock. */
  at: number;
  /** When the last completed task before the event began, ms since 1970. NaN: the workflow counts the decision in a later task. */
  taskBefore: number;
  /** Of a settlement. */
  outcome: Json | undefined;
  /** The beginning of a digest. */
  call: string;
  people: string[];
}

/** The time that a decision bears, and until when it could be made, ms since 1970. */
export interface DecisionTime {
  at: number;
  expires: number;
}

export class RecordedDecisions {
  /** By the beginning of the digest that they name. */
  private readonly decisions = new Map<string, RecordedDecision[]>();
  /** A decision was left out: its content is unknown. */
  private unknown = false;
  /** Of the run: when each task began, by its event, and when the last completed one began. */
  private taskStarts = new Map<string, number>();
  private latestTask = NaN;
  private readonly firedTimers: Pick<RecordedDecision, 'at' | 'taskBefore'>[] = [];

  beginRun(): void {
    this.taskStarts = new Map();
    this.latestTask = NaN;
  }

  read(event: JsonObject): void {
    const type = eventType(event);
    const at = timeOf(event.eventTime);
    if (type === 'WORKFLOW_TASK_STARTED') this.taskStarts.set(text(event.eventId), at);
    if (type === 'WORKFLOW_TASK_COMPLETED')
      this.latestTask = this.taskStarts.get(text(attributesOf(event).startedEventId)) ?? NaN;
    if (type === 'TIMER_FIRED') this.firedTimers.push({ at, taskBefore: this.latestTask });
    if (type === 'WORKFLOW_EXECUTION_SIGNALED') {
      const { signalName, input } = attributesOf(event);
      this.note(text(signalName), firstPayload(input), at, this.latestTask);
    }
    if (type === 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED' || type === 'WORKFLOW_EXECUTION_UPDATE_ADMITTED') {
      const { acceptedRequest, request } = attributesOf(event);
      const { name, args } = object(object(acceptedRequest ?? request).input);
      if (name === 'decide') this.note(null, firstPayload(args), at);
      if (name === 'answer') this.note('answer', firstPayload(args), at);
    }
  }

  /**
   * Whether the person has sent this decision on the call so far.
   * @param time that it bears: later ones do not count, unless a query may have seen them first
   */
  has(decision: Json | undefined, digest: Json | undefined, by: Json | undefined, time?: DecisionTime): boolean {
    const kind = decision === 'edit' ? 'approve' : decision;
    return this.unknown || this.of(digest, by).some((one) => one.kind === kind && isInTime(one, time));
  }

  /** Whether the person has settled the call with this outcome so far. */
  hasSettlement(outcome: Json | undefined, digest: Json | undefined, by: Json | undefined, time?: DecisionTime): boolean {
    const alike = (one: RecordedDecision) => one.kind === 'settle' && one.outcome === outcome && isInTime(one, time);
    return this.unknown || this.of(digest, by).some(alike);
  }

  /** Whether the time to decide was over, and a query saw the timer first. */
  hasTimer({ at, expires }: DecisionTime): boolean {
    return this.firedTimers.some((timer) => timer.taskBefore === at && timer.at >= expires - CLOCKS_MS);
  }

  private of(digest: Json | undefined, by: Json | undefined): RecordedDecision[] {
    const person = plainName(text(by));
    const about = this.decisions.get(text(digest).slice(0, SHORTEST_NAME)) ?? [];
    return about.filter((one) => text(digest).startsWith(one.call) && one.people.includes(person));
  }

  /** @param kind null: `value.decision` says it */
  private note(kind: string | null, value: JsonOrUnknown, at: number, latestTask = NaN): void {
    if (kind !== null && !DECISIONS.has(kind)) return;
    if (value === UNKNOWN) this.unknown = true;
    if (value === UNKNOWN || !isJsonObject(value)) return;
    const { call, calls, by, attestation, decision, outcome, input = null } = value;
    // An activity checks an answer, an edit, and what is signed.
    const isChecked = kind === 'answer' || input !== null || texts(attestation).length > 0;
    const taskBefore = isChecked ? NaN : latestTask;
    const principals = texts(attestation).map((token) => principalOf(token));
    const people = [...(typeof by === 'string' ? [by] : []), ...principals].map(plainName);
    for (const name of [...texts(call), ...texts(calls)].filter(({ length }) => length >= SHORTEST_NAME)) {
      const key = name.slice(0, SHORTEST_NAME);
      const entry = { kind: kind ?? text(decision), at, taskBefore, outcome, call: name, people };
      this.decisions.set(key, [...(this.decisions.get(key) ?? []), entry]);
    }
  }
}

/**
 * A worker that does not have the run in memory may answer a query before the task: the workflow then counts the decision by the clock
 * of the task before.
 */
function isInTime({ at, taskBefore }: RecordedDecision, time?: DecisionTime): boolean {
  if (time === undefined) return true;
  return !(at > time.at + CLOCKS_MS) || (taskBefore === time.at && !(at > time.expires + CLOCKS_MS));
}

function texts(value: Json | undefined): string[] {
  return (typeof value === 'string' ? [value] : list(value)).filter((one) => typeof one === 'string');
}

/** The principal of a signed decision; empty: the token is no decision. The signature is checked elsewhere. */
function principalOf(token: string): string {
  return claimsOfDecision(token)?.principal ?? '';
}
