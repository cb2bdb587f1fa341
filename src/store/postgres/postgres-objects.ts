/**
 * Objects as rows: a block with its parts is one row, line by line as in a file. What a step stores at the same moment goes in one
 * statement, so in one round trip: blocks, calls and their trail entries, all or none of them. While all lanes are busy, what comes
 * gathers, and goes together when one is free.
 */
import { createHash } from 'node:crypto';
import type { ObjectLines, Objects, Bytes } from '../core/content-store';
import { StoreError, StoreServerError } from '../store';
import type { TrailEntry } from '../core/trail';
import type { Database, Value } from './database';
import { RENEWED_AFTER } from './postgres-stock';
import { rowOf } from './postgres-trail';
import { isHash, sha256Hex } from '../../shared/json/sha256';

/** Rows per statement: PostgreSQL takes 65,535 parameters. */
const GROUP = 1000;
/** Statements at once: the pool has ten connections, which reads need too. */
const LANES = 4;
/** Characters from which on a statement takes no more puts. */
const FULL = 1_000_000;
/** SQLSTATE of errors in the data of one put; the others of its statement can still be stored. */
const DATA_ERROR = /^(?:22|23|54)/;
/** How much is read ahead with a block: most callers walk the transcript. */
const AHEAD_BLOCKS = 64;
const AHEAD_BYTES = 1_000_000;

interface Row {
  hash: Buffer;
  body: string;
}

interface Put {
  objects: ObjectLines[];
  trail: TrailEntry[];
  resolve(): void;
  reject(error: unknown): void;
}

export class PostgresObjects implements Objects {
  private waiting: Put[] = [];
  private running = 0;

  constructor(private readonly database: Database) {}

  put(objects: ObjectLines[], trail: TrailEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ objects, trail, resolve, reject }) === 1) setImmediate(() => this.startNext());
    });
  }

  private startNext(): void {
    while (this.waiting.length > 0 && this.running < LANES) {
      this.running += 1;
      void this.putTogether(this.takeGroup()).finally(() => {
        this.running -= 1;
        this.startNext();
      });
    }
  }

  private takeGroup(): Put[] {
    let characters = 0;
    const end = this.waiting.findIndex(({ objects }) => {
      if (characters > FULL) return true;
      characters += objects.reduce((sum, { lines }) => lines.reduce((length, line) => length + line.length, sum), 0);
      return false;
    });
    return this.waiting.splice(0, end < 0 ? this.waiting.length : end);
  }

  /** Never throws. */
  private async putTogether(puts: Put[]): Promise<void> {
    try {
      await this.putAll(
        puts.flatMap(({ objects }) => objects),
        puts.flatMap(({ trail }) => trail),
      );
      for (const { resolve } of puts) resolve();
    } catch (error) {
      const ofAll = error instanceof StoreServerError && !DATA_ERROR.test(error.code);
      if (ofAll || puts.length === 1) for (const { reject } of puts) reject(error);
      else for (const put of puts) await this.putTogether([put]);
    }
  }

  private async putAll(objects: ObjectLines[], trail: TrailEntry[]): Promise<void> {
    // Each once: a statement may not change a row twice. The same order everywhere, so that two processes that store the same
    // objects never deadlock.
    const unique = [...new Map(objects.map((object) => [object.hash, object])).values()];
    const inOrder = unique.sort((a, b) => (a.hash < b.hash ? -1 : 1));
    for (let start = GROUP; start < inOrder.length; start += GROUP) await this.putGroup(inOrder.slice(start, start + GROUP), []);
    await this.putGroup(inOrder.slice(0, GROUP), trail);
  }

  /** An intact row stays as it is, but for its age: only a damaged one differs. */
  private async putGroup(objects: ObjectLines[], trail: TrailEntry[]): Promise<void> {
    const values: Value[] = [];
    const rows = objects.map(({ hash, lines }) => {
      const at = values.push(bytesOf(hash), parentIn(lines[0]!), lines.join('\n'));
      return `($${at - 2}::bytea, $${at - 1}::bytea, $${at}::text)`;
    });
    const insert = `INSERT INTO holdfast.objects AS o (hash, parent, body) VALUES ${rows.join(', ')}
      ON CONFLICT (hash) DO UPDATE SET parent = EXCLUDED.parent, body = EXCLUDED.body, stored_at = now()
      WHERE o.body <> EXCLUDED.body OR o.stored_at < now() - ${RENEWED_AFTER}`;
    if (trail.length === 0) return void (await this.database.query(insert, values));
    const entries = trail.map(rowOf).sort(([a], [b]) => (a! < b! ? -1 : 1));
    const columns = entries[0]!.map((_, index) => entries.map((row) => row[index]!));
    const arrays = columns.map((column) => `$${values.push(column)}::text[]`);
    await this.database.query(
      `WITH stored AS (${insert}) INSERT INTO holdfast.trail (position, entry, turn, requester, decided_by, state)
       SELECT * FROM unnest(${arrays.join(', ')}) ON CONFLICT (position) DO NOTHING`,
      values,
    );
  }

  /** Reads ancestors too, up to a bound: otherwise a transcript of a thousand blocks would take a thousand round trips. */
  async get(hash: string): Promise<{ lines: string[]; ahead: ObjectLines[] }> {
    const rows = await this.database.query<Row>(
      `WITH RECURSIVE chain AS (
         SELECT hash, parent, body, 1 AS count, 0::bigint AS before FROM holdfast.objects WHERE hash = $1
         UNION ALL
         SELECT o.hash, o.parent, o.body, count + 1, before + length(chain.body)
         FROM chain JOIN holdfast.objects o ON o.hash = chain.parent
         WHERE count < $2::int AND before + length(chain.body) < $3::bigint
       ) SELECT hash, body FROM chain ORDER BY count`,
      [bytesOf(hash), AHEAD_BLOCKS, AHEAD_BYTES],
    );
    const [own, ...ahead] = rows.map(linesOf);
    if (own) return { lines: own.lines, ahead };
    throw new StoreError('not_found', `No object ${hash}: holdfast.objects has no row objects/${hash}. Is HOLDFAST_STORE the store that this turn ran with? If so, restore the row from a backup`); // oxfmt-ignore
  }

  async getEach(hashes: string[]): Promise<ObjectLines[]> {
    if (hashes.length === 0) return [];
    const sql = `SELECT hash, body FROM holdfast.objects WHERE hash IN (SELECT decode(h, 'hex') FROM unnest($1::text[]) h)`;
    return (await this.database.query<Row>(sql, [hashes])).map(linesOf);
  }

  fault(hash: string, why: string): StoreError {
    return new StoreError('damaged', `Object ${hash} is damaged: in the row objects/${hash} ${why}. Restore the row from a backup; what does not refer to it is unaffected`); // oxfmt-ignore
  }
}

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

