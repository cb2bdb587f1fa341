/**
 * The types of the transcript, which is a hash chain of blocks. A block names its parent and its parts by their SHA-256. A part
 * holds one body and a salt, so that redaction can leave the part out and keep its hash.
 */
import type { Json } from '../json/json';

export const BLOCK_KINDS = [
  'start',
  'message',
  'admission',
  'decision',
  'dispatch',
  'effect',
  'settlement',
  'summary',
  'end',
  // Of no transcript, blocks of their own: the enrolment of a passkey; a deputy who was named, or whose period was ended; a use of
  // the stop switch.
  'enrolment',
  'deputy',
  'stop',
] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export interface Block {
  v: 'holdfast.block/1';
  /** Hash of the block before; null for the first one. */
  parent: string | null;
  kind: BlockKind;
  /** Workflow time, ISO 8601: the same when an append is retried. */
  at: string;
  /** Hashes of the parts, in order. */
  parts: string[];
}

export interface Part {
  v: 'holdfast.part/1';
  /** 32 hex characters. */
  salt: string;
  body: Json;
}
