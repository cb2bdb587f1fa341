/** Files that tools made, as rows; what is read is hashed again. */
import { createHash } from 'node:crypto';
import type { Bytes } from '../content-store';
import { isHash } from '../object-shapes';
import { StoreError } from '../store';
import type { Database } from './database';

export class PostgresBytes implements Bytes {
  constructor(private readonly database: Database) {}

  async put(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest();
    await this.database.query(
      `INSERT INTO holdfast.files AS f (hash, bytes) VALUES ($1, $2)
       ON CONFLICT (hash) DO UPDATE SET bytes = EXCLUDED.bytes WHERE f.bytes <> EXCLUDED.bytes`,
      [hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
    );
    return hash.toString('hex');
  }

  async get(hash: string): Promise<Buffer> {
    if (!isHash(hash)) throw new StoreError('not_found', `No file ${JSON.stringify(String(hash).slice(0, 80))}`);
    const sql = 'SELECT bytes FROM holdfast.files WHERE hash = $1';
    const [row] = await this.database.query<{ bytes: Buffer }>(sql, [Buffer.from(hash, 'hex')]);
    if (!row) throw new StoreError('not_found', `No file ${hash}: holdfast.files has no such row`);
    const actual = createHash('sha256').update(row.bytes).digest('hex');
    if (actual !== hash)
      throw new StoreError(
        'damaged',
        `File ${hash} is damaged: its row in holdfast.files hashes to ${actual}. Restore it from a backup`,
      );
    return row.bytes;
  }
}
