/**
 * Brings the tables to this build's version. Several processes may start at once: an advisory lock lets one of them do it, in one
 * transaction, so that it is done whole or not at all; the others find it done.
 */
import type { Database } from './database';
import { MIGRATIONS, type Migration } from './migrations';

/** Any number that nothing else uses in this database: "holdfast" in ASCII. */
const LOCK = 0x686f6c6466617374n;
/** How long a change of a table waits for others who use it. */
const LOCK_WAIT = '5s';
const LATEST_VERSION = MIGRATIONS.length;
const HIGHEST = 'SELECT max(number) AS present FROM holdfast.migrations';

export interface TablesVersion {
  /** 0: there are no tables yet. */
  present: number;
  known: number;
}

export async function tablesVersion(database: Database): Promise<TablesVersion> {
  const [schema] = await database.query<{ there: boolean }>(`SELECT to_regclass('holdfast.migrations') IS NOT NULL AS there`);
  if (!schema!.there) return { present: 0, known: LATEST_VERSION };
  const [row] = await database.query<{ present: number | null }>(HIGHEST);
  return { present: row!.present ?? 0, known: LATEST_VERSION };
}

/**
 * A database that is up to date is only read, so that a worker needs no right to create tables.
 * @throws Error for tables of a newer build; StoreServerError
 */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const { present } = await tablesVersion(database);
  refuseNewer(present, migrations.length);
  if (present === migrations.length) return;
  await database.transaction(async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    // A table that somebody reads for long, such as a backup: all queries on it would wait behind ours.
    await client.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
    // Checked first: `CREATE SCHEMA IF NOT EXISTS` needs the right to create a schema even if an administrator has made it.
    const { rows: schemas } = await client.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'holdfast'`);
    if (schemas.length === 0) await client.query('CREATE SCHEMA holdfast');
    await client.query(
      'CREATE TABLE IF NOT EXISTS holdfast.migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ present: number | null }>(HIGHEST);
    const version = rows[0]?.present ?? 0;
    refuseNewer(version, migrations.length);
    for (const { number, name, sql } of migrations.slice(version)) {
      await client.query(sql);
      await client.query('INSERT INTO holdfast.migrations (number, name) VALUES ($1, $2)', [number, name]);
    }
  });
}

function refuseNewer(present: number, own: number): void {
  if (present > own)
    throw new Error(
      `The tables in HOLDFAST_STORE are version ${present}, made by a newer holdfast; this one knows version ${own}. Update it`,
    );
}
