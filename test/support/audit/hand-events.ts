/** Events of a history, written by hand: for tests of one rule of the verifier over the few events that it looks at. */
import type { Json, JsonObject } from '../../../src/shared/json';

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
/** As it may stand in the place of a value: nothing is known of it. */
export const GONE = Symbol('left out');
/** Payloads that carry the value; of `GONE`, that it was left out. */
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

/** What a verifier has said of broken rules: `RULE: reason`. */
export class Reports {
  readonly all: string[] = [];
  readonly report = (rule: string, reason: string): void => void this.all.push(`${rule}: ${reason}`);
  /** What was said since the last time. */
  taken(): string[] {
    return this.all.splice(0);
  }
}

export type Fields = Record<string, Json | undefined>;
