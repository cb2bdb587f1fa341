/**
 * A backing whose large lines are in a part store: in the place of such a line the backing has a short one that names it. Small lines
 * stay, since a request to the part store takes longer than a row. Encryption is done before, so that the part store gets sealed lines.
 */
import { sha256Hex } from '../../shared/json/sha256';
import { isJsonObject, type Json } from '../../shared/json/json';
import { StoreError } from '../store';
import { BLOCK_BEGINS, objectOfFile } from '../core/lines';
import type { Bytes, ObjectLines, Objects } from '../core/content-store';
import type { CollectableBacking } from '../collect/stock';
import type { TrailEntry } from '../core/trail';
import { readPartName, type PartStore } from './part-store';

/** Characters of a line, or bytes of a file, from which on it is stored outside. */
export const OUTSIDE_FROM = 16 * 1024;
/** Requests of one call at once. */
const AT_ONCE = 16;

const VERSION = 'holdfast.outside/1';
/** No part, call or sealed line begins so. */
const BEGINS = `{"v":"${VERSION}",`;

/** @param parts null: nothing is stored outside, and what is there cannot be read */
export function partsBacking(backing: CollectableBacking, parts: PartStore | null): CollectableBacking {
  const objects = new PartsObjects(backing.objects, parts);
  const bytes = new PartsBytes(backing.bytes, backing.objects, parts);
  if (parts === null) return { ...backing, objects, bytes };
  const { collectable } = backing;
  const outside = { parts, rows: (hashes: string[]) => backing.objects.getEach(hashes) };
  return {
    ...backing,
    collectable: { ...collectable, outside },
    objects,
    bytes,
    checkWritable: async () => void (await Promise.all([backing.checkWritable(), parts.check()])),
    close: async () => {
      parts.close();
      await backing.close();
    },
  };
}

/** The name of the part that a line stands for; null: the line is content. */
export function outsideIn(line: string): string | null {
  if (!line.startsWith(BEGINS)) return null;
  const value = parseOrNull(line);
  const name = isJsonObject(value) ? value.name : null;
  return typeof name === 'string' && readPartName(name) !== null ? name : null;
}

function lineOf(name: string): string {
  return `${BEGINS}"name":"${name}"}`;
}

/** @throws Error that names the part; the caller says of what it is */
async function contentOf(name: string, parts: PartStore | null): Promise<Buffer> {
  if (parts === null)
    throw new Error(
      `The store has the part ${name} in an S3-compatible store: set HOLDFAST_PARTS as the worker has it that stored it`,
    );
  const bytes = await parts.get(name);
  if (bytes === null) throw new BadPart(`its part ${name} is missing in ${parts.where}`);
  const actual = sha256Hex(bytes);
  if (actual !== readPartName(name)!.sha256) throw new BadPart(`its part ${name} in ${parts.where} hashes to ${actual}`);
  return bytes;
}

class BadPart extends Error {}

class PartsObjects implements Objects {
  constructor(
    private readonly objects: Objects,
    private readonly parts: PartStore | null,
  ) {}

  /** Rows are written last, so that none names a part that is missing. */
  async put(objects: ObjectLines[], trail: TrailEntry[]): Promise<void> {
    const { parts } = this;
    if (parts === null) return this.objects.put(objects, trail);
    const put = async (line: string): Promise<string> =>
      line.length < OUTSIDE_FROM || line.startsWith(BLOCK_BEGINS) ? line : lineOf(await parts.put(Buffer.from(line, 'utf8')));
    await this.objects.put(await eachLine(objects, put), trail);
  }

  async get(hash: string): Promise<{ lines: string[]; ahead: ObjectLines[] }> {
    const { lines, ahead } = await this.objects.get(hash);
    const [own] = await eachLine([{ hash, lines }], (line) => this.read(hash, line));
    return { lines: own!.lines, ahead: await this.readSound(ahead) };
  }

  async getEach(hashes: string[]): Promise<ObjectLines[]> {
    return this.readSound(await this.objects.getEach(hashes));
  }

  fault(hash: string, why: string): StoreError {
    return this.objects.fault(hash, why);
  }

  private async read(hash: string, line: string): Promise<string> {
    const name = outsideIn(line);
    if (name === null) return line;
    try {
      return (await contentOf(name, this.parts)).toString('utf8');
    } catch (error) {
      throw error instanceof BadPart ? this.fault(hash, error.message) : error;
    }
  }

  /** Without the objects whose parts are missing or damaged. */
  private async readSound(objects: ObjectLines[]): Promise<ObjectLines[]> {
    const sound: ObjectLines[] = [];
    for (const object of objects) {
      try {
        sound.push(...(await eachLine([object], (line) => this.read(object.hash, line))));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    }
    return sound;
  }
}

/** Files, as objects of one line that names the part. */
class PartsBytes implements Bytes {
  constructor(
    private readonly plain: Bytes,
    private readonly objects: Objects,
    private readonly parts: PartStore | null,
  ) {}

  async put(bytes: Uint8Array): Promise<string> {
    if (this.parts === null || bytes.length < OUTSIDE_FROM) return this.plain.put(bytes);
    const hash = sha256Hex(bytes);
    await this.objects.put([{ hash: objectOfFile(hash), lines: [lineOf(await this.parts.put(bytes))] }], []);
    return hash;
  }

  async get(hash: string): Promise<Buffer> {
    const [object] = await this.objects.getEach([objectOfFile(hash)]);
    const name = outsideIn(object?.lines[0] ?? '');
    if (name === null) return this.plain.get(hash);
    try {
      const bytes = await contentOf(name, this.parts);
      if (readPartName(name)!.sha256 !== hash) throw new BadPart(`its row names ${name}`);
      return bytes;
    } catch (error) {
      if (!(error instanceof BadPart)) throw error;
      throw new StoreError('damaged', `File ${hash} is damaged: ${error.message}. Restore it from a backup`);
    }
  }
}

/** The same objects with their lines replaced, some of them at once. */
async function eachLine(objects: ObjectLines[], replace: (line: string) => Promise<string>): Promise<ObjectLines[]> {
  const lines = objects.flatMap((object) => object.lines);
  const replaced: string[] = [];
  for (let start = 0; start < lines.length; start += AT_ONCE)
    replaced.push(...(await Promise.all(lines.slice(start, start + AT_ONCE).map(replace))));
  return objects.map(({ hash, lines: own }) => ({ hash, lines: replaced.splice(0, own.length) }));
}

function parseOrNull(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}
