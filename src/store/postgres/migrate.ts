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
/** `to_jsonb`: builds before the column "oldest" made the table without it. */
const VERSION = `
  SELECT coalesce(max(number), 0) AS present, coalesce(max(coalesce((to_jsonb(one)->>'oldest')::integer, number)), 0) AS oldest
  FROM holdfast.migrations AS one`;

export interface TablesVersion {
  /** 0: there are no tables yet. */
  present: number;
  /** A build that knows this version, or a later one, can use the tables. */
  oldest: number;
  known: number;
}

type Version = Omit<TablesVersion, 'known'>;

export async function tablesVersion(database: Database): Promise<TablesVersion> {
  const [schema] = await database.query<{ there: boolean }>(`SELECT to_regclass('holdfast.migrations') IS NOT NULL AS there`);
  if (!schema!.there) return { present: 0, oldest: 0, known: LATEST_VERSION };
  const [row] = await database.query<Version>(VERSION);
  return { ...row!, known: LATEST_VERSION };
}

/**
 * A database that is up to date is only read, so that a worker needs no right to create tables. So is one of a newer build whose tables
 * this build can use: during a deployment, processes of both builds may start again.
 * @throws Error for tables of a newer build that this one cannot use; StoreServerError
 */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  if (isUpToDate(await tablesVersion(database), migrations.length)) return;
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
    await client.query('ALTER TABLE holdfast.migrations ADD COLUMN IF NOT EXISTS oldest integer');
    const { rows } = await client.query<Version>(VERSION);
    if (isUpToDate(rows[0]!, migrations.length)) return;
    for (const { number, name, oldest, sql } of migrations.slice(rows[0]!.present)) {
      await client.query(sql);
      const row = [number, name, oldest ?? number];
      await client.query('INSERT INTO holdfast.migrations (number, name, oldest) VALUES ($1, $2, $3)', row);
    }
  });
}

/** @throws Error if this build cannot use the tables */
function isUpToDate({ present, oldest }: Version, own: number): boolean {
  if (oldest > own)
    throw new Error(
      `The tables in HOLDFAST_STORE are version ${present}, made by a newer holdfast; this one knows version ${own}. Update it`,
    );
  return present >= own;
}
