/** The same tests over every kind of store. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openStore } from '../../../../src/store/open-store';
import type { Store } from '../../../../src/store/store';
import { describePostgres, StoreServer } from './postgres';
import { filesIn, removeStoreDirs, storeDir } from '../../../support/store/store-dir';

/** The text of one object, effect, … below the store's code: to be damaged. */
export interface Kept {
  read(): Promise<Buffer>;
  write(bytes: Buffer): Promise<void>;
  remove(): Promise<void>;
}

/** Where one store is kept. */
export interface Place {
  /** As HOLDFAST_STORE. */
  url: string;
  /** Another process's view of it: nothing is shared with those opened before. */
  open(): Promise<Store>;
  object(hash: string): Kept;
  /** @param version `<dispatch>.<version>` */
  effect(key: string, version: string): Kept;
  bytes(hash: string): Kept;
  trail(position: string): Kept;
  trailPositions(): Promise<string[]>;
  effectKeys(): Promise<string[]>;
  objectNames(): Promise<string[]>;
}

/** Defines tests once for each kind. `fresh` gives an empty place. */
export function overEachKind(tests: (fresh: () => Promise<Place>, kind: 'files' | 'PostgreSQL') => void): void {
  const opened: Store[] = [];
  const openedAt = async (url: string) => {
    const store = await openStore(url);
    opened.push(store);
    return store;
  };
  const closeAll = () => Promise.all(opened.splice(0).map((store) => store.close()));

  describe('in files', () => {
    afterAll(async () => {
      await closeAll();
      removeStoreDirs();
    });
    tests(async () => inFiles(storeDir(), openedAt), 'files');
  });

  describePostgres('in PostgreSQL (needs PostgreSQL)', () => {
    let server: StoreServer;
    beforeAll(async () => void (server = await StoreServer.start()), 120_000);
    afterEach(closeAll);
    afterAll(() => server?.stop(), 60_000);
    tests(async () => inPostgres(server, await server.fresh(), openedAt), 'PostgreSQL');
  });
}

function inFiles(dir: string, open: (url: string) => Promise<Store>): Place {
  const kept = (...path: string[]): Kept => {
    const file = join(dir, ...path);
    return {
      read: async () => readFileSync(file),
      write: async (bytes) => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, bytes);
      },
      remove: async () => rmSync(file),
    };
  };
  const below = (folder: string) => filesIn(join(dir, folder)).sort();
  return {
    url: `file:${dir}`,
    open: () => open(`file:${dir}`),
    object: (hash) => kept('objects', hash),
    effect: (key, version) => kept('effects', key, `${version}.json`),
    bytes: (hash) => kept('bytes', hash),
    trail: (position) => kept('trail', position),
    trailPositions: async () => below('trail'),
    objectNames: async () => below('objects'),
    effectKeys: async () => [...new Set(below('effects').map((file) => file.split('/')[0]!))],
  };
}

function inPostgres(server: StoreServer, url: string, open: (url: string) => Promise<Store>): Place {
  const run = (sql: string, values: unknown[] = []) => server.run(new URL(url).pathname.slice(1), sql, values);
  const kept = (table: string, column: string, where: string, keys: unknown[], asBytes = false): Kept => ({
    read: async () => Buffer.from((await run(`SELECT ${column} AS it FROM holdfast.${table} WHERE ${where}`, keys)).rows[0].it),
    write: async (bytes) => {
      const value = asBytes ? bytes : bytes.toString('utf8');
      const { rowCount } = await run(`UPDATE holdfast.${table} SET ${column} = $${keys.length + 1} WHERE ${where}`, [
        ...keys,
        value,
      ]);
      if (rowCount !== 1) throw new Error(`holdfast.${table} has ${rowCount} such rows`);
    },
    remove: async () => void (await run(`DELETE FROM holdfast.${table} WHERE ${where}`, keys)),
  });
  const bytea = (hash: string) => Buffer.from(hash, 'hex');
  return {
    url,
    open: () => open(url),
    object: (hash) => kept('objects', 'body', 'hash = $1', [bytea(hash)]),
    effect: (key, version) => kept('effects', 'record', `key = $1 AND dispatch || '.' || version = $2`, [key, version]),
    bytes: (hash) => kept('files', 'bytes', 'hash = $1', [bytea(hash)], true),
    trail: (position) => ({
      ...kept('trail', 'entry', 'position = $1', [position]),
      write: async (bytes) =>
        void (await run(
          `INSERT INTO holdfast.trail (position, entry, turn, requester, decided_by, state) VALUES ($1, $2, 'x', 'x', 'x', 'x')
           ON CONFLICT (position) DO UPDATE SET entry = EXCLUDED.entry`,
          [position, bytes.toString('utf8')],
        )),
    }),
    trailPositions: async () =>
      (await run('SELECT position FROM holdfast.trail ORDER BY position')).rows.map((row) => row.position as string),
    objectNames: async () =>
      (await run('SELECT hash FROM holdfast.objects ORDER BY hash')).rows.map((row) => (row.hash as Buffer).toString('hex')),
    effectKeys: async () => (await run('SELECT DISTINCT key FROM holdfast.effects')).rows.map((row) => row.key as string),
  };
}
