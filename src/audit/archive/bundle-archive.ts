/** The folder of kept bundles: one file for each turn and its last run, in a folder for the day on which it ended. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, namesIn, syncDir, sweepTemp } from '../../store/files/atomic-file';
import type { Receipt } from '../../witness/receipt';
import { errorMessage } from '../../shared/text/error-message';
import { Tombstones } from './tombstones';

/** A closed turn, with all that the name of its file needs. */
export interface ClosedTurn {
  /** For a direct call: `call/<id>`. */
  turn_id: string;
  run_id: string;
  /** ISO 8601. */
  closed_at: string;
}

/** One kept bundle. */
export interface KeptFile {
  /** `<day>/<file>`. */
  name: string;
  path: string;
  turn_id: string;
}

/** The folder cannot be read or written, so no bundle can be kept. */
export class ArchiveUnusable extends Error {
  override readonly name = 'ArchiveUnusable';
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const FILE = /^([A-Za-z0-9._~-]{1,128}|call@[A-Za-z0-9._~-]{1,128})@([0-9a-f]{8})\.jsonl$/;
/** The end of a last line in canonical form, whatever its body holds. */
const LAST_LINE = /"kind":"end","n":\d+,"prev":"[0-9a-f]{64}"\}\n$/;
const LAST_CHARACTERS = 150;
/** The folder of marks: an empty file for each receipt that a bundle has not got yet. */
const MISSING_RECEIPTS = 'missing-receipts';
const PRIVATE_DIR = 0o700;
const PRIVATE_FILE = 0o600;

export class BundleArchive {
  readonly tombstones: Tombstones;

  constructor(readonly folder: string) {
    this.tombstones = new Tombstones(join(folder, 'tombstones.jsonl'));
  }

  /** `<day>/<turn>@<first 8 of the run>.jsonl`; `@` comes in no id. */
  nameOf({ turn_id, run_id, closed_at }: ClosedTurn): string {
    return `${closed_at.slice(0, 10)}/${turn_id.replace('/', '@')}@${run_id.slice(0, 8)}.jsonl`;
  }

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  /** Whether there is a file of this name, or a tombstone of one. @throws ArchiveUnusable */
  async has(name: string): Promise<boolean> {
    const there = await this.using(stat(this.pathOf(name))).then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, 'ENOENT')) return false;
        throw error;
      },
    );
    return there || (await this.using(this.tombstones.files())).has(name);
  }

  /**
   * Writes a bundle: whole, or not at all. When the promise resolves, the file survives a power cut. The generator of the lines is
   * asked for more after the last line only when the file is safe; so it learns that the bundle is kept.
   * @returns false: another process was faster
   * @throws ArchiveUnusable; what the lines throw
   */
  async keep(name: string, lines: AsyncIterable<string>): Promise<boolean> {
    const temp = join(await this.using(this.tempDir()), `${process.pid}-${randomBytes(8).toString('hex')}`);
    try {
      const file = await this.using(open(temp, 'wx', PRIVATE_FILE));
      try {
        for await (const line of lines) {
          await this.using(file.appendFile(line));
          if (!LAST_LINE.test(line.slice(-LAST_CHARACTERS))) continue;
          await this.using(file.sync());
          await this.using(this.appear(temp, name));
        }
      } finally {
        await file.close();
      }
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    } finally {
      await rm(temp, { force: true });
    }
  }

  /** An error of the folder itself, told from one of a bundle's sources. */
  private async using<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOENT')) throw error;
      throw new ArchiveUnusable(`Bundles cannot be kept in ${this.folder}: ${errorMessage(error)}`, { cause: error });
    }
  }

  private async appear(temp: string, name: string): Promise<void> {
    await mkdir(join(this.folder, name.slice(0, 10)), { recursive: true, mode: PRIVATE_DIR });
    await link(temp, this.pathOf(name));
    await syncDir(join(this.folder, name.slice(0, 10)));
  }

  /** All kept bundles, by day; with `until` (ISO 8601), only up to that day. */
  async *list(until?: string): AsyncGenerator<KeptFile> {
    for (const day of (await namesIn(this.folder)).filter((name) => DAY.test(name)).sort()) {
      if (until !== undefined && day > until.slice(0, 10)) return;
      for (const file of (await namesIn(join(this.folder, day))).sort()) {
        const [, turn] = FILE.exec(file) ?? [];
        const name = `${day}/${file}`;
        if (turn !== undefined) yield { name, path: this.pathOf(name), turn_id: turn.replace('@', '/') };
      }
    }
  }

  /** Notes, on disk, that a bundle of this name has no such receipt yet. @throws ArchiveUnusable */
  markMissing(by: Receipt['by'], name: string): Promise<void> {
    const folder = join(this.folder, MISSING_RECEIPTS, by);
    const mark = async () => {
      await mkdir(folder, { recursive: true, mode: PRIVATE_DIR });
      await (await open(join(folder, markOf(name)), 'a', PRIVATE_FILE)).close();
      await syncDir(folder);
    };
    return this.using(mark());
  }

  /** Names of bundles without such a receipt, by day. A file may be missing: then its bundle was not kept, or was deleted. */
  async namesMissing(by: Receipt['by']): Promise<string[]> {
    const marks = await namesIn(join(this.folder, MISSING_RECEIPTS, by));
    return marks.sort().map((mark) => mark.replace('_', '/'));
  }

  async unmark(by: Receipt['by'], name: string): Promise<void> {
    await rm(join(this.folder, MISSING_RECEIPTS, by, markOf(name)), { force: true });
  }

  read(name: string): AsyncIterable<Uint8Array> {
    return createReadStream(this.pathOf(name));
  }

  /** Deletes the file. The caller leaves a tombstone first. */
  async remove(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
    await syncDir(join(this.folder, name.slice(0, 10)));
  }

  private async tempDir(): Promise<string> {
    const dir = join(this.folder, 'tmp');
    await mkdir(dir, { recursive: true, mode: PRIVATE_DIR });
    await sweepTemp(dir); // files of a killed process
    return dir;
  }
}

/** `_` for the slash behind the day. */
function markOf(name: string): string {
  return name.replace('/', '_');
}
