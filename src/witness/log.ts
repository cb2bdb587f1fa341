/**
 * The witness's log: an append-only file of JSON lines, entries and signed tree heads. A head is written behind each group of
 * entries, in one write, and is on disk before anybody gets a receipt.
 *
 * When the file is opened, everything is computed anew. A file in which an entry was changed, left out, put in or moved does not
 * have the hashes that its heads sign, and is refused. Entries behind the last head were never acknowledged, or somebody else wrote
 * them, with any time: they are cut off. A file that was cut back to an earlier head cannot be told from an old one here; clients
 * find it, since no proof leads from their heads to the next (see `isConsistent`).
 */
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { SigningKey } from '../attestation/signing-key';
import { canonical } from '../shared/json/canonical';
import { asJson, isJsonObject, type Json } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { hasCode } from '../store/files/atomic-file';
import { leafHash, MerkleTree } from './merkle';
import { entryBytes, isTrailerHashes, type WitnessReceipt, type TrailerHashes } from './receipt';
import { isInstant, readHead, signHead, type TreeHead } from './tree-head';

/** The log file is not what this key signed. */
export class LogMismatch extends Error {
  override readonly name = 'LogMismatch';
}

/** The log cannot be written any more, since an earlier write failed. */
export class LogBroken extends Error {
  override readonly name = 'LogBroken';
}

const PRIVATE_FILE = 0o600;
const NEWLINE = 0x0a;
const HEAD_BEGINS = Buffer.from('{"head":');

interface Waiting {
  hashes: TrailerHashes;
  resolve(receipt: WitnessReceipt): void;
  reject(error: unknown): void;
}

interface State {
  tree: MerkleTree;
  /** By hash of the trailer: place and time of its entry. */
  places: Map<string, { index: number; at: string; hashes: TrailerHashes }>;
  head: TreeHead | null;
}

export class WitnessLog {
  private waiting: Waiting[] = [];
  private writing: Promise<void> | null = null;
  private broken: unknown = null;
  /** The last time that was signed. */
  private latest = '';

  private constructor(
    private readonly file: FileHandle,
    private readonly key: SigningKey,
    private readonly state: State,
    private readonly now: () => number,
    /** Bytes of the file. */
    private size: number,
  ) {
    this.latest = state.head?.at ?? '';
  }

  /**
   * Opens the log, or begins one.
   * @param now the clock, ms since 1970
   * @throws LogMismatch with the line
   */
  static async open(path: string, key: SigningKey, now: () => number = Date.now): Promise<WitnessLog> {
    const { state, size } = await readLog(path, key);
    const file = await open(path, 'a', PRIVATE_FILE);
    if (size < (await file.stat()).size) await file.truncate(size);
    const log = new WitnessLog(file, key, state, now, size);
    if (state.head === null) await log.write([]);
    return log;
  }

  /** The last signed head: it covers all entries. */
  get head(): TreeHead {
    return this.state.head!;
  }

  /** A head with the present time. It is not written: the entries are those of the last one. */
  freshHead(): TreeHead {
    return signHead(this.key, { size: this.head.size, tree: this.head.tree, at: this.time() });
  }