function linesOf({ hash, body }: Row): ObjectLines {
  return { hash: hash.toString('hex'), lines: body.split('\n') };
}

/** Null for a first block, and for a part. */
function parentIn(line: string): Buffer | null {
  const { parent } = JSON.parse(line) as { parent?: unknown };
  return isHash(parent) ? bytesOf(parent) : null;
}

// Files that tools made, as rows; bytes are hashed again when they are read.

export class PostgresBytes implements Bytes {
  constructor(private readonly database: Database) {}

  async put(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest();
    await this.database.query(
      `INSERT INTO holdfast.files AS f (hash, bytes) VALUES ($1, $2)
       ON CONFLICT (hash) DO UPDATE SET bytes = EXCLUDED.bytes, stored_at = now()
       WHERE f.bytes <> EXCLUDED.bytes OR f.stored_at < now() - ${RENEWED_AFTER}`,
      [hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
    );
    return hash.toString('hex');
  }

  async get(hash: string): Promise<Buffer> {
    if (!isHash(hash)) throw new StoreError('not_found', `No file ${JSON.stringify(String(hash).slice(0, 80))}`);
    const sql = 'SELECT bytes FROM holdfast.files WHERE hash = $1';
    const [row] = await this.database.query<{ bytes: Buffer }>(sql, [Buffer.from(hash, 'hex')]);
    if (!row) throw new StoreError('not_found', `No file ${hash}: holdfast.files has no such row`);
    const actual = sha256Hex(row.bytes);
    if (actual !== hash)
      throw new StoreError(
        'damaged',
        `File ${hash} is damaged: its row in holdfast.files hashes to ${actual}. Restore it from a backup`,
      );
    return row.bytes;
  }
}
