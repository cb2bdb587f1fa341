/** An append-only file of JSON lines. */
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { canonical } from '../../shared/json/canonical';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { hasCode, syncDir } from '../../store/files/atomic-file';

/** A line cannot be read: a caller that relies on the file must stop. */
export class DamagedLog extends Error {
  override readonly name = 'DamagedLog';
}

export class LogFile {
  private snapshot: { size: number; mtimeMs: number; lines: JsonObject[] } | null = null;

  constructor(readonly path: string) {}

  /** When the promise resolves, the line survives a power cut. */
  async append(line: Json): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = await open(this.path, 'a', 0o600);
    try {
      await file.appendFile(`${canonical(line)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncDir(dirname(this.path));
  }

  /** The lines in the order of writing; empty if there is no file. @throws DamagedLog */
  async lines(): Promise<JsonObject[]> {
    try {
      const { size, mtimeMs } = await stat(this.path);
      if (this.snapshot?.size === size && this.snapshot.mtimeMs === mtimeMs) return this.snapshot.lines;
      const texts = (await readFile(this.path, 'utf8')).split('\n');
      if (texts.pop() !== '') throw new DamagedLog(`${this.path}: the last line is cut short; mend it, or remove it.`);
      const lines = texts.map((text, index) => this.parse(text, index + 1));
      this.snapshot = { size, mtimeMs, lines };
      return lines;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  private parse(text: string, number: number): JsonObject {
    try {
      const line = parseJson(text);
      if (isJsonObject(line)) return line;
    } catch {
      // thrown below
    }
    throw new DamagedLog(`${this.path}: line ${number} cannot be read; mend it, from a backup if there is one.`);
  }
}