  /**
   * Adds an entry, unless there is one about this trailer: then its receipt has the time of that one. The entry is on disk when the
   * promise resolves. @throws LogBroken, and what the disk throws
   */
  add(hashes: TrailerHashes): Promise<WitnessReceipt> {
    if (this.broken !== null)
      return Promise.reject(new LogBroken('The log could not be written before; start the witness again.'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ hashes, resolve, reject });
      this.writing ??= this.drain();
    });
  }

  /** The receipt of an earlier entry; null: there is none about this trailer. */
  find(end: string): WitnessReceipt | null {
    const place = this.state.places.get(end);
    if (place === undefined || place.index >= this.head.size) return null;
    const { index, at } = place;
    return { by: 'witness', at, index, proof: this.state.tree.inclusion(index, this.head.size), head: this.head };
  }

  /** @throws RangeError */
  consistency(from: number, to: number): { proof: string[]; from: string; to: string } {
    if (to > this.head.size) throw new RangeError(`${to} is above ${this.head.size}, the size of the log`);
    const { tree } = this.state;
    return { proof: from === 0 ? [] : tree.consistency(from, to), from: tree.root(from), to: tree.root(to) };
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0);
      try {
        await this.write(group.map(({ hashes }) => hashes));
        for (const { hashes, resolve } of group) resolve(this.find(hashes.end)!);
      } catch (error) {
        this.broken = error;
        for (const { reject } of [...group, ...this.waiting.splice(0)]) reject(error);
      }
    }
    // At once: who was answered may add the next entry before anything that waits for this function goes on.
    this.writing = null;
  }

  private async write(group: TrailerHashes[]): Promise<void> {
    const at = this.time();
    const { tree, places } = this.state;
    const lines: Json[] = [];
    for (const hashes of group) {
      if (places.has(hashes.end)) continue;
      places.set(hashes.end, { index: tree.append(leafHash(entryBytes(hashes, at))), at, hashes });
      lines.push({ at, ...hashes });
    }
    if (lines.length === 0 && this.state.head !== null) return;
    const head = signHead(this.key, { size: tree.size, tree: tree.root(), at });
    if ((await this.file.stat()).size !== this.size)
      throw new LogBroken('Somebody else has written into the log of the witness.');
    const text = [...lines, { head: asJson(head) }].map((line) => `${canonical(line)}\n`).join('');
    await this.file.writeFile(text);
    await this.file.sync();
    this.size += Buffer.byteLength(text);
    this.state.head = head;
  }

  /** Never before the last time, so that times rise with the entries also where the clock was set back. */
  private time(): string {
    const now = new Date(this.now()).toISOString();
    if (now > this.latest) this.latest = now;
    return this.latest;
  }
}

/** @returns what the file has, and how many of its bytes count: those up to the last head */
async function readLog(path: string, key: SigningKey): Promise<{ state: State; size: number }> {
  const state: State = { tree: new MerkleTree(), places: new Map(), head: null };
  let size = 0;
  let lines = 0;
  let group: Buffer[] = [];
  for await (const line of linesOf(path)) {
    group.push(line);
    if (!line.subarray(0, HEAD_BEGINS.length).equals(HEAD_BEGINS)) continue;
    for (const bytes of group) {
      lines += 1;
      const fault = faultOf(bytes.toString('utf8'), state, key);
      if (fault !== null)
        throw new LogMismatch(`The log of the witness ${path} was changed: line ${lines} ${fault}. Nothing is signed with it.`);
      size += bytes.length + 1;
    }
    group = [];
  }
  return { state, size };
}

/** Adds a line to the state. @returns why the line is none of this witness's log; null: it is */
function faultOf(line: string, state: State, key: SigningKey): string | null {
  const value = parseLine(line);
  if (value === null) return 'cannot be read';
  if (isJsonObject(value.head ?? null)) {
    const head = readHead(value.head);
    if (head === null || Object.keys(value).length !== 1) return 'is no tree head that its key signed';
    if (head.kid !== key.kid || head.public !== key.public) return `is by key ${head.kid}, and this witness has ${key.kid}`;
    if (head.size !== state.tree.size || head.tree !== state.tree.root()) return 'has not the hash of the entries before it';
    if (head.at < (state.head?.at ?? '')) return 'is older than the head before it';
    state.head = head;
    return null;
  }
  const { at, ...hashes } = value;
  if (!isTrailerHashes(hashes) || !isInstant(at)) return 'is no entry';
  if (state.places.has(hashes.end)) return 'is about a bundle that has an entry';
  state.places.set(hashes.end, { index: state.tree.append(leafHash(entryBytes(hashes, at))), at, hashes });
  return null;
}

/** Not as one text: a log may be longer than the longest string. What has no newline at its end was not written whole. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, end)]);
        [rest, from] = [[], end + 1];
      }
      rest.push(chunk.subarray(from));
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error; // then there is no log yet
  }
}

function parseLine(line: string): Record<string, Json> | null {
  try {
    const value = parseJson(line);
    return isJsonObject(value) && canonical(value) === line ? value : null;
  } catch {
    return null;
  }
}
