/** Large parts in an S3-compatible store, beside files and beside PostgreSQL. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { describeParts, openStore } from '../../../../src/store/open-store';
import { append, walk } from '../../../../src/store/core/transcript';
import { OUTSIDE_FROM } from '../../../../src/store/parts/parts-backing';
import { S3Parts } from '../../../../src/store/parts/s3-parts';
import type { Store } from '../../../../src/store/store';
import { testStore } from '../../../../src/testing';
import { ringOf, ringService } from '../../../support/encryption/ring';
import { filesIn, removeStoreDirs, storeDir } from '../../../support/store/store-dir';
import { describePostgres, StoreServer } from '../support/postgres';
import { describeS3, S3Server } from '../support/s3';

jest.setTimeout(120_000);

/** It stays large when it is compressed and encrypted. */
const LARGE = randomBytes(OUTSIDE_FROM).toString('hex');
const AT = '2026-01-31T12:00:00.000Z';

describeS3('Large parts in S3 (needs versitygw)', () => {
  let server: S3Server;
  const opened: Store[] = [];
  const open = async (...of: Parameters<typeof openStore>) => {
    const store = await openStore(...of);
    opened.push(store);
    return store;
  };
  beforeAll(async () => void (server = await S3Server.start()), 600_000);
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
  afterAll(async () => {
    await server?.stop();
    removeStoreDirs();
  });

  const files = async () => ({ url: `file:${storeDir()}`, parts: await server.fresh() });
  const folderOf = (url: string) => url.slice('file:'.length);

  test('a store in files with parts outside keeps the contract, plain and encrypted', async () => {
    const { url, parts } = await files();
    const { keys } = await ringService(ringOf('one'));
    for (const ring of [null, keys]) await testStore(() => openStore(url, ring, parts));
    expect(server.objects(parts).names.length).toBeGreaterThan(0);
  });

  test('large parts, results and files are outside, small ones are not; another process reads both', async () => {
    const { url, parts } = await files();
    const store = await open(url, null, parts);
    const bytes = randomBytes(OUTSIDE_FROM);
    const large = await store.putPart('run', { text: LARGE });
    const small = await store.putPart('run', { text: 'small' });
    const file = await store.putBytes(bytes);
    const head = await append(store, 'run', { parent: null, kind: 'start', at: AT, bodies: [{ text: LARGE }, 'two'] });

    const day = new Date().toISOString().slice(0, 10);
    const { names } = server.objects(parts);
    expect(names).toHaveLength(2); // the same line in a part of its own and in the block is one
    for (const name of names) expect(name).toMatch(new RegExp(`^parts/${store.identity.id}/${day}/[0-9a-f]{64}$`));
    for (const name of filesIn(folderOf(url))) expect((await readFile(join(folderOf(url), name))).length).toBeLessThan(2000);

    const reader = await open(url, null, parts);
    expect(await reader.getPart(large)).toEqual({ text: LARGE });
    expect(await reader.getPart(small)).toEqual({ text: 'small' });
    expect(Buffer.compare(await reader.getBytes(file), bytes)).toBe(0);
    expect((await walk(reader, head))[0]!.bodies).toEqual([{ text: LARGE }, 'two']);
  });

  test('what is stored twice is one object', async () => {
    const { url, parts } = await files();
    for (let process = 1; process <= 2; process++) {
      const store = await open(url, null, parts);
      await Promise.all(Array.from({ length: 5 }, () => store.putPart('run', LARGE)));
    }
    expect(server.objects(parts).names).toHaveLength(1);
  });

  test('with keys, what is outside is encrypted', async () => {
    const { url, parts } = await files();
    const { keys } = await ringService(ringOf('one'));
    const store = await open(url, keys, parts);
    const part = await store.putPart('run', { canary: LARGE });
    const file = await store.putBytes(Buffer.from(LARGE));
    const { folder, names } = server.objects(parts);
    expect(names).toHaveLength(2);
    for (const name of names) expect(await readFile(join(folder, name), 'utf8')).toMatch(/^\{"v":"holdfast\.sealed\/1",/);
    const reader = await open(url, keys, parts);
    expect(await reader.getPart(part)).toEqual({ canary: LARGE });
    expect((await reader.getBytes(file)).toString()).toBe(LARGE);
  });

  test('a part that is missing or damaged is named; what does not refer to it is read', async () => {
    const { url, parts } = await files();
    const store = await open(url, null, parts);
    const other = await store.putPart('run', 'other');
    const part = await store.putPart('run', LARGE);
    const file = await store.putBytes(Buffer.alloc(OUTSIDE_FROM));
    const { folder, names } = server.objects(parts);
    for (const name of names) await writeFile(join(folder, name), 'damaged');
    const fault = async (work: (from: Store) => Promise<unknown>) =>
      work(await open(url, null, parts)).catch((error: unknown) => error);
    const damage = {
      code: 'damaged',
      message: expect.stringMatching(/its part \d{4}-\d\d-\d\d\/[0-9a-f]{64} in s3:.* hashes to/),
    };
    expect(await fault((from) => from.getPart(part))).toMatchObject(damage);
    expect(await fault((from) => from.getBytes(file))).toMatchObject(damage);
    const bucket = new S3Parts(parts, store.identity.id);
    await bucket.remove(names.map((name) => name.split('/').slice(-2).join('/')));
    bucket.close();
    const missing = { code: 'damaged', message: expect.stringContaining('is missing in s3://') };
    expect(await fault((from) => from.getPart(part))).toMatchObject(missing);
    expect(await fault((from) => from.getBytes(file))).toMatchObject(missing);
    expect(await (await open(url, null, parts)).getPart(other)).toBe('other');
    // Stored again, it is there again.
    await store.putPart('run', LARGE);
    expect(await (await open(url, null, parts)).getPart(part)).toBe(LARGE);
  });

  test('a process without the setting says what to set', async () => {
    const { url, parts } = await files();
    const part = await (await open(url, null, parts)).putPart('run', LARGE);
    await expect((await open(url)).getPart(part)).rejects.toThrow(/in an S3-compatible store: set HOLDFAST_PARTS/);
  });

  test('the server is killed: what waits goes on afterwards', async () => {
    const { url, parts } = await files();
    const store = await open(url, null, parts);
    const before = await store.putPart('run', LARGE);
    await server.kill();
    const putting = store.putPart('run', `${LARGE} again`);
    const reading = (await open(url, null, parts)).getPart(before);
    await sleep(500);
    await server.again();
    expect(await (await open(url, null, parts)).getPart(await putting)).toBe(`${LARGE} again`);
    expect(await reading).toBe(LARGE);
  });

  test('errors say what to do, and readiness asks', async () => {
    const { parts } = await files();
    expect(await describeParts(parts)).toContain('can be written and read');
    const store = await open(`file:${storeDir()}`, null, parts);
    await store.checkWritable();
    const none = parts.replace(/bucket-\d+/, 'bucket-none');
    await expect(describeParts(none)).rejects.toThrow(/^HOLDFAST_PARTS \(s3:\/\/bucket-none\/.*Create the bucket/);
    const key = process.env.AWS_SECRET_ACCESS_KEY;
    process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
    try {
      await expect(describeParts(parts)).rejects.toThrow(/Is the secret key right/);
    } finally {
      process.env.AWS_SECRET_ACCESS_KEY = key;
    }
    for (const wrong of ['s3://UPPER/x', 's3://bucket/x?endpoint=nonsense', 's3://bucket/x?else=1', 's3:bucket'])
      await expect(describeParts(wrong)).rejects.toThrow(/^HOLDFAST_PARTS names no bucket; allowed: s3:/);
  });
});

describePostgres('Large parts in S3 beside PostgreSQL (needs PostgreSQL)', () => {
  describeS3('(needs versitygw)', () => {
    let database: StoreServer;
    let server: S3Server;
    beforeAll(async () => {
      database = await StoreServer.start();
      server = await S3Server.start();
    }, 600_000);
    afterAll(async () => {
      await database?.stop();
      await server?.stop();
    });

    test('keeps the contract, plain and encrypted', async () => {
      const [url, parts] = [await database.fresh(), await server.fresh()];
      const { keys } = await ringService(ringOf('one'));
      for (const ring of [null, keys]) await testStore(() => openStore(url, ring, parts));
    });

    test('rows stay small, and a transcript is read ahead with its large parts', async () => {
      const [url, parts] = [await database.fresh(), await server.fresh()];
      const store = await openStore(url, null, parts);
      let head: string | null = null;
      for (let n = 0; n < 5; n++)
        head = await append(store, 'run', { parent: head, kind: n === 0 ? 'start' : 'end', at: AT, bodies: [`${n} ${LARGE}`] });
      const name = new URL(url).pathname.slice(1);
      const { rows } = await database.run(name, 'SELECT max(length(body)) AS longest FROM holdfast.objects');
      expect(rows[0].longest).toBeLessThan(2000);
      expect(server.objects(parts).names).toHaveLength(5);
      const reader = await openStore(url, null, parts);
      expect((await walk(reader, head)).map(({ bodies }) => bodies[0])).toEqual([0, 1, 2, 3, 4].map((n) => `${n} ${LARGE}`));
      await Promise.all([store.close(), reader.close()]);
    });
  });
});
