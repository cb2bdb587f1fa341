/**
 * Receipts: what others say about a bundle, in lines after its trailer. They are about the hash of the trailer's line, which covers
 * root, signature and the bundle before it. A thief of the bundle key can sign another trailer, but gets no receipt for it with an
 * earlier time.
 *
 * A witness's receipt proves that the entry about this trailer is in its log. A timestamp is the answer of an authority by RFC 3161.
 */
import { canonical } from '../shared/json/canonical';
import { asJson, isJsonObject, type Json } from '../shared/json/json';
import { isHash } from '../shared/json/sha256';
import { isIncluded, leafHash } from './merkle';
import { isInstant, readHead, type TreeHead } from './tree-head';

/** What a witness is asked to take down. */
export interface TrailerHashes {
  /** The bundle's root. */
  root: string;
  /** SHA-256 of the trailer's line, without its newline. */
  end: string;
  /** Root of the bundle before it in its chain; null: it names none. */
  previous: string | null;
}

/** An entry of a witness's log. */
export interface WitnessEntry extends TrailerHashes {
  v: 'holdfast.witness_entry/1';
  /** When the witness took it down: ISO 8601 in UTC with milliseconds, by its clock. */
  at: string;
}

export interface WitnessReceipt {
  by: 'witness';
  at: string;
  /** Number of the entry in the log, from 0. */
  index: number;
  /** Inclusion proof (RFC 6962, section 2.1.1): at most 64 hashes. */
  proof: string[];
  head: TreeHead;
}

export interface TimestampReceipt {
  by: 'timestamp';
  /** A TimeStampResp of RFC 3161 over the hash of the trailer's line: DER, base64. */
  response: string;
}

export type Receipt = WitnessReceipt | TimestampReceipt;

/** The canonical bytes of an entry: what is hashed as a leaf. */
export function entryBytes({ root, end, previous }: TrailerHashes, at: string): Buffer {
  return Buffer.from(canonical({ v: 'holdfast.witness_entry/1', at, end, previous, root } satisfies WitnessEntry));
}

export function isTrailerHashes(value: Json): value is Json & TrailerHashes {
  return (
    isJsonObject(value) &&
    Object.keys(value).sort().join() === 'end,previous,root' &&
    isHash(value.root) &&
    isHash(value.end) &&
    (value.previous === null || isHash(value.previous))
  );
}

const MOST_HASHES = 64;
/** Characters of base64. Answers with the certificates of an authority have some 10,000. */
const LONGEST_RESPONSE = 1_000_000;

/** Whether the body of a line has the fields of a receipt, with their types (rule S3). */
export function isReceipt(body: Json): boolean {
  if (!isJsonObject(body)) return false;
  const names = Object.keys(body).sort().join();
  if (body.by === 'timestamp')
    return names === 'by,response' && typeof body.response === 'string' && body.response.length <= LONGEST_RESPONSE;
  const { at, index, proof, head } = body;
  return (
    body.by === 'witness' &&
    names === 'at,by,head,index,proof' &&
    typeof at === 'string' &&
    Number.isSafeInteger(index) &&
    (index as number) >= 0 &&
    Array.isArray(proof) &&
    proof.length <= MOST_HASHES &&
    proof.every(isHash) &&
    isJsonObject(head ?? null)
  );
}

/** Why a witness's receipt is not about this trailer, or not what the witness signed (rule S8); null: it holds. */
export function witnessFault({ at, index, proof, head }: WitnessReceipt, about: TrailerHashes): string | null {
  if (readHead(asJson(head)) === null) return 'the key that its tree head carries has not signed that head';
  if (!isInstant(at) || at > head.at) return 'its tree head was signed before the entry was made';
  const leaf = leafHash(entryBytes(about, at));
  return isIncluded(leaf, index, head.size, proof, head.tree) ? null : 'its log has no such entry about this bundle';
}
