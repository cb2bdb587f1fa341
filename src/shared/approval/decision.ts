/** Reads decisions on calls, and messages to a turn, from untrusted JSON: a signal from the Web UI, an update, an HTTP body. */
import { canonical } from '../json/canonical';
import { hashJson } from '../json/digests';
import { isJsonObject, type Json, type JsonObject, jsonBytes } from '../json/json';
import { plainName, type DecisionSource } from './approval';
import { answerSizeFault } from './person-question';
import { errorMessage } from '../text/error-message';

export type DecisionKind = 'approve' | 'deny' | 'settle' | 'answer';

/** Fields of `approve`, `deny`, `settle` and `answer`, once decoded. */
export interface DecisionFields {
  /** 12 to 64 hex characters each: one call, or several calls that are decided all together or not at all. */
  calls: string[];
  /** Empty if the signed decision names the person. */
  by: string;
  /** Approve: whom a deputy decides for; absent: nobody else, or the signed decision says it. */
  on_behalf_of?: string;
  note: string | null;
  /** Approve: the input that replaces the call's input. */
  input: JsonObject | null;
  /** Settle: how the call ended. */
  outcome: 'applied' | 'not_applied' | null;
  /** The signed decisions, one for each call; empty: it is unsigned. */
  attestations: string[];
  /** Answer: what the person answers. */
  value?: Json;
}

export type ReadDecision = { ok: true; fields: DecisionFields } | { ok: false; reason: string };

const CALL = /^[0-9a-f]{12,64}$/;
/** base64url. */
export const ATTESTATION = /^[A-Za-z0-9_.-]{1,4096}$/;
const MAX_CALLS = 64;
export const MAX_BY = 200;
const MAX_NOTE = 4000;

/** Checks shape and types. Other code finds the call that is meant. */
export function readDecision(kind: DecisionKind, value: Json): ReadDecision {
  if (!isJsonObject(value)) return bad('it must be one JSON object such as {"call": "…", "by": "…"}');
  const { call, calls, by, on_behalf_of, note, input, outcome, attestation, value: answer } = value;
  const fieldNames = ['call', ...(kind === 'answer' ? [] : ['calls']), 'by', 'note', 'attestation', ...(OWN[kind] ?? [])];
  const strange = Object.keys(value).find((key) => !fieldNames.includes(key));
  if (strange !== undefined)
    return bad(`it has a field ${JSON.stringify(strange.slice(0, 60))}; allowed are ${fieldNames.join(', ')}`);
  const unkept = unkeepable(value);
  if (unkept !== null) return bad(`it cannot be kept: ${unkept}`);
  if ((call === undefined) === (calls === undefined)) return bad('it must have "call", or "calls" with a list');
  const digests = texts(calls ?? call, CALL, MAX_CALLS);
  if (digests === null || (calls !== undefined && !Array.isArray(calls)))
    return bad(`"call" must be the first 12 or more hex characters of the digest; "calls" lists up to ${MAX_CALLS}, each once`);
  const attestations = attestation === undefined ? [] : texts(attestation, ATTESTATION, MAX_CALLS);
  if (attestations === null || (attestations.length > 0 && attestations.length !== digests.length))
    return bad('"attestation" must be what `holdfast sign` printed, one for each call');
  if (by === undefined ? attestations.length === 0 : typeof by !== 'string' || by.length > MAX_BY || plainName(by) === '')
    return bad(`"by" must name who decides, in 1 to ${MAX_BY} characters`);
  if (on_behalf_of !== undefined && !isName(on_behalf_of))
    return bad(`"on_behalf_of" must name the person whom a deputy decides for, in 1 to ${MAX_BY} characters`);
  if (on_behalf_of !== undefined && input !== undefined)
    return bad('a deputy changes no input: send the change in your own name, or deny the call with a note');
  if (note !== undefined && (typeof note !== 'string' || note.length > MAX_NOTE))
    return bad(`"note" must be text of at most ${MAX_NOTE} characters`);
  if (kind === 'settle' && outcome !== 'applied' && outcome !== 'not_applied')
    return bad('"outcome" must be "applied" or "not_applied"');
  if (input !== undefined && !isJsonObject(input)) return bad('"input" must be a JSON object, the whole input of the call');
  if (input !== undefined && digests.length > 1) return bad('"input" goes with one call');
  const unfit = kind === 'answer' ? answerShapeFault(answer, digests.length) : null;
  if (unfit !== null) return bad(unfit);
  return {
    ok: true,
    fields: {
      calls: digests,
      by: (by as string | undefined) ?? '',
      ...(on_behalf_of === undefined ? {} : { on_behalf_of: on_behalf_of as string }),
      note: note ?? null,
      input: input ?? null,
      outcome: kind === 'settle' ? (outcome as 'applied' | 'not_applied') : null,
      attestations,
      ...(kind === 'answer' ? { value: answer! } : {}),
    },
  };
}

