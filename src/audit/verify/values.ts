/** What a verifier reads out of hostile values: payloads, times, hashes. */
import { carried, LEFT_OUT } from '../case-file/payload';
import { object, text } from '../case-file/loose';
import { hashJson } from '../../shared/digests';
import type { Json, JsonObject } from '../../shared/json';

/** A value that was left out: what needs it can't be told. */
export const UNKNOWN = Symbol('unknown');
export type Known = Json | typeof UNKNOWN;

/** The first value of `{payloads: […]}`; null for none, and for what can't be read. */
export function firstPayload(payloads: Json | undefined): Known {
  const value = carried(payloads);
  return value === LEFT_OUT ? UNKNOWN : (value ?? null);
}

/** An event's own attributes: `EVENT_TYPE_TIMER_FIRED` has them in `timerFiredEventAttributes`. */
export function attributesOf(event: JsonObject): JsonObject {
  const [first = '', ...rest] = eventType(event).toLowerCase().split('_');
  const name = first + rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  return object(event[`${name}EventAttributes`]);
}

/** `TIMER_FIRED` */
export function eventType(event: JsonObject): string {
  return text(event.eventType).replace(/^EVENT_TYPE_/, '');
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** ms since 1970, what is finer cut off; NaN for what is no time. */
export function timeOf(value: Json | undefined): number {
  return typeof value === 'string' && TIME.test(value) ? Date.parse(value) : NaN;
}

/** Hash of the canonical form; null for what has none. */
export function hashOf(value: Json | undefined): string | null {
  return attempt(() => hashJson(value as Json));
}

/** Null where it throws: what has no canonical form has no hash, digest or id. */
export function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
