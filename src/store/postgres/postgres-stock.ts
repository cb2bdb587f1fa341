/** The objects, or the files, of a database, for garbage collection. */
import type { EffectRecord } from '../../record/effect';
import type { Stock, StockItem } from '../collect/stock';
import { decodeRecord } from '../core/effects';
import type { Database } from './database';

/** Rows read at once. */
const GROUP = 5000;
/** What is stored again gets its age anew only after this time: a retry then writes nothing. */
export const RENEWED_AFTER = `interval '1 hour'`;

export class PostgresStock implements Stock {
  constructor(
    private readonly database: Database,
    private readonly table: 'objects' | 'files',
  ) {}

  async *list(): AsyncGenerator<StockItem> {
    for (let after = Buffer.alloc(0); ;) {
      const rows = await this.database.query<{ hash: Buffer; at: number; bytes: number }>(
        `SELECT hash, extract(epoch FROM stored_at)::float8 * 1000 AS at, pg_column_size(t.*) AS bytes FROM holdfast.${this.table} t
         WHERE hash > $1 ORDER BY hash LIMIT ${GROUP}`,
        [after],
      );
      for (const { hash, at, bytes } of rows) yield { hash: hash.toString('hex'), storedAt: at, bytes };
      if (rows.length < GROUP) return;
      after = Buffer.from(rows.at(-1)!.hash);
    }
  }

  /** A row that a writer is renewing is waited for, and looked at again. */
  async remove(hashes: string[], before: number): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM holdfast.${this.table} WHERE hash IN (SELECT decode(h, 'hex') FROM unnest($1::text[]) h)
       AND stored_at < to_timestamp($2::float8 / 1000) RETURNING 1`,
      [hashes, before],
    );
    return rows.length;
  }
}

/** @throws StoreError `damaged` */
export async function* allEffects(database: Database): AsyncGenerator<EffectRecord> {
  type Row = { key: string; dispatch: number; version: number; record: string };
  for (let [key, dispatch, version] = ['', 0, 0]; ;) {
    const rows: Row[] = await database.query<Row>(
      `SELECT key, dispatch, version, record FROM holdfast.effects WHERE (key, dispatch, version) > ($1, $2, $3)
       ORDER BY key, dispatch, version LIMIT ${GROUP}`,
      [key, dispatch, version],
    );
    for (const row of rows)
      yield decodeRecord(Buffer.from(row.record, 'utf8'), `effects/${row.key}/${row.dispatch}.${row.version}`);
    if (rows.length < GROUP) return;
    ({ key, dispatch, version } = rows.at(-1)!);
  }
}
