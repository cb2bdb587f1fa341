/** A message to a turn while it runs: read from untrusted JSON, and kept with who has sent it. */
import { plainName, type DecisionSource } from './approval';
import { ATTESTATION, MAX_BY } from './decision';
import { hashJson } from '../json/digests';
import { isJsonObject, type Json } from '../json/json';

/** What `steer` carries, once decoded. */
export interface SteerFields {
  text: string;
  /** Empty where the signed message says it. */
  by: string;
  /** Null: a bare one. */
  attestation: string | null;
}

/** A message that was accepted. */
export interface Steer {
  /** 1 to 4,000 characters. */
  text: string;
  /** The principal if it is attested, else what the sender calls himself. */
  by: string;
  /** ISO 8601, workflow time. */
  at: string;
  channel: Exclude<DecisionSource['channel'], 'timer'>;
  /** What the sender's client claims to be, as Temporal recorded it. */
  identity: string;
  /** The signed message, as it came; absent: a bare one. */
  attestation?: string;
}

export type ReadSteer = { ok: true; fields: SteerFields } | { ok: false; reason: string };

const FIELDS = ['text', 'by', 'attestation'];
const MAX_TEXT = 4000;

/** Checks shape and types. Text that has no UTF-8 form could not be stored. */
export function readSteer(value: Json): ReadSteer {
  if (!isJsonObject(value)) return bad('it must be one JSON object such as {"text": "…", "by": "…"}');
  const strange = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (strange !== undefined)
    return bad(`it has a field ${JSON.stringify(strange.slice(0, 60))}; allowed are ${FIELDS.join(', ')}`);
  const { text, by, attestation } = value;
  if (typeof text !== 'string' || text.length > MAX_TEXT || text.trim() === '' || !text.isWellFormed())
    return bad(`"text" must be 1 to ${MAX_TEXT} characters for the model to read`);
  if (attestation !== undefined && !(typeof attestation === 'string' && ATTESTATION.test(attestation)))
    return bad('"attestation" must be what `holdfast sign` printed');
  if (by === undefined ? attestation === undefined : !isName(by))
    return bad(`"by" must name who says it, in 1 to ${MAX_BY} characters`);
  return { ok: true, fields: { text, by: (by as string | undefined) ?? '', attestation: attestation ?? null } };
}

/** What a signed message is signed over, in the place of a call's digest. */
export function steerDigest(text: string): string {
  return hashJson({ v: 'holdfast.steer/1', text });
}

function isName(by: Json): boolean {
  return typeof by === 'string' && by.length <= MAX_BY && by.isWellFormed() && plainName(by) !== '';
}

function bad(reason: string): ReadSteer {
  return { ok: false, reason };
}
