/** Turns whose store is PostgreSQL: through the engine, with the server killed on the way, and read from the command line. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/open-store';
import type { Store } from '../../../src/store/store';
import type { TrailPage } from '../../../src/store/core/trail';
import { walk } from '../../../src/store/core/transcript';
import { describePostgres, StoreServer } from '../store/support/postgres';
import { withEngine } from '../../engine/support/engine';
import { holdfast } from '../support/process';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

describePostgres('A turn over PostgreSQL (needs PostgreSQL)', () => {
  let server: StoreServer;
  let url: string;
  let store: Store;
  let home: string;
  beforeAll(async () => {
    server = await StoreServer.start();
    url = await server.fresh();
    store = await openStore(url);
    home = await mkdtemp(join(tmpdir(), 'holdfast-postgres-store-'));
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });

  async function cli(...args: string[]): Promise<string> {
    const process = holdfast(home, args, { HOLDFAST_STORE: url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    await process.ended;
    expect(process.output()).not.toContain(encodeURIComponent(StoreServer.PASSWORD));
    return process.stdout();
  }

  it('holds a call while the database is killed and started again, and runs and records it once', async () => {
    const effects: unknown[] = [];
    let turnId = '';
    const script = [ask(['pay', invoice]), say('paid')];
    await withEngine({ tools: [pays('pay', effects)], script, store }, async ({ start }) => {
      const turn = await start('Pay INV-7', { requester: 'rita' });
      const [call] = await turn.waitForPending();
      await server.kill();
      await server.again();
      await turn.approve(call.digest, { by: 'ana' });
      const view = await turn.result();
      turnId = view.turn_id;
      expect(view.calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      expect(effects).toEqual([invoice]);

      const reader = await openStore(url);
      const kinds = (await walk(reader, view.head)).map(({ block }) => block.kind);
      expect(kinds).toEqual(expect.arrayContaining(['start', 'admission', 'decision', 'dispatch', 'effect', 'end']));
      expect(await reader.effects.findByDigest(view.turn_id, call.digest)).toMatchObject({ state: 'applied' });
      await reader.close();
    });
    const { entries } = JSON.parse(await cli('trail', '--json', '--turn', turnId)) as TrailPage;
    expect(entries.map(({ state, by, verified }) => [state, by, verified])).toEqual([
      ['asked', '', true],
      ['approved', 'ana', true],
      ['dispatched', '', true],
      ['applied', '', true],
    ]);
  });

  it('is reported by doctor, with the version of its tables', async () => {
    const { findings } = JSON.parse(await cli('doctor', '--json')) as {
      findings: { what: string; ok: boolean; detail: string }[];
    };
    const { ok, detail } = findings.find(({ what }) => what === 'store')!;
    expect({ ok, detail }).toEqual({ ok: true, detail: expect.stringMatching(/PostgreSQL [\d.]+, tables version 2$/) });
  });
});
