import { createHash } from 'node:crypto';
import { Database } from '../../../../src/store/postgres/database';
import { StoreServerError } from '../../../../src/store/store';
import { PostgresObjects } from '../../../../src/store/postgres/postgres-objects';
import { openStore } from '../../../../src/store/open-store';
import type { Store } from '../../../../src/store/store';
import { describePostgres, StoreServer } from '../support/postgres';

const AT = '2026-01-31T10:00:00.000Z';
const object = (line: string) => ({ hash: createHash('sha256').update(line).digest('hex'), lines: [line] });

describePostgres('Data that is stored at the same moment (needs PostgreSQL)', () => {
  let server: StoreServer;
  let url: string;
  let store: Store;
  beforeAll(async () => (server = await StoreServer.start()), 120_000);
  beforeEach(async () => {
    url = await server.fresh();
    store = await openStore(url);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await store.close();
  });
  afterAll(() => server.stop());

  const block = (text: string) => store.seal('run', { parent: null, kind: 'message', at: AT, bodies: [{ text }] });

  test('goes in one statement; all of it is there, for another process too', async () => {
    const query = jest.spyOn(Database.prototype, 'query');
    const blocks = Array.from({ length: 50 }, (_, n) => block(`text ${n}`));
    await Promise.all([...blocks.map((one) => store.putBlocks([one])), store.putPart('run', { kept: true })]);
    expect(query).toHaveBeenCalledTimes(1);
    const other = await openStore(url);
    for (const { hash, parts } of blocks) expect((await other.getBlock(hash)).bodies).toEqual(parts.map(({ body }) => body));
    await other.close();
  });

  test('may be the same thing twice', async () => {
    const same = block('once');
    await Promise.all([store.putBlocks([same]), store.putBlocks([same, block('other')]), store.putBlocks([same])]);
    expect((await store.getBlock(same.hash)).bodies).toEqual([{ text: 'once' }]);
  });

  test('fails only where its own data cannot be stored', async () => {
    const database = await Database.at(url);
    const objects = new PostgresObjects(database);
    const [good, bad, better] = [object('{"good":1}'), object('{"bad":"\0"}'), object('{"better":1}')];
    const stored = await Promise.allSettled([good, bad, better].map((one) => objects.put([one], [])));
    expect(stored.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await objects.getEach([good, bad, better].map(({ hash }) => hash))).map(({ hash }) => hash).sort()).toEqual(
      [good.hash, better.hash].sort(),
    );
    await database.close();
  });

  test('gathers while four statements are under way, and fails together where the database cannot be reached', async () => {
    const database = await Database.at(url);
    const objects = new PostgresObjects(database);
    const query = jest.spyOn(database, 'query').mockRejectedValue(new StoreServerError('gone', '57P01', true));
    const puts = Array.from({ length: 100 }, (_, n) => objects.put([object(`{"n":${n}}`)], []));
    expect((await Promise.allSettled(puts)).every(({ status }) => status === 'rejected')).toBe(true);
    expect(query.mock.calls.length).toBeLessThanOrEqual(4);
    query.mockRestore();
    await objects.put([object('{"n":0}')], []);
    await database.close();
  });
});
