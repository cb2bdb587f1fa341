/**
 * Parts that stand by themselves in the store: results of calls, what people are shown, files. Others refer to them by hash. The
 * readers say what they want; a part that is something else, such as one that a tool has named by chance, is an error.
 */
import type { HoldReason } from '../shared/approval/approval';
import type { Envelope } from '../shared/wire/errors';
import { isJsonObject, type Json, type JsonObject, isPacked, type PackedJson } from '../shared/json/json';

/** A part is of another kind than its reference says. */
export class UnexpectedPart extends Error {
  override readonly name = 'UnexpectedPart';
  constructor(wanted: string) {
    super(`A part of the store is no ${wanted}: its reference names the wrong part.`);
  }
}

/** Whose a part is, so that `read_result` gives it to nobody else. */
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
  /** Whether the model is given the whole of it. */
  inline: boolean;
  /** How many bytes of it the model is given, where its tool says so. Default: `INLINE_BYTES`. */
  inline_bytes?: number;
}

/** Data that a tool has put into the store while it ran. */
export interface KeptData extends PartOwner {
  kept: Json;
}

/** What an approver sees besides the input of a call: the part's hash stands in the call's digest. */
export interface ApprovalEvidence {
  /** Null: there was none. */
  preview: Json;
  /** Why it was asked about again: with an approval, what has been put up with. */
  held: HoldReason[];
  /** Who has had a hand in the call, besides the requester: changed its input, or steered the turn before it was proposed. */
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
}

/** @throws UnexpectedPart */
export function readResult(body: Json): StoredResult {
  if (!isResult(body)) throw new UnexpectedPart('result of a call');
  return body;
}

/** A result, or data that a tool has kept; null: it is something else. */
export function readResultOrData(body: Json): StoredResult | KeptData | null {
  return isResult(body) || isKeptData(body) ? body : null;
}

/** @throws UnexpectedPart */
export function readApprovalEvidence(body: Json): ApprovalEvidence {
  if (!isJsonObject(body)) throw new UnexpectedPart('evidence of an approval');
  const { preview = null, held = [], makers = [], target = null } = body as Partial<ApprovalEvidence>;
  return { preview, held, makers, target };
}

/** @throws UnexpectedPart */
export function readCardPart(body: Json): CardPart {
  if (!isJsonObject(body) || typeof body.card !== 'string') throw new UnexpectedPart('card');
  const { call_id, card, digest } = body;
  return { call_id: String(call_id), card, ...(typeof digest === 'string' ? { digest } : {}) };
}

/** The effective input of a call, from the part of its admission. @throws UnexpectedPart */
export function readInput(body: Json): JsonObject {
  if (!isJsonObject(body) || !isJsonObject(body.input)) throw new UnexpectedPart('input of a call');
  return body.input;
}

/** What people have said on the calls of a turn that goes on in another run. @throws UnexpectedPart */
export function readSaidPart(body: Json): PackedJson {
  if (!isJsonObject(body) || !isPacked(body.said)) throw new UnexpectedPart('record of what people have said');
  return body.said;
}

function isResult(body: Json): body is JsonObject & StoredResult {
  return isJsonObject(body) && isJsonObject(body.envelope) && typeof body.summary === 'string';
}

function isKeptData(body: Json): body is JsonObject & KeptData {
  return isJsonObject(body) && 'kept' in body;
}
