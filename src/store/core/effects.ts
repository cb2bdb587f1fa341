/**
 * Effect records, over any backing. A record is never changed: each state of each dispatch is a version of its own, and version 1
 * is the claim. To claim or to move a record is to create its next version, which the backing lets exactly one process do. So no
 * killed process can leave a lock behind, and the versions themselves record what was known when.
 */
import { hashJson } from '../../shared/json/digests';
import { canonical } from '../../shared/json/canonical';
import { isJsonObject, type Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { parseJson } from '../../shared/json/parse-json';
import {
  canMoveEffect,
  isEffectKey,
  newRecord,
  readEffectRecord,
  type EffectRecord,
  type EffectState,
  type NewClaim,
} from '../../record/effect';
import { StoreError, type EffectFacts, type EffectStore } from '../store';
import { errorMessage } from '../../shared/text/error-message';

export interface EffectVersion {
  record: EffectRecord;
  version: number;
}

/** Keeps the versions. The form of keys is checked before they come here. */
export interface EffectVersions {
  /** Creates a version, atomically over all processes. @returns false if another process created it; nothing was changed then */
  create(record: EffectRecord, version: number): Promise<boolean>;
  /** The latest version of this dispatch; without one, of the highest dispatch. @throws StoreError `damaged` */
  last(key: string, dispatch?: number): Promise<EffectVersion | null>;
  /** The latest record of each key that was claimed under a name of {@link namesOf}, except one key. */
  under(name: string, except?: string): Promise<EffectRecord[]>;
}

export class Effects implements EffectStore {
  constructor(private readonly versions: EffectVersions) {}

  /**
   * A refused claim returns the key's latest record, of whichever dispatch: it holds what is known of the effect now.
   * @throws StoreError `conflict` if the dispatch before was never claimed, or the key belongs to another call
   * @throws TypeError for a malformed claim
   */
  async claim(
    claim: NewClaim,
    state: 'claimed' | 'not_applied' = 'claimed',
  ): Promise<{ claimed: boolean; record: EffectRecord }> {
    const record = newRecord(claim, state, new Date().toISOString());
    const { idempotency_key: key, dispatch } = record;
    // Safe, although it is checked apart from the creation below: `not_applied` is final, and nothing is ever deleted.
    const present = await this.latest(key);
    if (present !== null && !sameCall(present, record)) {
      throw new StoreError('conflict', `${key} belongs to call ${present.digest} of turn ${present.turn_id}, not to ${record.digest} of ${record.turn_id}`); // oxfmt-ignore
    }
    if (present !== null && (present.dispatch >= dispatch || present.state !== 'not_applied')) {
      return { claimed: false, record: present };
    }
    if (dispatch !== (present?.dispatch ?? 0) + 1) {
      throw new StoreError('conflict', `Dispatch ${dispatch} of ${key} cannot be claimed: dispatch ${dispatch - 1} never was`);
    }
    if (await this.versions.create(record, 1)) return { claimed: true, record };
    return { claimed: false, record: await this.existing(key) };
  }

  async move(
    key: string,
    dispatch: number,
    to: Exclude<EffectState, 'claimed'>,
    { result_ref, result_head, later, alone }: EffectFacts = {},
  ): Promise<EffectRecord> {
    return this.next(key, dispatch, (present) => {
      if (present.state === to) return null;
      const subject = `Effect ${key}, dispatch ${dispatch},`;
      if (!canMoveEffect(present.state, to))
        throw new StoreError('conflict', `${subject} is ${present.state}; it cannot become ${to}`);
      if (alone !== undefined && present.deadline !== alone)
        throw new StoreError('conflict', `${subject} cannot become ${to}: another attempt has begun, and may act until ${present.deadline}`); // oxfmt-ignore
      const facts = { result_ref: result_ref ?? present.result_ref, result_head: result_head ?? present.result_head };
      return { ...present, state: to, ...facts, ...optional({ later: later ?? present.later }) };
    });
  }

  async renew(key: string, dispatch: number, from: EffectRecord['deadline'], to: string | null): Promise<EffectRecord> {
    return this.next(key, dispatch, (present) => {
      const { state, deadline } = present;
      if ((state === 'claimed' || state === 'in_doubt') && deadline === from) return { ...present, deadline: to };
      throw new StoreError('conflict', `Effect ${key}, dispatch ${dispatch}, is ${state} and its attempts act until ${deadline}; ${from} cannot become ${to}`); // oxfmt-ignore
    });
  }

  /** Creates the next version, unless `change` returns null. */
  private async next(key: string, dispatch: number, change: (present: EffectRecord) => EffectRecord | null) {
    for (;;) {
      const last = await this.versions.last(requireKey(key), dispatch);
      if (last === null) throw new StoreError('not_found', `No effect record for dispatch ${dispatch} of ${quoteValue(key)}`);
      const record = change(last.record);
      if (record === null) return last.record;
      const next = { ...record, updated_at: new Date().toISOString() };
      if (await this.versions.create(next, last.version + 1)) return next;
      // Another process changed the record first: apply `change` to its version.
    }
  }

  async latest(key: string): Promise<EffectRecord | null> {
    return (await this.versions.last(requireKey(key)))?.record ?? null;
  }

  /**
   * There may be several keys (a turn id was used again after Temporal forgot it). A record that is not `not_applied` comes first,
   * then the latest claim: this answers "may it have happened already?".
   */
  findByDigest(turnId: string, digest: string): Promise<EffectRecord | null> {
    return this.findUnder(digestName(turnId, digest));
  }

  /** As `findByDigest`. */
  findByAct(turnId: string, act: string, except?: string): Promise<EffectRecord | null> {
    return this.findUnder(actName(turnId, act), except);
  }

  private async findUnder(name: string, except?: string): Promise<EffectRecord | null> {
    const records = await this.versions.under(name, except);
    const weight = (record: EffectRecord): number => (record.state === 'not_applied' ? 0 : 1);
    records.sort((a, b) => weight(b) - weight(a) || b.claimed_at.localeCompare(a.claimed_at));
    return records[0] ?? null;
  }

  private async existing(key: string): Promise<EffectRecord> {
    const record = await this.latest(key);
    if (record === null)
      throw new StoreError('not_found', `The effect records of ${key} vanished; is another program cleaning the store?`);
    return record;
  }
}

/**
 * The names that find a record without its key. They are hashes, because a turn id may be `..` and a file system may ignore case.
 */
export function namesOf({ turn_id, digest, act }: EffectRecord): { digest: string; act: string | null } {
  return { digest: digestName(turn_id, digest), act: act === undefined ? null : actName(turn_id, act) };
}

function digestName(turnId: string, digest: string): string {
  return hashJson({ turn_id: turnId, digest });
}

function actName(turnId: string, act: string): string {
  return hashJson({ turn_id: turnId, act });
}

function sameCall(a: EffectRecord, b: EffectRecord): boolean {
  return a.digest === b.digest && a.turn_id === b.turn_id;
}

function requireKey(key: string): string {
  if (isEffectKey(key)) return key;
  throw new StoreError('not_found', `No effect ${quoteValue(key)}: a key is hf_ and 40 lower-case hex characters`);
}

function quoteValue(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80));
}

// The bytes of an effect record, in any store.

/** Canonical `{record, sha256}`, so that a flipped byte is found as damage and never read as another state. */
export function encodeRecord(record: EffectRecord): Buffer {
  const body: Json = { ...record };
  return Buffer.from(canonical({ record: body, sha256: digest(body) }), 'utf8');
}

/** @throws StoreError `damaged`, naming the file */
export function decodeRecord(bytes: Buffer, name: string): EffectRecord {
  const fault = (why: string): StoreError =>
    new StoreError(
      'damaged',
      `Effect record ${name} is damaged: ${why}. Restore it from a backup; until then its call stays in doubt`,
    );
  let file: Json;
  try {
    file = parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw fault(errorMessage(error));
  }
  if (!isJsonObject(file) || file.record === undefined) throw fault('it holds no record');
  if (digest(file.record) !== file.sha256) throw fault('its checksum is wrong');
  const read = readEffectRecord(file.record);
  if (typeof read === 'string') throw fault(read);
  return read;
}

function digest(body: Json): string {
  return hashJson(body);
}
