/** Checks that a line has the fields of its kind, with their types (rule S3). */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { BUNDLE_VERSION, VERSION_1, VERSION_2, type LineKind } from '../format/lines';
import { isHash } from '../../shared/json/sha256';
import { isReceipt } from '../../witness/receipt';

type Rule = (value: Json) => boolean;
type Shape = Record<string, Rule>;

const text: Rule = (value) => typeof value === 'string';
const flag: Rule = (value) => typeof value === 'boolean';
const whole: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const hash: Rule = isHash;
const object: Rule = isJsonObject;
const is =
  (...values: Json[]): Rule =>
  (value) =>
    values.includes(value);
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value);
const list =
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value) && value.every(rule);
/** Exactly these fields. */
const exactly =
  (shape: Shape): Rule =>
  (value) =>
    isJsonObject(value) && Object.keys(value).length === Object.keys(shape).length && has(shape)(value);
/** At least these fields. */
const has =
  (shape: Shape): Rule =>
  (value) =>
    isJsonObject(value) && Object.entries(shape).every(([key, rule]) => Object.hasOwn(value, key) && rule(value[key]!));

const PART = exactly({ v: is('holdfast.part/1'), salt: text, body: () => true });
const BLOCK = exactly({ v: is('holdfast.block/1'), parent: orNull(hash), kind: text, at: text, parts: list(hash) });
const SIGNED_ROOT = { root: hash, kid: text, signature: text };
const redactionRule = (of: Rule): Rule => orNull(exactly({ of, parts: whole, payloads: whole, reason: text }));
/** `of` has a `redaction` again: its bundle may be a redaction too. */
const redactedTwice: Rule = (value) => redactionRule(exactly({ ...SIGNED_ROOT, public: text, redaction: redactedTwice }))(value);

const BUNDLE: Shape = {
  subject: exactly({ kind: is('turn', 'call', 'session'), id: text }),
  namespace: text,
  agent: text,
  made_at: text,
  made_by: object,
};
const END: Shape = {
  root: hash,
  lines: whole,
  complete: flag,
  previous: orNull(exactly({ root: hash, subject: text })),
  redaction: redactionRule(exactly(SIGNED_ROOT)),
  kid: text,
  public: text,
  signature: text,
};

const BODIES: Record<Exclude<LineKind, 'bundle' | 'end'>, Rule> = {
  object: exactly({ ref: hash, value: () => true }),
  turn: exactly({
    turn_id: text,
    workflow_id: text,
    first_execution_run_id: orNull(text),
    parent: orNull(exactly({ turn_id: text, call_id: text })),
  }),
  run: exactly({ run_id: text, began: is('start', 'continued', 'reset') }),
  event: exactly({ event: object }),
  session: exactly({ run_id: text, event: object }),
  part: exactly({ ref: hash, part: orNull(PART) }),
  block: exactly({ ref: hash, block: BLOCK }),
  effect: exactly({ record: object }),
  turn_end: exactly({ turn_id: text, head: orNull(hash), complete: flag, why: orNull(text) }),
  receipt: isReceipt,
};

/** Rules for the first and the last line, by version of the bundle. */
const CHAINED_BUNDLE = exactly({ v: text, tenant: orNull(text), chained: flag, ...BUNDLE });
const JUDGED_END: Shape = { ...END, contradiction: orNull(exactly({ line: whole, rule: text })) };
const ENDS: Record<string, Record<'bundle' | 'end', Rule>> = {
  [VERSION_1]: { bundle: exactly({ v: text, ...BUNDLE }), end: exactly(END) },
  [VERSION_2]: { bundle: CHAINED_BUNDLE, end: exactly(JUDGED_END) },
  [BUNDLE_VERSION]: { bundle: CHAINED_BUNDLE, end: exactly({ ...JUDGED_END, redaction: redactedTwice }) },
};

/** @param version of the bundle */
export function hasShape(kind: LineKind, body: object, version: Json | undefined): boolean {
  if (kind === 'session' && version !== BUNDLE_VERSION) return false;
  if (kind !== 'bundle' && kind !== 'end') return BODIES[kind](body as JsonObject);
  const shapes = typeof version === 'string' && Object.hasOwn(ENDS, version) ? ENDS[version] : undefined;
  return shapes !== undefined && shapes[kind](body as JsonObject);
}
