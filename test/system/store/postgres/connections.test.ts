import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { Database } from '../../../../src/store/postgres/database';
import { openStore } from '../../../../src/store/open-store';
import type { Store } from '../../../../src/store/store';
import { append, Draft, walk } from '../../../../src/store/core/transcript';
import { startCuttingProxy, type CuttingProxy } from '../support/cutting-proxy';
import { describePostgres, StoreServer } from '../support/postgres';
import { aClaim, KEY } from '../../../support/store/store-dir';

const AT = '2026-01-31T10:00:00.000Z';

describePostgres('A store whose connections break (needs PostgreSQL)', () => {
  let server: StoreServer;
  let proxy: CuttingProxy;
  let url: string;
  let store: Store;
  beforeAll(async () => {
    server = await StoreServer.start();
    proxy = await startCuttingProxy(server.port);
  });
  beforeEach(async () => {
    url = await server.fresh();
    store = await openStore(url.replace(`:${server.port}/`, `:${proxy.port}/`));
  });
  afterEach(() => store.close());
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });

  const rows = async (table: string) =>
    Number((await server.run(new URL(url).pathname.slice(1), `SELECT count(*) AS n FROM holdfast.${table}`)).rows[0].n);

  test.each(['before', 'after'] as const)('cut %s a claim has counted: the claimant holds it, and nobody else', async (when) => {
    const before = proxy.cuts();
    proxy.cut(when, 'INSERT INTO holdfast.effects');
    expect(await store.effects.claim(aClaim({ run_id: 'run-1' }))).toMatchObject({ claimed: true, record: { run_id: 'run-1' } });
    expect(proxy.cuts()).toBe(before + 1);
    const other = await openStore(url);
    expect(await other.effects.claim(aClaim({ run_id: 'run-2' }))).toMatchObject({ claimed: false, record: { run_id: 'run-1' } });
    expect(await rows('effects')).toBe(1);
    await other.close();
  });

  test('a claim that was lost on the way, and that another machine has made meanwhile, belongs to exactly one of the two', async () => {
    const other = await openStore(url);
    proxy.cut('before', 'INSERT INTO holdfast.effects');
    const mine = store.effects.claim(aClaim({ run_id: 'run-1' }));
    const [a, b] = await Promise.all([mine, other.effects.claim(aClaim({ run_id: 'run-2' }))]);
    expect([a.claimed, b.claimed].sort()).toEqual([false, true]);
    expect(a.record.run_id).toBe(b.record.run_id);
    expect(await rows('effects')).toBe(1);
    await other.close();
  });

  test.each(['before', 'after'] as const)('cut %s an outcome has counted: it is recorded, once', async (when) => {
    await store.effects.claim(aClaim());
    proxy.cut(when, 'INSERT INTO holdfast.effects');
    expect(await store.effects.move(KEY, 1, 'applied')).toMatchObject({ state: 'applied' });
    expect(await store.effects.latest(KEY)).toMatchObject({ state: 'applied' });
    expect(await rows('effects')).toBe(2);
  });

  test.each(['before', 'after'] as const)(
    'cut %s blocks have counted: all of them are there, and the trail lists them once',
    async (when) => {
      const draft = new Draft(store, 'run-1', null);
      const subject = { turn_id: 'inv-7', workflow_id: 'turn/inv-7', agent: 'payables', requester: 'rita', call_id: '1.1' };
      const about = { ...subject, revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' };
      draft.add({ kind: 'start', bodies: [{}] }, AT);
      draft.add(
        {
          kind: 'decision',
          bodies: [{ decision: 'approve', by: 'ana', at: AT, digest: 'd'.repeat(64), note: null, subject: about }],
        },
        AT,
      );
      draft.add({ kind: 'dispatch', bodies: [{ digest: 'd'.repeat(64), subject: about }] }, AT);
      proxy.cut(when, 'INSERT INTO holdfast.trail');
      const head = await draft.store();
      const other = await openStore(url);
      expect(await walk(other, head)).toHaveLength(3);
      expect((await other.trail.query({})).entries.map(({ kind, verified }) => [kind, verified])).toEqual([
        ['decision', true],
        ['dispatch', true],
      ]);
      await other.close();
    },
  );

  test.each(['before', 'after'] as const)('cut %s a register’s change has counted: it is there', async (when) => {
    await store.registers.update('limit', () => ({ value: ['a'], answer: null }));
    proxy.cut(when, 'UPDATE holdfast.registers');
    await store.registers.update('limit', (value) => ({ value: [...new Set([...(value as string[]), 'b'])], answer: null }));
    expect((await store.registers.read('limit')).value).toEqual(['a', 'b']);
  });

  test('a step’s blocks and their trail entries take one round trip; a walk over a transcript takes few', async () => {
    await store.effects.latest(KEY); // connected
    let parent: string | null = null;
    const before = proxy.statements();
    for (let step = 0; step < 20; step++) {
      const draft: Draft = new Draft(store, 'run-1', parent);
      for (let n = 0; n < 5; n++) draft.add({ kind: 'message', bodies: [{ step, n }, 'two'] }, AT);
      parent = await draft.store();
    }
    expect(proxy.statements() - before).toBe(20);
    const reader = await openStore(url.replace(`:${server.port}/`, `:${proxy.port}/`));
    const opened = proxy.statements();
    expect(await walk(reader, parent)).toHaveLength(100);
    expect(proxy.statements() - opened).toBe(2);
    await reader.close();
  });

  test('a name that leads nowhere, as that of a container that is being started again, is asked again, but not at the start', async () => {
    const gone = Object.assign(new Error('getaddrinfo ENOTFOUND postgresql'), { code: 'ENOTFOUND' });
    const query = jest.spyOn(Pool.prototype, 'query') as unknown as jest.SpyInstance<Promise<unknown>>;
    const database = await Database.at(url);
    try {
      query.mockRejectedValueOnce(gone);
      await expect(database.query('SELECT 1 AS n')).rejects.toMatchObject({ code: 'ENOTFOUND', isPassing: false });
      expect(await database.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
      query.mockRejectedValueOnce(gone);
      expect(await database.query('SELECT 2 AS n')).toEqual([{ n: 2 }]);
      query.mockRejectedValueOnce(gone);
      await expect(database.queryNow('SELECT 3 AS n')).rejects.toMatchObject({ code: 'ENOTFOUND', isPassing: true });
    } finally {
      query.mockRestore();
      await database.close();
    }
  });

  test('a server that takes no writes for a while, as the old primary in a failover, is asked again', async () => {
    await store.effects.claim(aClaim());
    const database = new URL(url).pathname.slice(1);
    const setReadOnly = (value: string) =>
      server.run('postgres', `ALTER DATABASE "${database}" SET default_transaction_read_only = ${value}`);
    await setReadOnly('on');
    await server.run(
      'postgres',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
    );
    const moved = store.effects.move(KEY, 1, 'applied');
    await wait(1500);
    await setReadOnly('off');
    expect(await moved).toMatchObject({ state: 'applied' });
    expect(await rows('effects')).toBe(2);
  });

  test('a server that was killed with kill -9 and started again loses nothing that was reported, and its clients go on', async () => {
    const reported: { head: string; key: string }[] = [];
    let working = true;
    const work = (async () => {
      for (let n = 1, parent: string | null = null; working; n++) {
        parent = await append(store, 'run-1', { parent, kind: 'message', at: AT, bodies: [{ n, text: 'x'.repeat(5000) }] });
        const key = `hf_${n.toString(16).padStart(40, '0')}`;
        expect(await store.effects.claim(aClaim({ idempotency_key: key, head: parent }))).toMatchObject({ claimed: true });
        await store.effects.move(key, 1, 'applied', { result_ref: parent });
        reported.push({ head: parent, key });
      }
    })();
    for (let round = 0; round < 2; round++) {
      const goal = reported.length + 5;
      while (reported.length < goal) await Promise.race([work, new Promise((done) => setTimeout(done, 10))]);
      await server.kill();
      await server.again();
    }
    const goal = reported.length + 5;
    while (reported.length < goal) await Promise.race([work, new Promise((done) => setTimeout(done, 10))]);
    working = false;
    await work;
    const reader = await openStore(url);
    expect(await walk(reader, reported.at(-1)!.head)).toHaveLength(reported.length);
    for (const { head, key } of reported)
      expect(await reader.effects.latest(key)).toMatchObject({ state: 'applied', result_ref: head });
    expect(await rows('effects')).toBe(2 * reported.length);
    await reader.close();
  });
});
