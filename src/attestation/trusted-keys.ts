/**
 * The file of trusted keys: reads, checks and changes a JSON list. Several keys at once allow a rotation; an entry with
 * `revoked_at` is a revocation. The file is read for each check of a decision, so that a revocation counts at once; decisions are
 * rare.
 */
import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type Json } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { hasCode, replaceFile } from '../store/files/atomic-file';
import { hasShape, KID, like, oneOf, optional, principalName, roleList } from './claims';
import { keyId, publicKey } from './public-key';
import { errorMessage } from '../shared/text/error-message';

/** An entry of the file: a key, or what was taken back: a passkey, or a deputyship. */
export type TrustEntry = TrustedKey | Revocation;

/** Passkeys are trusted by their enrolments, deputies by the statement that names them; the file only takes one back. */
export interface Revocation {
  /** First 16 hex characters of the SHA-256 of the passkey's public key (passkey-key.ts), or the id of the deputyship. */
  kid: string;
  use: 'passkey' | 'deputy';
  /** ISO 8601 */
  revoked_at: string;
}

/** A public key and what it may sign. */
export interface TrustedKey {
  /** First 16 hex characters of the SHA-256 of the raw key. */
  kid: string;
  /** The raw 32 bytes, base64url. Of a timestamp authority: its certificate, DER, base64url. */
  public: string;
  /**
   * `gateway`: speaks for any principal, with any roles. `principal`: for the one named here, with the roles given here. `bundle`:
   * signs audit bundles, and speaks for no principal. `enroller`: signs the enrolments of passkeys, with the roles given here only
   * if there are any, and speaks for no principal. `witness`, `timestamp`: sign receipts of bundles (docs/witness.md).
   */
  use: 'gateway' | 'principal' | 'bundle' | 'enroller' | 'witness' | 'timestamp';
  principal?: string;
  roles?: string[];
  /** Of a gateway's key: it signs starts of turns, messages and denials, and no other decision. */
  decides?: false;
  /** Of a witness or a timestamp authority: a bundle without a receipt of it is not intact. */
  require?: true;
  /** ISO 8601, all three. */
  created_at: string;
  expires_at?: string;
  revoked_at?: string;
}

/** A file of trusted keys that cannot be used: no key is trusted until it is corrected. */
export class BadKeyFile extends Error {
  override readonly name = 'BadKeyFile';
}

const LARGEST_FILE = 1_000_000;
const MOST_KEYS = 1000;

/** @throws BadKeyFile that says what is wrong; for a missing file too */
export async function readTrustedKeys(path: string): Promise<TrustEntry[]> {
  let text: string;
  try {
    text = await readSmallFile(path);
  } catch (error) {
    const why = hasCode(error, 'ENOENT') ? 'there is none; `holdfast keys create` makes one' : errorMessage(error);
    throw new BadKeyFile(`The file of trusted keys ${path} cannot be read: ${why}`);
  }
  return parseTrustedKeys(text, path);
}

/** @throws BadKeyFile */
export function parseTrustedKeys(text: string, path: string): TrustEntry[] {
  const bad = (what: string) => new BadKeyFile(`The file of trusted keys ${path} cannot be used: ${what}`);
  let list: Json;
  try {
    list = parseJson(text);
  } catch (error) {
    throw bad(errorMessage(error));
  }
  if (!Array.isArray(list) || list.length > MOST_KEYS) throw bad(`it must be a JSON list of at most ${MOST_KEYS} keys`);
  list.forEach((entry, index) => {
    const fault = keyFault(entry);
    if (fault !== null) throw bad(`entry ${index + 1}: ${fault}`);
  });
  const keys = list as unknown as TrustEntry[];
  const twice = keys.find(({ kid }, index) => keys.findIndex((other) => other.kid === kid) !== index);
  if (twice) throw bad(`key ${twice.kid} stands in it twice`);
  return keys;
}

/**
 * Changes the file as a whole or not at all; one process at a time, so that no revocation is lost. A missing file counts as an
 * empty one.
 * @param andThen runs before another process may change it
 * @returns the result of `andThen`
 * @throws BadKeyFile when the file cannot be used, before or after the change
 */
export async function updateTrustedKeys<T = void>(
  path: string,
  change: (keys: TrustEntry[]) => TrustEntry[],
  andThen?: () => Promise<T>,
): Promise<T | undefined> {
  const folder = dirname(resolve(path));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = await lock(`${resolve(path)}.lock`);
  try {
    const text = `${JSON.stringify(change(existsSync(path) ? await readTrustedKeys(path) : []), null, 2)}\n`;
    parseTrustedKeys(text, path); // what could not be read again is never written
    await replaceFile(folder, resolve(path), Buffer.from(text));
    return await andThen?.();
  } finally {
    await unlock();
  }
}

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;

async function lock(path: string): Promise<() => Promise<void>> {
  for (let tries = 0; ; tries++) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      if (tries >= LOCK_TRIES) throw new BadKeyFile(`Another process changes the keys (${path}); if none does, remove that file`);
      await sleep(LOCK_WAIT_MS);
    }
  }
}

