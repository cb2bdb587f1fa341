/**
 * Types and readers of parts that the store keeps by themselves: results of calls, what people are shown, files. Other
 * records refer to them by hash. A reader throws if the part is of another kind, such as one that a tool named by chance.
 */
import { HOLD_KINDS, type HoldReason } from '../shared/approval/approval';
import type { CardState } from '../cards/card';
import type { Envelope } from '../shared/wire/errors';
import { isJsonObject, type Json, type JsonObject, isPacked, type PackedJson } from '../shared/json/json';
import { object } from './fields';

/** A part is of another kind than its reference says. */
export class UnexpectedPart extends Error {
  override readonly name = 'UnexpectedPart';
  constructor(kind: string) {
    super(`A part of the store is no ${kind}: its reference names the wrong part.`);
  }
}

/** The owner of a part: `read_result` gives the part to no other turn or session. */
export interface PartOwner {
  turn_id: string;
  session_id: string | null;
  call_id: string;
}

/** The result of a call. */
export interface StoredResult extends PartOwner {
  envelope: Envelope;
  /** The one line that people see. */
  summary: string;
  /** Whether the model gets the whole result. */
  inline: boolean;
  /** Number of bytes of the result that the model gets, if its tool sets it. Default: `INLINE_BYTES`. */
  inline_bytes?: number;
}

/** Data that a tool put into the store while it ran. */
export interface KeptData extends PartOwner {
  kept: Json;
}

/** What an approver sees besides the input of a call. The part's hash is part of the call's digest. */
export interface ApprovalEvidence {
  /** Null: the call had no preview. */
  preview: Json;
  /** Why the call was asked about again. An approval accepts these reasons. */
  held: HoldReason[];
  /** People besides the requester who influenced the call: changed its input, or steered the turn before it was proposed. */
  makers: string[];
  /** What the tool declared as its target; null: nothing, or the digest is of version 1. */
  target: JsonObject | null;
}

/** A card, as it was shown. */
export interface CardPart {
  call_id: string;
  card: string;
  /** Absent in older parts. */
  digest?: string;
  /** What the call's turn knew of it when people were asked. Absent: nobody was asked, or an older build wrote the part. */
  state?: CardState;
}

/** @throws UnexpectedPart */
export function readResult(body: Json): StoredResult {
  if (!isResult(body)) throw new UnexpectedPart('result of a call');
  return body;
}

/** A result, or data that a tool stored; null: something else. */
export function readResultOrData(body: Json): StoredResult | KeptData | null {
  return isResult(body) || isKeptData(body) ? body : null;
}

/** @throws UnexpectedPart */
export function readApprovalEvidence(body: Json): ApprovalEvidence {
  const { preview = null, held = [], makers = [], target = null } = object(body);
  if (isJsonObject(body) && isListOf(held, isHoldReason) && isListOf(makers, isText) && (target === null || isJsonObject(target)))
    return { preview, held, makers, target };
  throw new UnexpectedPart('evidence of an approval');
}

/** @throws UnexpectedPart */
export function readCardPart(body: Json): CardPart {
  const { call_id, card, digest, state } = object(body);
  if (isText(call_id) && isText(card))
    return { call_id, card, ...(isText(digest) ? { digest } : {}), ...(isCardState(state) ? { state } : {}) };
  throw new UnexpectedPart('card');
}

function isChange(value: Json): value is JsonObject & CardState['changes'][number] {
  return isJsonObject(value) && isText(value.by) && isText(value.why);
}

function isCardState(state: Maybe): state is JsonObject & CardState {
  if (!isJsonObject(state) || !isJsonObject(state.policy)) return false;
  const { reason, changes, untrusted, asked_at, policy, remarks } = state;
  const { channel, quorum, roles, four_eyes } = policy;
  return (
    isText(reason) &&
    isListOf(changes, isChange) &&
    typeof untrusted === 'boolean' &&
    (asked_at === null || isText(asked_at)) &&
    (channel === 'any' || channel === 'attested') &&
    typeof quorum === 'number' &&
    isListOf(roles, isText) &&
    typeof four_eyes === 'boolean' &&
    isListOf(remarks, isText)
  );
}

/** The effective input of a call, from the part of its admission. @throws UnexpectedPart */
export function readInput(body: Json): JsonObject {
  if (!isJsonObject(body) || !isJsonObject(body.input)) throw new UnexpectedPart('input of a call');
  return body.input;
}

/** What people said about the calls of a turn that continues in another run. @throws UnexpectedPart */
export function readSaidPart(body: Json): PackedJson {
  const { said } = object(body);
  if (isPacked(said) && said.texts.every(isText) && said.value !== undefined) return said;
  throw new UnexpectedPart('record of what people have said');
}

type Maybe = Json | undefined;

function isText(value: Maybe): value is string {
  return typeof value === 'string';
}

function isTextOrAbsent(value: Maybe): boolean {
  return value === undefined || isText(value);
}

function isListOf<T extends Json>(value: Maybe, isItem: (item: Json) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isHoldReason(value: Json): value is JsonObject & HoldReason {
  if (!isJsonObject(value)) return false;
  const { kind, id, text } = value;
  return HOLD_KINDS.some((holdKind) => holdKind === kind) && isText(id) && isText(text);
}

function hasOwner({ turn_id, session_id, call_id }: JsonObject): boolean {
  return isText(turn_id) && isText(call_id) && (session_id === null || isText(session_id));
}

function isKeptData(body: Json): body is JsonObject & KeptData {
  return isJsonObject(body) && hasOwner(body) && body.kept !== undefined;
}

function isResult(body: Json): body is JsonObject & StoredResult {
  if (!isJsonObject(body) || !hasOwner(body) || !isEnvelope(body.envelope)) return false;
  const { summary, inline, inline_bytes } = body;
  return isText(summary) && typeof inline === 'boolean' && (inline_bytes === undefined || typeof inline_bytes === 'number');
}

/** Checks the fields that are read again: envelopes of other builds may have more, or less. */
function isEnvelope(value: Maybe): boolean {
  if (!isJsonObject(value) || !isMetadata(value.metadata)) return false;
  return value.success === true ? value.data !== undefined : value.success === false && isCallError(value.error);
}

function isMetadata(value: Maybe): boolean {
  if (!isJsonObject(value)) return false;
  const { tool_name, cache, hooks = [], deprecation = {} } = value;
  const isNote = (hook: Json): hook is JsonObject => isJsonObject(hook) && isTextOrAbsent(hook.note);
  return isText(tool_name) && isJsonObject(cache) && isListOf(hooks, isNote) && isJsonObject(deprecation);
}

function isCallError(value: Maybe): boolean {
  if (!isJsonObject(value)) return false;
  const { code, kind, reason, message, hint, retryable, details } = value;
  const texts = [code, kind, reason, message].every(isText) && isTextOrAbsent(hint);
  return texts && typeof retryable === 'boolean' && (details === undefined || Array.isArray(details));
}
