/** Types of the lines of a bundle, by kind (docs/bundle-format.md). */
import type { Json, JsonObject } from '../../shared/json/json';
import type { Block, Part } from '../../shared/turn/transcript';
import type { Receipt } from '../../witness/receipt';
import type { TreeHead } from '../../witness/tree-head';

/**
 * The version that is written. Versions 1 and 2 have no `session` lines, and `of` of their redactions has no `public` and no
 * `redaction`; version 1 has no `tenant`, no `chained` and no `contradiction`.
 */
export const BUNDLE_VERSION = 'holdfast.bundle/3';
export const VERSION_2 = 'holdfast.bundle/2';
export const VERSION_1 = 'holdfast.bundle/1';

/** The first line: whose record this is, and which software made it. */
export interface BundleBody {
  v: typeof BUNDLE_VERSION | typeof VERSION_2 | typeof VERSION_1;
  subject: { kind: 'turn' | 'call' | 'session'; id: string };
  namespace: string;
  agent: string;
  /** The requester's tenant, as `tenant/name`; null: the operator's own. A tenant's bundles of one agent form a chain. */
  tenant?: string | null;
  /** False: the bundle was made for reading, and is no link of the chain. */
  chained?: boolean;
  /** ISO 8601, the exporter's clock. */
  made_at: string;
  /** `witness_head`: a tree head that the exporter got when it began. So the bundle is not older than that head. */
  made_by: { holdfast: string; node: string; witness_head?: TreeHead };
}

/** An object that is named by the hash of its canonical form: rules (`policy_ref`), an agent's definition (`definition_ref`). */
export interface ObjectBody {
  ref: string;
  value: Json;
}

/** A turn begins. Its runs, events, blocks and effects follow, up to its `turn_end`. */
export interface TurnBody {
  turn_id: string;
  workflow_id: string;
  /** Null: no source records it any more. */
  first_execution_run_id: string | null;
  /** For a sub-agent's turn: the turn, earlier in the bundle, whose call it answers. */
  parent: { turn_id: string; call_id: string } | null;
}

/** A run of the turn's workflow begins; its events follow. */
export interface RunBody {
  run_id: string;
  began: 'start' | 'continued' | 'reset';
}

/** One event of Temporal's history, as proto3 JSON. A payload that was left out is `{"redacted":true}`. */
export interface EventBody {
  event: JsonObject;
}

/** One event about this turn, from the history of its session (decision 0039). */
export interface SessionBody {
  /** A run of the session's workflow. */
  run_id: string;
  event: JsonObject;
}

/** `part` is null if it was left out, or if the store has lost it. */
export interface PartBody {
  ref: string;
  part: Part | null;
}

export interface BlockBody {
  ref: string;
  block: Block;
}

export interface EffectBody {
  record: JsonObject;
}

export interface TurnEndBody {
  turn_id: string;
  /** Head of the turn's transcript; null: it never had one. */
  head: string | null;
  complete: boolean;
  /** Why the turn is incomplete; null: it is complete. */
  why: string | null;
}

/** In a redacted bundle: the bundle that it was made from. */
export interface Redaction {
  of: RedactedTrailer;
  /** Number of parts and payloads that were left out. */
  parts: number;
  payloads: number;
  reason: string;
}

/** The trailer of the bundle that was redacted, without the fields that the new trailer repeats. */
export interface RedactedTrailer {
  root: string;
  kid: string;
  signature: string;
  /** Absent before version 3. */
  public?: string;
  /** Absent before version 3. */
  redaction?: Redaction | null;
}

/** A contradiction between history, transcript and effects that existed when the bundle was made. */
export interface Contradiction {
  /** The first line that shows it, and the rule. */
  line: number;
  rule: string;
}

/** The trailer. `signature` covers the canonical form of the rest of it. */
export interface EndBody {
  /** Hash of the line before; equal to this line's `prev`. */
  root: string;
  /** Number of lines, this one included. */
  lines: number;
  complete: boolean;
  /** The bundle before this one in the chain; null: this is the first one, or is no link. */
  previous: { root: string; subject: string } | null;
  redaction: Redaction | null;
  /** Null: the exporter found none. Absent in version 1. */
  contradiction?: Contradiction | null;
  /** First 16 hex characters of the SHA-256 of the raw public key. */
  kid: string;
  /** The raw public key, base64url: to find the key, not to trust it. */
  public: string;
  /** Ed25519, base64url. */
  signature: string;
}

/** After the trailer: what somebody else says about this bundle. Not covered by the trailer's signature. */
export type ReceiptBody = Receipt;

export interface Bodies {
  bundle: BundleBody;
  object: ObjectBody;
  turn: TurnBody;
  run: RunBody;
  event: EventBody;
  session: SessionBody;
  part: PartBody;
  block: BlockBody;
  effect: EffectBody;
  turn_end: TurnEndBody;
  end: EndBody;
  receipt: ReceiptBody;
}

export type LineKind = keyof Bodies;

/** One line, with the hash of its text. */
export type BundleLine = {
  [K in LineKind]: { n: number; kind: K; prev: string | null; body: Bodies[K]; hash: string };
}[LineKind];
