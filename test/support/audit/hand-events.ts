/** Events of a history, written by hand: for tests of one rule of the verifier over the few events that it looks at. */
import type { TurnBody } from '../../../src/audit/format/lines';
import { callDigest, type CallFields, type CallTurn } from '../../../src/shared/json/digests';
import { activityId } from '../../../src/shared/ids';
import type { Json, JsonObject } from '../../../src/shared/json/json';

const JSON_PLAIN = { encoding: Buffer.from('json/plain').toString('base64') };

/** A payload that carries the value. */
export const payload = (value: unknown): JsonObject => ({
  metadata: JSON_PLAIN,
  data: Buffer.from(JSON.stringify(value)).toString('base64'),
});
/** Payloads that carry these values. */
export const payloads = (...values: unknown[]): JsonObject => ({ payloads: values.map(payload) });
/** A payload that redaction has left out. */
export const LEFT_OUT: JsonObject = { payloads: [{ redacted: true }] };
/** In the place of a value: the value is unknown. */
export const GONE = Symbol('left out');
/** Payloads that carry the value; for `GONE`, payloads that were left out. */
export const carrying = (value: unknown): JsonObject => (value === GONE ? LEFT_OUT : payloads(value));

/** So many seconds after the tests' history begins. */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 25, 10) + Math.round(seconds * 1000)).toISOString();

/** An event of this type, such as `TIMER_FIRED`. */
export function event(type: string, attributes: JsonObject, { id = 1, seconds = 0 } = {}): JsonObject {
  const [first, ...rest] = type.toLowerCase().split('_');
  const name = first! + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return {
    eventId: String(id),
    eventTime: at(seconds),
    eventType: `EVENT_TYPE_${type}`,
    [`${name}EventAttributes`]: attributes,
  };
}

/** The broken rules that a verifier reported: `RULE: reason`. */
export class Reports {
  readonly all: string[] = [];
  readonly report = (rule: string, reason: string): void => void this.all.push(`${rule}: ${reason}`);
  /** The reports since the last call. */
  taken(): string[] {
    return this.all.splice(0);
  }
}

export type Fields = Record<string, Json | undefined>;

/** Temporal's word for the end of a run. */
export type Ending = 'COMPLETED' | 'CANCELED' | 'FAILED';

/** Events one after the other, as a run of a workflow has them. */
export class HandRun {
  private events = 0;
  constructor(private readonly take: (event: JsonObject) => void) {}

  /** Begins anew with event 1. */
  begin(attributes: Fields = {}, seconds = 0): string {
    this.events = 0;
    return this.tell('WORKFLOW_EXECUTION_STARTED', { firstExecutionRunId: 'r', ...attributes }, seconds);
  }

  /** @returns the id of the event */
  tell(type: string, attributes: Fields = {}, seconds = 1): string {
    const id = (this.events += 1);
    const there = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as JsonObject;
    this.take(event(type, there, { id, seconds }));
    return String(id);
  }

  scheduled(name: string, argument: unknown, { id = name, seconds = 1 } = {}): string {
    const attributes = { activityType: { name }, activityId: id, input: carrying(argument) };
    return this.tell('ACTIVITY_TASK_SCHEDULED', attributes, seconds);
  }

  completed(scheduledEventId: string, result: unknown, seconds = 2): string {
    return this.tell('ACTIVITY_TASK_COMPLETED', { scheduledEventId, result: carrying(result) }, seconds);
  }

  /** An activity that was scheduled and has answered. */
  activity(name: string, argument: unknown, result: unknown, seconds = 1): void {
    this.completed(this.scheduled(name, argument, { seconds }), result, seconds);
  }

  /** The run is over, and leaves this as the turn's result. */
  ends(as: Ending, result: unknown, failure: Fields = {}): string {
    const details = carrying(result);
    const left: Record<Ending, Fields> = {
      COMPLETED: { result: details },
      CANCELED: { details },
      FAILED: { failure: { ...failure, applicationFailureInfo: { details } } as JsonObject },
    };
    return this.tell(`WORKFLOW_EXECUTION_${as}`, left[as]);
  }

  /** A workflow task that was completed. */
  task(seconds: number): void {
    const startedEventId = this.tell('WORKFLOW_TASK_STARTED', {}, seconds);
    this.tell('WORKFLOW_TASK_COMPLETED', { startedEventId }, seconds);
  }

  signal(signalName: string, value: unknown, { seconds = 1, identity = 'web' } = {}): string {
    return this.tell('WORKFLOW_EXECUTION_SIGNALED', { signalName, input: carrying(value), identity }, seconds);
  }

  /** @param answer undefined: it was not answered */
  update(name: string, value: unknown, answer?: unknown, { seconds = 1, identity = 'api', updateId = 'u' } = {}): string {
    const acceptedRequest = { input: { name, args: carrying(value) }, meta: { identity, updateId } };
    const id = this.tell('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { acceptedRequest }, seconds);
    if (answer !== undefined) {
      const outcome = { success: carrying(answer) };
      this.tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', { acceptedEventId: id, outcome }, seconds);
    }
    return id;
  }
}

/** The turn of these events. */
export const TURN: TurnBody = { turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', parent: null };
export const TURN_CONTEXT = {
  turn_id: 't',
  workflow_id: 'turn/t',
  first_execution_run_id: 'r',
  requester: 'rita',
  agent: 'clerk',
};

/** A call with its right digest, as an activity is given it. */
export function callOf(more: Fields = {}, turn: object = TURN_CONTEXT): JsonObject & { digest: string } {
  const about = { id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive', input: null, dispatch: 1 };
  const refs = { input_hash: HASH.input, input_ref: HASH.inputRef, preview_ref: null, policy_ref: null };
  const call = { ...about, ...refs, ...more };
  return { ...call, digest: callDigest(turn as CallTurn, call as unknown as CallFields), ...more } as JsonObject & {
    digest: string;
  };
}

/** Hashes of nothing. */
export const HASH = { input: '1'.repeat(64), inputRef: '2'.repeat(64), head: '3'.repeat(64), other: '4'.repeat(64) };
/** The id of the activity that runs the call. */
export const idOf = ({ id, tool, digest, dispatch = 1 }: JsonObject & { digest: string }): string =>
  activityId(id as string, tool as string, digest, dispatch as number);
