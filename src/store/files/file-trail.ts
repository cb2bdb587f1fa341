/**
 * The trail as files, which are only ever created: one file per entry, `trail/<position>`, so that a page is read in order without
 * a separate index.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../../shared/json/canonical';
import { parseJson } from '../../shared/json/parse-json';
import { createFile, makeDirs, namesIn } from './atomic-file';
import { isEntry, type TrailEntry, type CheckedTrailQuery } from '../core/trail';
import { type TrailRead, type TrailSource, isDay, nameOf, positionOf, timeIn } from '../core/trail-pages';
import { errorMessage } from '../../shared/text/error-message';

/** No entry is longer: names are limited far below this. */
const MAX_BYTES = 64 * 1024;
/** Files read at once. */
const GROUP = 32;

export class FileTrail implements TrailSource {
  private constructor(
    private readonly dir: string,
    private readonly tempDir: string,
  ) {}

  static async open(storeDir: string, tempDir: string): Promise<FileTrail> {
    await makeDirs(storeDir, ['trail']);
    return new FileTrail(join(storeDir, 'trail'), tempDir);
  }

  /** Once it resolves, the entries survive a power cut. An existing entry stays as it is. */
  async append(entries: TrailEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await makeDirs(this.dir, [...new Set(entries.map(({ at }) => at.slice(0, 10)))]);
    await Promise.all(
      entries.map((entry) =>
        createFile(this.tempDir, join(this.dir, positionOf(entry)), Buffer.from(canonical({ ...entry }), 'utf8')),
      ),
    );
  }

  async *entries({ from, to, cursor, query: { workflow } }: CheckedTrailQuery): AsyncGenerator<TrailRead> {
    const ofWorkflow = workflow === undefined ? '' : nameOf(workflow);
    const days = (await namesIn(this.dir)).filter((day) => day >= from.slice(0, 10) && day <= to.slice(0, 10));
    for (const day of days.sort()) {
      if (!isDay(day)) {
        yield damagedEntry(day, 'it is no folder of the trail');
        continue;
      }
      const names = (await namesIn(join(this.dir, day))).sort();
      const rest = names.map((name) => `${day}/${name}`).filter((position) => cursor === null || position > cursor);
      const within = rest.filter((position) => {
        const at = timeIn(position);
        return at === null || (at >= from && at < to && position.includes(ofWorkflow));
      });
      for (let start = 0; start < within.length; start += GROUP)
        yield* await Promise.all(within.slice(start, start + GROUP).map((position) => this.read(position)));
    }
  }

  private async read(position: string): Promise<TrailRead> {
    if (timeIn(position) === null) return damagedEntry(position, 'its name is none of an entry');
    try {
      const bytes = await readFile(join(this.dir, position));
      if (bytes.length > MAX_BYTES) return damagedEntry(position, `it has ${bytes.length} bytes`);
      const entry = parseJson(bytes.toString('utf8'));
      if (!isEntry(entry)) return damagedEntry(position, 'it is no entry of the trail');
      if (positionOf(entry) !== position) return damagedEntry(position, 'its name does not fit what it says');
      return { position, entry };
    } catch (error) {
      return damagedEntry(position, errorMessage(error));
    }
  }
}

function damagedEntry(position: string, reason: string): TrailRead {
  return { position, damaged: { file: `trail/${position}`, reason: reason.slice(0, 300) } };
}
