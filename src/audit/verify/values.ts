/** Reads payloads, times and hashes from the untrusted values of a bundle. */
import { calendarMs } from '../../shared/wire/waits';
import { readFirstPayload, LEFT_OUT } from '../case-file/payload';
import { object, text } from '../../record/fields';
import { hashJson } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

/** A value that was left out. Checks that need it are skipped. */
export const UNKNOWN = Symbol('unknown');
export type JsonOrUnknown = Json | typeof UNKNOWN;

/** Cache: several rules read the same payload, which may be long. */
const READ = new WeakMap<object, JsonOrUnknown>();

/** The first value of `{payloads: […]}`; null: there is none, or it is unreadable; UNKNOWN: it was left out. */
export function firstPayload(payloads: Json | undefined): JsonOrUnknown {
  if (!isJsonObject(payloads)) return null;
  const before = READ.get(payloads);
  if (before !== undefined) return before;
  const value = readFirstPayload(payloads);
  const payload = value === LEFT_OUT ? UNKNOWN : (value ?? null);
  READ.set(payloads, payload);
  return payload;
}

/** An event's own attributes: `EVENT_TYPE_TIMER_FIRED` has them in `timerFiredEventAttributes`. */
export function attributesOf(event: JsonObject): JsonObject {
  const [first = '', ...rest] = eventType(event).toLowerCase().split('_');
  const name = first + rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  return object(event[`${name}EventAttributes`]);
}

/** The turn's result in the last event of a failed run: the details of the failure. */
export function failureDetails({ failure }: JsonObject): Json | undefined {
  return object(object(failure).applicationFailureInfo).details;
}

/** By type of a run's last event: where it has the turn's result. */
const RESULTS = new Map<string, (attributes: JsonObject) => Json | undefined>([
  ['WORKFLOW_EXECUTION_COMPLETED', ({ result }) => result],
  ['WORKFLOW_EXECUTION_CANCELED', ({ details }) => details],
  ['WORKFLOW_EXECUTION_FAILED', failureDetails],
]);

/** The turn's result in an event of this type; null: there is none, it was left out, or it has no `calls`. */
export function resultIn(type: string, attributes: JsonObject): (JsonObject & { calls: Json[] }) | null {
  const payload = firstPayload(RESULTS.get(type)?.(attributes));
  const view = payload === UNKNOWN ? {} : object(payload);
  return Array.isArray(view.calls) ? (view as JsonObject & { calls: Json[] }) : null;
}

/** Such as `TIMER_FIRED`. */
export function eventType(event: JsonObject): string {
  return text(event.eventType).replace(/^EVENT_TYPE_/, '');
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** ms since 1970, finer fractions cut off; NaN: the value is not a time. */
export function timeOf(value: Json | undefined): number {
  return typeof value === 'string' && TIME.test(value) ? calendarMs(value) : NaN;
}

/** Hash of the canonical form; null: the value has none. */
export function hashOf(value: Json | undefined): string | null {
  return attempt(() => hashJson(value as Json));
}

/** Null if `make` throws: a value without a canonical form has no hash, digest or id. */
export function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
