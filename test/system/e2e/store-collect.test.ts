/** `holdfast store collect` over PostgreSQL and S3: a turn that waits and a session stay whole, garbage goes. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { storeRoots } from '../../../src/audit/archive/store-roots';
import { collect, LEAST_AGE_MS, type Collection } from '../../../src/store/collect/collect';
import { openBacking, openStore } from '../../../src/store/open-store';
import { OUTSIDE_FROM } from '../../../src/store/parts/parts-backing';
import { withEngine } from '../../engine/support/engine';
import { ringOf, ringService } from '../../support/encryption/ring';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import { describePostgres, StoreServer } from '../store/support/postgres';
import { describeS3, S3Server } from '../store/support/s3';
import { holdfast } from '../support/process';

describePostgres('Garbage collection over PostgreSQL and S3 (needs PostgreSQL)', () => {
  describeS3('(needs versitygw)', () => {
    let database: StoreServer;
    let server: S3Server;
    let home: string;
    /** Of its own: a collection reads all histories of a namespace, and stops at one that it cannot decrypt. */
    let temporal: DevServer;
    beforeEach(async () => {
      const { path } = await findTemporalCli({ onProgress: () => undefined });
      temporal = await startDevServer({ cli: path, port: 0, headless: true });
    });
    afterEach(() => temporal.stop());
    beforeAll(async () => {
      database = await StoreServer.start();
      server = await S3Server.start();
      home = await mkdtemp(join(tmpdir(), 'holdfast-collect-'));
    }, 600_000);
    afterAll(async () => {
      await database?.stop();
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });

    it.each(['plain', 'encrypted'])(
      'a turn that waits goes on afterwards, and its large result is there: %s',
      async (kind) => {
        const [url, parts] = [await database.fresh(), await server.fresh()];
        const { keys } = await ringService(ringOf('one'));
        const codec = kind === 'plain' ? {} : { codecKeys: keys };
        const store = await openStore(url, codec.codecKeys ?? null, parts);
        const canary = randomBytes(OUTSIDE_FROM).toString('hex');
        const script = [ask(['filing', { key: 'a' }]), ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('paid')];
        const tools = [reads('filing', async () => ({ text: canary })), pays('pay', [])];
        await withEngine({ tools, script, store, address: temporal.address, ...codec }, async ({ start, client }) => {
          const turn = await start('Read the filing, pay INV-7', { requester: 'rita' });
          const [call] = await turn.waitForPending();
          const garbage = await store.putPart('run', randomBytes(OUTSIDE_FROM).toString('hex'));
          const lost = await store.putBytes(randomBytes(OUTSIDE_FROM));
          const kept = server.objects(parts).names.length - 2;
          await age(database, url);

          const backing = await openBacking({ store: url, codecKeys: codec.codecKeys ?? null, parts });
          const request = {
            roots: () => storeRoots(client.temporal, null),
            olderThan: LEAST_AGE_MS,
            now: Date.now() + 3 * LEAST_AGE_MS, // the bucket's names are of today
          };
          const dry = await collect(backing, { ...request, dryRun: true });
          expect(server.objects(parts).names).toHaveLength(kept + 2);
          const real = await collect(backing, { ...request, dryRun: false });
          expect({ ...real, dry_run: true, before: '' }).toEqual({ ...dry, before: '' });
          expect(real.removed).toMatchObject({ objects: { number: 2 }, files: { number: 0 }, parts: { number: 2 } });
          expect(server.objects(parts).names).toHaveLength(kept);
          await backing.close();

          const reader = await openStore(url, codec.codecKeys ?? null, parts);
          await expect(reader.getPart(garbage)).rejects.toMatchObject({ code: 'not_found' });
          await expect(reader.getBytes(lost)).rejects.toMatchObject({ code: 'not_found' });
          await reader.close();
          await turn.approve(call.digest, { by: 'ana' });
          const { state, calls } = await turn.result();
          expect({ state, calls }).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded' }, { effect: 'applied' }] });
        }); // which exports and verifies the turn's bundle
        await store.close();
      },
      180_000,
    );

    it('is a command, which deletes only when it is told to', async () => {
      const url = await database.fresh();
      const store = await openStore(url);
      await store.putPart('run', 'garbage');
      await age(database, url);
      const run = async (...args: string[]) => {
        const process = holdfast(home, ['store', 'collect', '--json', ...args], {
          HOLDFAST_STORE: url,
          TEMPORAL_ADDRESS: temporal.address,
        });
        await process.ended;
        return JSON.parse(process.stdout()) as Collection;
      };
      expect(await run()).toMatchObject({ dry_run: true, all: { number: 1 }, removed: { objects: { number: 1 } } });
      expect(await run('--delete', '--older-than', '30d')).toMatchObject({ dry_run: false, removed: { objects: { number: 1 } } });
      expect(await run()).toMatchObject({ all: { number: 0 } });
      await store.close();
    });
  });
});

async function age(database: StoreServer, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const table of ['objects', 'files'])
    await database.run(name, `UPDATE holdfast.${table} SET stored_at = now() - interval '60 days'`);
}
