import { inspect } from 'node:util';
import { describeStore, openStore } from '../../../../src/store/open-store';
import { Database } from '../../../../src/store/postgres/database';
import { migrate } from '../../../../src/store/postgres/migrate';
import { MIGRATIONS } from '../../../../src/store/postgres/migrations';
import { describePostgres, StoreServer } from '../support/postgres';

const NEWEST = MIGRATIONS.length;

describePostgres('A store in PostgreSQL is opened (needs PostgreSQL)', () => {
  let server: StoreServer;
  beforeAll(async () => void (server = await StoreServer.start()), 120_000);
  afterAll(() => server.stop());
  const nameIn = (url: string) => new URL(url).pathname.slice(1);
  const failure = async (url: string) => (await openStore(url).catch((caught: unknown) => caught)) as Error;

  test('by many at once, and its tables are made once', async () => {
    const url = await server.fresh();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(url)));
    expect(new Set(await Promise.all(stores.map((store) => store.putPart('run-1', 'x')))).size).toBe(1);
    const { rows } = await server.run(nameIn(url), 'SELECT number, name FROM holdfast.migrations ORDER BY number');
    expect(rows).toEqual(MIGRATIONS.map(({ number, name }) => ({ number, name })));
    for (const store of stores) await store.close();
  });

  test('by the next version, which applies what is new, whole or not at all', async () => {
    const url = await server.fresh();
    await (await openStore(url)).close();
    const next = { number: NEWEST + 1, name: 'next', sql: 'CREATE TABLE holdfast.next (x int)' };
    const broken = { number: NEWEST + 2, name: 'broken', sql: 'CREATE TABLE holdfast.half (x int); SELECT 1 / 0' };
    const database = await Database.at(url);
    await expect(migrate(database, [...MIGRATIONS, next, broken])).rejects.toThrow(/division by zero/);
    const tables = async () => (await server.run(nameIn(url), `SELECT tablename AS t FROM pg_tables WHERE schemaname = 'holdfast'`)).rows.map((row) => row.t as string); // oxfmt-ignore
    expect(await tables()).not.toContain('next');
    await migrate(database, [...MIGRATIONS, next]);
    expect(await tables()).toContain('next');
    await database.close();
    const error = await failure(url);
    expect(error.message).toContain(`version ${NEWEST + 1}, made by a newer holdfast; this one knows version ${NEWEST}`);
  });

  test('also by a build that the newer one allows, and by no older one', async () => {
    const url = await server.fresh();
    await (await openStore(url)).close();
    // The tables of a build before the column.
    await server.run(nameIn(url), 'ALTER TABLE holdfast.migrations DROP COLUMN oldest');
    await (await openStore(url)).close();
    const database = await Database.at(url);
    const added = { number: NEWEST + 1, name: 'added', sql: 'CREATE TABLE holdfast.added (x int)', oldest: NEWEST };
    await migrate(database, [...MIGRATIONS, added]);
    const store = await openStore(url);
    expect(await store.getPart(await store.putPart('run-1', 'x'))).toBe('x');
    await store.close();
    expect(await describeStore(url)).toContain(`tables version ${NEWEST + 1}, made by a newer holdfast that allows this one`);
    const older = migrate(database, MIGRATIONS.slice(0, -1));
    await expect(older).rejects.toThrow(`version ${NEWEST + 1}, made by a newer holdfast; this one knows version ${NEWEST - 1}`);
    const changed = { number: NEWEST + 2, name: 'changed', sql: 'DROP TABLE holdfast.added' };
    await migrate(database, [...MIGRATIONS, added, changed]);
    await database.close();
    expect((await failure(url)).message).toContain(`version ${NEWEST + 2}, made by a newer holdfast`);
  });

  test('by a user who may use its tables, and not make any', async () => {
    const url = await server.fresh();
    await server.run(nameIn(url), `CREATE ROLE worker_${nameIn(url)} LOGIN PASSWORD 'pw'`);
    const asWorker = server.url(nameIn(url), `worker_${nameIn(url)}`, 'pw');
    expect((await failure(asWorker)).message).toMatch(/permission denied for database.*Grant this user what it needs/);
    await (await openStore(url)).close();
    await server.run(
      nameIn(url),
      `GRANT USAGE ON SCHEMA holdfast TO worker_${nameIn(url)};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast TO worker_${nameIn(url)}`,
    );
    const store = await openStore(asWorker);
    await store.checkWritable();
    expect(await store.getPart(await store.putPart('run-1', 'x'))).toBe('x');
    await store.close();
  });

  test('only where commits are kept, and text is text', async () => {
    const latin = await server.fresh(`ENCODING 'LATIN1' TEMPLATE template0`);
    expect((await failure(latin)).message).toMatch(/encoding is LATIN1; create it with ENCODING 'UTF8'/);
    const hasty = await server.fresh();
    await server.run('postgres', `ALTER DATABASE ${nameIn(hasty)} SET synchronous_commit = off`);
    expect((await failure(hasty)).message).toMatch(/synchronous_commit is off: a claim could be lost/);
  });

  test('and nobody is shown its password', async () => {
    const url = await server.fresh();
    const wrong = [
      server.url(nameIn(url), undefined, 'not-the-one'),
      server.url(nameIn(url), 'nobody', 'not-the-one'),
      server.url('no_such_database'),
      server.url(nameIn(url), undefined, StoreServer.PASSWORD, 1),
    ];
    for (const one of wrong) {
      const error = await failure(one);
      const all = `${error.message} ${error.stack} ${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)}`;
      for (const secret of ['not-the-one', StoreServer.PASSWORD, encodeURIComponent(StoreServer.PASSWORD)])
        expect(all).not.toContain(secret);
      expect(error.message).toMatch(/^HOLDFAST_STORE \(postgres:\/\/\w+:…@127\.0\.0\.1:\d+\/\w+\): /);
    }
    expect((await failure(wrong[0]!)).message).toMatch(/Are user and password in HOLDFAST_STORE right\?/);
    expect((await failure(wrong[2]!)).message).toMatch(/Create the database/);
    expect(inspect(await openStore(url), { depth: 10, showHidden: true })).not.toContain(StoreServer.PASSWORD);
  });

  test('or described, which changes nothing', async () => {
    const url = await server.fresh();
    expect(await describeStore(url)).toMatch(
      new RegExp(
        `^postgres://temporal:…@127\\.0\\.0\\.1:\\d+/${nameIn(url)}: PostgreSQL [\\d.]+, tables version 0, ${NEWEST} once a worker starts$`,
      ),
    );
    expect((await server.run(nameIn(url), `SELECT 1 FROM pg_namespace WHERE nspname = 'holdfast'`)).rows).toEqual([]);
    await (await openStore(url)).close();
    expect(await describeStore(url)).toMatch(new RegExp(`, tables version ${NEWEST}$`));
  });

  test('and forgets registers that nobody has changed for a month', async () => {
    const url = await server.fresh();
    const store = await openStore(url);
    for (const name of ['old', 'new']) await store.registers.update(name, () => ({ value: name, answer: null }));
    await server.run(nameIn(url), `UPDATE holdfast.registers SET changed_at = now() - interval '31 days' WHERE value = '"old"'`);
    const later = await openStore(url);
    expect((await later.registers.read('old')).value).toBeNull();
    expect((await later.registers.read('new')).value).toBe('new');
    for (const one of [store, later]) await one.close();
  });

  test('but not with a salt key that was cut short', async () => {
    const url = await server.fresh();
    await (await openStore(url)).close();
    await server.run(nameIn(url), `UPDATE holdfast.secrets SET bytes = 'short'`);
    expect(await failure(url)).toMatchObject({ code: 'damaged', message: expect.stringContaining("The row 'salt'") as string });
  });
});
