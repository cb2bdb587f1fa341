/**
 * Types and readers of parts that the store keeps by themselves: results of calls, what people are shown, files. Other
 * records refer to them by hash. A reader throws if the part is of another kind, such as one that a tool named by chance.
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

/** What people said about the calls of a turn that continues in another run. @throws UnexpectedPart */
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
