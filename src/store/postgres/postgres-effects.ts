/**
 * Effect records as rows, which are never changed: the primary key lets exactly one process create a version. That process makes up
 * a `creator` for it. If the connection is lost after the row was written, the repeated statement finds its own row, and knows that
 * the claim is its own.
 */
import { randomUUID } from 'node:crypto';
import { decodeRecord, encodeRecord, namesOf, type EffectVersion, type EffectVersions } from '../core/effects';
import type { EffectRecord } from '../../record/effect';
import { StoreError } from '../store';
import type { Database } from './database';

interface Row {
  key: string;
  dispatch: number;
  version: number;
  record: string;
}

const COLUMNS = 'key, dispatch, version, record';

export class PostgresEffects implements EffectVersions {
  constructor(private readonly database: Database) {}

  async create(record: EffectRecord, version: number): Promise<boolean> {
    const { idempotency_key: key, dispatch } = record;
    const { digest, act } = namesOf(record);
    // DO UPDATE, not DO NOTHING: it waits for an uncommitted row of another transaction, and then looks at that row.
    const rows = await this.database.query(
      `INSERT INTO holdfast.effects AS e (key, dispatch, version, creator, by_digest, by_act, record) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (key, dispatch, version) DO UPDATE SET creator = e.creator WHERE e.creator = EXCLUDED.creator RETURNING 1`,
      [key, dispatch, version, randomUUID(), digest, act, encodeRecord(record).toString('utf8')],
    );
    return rows.length === 1;
  }

  async last(key: string, dispatch?: number): Promise<EffectVersion | null> {
    const rows = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM holdfast.effects WHERE key = $1 AND ($2::int IS NULL OR dispatch = $2) ORDER BY dispatch DESC, version DESC LIMIT 1`,
      [key, dispatch ?? null],
    );
    return rows[0] ? { record: recordOf(rows[0]), version: rows[0].version } : null;
  }

  async under(name: string, except?: string): Promise<EffectRecord[]> {
    const rows = await this.database.query<Row>(
      `SELECT DISTINCT ON (key) ${COLUMNS} FROM holdfast.effects
       WHERE key IN (SELECT key FROM holdfast.effects WHERE version = 1 AND (by_digest = $1 OR by_act = $1)) AND key IS DISTINCT FROM $2
       ORDER BY key, dispatch DESC, version DESC`,
      [name, except ?? null],
    );
    return rows.map(recordOf);
  }
}

function recordOf({ key, dispatch, version, record: text }: Row): EffectRecord {
  const name = `effects/${key}/${dispatch}.${version}`;
  const record = decodeRecord(Buffer.from(text, 'utf8'), name);
  if (record.idempotency_key !== key || record.dispatch !== dispatch)
    throw new StoreError('damaged', `Effect record ${name} is of another effect, ${record.idempotency_key}/${record.dispatch}. Restore it from a backup`); // oxfmt-ignore
  return record;
}