/**
 * Why the key is not in force, as a text; null: it is.
 * @param nowMs when the key was used
 * @param knownMs a key that was revoked until then does not count, whenever it was used
 */
export function notInForce(key: TrustEntry, nowMs: number, knownMs = nowMs): string | null {
  if (key.revoked_at !== undefined && Date.parse(key.revoked_at) <= knownMs)
    return `${REVOCATION_NAMES[key.use] ?? 'key'} ${key.kid} was revoked at ${key.revoked_at}`;
  if (isRevocation(key)) return null;
  if (key.expires_at !== undefined && Date.parse(key.expires_at) <= nowMs) return `key ${key.kid} expired at ${key.expires_at}`;
  if (Date.parse(key.created_at) > nowMs + CLOCKS_MS) return `key ${key.kid} is in force only from ${key.created_at}`;
  return null;
}

const REVOCATION_NAMES: Partial<Record<TrustEntry['use'], string>> = { passkey: 'passkey', deputy: 'deputyship' };

/** Whether the entry only takes something back. */
export function isRevocation(entry: TrustEntry): entry is Revocation {
  return entry.use === 'passkey' || entry.use === 'deputy';
}

/** Whether the key signs receipts of bundles, and nothing else. */
export function signsReceipts({ use }: Pick<TrustEntry, 'use'>): boolean {
  return use === 'witness' || use === 'timestamp';
}

/** Why this key may not sign such a decision, whoever makes it; null: it may. A denial lets nothing happen. */
export function undecidedBy({ kid, decides }: Pick<TrustedKey, 'kid' | 'decides'>, decision: string): string | null {
  if (decides !== false || decision === 'deny' || decision === 'steer') return null;
  return `key ${kid} of a gateway signs no decisions here: the person must sign, with a passkey or with a key`;
}

/** By how much the clocks of two hosts may differ, ms. */
export const CLOCKS_MS = 60_000;

async function readSmallFile(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > LARGEST_FILE) throw new Error(`it has more than ${LARGEST_FILE} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const isTime = (value: Json | undefined) => typeof value === 'string' && value.length <= 40 && !Number.isNaN(Date.parse(value));
const SHAPE = {
  kid: (value: Json | undefined) => typeof value === 'string',
  public: (value: Json | undefined) => typeof value === 'string',
  use: oneOf('gateway', 'principal', 'bundle', 'enroller', 'witness', 'timestamp'),
  principal: (value: Json | undefined) => value === undefined || principalName(value),
  roles: (value: Json | undefined) => value === undefined || roleList(value),
  decides: optional(oneOf(false)),
  require: optional(oneOf(true)),
  created_at: isTime,
  expires_at: (value: Json | undefined) => value === undefined || isTime(value),
  revoked_at: (value: Json | undefined) => value === undefined || isTime(value),
};

const REVOCATION = { kid: like(KID), use: oneOf('passkey', 'deputy'), revoked_at: isTime };

function keyFault(entry: Json): string | null {
  if (isJsonObject(entry) && (entry.use === 'passkey' || entry.use === 'deputy'))
    return hasShape(entry, REVOCATION) ? null : `a revoked ${entry.use} has kid, use and revoked_at, and nothing else`;
  if (!hasShape(entry, SHAPE))
    return `it must have kid, public, use ("gateway", "principal", "bundle", "enroller", "witness" or "timestamp") and created_at, may have principal, roles, expires_at, revoked_at and require, and nothing else`;
  const { kid, public: raw, use, principal, roles, decides, require } = entry as unknown as TrustedKey;
  try {
    if (use === 'timestamp') certificateBytes(raw);
    else publicKey(raw);
  } catch (error) {
    return errorMessage(error);
  }
  if (kid !== keyId(raw)) return `kid must be ${keyId(raw)}, the first 16 hex characters of the public key's SHA-256`;
  if (use === 'principal' && principal === undefined) return 'the key of a principal must name that principal';
  if (use === 'gateway' && (principal !== undefined || roles !== undefined))
    return "a gateway's key names no principal and no roles: it speaks for all of them";
  if (use !== 'gateway' && decides !== undefined) return '"decides": false is for the key of a gateway';
  if ((use === 'witness' || use === 'timestamp') && (principal !== undefined || roles !== undefined))
    return `a key of use ${use} names no principal and no roles: it signs receipts only`;
  if (use !== 'witness' && use !== 'timestamp' && require !== undefined)
    return '"require": true is for a witness or a timestamp authority';
  if (use === 'bundle' && (principal !== undefined || roles !== undefined))
    return 'a key for bundles names no principal and no roles: it may sign bundles only';
  if (use === 'enroller' && principal !== undefined)
    return 'the key of an enroller names no principal: it signs enrolments of passkeys, and no decision';
  return null;
}

/** A certificate's DER, base64url, in one spelling. */
function certificateBytes(raw: string): Buffer {
  const bytes = Buffer.from(raw, 'base64url');
  // Each DER of a certificate begins as a SEQUENCE whose length takes two bytes.
  if (bytes.toString('base64url') !== raw || bytes.length < 100 || bytes[0] !== 0x30 || bytes[1] !== 0x82)
    throw new Error('public of a timestamp authority is its certificate: DER in base64url');
  return bytes;
}