/** Whether it fits its question is checked by an activity, which can read the question. */
function answerShapeFault(value: Json | undefined, calls: number): string | null {
  if (value === undefined) return 'it must have "value", the answer';
  if (calls !== 1) return 'an answer is for one question: "call" must be one digest';
  return answerSizeFault(value, jsonBytes(value));
}

/** Hash of a note, which is signed with the decision; null: there is no note. */
export function noteHash(note: string | null): string | null {
  return note === null ? null : hashJson(note);
}

/**
 * Why a value has no hash: it has half a character, or a number that is not exact. Storing it would fail for ever. Null: it has a
 * hash.
 */
function unkeepable(value: Json): string | null {
  try {
    canonical(value);
    return null;
  } catch (error) {
    return errorMessage(error).slice(0, 200);
  }
}

const OWN: Partial<Record<DecisionKind, string[]>> = {
  approve: ['input', 'on_behalf_of'],
  settle: ['outcome'],
  answer: ['value'],
};

/** One text, or up to `most` different texts, that match the pattern; null: neither. */
function texts(value: Json | undefined, pattern: RegExp, most: number): string[] | null {
  const list = Array.isArray(value) ? value : [value];
  const fit = list.length >= 1 && list.length <= most && new Set(list).size === list.length;
  return fit && list.every((text) => typeof text === 'string' && pattern.test(text)) ? (list as string[]) : null;
}

function bad(reason: string): ReadDecision {
  return { ok: false, reason };
}

// Messages to a running turn: read from untrusted JSON, and stored with their sender.

/** Fields of `steer`, once decoded. */
export interface SteerFields {
  text: string;
  /** Empty if the signed message names the sender. */
  by: string;
  /** Null: it is unsigned. */
  attestation: string | null;
}

/** A message that the turn accepted. */
export interface Steer {
  /** 1 to 4,000 characters. */
  text: string;
  /** The principal if the message is attested, else the name that the sender gave. */
  by: string;
  /** ISO 8601, workflow time. */
  at: string;
  channel: Exclude<DecisionSource['channel'], 'timer'>;
  /** What the sender's client claims to be, as Temporal recorded it. */
  identity: string;
  /** The signed message as received; absent: it is unsigned. */
  attestation?: string;
}

export type ReadSteer = { ok: true; fields: SteerFields } | { ok: false; reason: string };

const FIELDS = ['text', 'by', 'attestation'];
const MAX_TEXT = 4000;

/** Checks shape and types. Text without a UTF-8 form is refused: it could not be stored. */
export function readSteer(value: Json): ReadSteer {
  if (!isJsonObject(value)) return badSteer('it must be one JSON object such as {"text": "…", "by": "…"}');
  const strange = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (strange !== undefined)
    return badSteer(`it has a field ${JSON.stringify(strange.slice(0, 60))}; allowed are ${FIELDS.join(', ')}`);
  const { text, by, attestation } = value;
  if (typeof text !== 'string' || text.length > MAX_TEXT || text.trim() === '' || !text.isWellFormed())
    return badSteer(`"text" must be 1 to ${MAX_TEXT} characters for the model to read`);
  if (attestation !== undefined && !(typeof attestation === 'string' && ATTESTATION.test(attestation)))
    return badSteer('"attestation" must be what `holdfast sign` printed');
  if (by === undefined ? attestation === undefined : !isName(by))
    return badSteer(`"by" must name who says it, in 1 to ${MAX_BY} characters`);
  return { ok: true, fields: { text, by: (by as string | undefined) ?? '', attestation: attestation ?? null } };
}

/** The digest that a signed message is signed over, in place of a call's digest. */
export function steerDigest(text: string): string {
  return hashJson({ v: 'holdfast.steer/1', text });
}

function isName(by: Json): boolean {
  return typeof by === 'string' && by.length <= MAX_BY && by.isWellFormed() && plainName(by) !== '';
}

function badSteer(reason: string): ReadSteer {
  return { ok: false, reason };
}
