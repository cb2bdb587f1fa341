/** A turn with a large result over PostgreSQL and S3: the S3 server is killed on the way; the bundle verifies, whole and redacted. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ofKey } from '../../../src/attestation/bundle-signer';
import { redact } from '../../../src/audit/redact/redact';
import { verifyBundle } from '../../../src/audit/verify';
import { openStore } from '../../../src/store/open-store';
import { OUTSIDE_FROM } from '../../../src/store/parts/parts-backing';
import { withEngine } from '../../engine/support/engine';
import { BUNDLE_KEY, REDACTOR_KEY, TRUST } from '../../support/bundle-keys';
import { bundleOf } from '../../support/bundle-of';
import { ringOf, ringService } from '../../support/encryption/ring';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import { describePostgres, StoreServer } from '../store/support/postgres';
import { describeS3, S3Server } from '../store/support/s3';
import { holdfast } from '../support/process';

const invoice = { invoice: 'INV-7', cents: 700 };

describePostgres('A turn over PostgreSQL and S3 (needs PostgreSQL)', () => {
  describeS3('(needs versitygw)', () => {
    let database: StoreServer;
    let server: S3Server;
    let home: string;
    beforeAll(async () => {
      database = await StoreServer.start();
      server = await S3Server.start();
      home = await mkdtemp(join(tmpdir(), 'holdfast-s3-parts-'));
    }, 600_000);
    afterAll(async () => {
      await database?.stop();
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });

    it.each(['plain', 'encrypted'])(
      'goes on after the S3 server was killed, and its bundle verifies: %s',
      async (kind) => {
        const [url, parts] = [await database.fresh(), await server.fresh()];
        const { keys } = await ringService(ringOf('one'));
        const codec = kind === 'plain' ? {} : { codecKeys: keys };
        const store = await openStore(url, codec.codecKeys ?? null, parts);
        const canary = randomBytes(OUTSIDE_FROM).toString('hex');
        const effects: unknown[] = [];
        const filing = reads('filing', async () => {
          // The result cannot be stored at first.
          await server.kill();
          void sleep(1000).then(() => server.again());
          return { text: canary };
        });
        const script = [ask(['filing', { key: 'a' }]), ask(['pay', invoice]), say('paid')];
        await withEngine({ tools: [filing, pays('pay', effects)], script, store, ...codec }, async ({ start, client }) => {
          const turn = await start('Read the filing, pay INV-7', { requester: 'rita' });
          const [call] = await turn.waitForPending();
          await turn.approve(call.digest, { by: 'ana' });
          expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded', effect: 'applied' }]);
          expect(effects).toEqual([invoice]);
          expect(server.objects(parts).names.length).toBeGreaterThan(0);

          const bundle = Buffer.from(await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY));
          expect(bundle.includes(canary)).toBe(true);
          expect(await verifyBundle([bundle], TRUST)).toMatchObject({ verdict: 'intact' });
          const scope = { messages: true, calls: ['1.1'], parts: [], reason: 'asked for', signer: ofKey(REDACTOR_KEY) };
          let redacted = '';
          for await (const line of redact(() => Readable.from([bundle]), scope)) redacted += line;
          expect(redacted.includes(canary)).toBe(false);
          expect(await verifyBundle([Buffer.from(redacted)], TRUST)).toMatchObject({ verdict: 'intact' });
        });
        await store.close();
      },
      180_000,
    );

    it('is reported by doctor', async () => {
      const settings = {
        HOLDFAST_STORE: await database.fresh(),
        HOLDFAST_PARTS: await server.fresh(),
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        ...S3Server.CREDENTIALS,
      };
      const process = holdfast(home, ['doctor', '--json'], settings);
      await process.ended;
      const { findings } = JSON.parse(process.stdout()) as { findings: { what: string; ok: boolean; detail: string }[] };
      expect(findings.find(({ what }) => what === 'parts')).toMatchObject({
        ok: true,
        detail: expect.stringContaining('s3://bucket-'),
      });
    });
  });
});
