/** Reads the tombstones of bundles deleted by retention (docs/retention.md): an agent's chain of bundles continues over them. */
import { verify } from 'node:crypto';
import { publicKey } from '../../attestation/public-key';
import type { TrustEntry } from '../../attestation/trusted-keys';
import { canonical } from '../../shared/json/canonical';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { signerFault } from './signer';

export interface Tombstones {
  /** Root of a deleted bundle → root of the bundle before it; null: it was the first. */
  gone: ReadonlyMap<string, string | null>;
  /** Lines that are invalid, a sentence each. */
  faults: string[];
}

const MOST_FAULTS = 20;

/** @param text of `tombstones.jsonl` */
export function readTombstones(text: string, trust: readonly TrustEntry[]): Tombstones {
  const deletedRoots = new Map<string, string | null>();
  const faults: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const stone = objectIn(line);
    const fault = stone === null ? 'it cannot be read' : faultOf(stone, trust);
    if (fault === null)
      deletedRoots.set(String(stone!.root), isJsonObject(stone!.previous!) ? String(stone!.previous.root) : null);
    else if (faults.length < MOST_FAULTS) faults.push(`Tombstone ${index + 1} counts for nothing: ${fault}.`);
  }
  return { gone: deletedRoots, faults };
}

function faultOf(stone: JsonObject, trust: readonly TrustEntry[]): string | null {
  const { signature, ...rest } = stone;
  const { v, root, previous, kid, public: raw, deleted_at } = rest;
  const texts = [root, kid, raw, deleted_at, signature];
  if (v !== 'holdfast.tombstone/1' || texts.some((text) => typeof text !== 'string') || previous === undefined)
    return 'it does not have the form of one';
  const unknown = signerFault(trust, { kid: String(kid), public: String(raw) }, String(deleted_at));
  return unknown ?? (isSigned(rest, String(raw), String(signature)) ? null : 'its signature does not hold');
}

function isSigned(rest: Json, raw: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(canonical(rest)), publicKey(raw), Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function objectIn(line: string): JsonObject | null {
  try {
    const value = parseJson(line);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
