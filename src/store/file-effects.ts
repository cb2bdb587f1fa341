/**
 * Effect records as files. A record is never changed: each state of each dispatch is a file of its own,
 * `effects/<key>/<dispatch>.<version>.json`, version 1 being the claim. To claim, and to move, is to
 * create the next file with `link`, which the file system lets exactly one process do. So there is no
 * lock that a killed process could leave behind, a reader never sees half a record, and the files are
 * themselves the record of what was known when. The present state is the file with the highest numbers.
 *
 * `effects-by-digest/<hash of turn and digest>/<key>` finds a turn's call without its key. The entry is
 * flushed before the claim is created: a crash between the two leaves an entry that leads to no
 * claim, which is skipped; the other order would leave a claim that nobody finds.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../shared/canonical';
import { createFile, hasCode, makeDirs } from './atomic-file';
import { canMoveEffect, decodeRecord, encodeRecord, isEffectKey, newRecord } from './effect-record';
import { sha256 } from './seal';
import { StoreError, type EffectRecord, type EffectState, type EffectStore, type NewClaim } from './store';

const FILE = /^([1-9]\d{0,8})\.([1-9]\d{0,8})\.json$/;
const EMPTY = new Uint8Array(0);

interface Version {
  dispatch: number;
  version: number;
}

export class FileEffects implements EffectStore {
  private constructor(
    private readonly dir: string,
    private readonly indexDir: string,
    private readonly tempDir: string,
  ) {}

  static async open(storeDir: string, tempDir: string): Promise<FileEffects> {
    await makeDirs(storeDir, ['effects', 'effects-by-digest']);
    return new FileEffects(join(storeDir, 'effects'), join(storeDir, 'effects-by-digest'), tempDir);
  }

  /**
   * A refused claim answers with the key's latest record, whichever dispatch it is of: that is what is
   * known of the effect now.
   * @throws StoreError `conflict` if the dispatch before was never claimed, or the key names another call
   * @throws TypeError for a malformed claim
   */
  async claim(
    claim: NewClaim,
    state: 'claimed' | 'not_applied' = 'claimed',
  ): Promise<{ claimed: boolean; record: EffectRecord }> {
    const record = newRecord(claim, state, new Date().toISOString());
    const { idempotency_key: key, dispatch } = record;
    // Checked apart from the creation below, and safe: `not_applied` is final, and nothing is ever deleted.
    const present = await this.latest(key);
    if (present !== null && !sameCall(present, record)) {
      throw new StoreError('conflict', `${key} belongs to call ${present.digest} of turn ${present.turn_id}, not to ${record.digest} of ${record.turn_id}`); // prettier-ignore
    }
    if (present !== null && (present.dispatch >= dispatch || present.state !== 'not_applied')) {
      return { claimed: false, record: present };
    }
    if (dispatch !== (present?.dispatch ?? 0) + 1) {
      throw new StoreError('conflict', `Dispatch ${dispatch} of ${key} cannot be claimed: dispatch ${dispatch - 1} never was`);
    }
    await this.index(record);
    await makeDirs(this.dir, [key]);
    if (await this.create(record, 1)) return { claimed: true, record };
    return { claimed: false, record: await this.existing(key) };
  }

  async move(
    key: string,
    dispatch: number,
    to: Exclude<EffectState, 'claimed'>,
    facts: Partial<Pick<EffectRecord, 'result_ref' | 'result_head'>> = {},
  ): Promise<EffectRecord> {
    for (;;) {
      const last = (await this.versions(key)).filter((version) => version.dispatch === dispatch).at(-1);
      if (last === undefined) throw new StoreError('not_found', `No effect record for dispatch ${dispatch} of ${quoted(key)}`);
      const present = await this.read(key, last);
      if (present.state === to) return present;
      if (!canMoveEffect(present.state, to)) {
        throw new StoreError('conflict', `Effect ${key}, dispatch ${dispatch}, is ${present.state}; it cannot become ${to}`);
      }
      const next: EffectRecord = {
        ...present,
        state: to,
        updated_at: new Date().toISOString(),
        result_ref: facts.result_ref ?? present.result_ref,
        result_head: facts.result_head ?? present.result_head,
      };
      if (await this.create(next, last.version + 1)) return next;
      // Someone else moved it first: judge again, against what they made of it.
    }
  }

  async latest(key: string): Promise<EffectRecord | null> {
    const last = (await this.versions(key)).at(-1);
    return last === undefined ? null : this.read(key, last);
  }

  /**
   * Of several keys (a turn id that was used again after Temporal forgot it) one that is anything but
   * `not_applied` comes first, then the one claimed last: this answers "may it have happened already?".
   */
  async findByDigest(turnId: string, digest: string): Promise<EffectRecord | null> {
    const records: EffectRecord[] = [];
    for (const key of await namesIn(join(this.indexDir, indexName(turnId, digest)))) {
      const record = isEffectKey(key) ? await this.latest(key) : null;
      if (record !== null) records.push(record);
    }
    const weight = (record: EffectRecord): number => (record.state === 'not_applied' ? 0 : 1);
    records.sort((a, b) => weight(b) - weight(a) || b.claimed_at.localeCompare(a.claimed_at));
    return records[0] ?? null;
  }

  private async index(record: EffectRecord): Promise<void> {
    const name = indexName(record.turn_id, record.digest);
    await makeDirs(this.indexDir, [name]);
    await createFile(this.tempDir, join(this.indexDir, name, record.idempotency_key), EMPTY);
  }

  private create(record: EffectRecord, version: number): Promise<boolean> {
    const name = fileName({ dispatch: record.dispatch, version });
    return createFile(this.tempDir, join(this.dir, record.idempotency_key, name), encodeRecord(record));
  }

  /** Every stored state of a key, oldest first. */
  private async versions(key: string): Promise<Version[]> {
    if (!isEffectKey(key))
      throw new StoreError('not_found', `No effect ${quoted(key)}: a key is hf_ and 40 lower-case hex characters`);
    const versions: Version[] = [];
    for (const name of await namesIn(join(this.dir, key))) {
      const match = FILE.exec(name);
      if (match !== null) versions.push({ dispatch: Number(match[1]), version: Number(match[2]) });
    }
    return versions.sort((a, b) => a.dispatch - b.dispatch || a.version - b.version);
  }

  private async read(key: string, version: Version): Promise<EffectRecord> {
    const name = fileName(version);
    const record = decodeRecord(await readFile(join(this.dir, key, name)), `effects/${key}/${name}`);
    if (record.idempotency_key !== key || record.dispatch !== version.dispatch) {
      throw new StoreError('damaged', `Effect record effects/${key}/${name} is of another effect, ${record.idempotency_key}/${record.dispatch}. Restore it from a backup`); // prettier-ignore
    }
    return record;
  }

  private async existing(key: string): Promise<EffectRecord> {
    const record = await this.latest(key);
    if (record === null)
      throw new StoreError('not_found', `The effect records of ${key} vanished; is another program cleaning the store?`);
    return record;
  }
}

function sameCall(a: EffectRecord, b: EffectRecord): boolean {
  return a.digest === b.digest && a.turn_id === b.turn_id;
}

/** Hashed, because a turn id may be `..` and a file system may ignore case. */
function indexName(turnId: string, digest: string): string {
  return sha256(canonical({ turn_id: turnId, digest }));
}

function fileName({ dispatch, version }: Version): string {
  return `${dispatch}.${version}.json`;
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function quoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80));
}
