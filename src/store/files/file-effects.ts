/**
 * Effect records as files. Each version is one file, `effects/<key>/<dispatch>.<version>.json`, created with `link`, which the file
 * system lets exactly one process do; a reader never sees half a record. The file with the highest numbers is the present state.
 *
 * `effects-by-digest/<hash of turn and digest, or of turn and act>/<key>` finds a turn's call without its key. This entry is
 * flushed before the claim is created: a crash between the two leaves an entry without a claim, which is skipped. The other order
 * would leave a claim that nobody finds.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, hasCode, makeDirs } from './atomic-file';
import { decodeRecord, encodeRecord, namesOf, type EffectVersion, type EffectVersions } from '../core/effects';
import { isEffectKey, type EffectRecord } from '../../record/effect';
import { StoreError } from '../store';

const FILE = /^([1-9]\d{0,8})\.([1-9]\d{0,8})\.json$/;
const EMPTY = new Uint8Array(0);

interface Version {
  dispatch: number;
  version: number;
}

export class FileEffects implements EffectVersions {
  private constructor(
    private readonly dir: string,
    private readonly indexDir: string,
    private readonly tempDir: string,
  ) {}

  static async open(storeDir: string, tempDir: string): Promise<FileEffects> {
    await makeDirs(storeDir, ['effects', 'effects-by-digest']);
    return new FileEffects(join(storeDir, 'effects'), join(storeDir, 'effects-by-digest'), tempDir);
  }

  async create(record: EffectRecord, version: number): Promise<boolean> {
    const { idempotency_key: key, dispatch } = record;
    if (version === 1) {
      await this.index(record);
      await makeDirs(this.dir, [key]);
    }
    return createFile(this.tempDir, join(this.dir, key, fileName({ dispatch, version })), encodeRecord(record));
  }

  async last(key: string, dispatch?: number): Promise<EffectVersion | null> {
    const versions = await this.versions(key);
    const last = versions.filter((one) => dispatch === undefined || one.dispatch === dispatch).at(-1);
    return last === undefined ? null : { record: await this.read(key, last), version: last.version };
  }

  async under(name: string, except?: string): Promise<EffectRecord[]> {
    const records: EffectRecord[] = [];
    for (const key of await namesIn(join(this.indexDir, name))) {
      const last = isEffectKey(key) && key !== except ? await this.last(key) : null;
      if (last !== null) records.push(last.record);
    }
    return records;
  }

  /** For garbage collection. @throws StoreError `damaged` */
  async *all(): AsyncGenerator<EffectRecord> {
    for (const key of await namesIn(this.dir))
      for (const version of await this.versions(key)) yield await this.read(key, version);
  }

  private async index(record: EffectRecord): Promise<void> {
    const { digest, act } = namesOf(record);
    for (const name of act === null ? [digest] : [digest, act]) {
      await makeDirs(this.indexDir, [name]);
      await createFile(this.tempDir, join(this.indexDir, name, record.idempotency_key), EMPTY);
    }
  }

  /** Every stored state of a key, oldest first. */
  private async versions(key: string): Promise<Version[]> {
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
      throw new StoreError('damaged', `Effect record effects/${key}/${name} is of another effect, ${record.idempotency_key}/${record.dispatch}. Restore it from a backup`); // oxfmt-ignore
    }
    return record;
  }
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
