/**
 * A store in one PostgreSQL database, for workers on several machines: schema `holdfast`, made by migrate.ts. It is only as safe as
 * the database's commits: they must be on disk when they return (and, with a standby that may take over, on the standby's disk).
 */
import type { Json } from '../../shared/json/json';
import type { CollectableBacking } from '../collect/stock';
import { EncryptedRegisters, PlainRegisters } from '../core/encrypted-backing';
import { newIdentity, readIdentity, checkedSaltKey, newSaltKey } from '../core/identity';
import type { Keys } from '../../encryption/key-source';
import type { StoreIdentity } from '../store';
import { Database } from './database';
import { migrate, tablesVersion } from './migrate';
import { PostgresBytes, PostgresObjects } from './postgres-objects';
import { PostgresEffects } from './postgres-effects';
import { PostgresRegisters } from './postgres-registers';
import { allEffects, PostgresStock } from './postgres-stock';
import { PostgresTrail } from './postgres-trail';

/** 12: the oldest version with the syntax and planner that the statements need. */
const LEAST_SERVER = 120_000;

export class PostgresStore {
  /**
   * Opens the database, and makes or updates the tables.
   * @param url as HOLDFAST_STORE
   * @throws Error in one line, without the password, for a URL or a database that cannot be used; StoreError `damaged` for a bad
   * salt key
   */
  static async backing(url: string): Promise<CollectableBacking> {
    const database = await Database.at(url);
    try {
      await checkServer(database);
      await migrate(database);
      const saltKey = await openSaltKey(database);
      const identity = await openIdentity(database);
      const registers = new PostgresRegisters(database);
      await registers.sweep();
      return {
        identity,
        saltKey,
        objects: new PostgresObjects(database),
        bytes: new PostgresBytes(database),
        effects: new PostgresEffects(database),
        registers,
        trail: new PostgresTrail(database),
        collectable: {
          objects: new PostgresStock(database, 'objects'),
          files: new PostgresStock(database, 'files'),
          effects: () => allEffects(database),
        },
        checkWritable: () => checkWritable(database),
        close: () => database.close(),
      };
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Describes what is there, and changes nothing. @throws Error as `backing` */
  static async describe(url: string): Promise<string> {
    const database = await Database.at(url);
    try {
      const server = await checkServer(database);
      const { present, known } = await tablesVersion(database);
      if (present > known) await migrate(database); // changes nothing; throws if this build cannot use them
      const other =
        present < known
          ? `, ${known} once a worker starts`
          : present > known
            ? ', made by a newer holdfast that allows this one'
            : '';
      return `${database.displayUrl}: PostgreSQL ${server}, tables version ${present}${other}`;
    } finally {
      await database.close();
    }
  }

  /** One register, if the tables exist; changes nothing. @throws Error as `backing` */
  static async readRegister(url: string, name: string, keys: Keys | null = null): Promise<{ value: Json; now: number }> {
    const database = await Database.at(url);
    try {
      const { present } = await tablesVersion(database);
      if (present === 0) return { value: null, now: Date.now() };
      const registers = new PostgresRegisters(database);
      const open =
        keys === null
          ? new PlainRegisters(registers)
          : new EncryptedRegisters(registers, keys, (await openIdentity(database)).id);
      return await open.read(name);
    } finally {
      await database.close();
    }
  }
}

interface ServerSettings {
  number: number;
  version: string;
  encoding: string;
  commit: string;
  fsync: string;
  standby: boolean;
}

/** @returns its version @throws Error for a server that could lose, or change, what it stores */
async function checkServer(database: Database): Promise<string> {
  const [server] = await database.queryNow<ServerSettings & Record<string, unknown>>(
    `SELECT current_setting('server_version_num')::int AS number, split_part(current_setting('server_version'), ' ', 1) AS version,
       current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit,
       current_setting('fsync') AS fsync, pg_is_in_recovery() AS standby`,
  );
  const { number, version, encoding, commit, fsync, standby } = server!;
  const fault =
    number < LEAST_SERVER
      ? `it is PostgreSQL ${version}; 12 or newer is needed`
      : encoding !== 'UTF8'
        ? `the database's encoding is ${encoding}; create it with ENCODING 'UTF8'`
        : commit === 'off'
          ? 'synchronous_commit is off: a claim could be lost, and its effect repeated; set it to on for this database'
          : fsync === 'off'
            ? 'fsync is off: a power cut could lose a claim, and its effect be repeated; set it to on'
            : standby
              ? 'it is a standby; name the primary'
              : null;
  if (fault !== null) throw new Error(`HOLDFAST_STORE (${database.displayUrl}) cannot be used: ${fault}`);
  return version;
}

async function openSaltKey(database: Database): Promise<Buffer> {
  return checkedSaltKey(await madeOnce(database, 'salt', newSaltKey), "The row 'salt' of holdfast.secrets");
}

async function openIdentity(database: Database): Promise<StoreIdentity> {
  const bytes = await madeOnce(database, 'store', () => Buffer.from(newIdentity(), 'utf8'));
  return readIdentity(bytes.toString('utf8'), "The row 'store' of holdfast.secrets");
}

/** If several processes make it at once, one succeeds, and all of them read its value. */
async function madeOnce(database: Database, name: string, make: () => Buffer): Promise<Buffer> {
  const read = () => database.query<{ bytes: Buffer }>('SELECT bytes FROM holdfast.secrets WHERE name = $1', [name]);
  let [row] = await read();
  if (!row) {
    await database.query(`INSERT INTO holdfast.secrets (name, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [name, make()]);
    [row] = await read();
  }
  return row!.bytes;
}

async function checkWritable(database: Database): Promise<void> {
  await database.queryNow(
    `INSERT INTO holdfast.registers AS r (name, version, value) VALUES ('ready', 1, 'null') ON CONFLICT (name) DO UPDATE SET changed_at = now()`,
  );
}
