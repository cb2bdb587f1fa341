/** Each tenant has a chain of bundles. Nobody moves it by reading a bundle, or by keeping one from being written to the disk. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ofKey } from '../../../src/attestation/bundle-signer';
import { HoldfastClient, type BundleOf } from '../../../src/client';
import { BundleArchive } from '../../../src/audit/archive/bundle-archive';
import { verifyBundle } from '../../../src/audit/verify';
import { chainFaults, type Link } from '../../../src/audit/verify/chain';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { boss, eve, gatewayScene, invoice, olga, type Scene } from '../support/gateway-scene';
import type { Person } from '../../support/gateway';
import { eventually } from '../support/engine';
import { talk } from '../support/sessions';
import { PlannedModel } from '../../support/planned-model';
import { ask, say } from '../../support/scripted-model';

/** Keys of bundles only: who signed the starts of the turns is not checked here. */
const BUNDLE_KEYS = TRUST.filter(({ use }) => use === 'bundle');

interface Bundling extends Scene {
  /** A turn of this requester that waits for a person. */
  asked(requester: string): Promise<string>;
  /** A bundle over HTTP, only to be read. */
  got(who: Person, turn: string): Promise<string>;
  /** A bundle to be kept, as `audit export` and the sweeper make it. */
  kept(turn: string): Promise<string>;
  lines(turn: string): AsyncIterable<string>;
  /** A session of two turns, of which Temporal has forgotten the first. */
  session(requester: string): Promise<string>;
  keptSession(session: string): Promise<string>;
}

async function bundling(body: (scene: Bundling) => Promise<void>, plan = [ask(['pay', invoice]), say('Done.')]): Promise<void> {
  let made: HoldfastClient | undefined;
  await gatewayScene(
    { model: new PlannedModel(() => plan) },
    async (scene) => {
      const { app, client, store, taskQueue } = scene;
      const bundleSigner = async () => ofKey(BUNDLE_KEY);
      made = new HoldfastClient(client.temporal, { taskQueue, uiUrl: null, store, bundleSigner, signingKey: null });
      const turns: string[] = [];
      const asked = async (requester: string) => {
        const turn = await client.start({ agent: 'tester', message: 'Pay it.', requester });
        await turn.waitForPending();
        turns.push(turn.id);
        return turn.id;
      };
      const got = async ({ headers }: Person, turn: string) => {
        const response = await app.inject({ method: 'GET', url: `/v1/turns/${turn}/bundle`, headers });
        expect(response.statusCode).toBe(200);
        return response.body;
      };
      const whole = async (of: BundleOf) => {
        let text = '';
        for await (const line of made!.bundle(of)) text += line;
        return text;
      };
      const kept = (turn: string) => whole({ turn });
      const keptSession = (session: string) => whole({ session });
      const session = async (requester: string) => {
        const opened = await client.openSession({ agent: 'tester', requester });
        const [first] = [await talk(opened, 'One.'), await talk(opened, 'Two.')];
        const workflowExecution = { workflowId: `turn/${first.turn_id}` };
        const { workflowService, options } = client.temporal;
        await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });
        await eventually('it is forgotten', () =>
          client.temporal.workflow
            .getHandle(workflowExecution.workflowId)
            .describe()
            .then(
              () => false,
              () => true,
            ),
        );
        return opened.id;
      };
      await body({ ...scene, asked, got, kept, session, keptSession, lines: (turn) => made!.bundle({ turn }) });
      for (const id of turns) {
        await client.turn(id).cancel();
        await client.turn(id).result();
      }
    },
    { client: async () => made! },
  );
}

async function link(name: string, text: string): Promise<Link> {
  const found = await verifyBundle([Buffer.from(text)], BUNDLE_KEYS);
  expect(found.verdict).toBe('intact');
  return { ...found, name };
}

describe('an auditor cannot', () => {
  it('learn of another tenant’s turn from a bundle of his own tenant', async () => {
    await bundling(async ({ asked, got, kept }) => {
      const [theirs, ours] = [await asked('acme/rita'), await asked('globex/eve')];
      const before = [await kept(theirs), await got(boss, theirs)];
      for (const text of [await got(eve, ours), await kept(ours)]) expect(text).not.toContain(theirs);
      expect(await link('ours', await kept(ours))).toMatchObject({ tenant: 'globex' });
      expect(before.map((text) => text.includes(ours))).toEqual([false, false]);
    });
  });

  it('learn of another tenant’s session from one of his own tenant whose first turn is forgotten', async () => {
    await bundling(
      async ({ session, keptSession }) => {
        const [theirs, ours] = await Promise.all([session('acme/rita'), session('globex/eve')]);
        const [before, text] = [await keptSession(theirs), await keptSession(ours)];
        expect(text).not.toContain(theirs);
        expect(await link('theirs', before)).toMatchObject({ agent: 'tester', tenant: 'acme', previous: null });
        expect(await link('ours', text)).toMatchObject({ agent: 'tester', tenant: 'globex', previous: null });
      },
      [say('Hello.'), say('Hello again.')],
    );
  });

  it('make a bundle seem to be missing by reading one, not kept, between two that are', async () => {
    await bundling(async ({ asked, got, kept }) => {
      const [first, second] = [await asked('acme/rita'), await asked('acme/rita')];
      const one = await link('one', await kept(first));
      const read = await link('read', await got(boss, second));
      await got(olga, first);
      const two = await link('two', await kept(second));
      expect(chainFaults([one, two], null)).toEqual([]);
      expect(chainFaults([one, read, two], null)).toEqual([]);
      expect(read).toMatchObject({ chained: false, previous: null });
      // A kept bundle that is left out between two others still shows.
      const three = await link('three', await kept(first));
      expect(chainFaults([one, three], null)).toEqual([expect.stringContaining('was left out')]);
    });
  });

  it('make a bundle seem to be missing by keeping one from being written to the disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-kept-'));
    try {
      await bundling(async ({ asked, kept, lines }) => {
        const [first, second] = [await asked('acme/rita'), await asked('acme/rita')];
        const one = await link('one', await kept(first));
        const bundles = new BundleArchive(folder);
        const name = bundles.nameOf({ turn_id: second, run_id: 'a'.repeat(36), closed_at: new Date().toISOString() });
        mkdirSync(dirname(bundles.pathOf(name)), { recursive: true });
        writeFileSync(bundles.pathOf(name), 'there already');
        expect(await bundles.keep(name, lines(second))).toBe(false);
        const two = await link('two', await kept(second));
        expect(chainFaults([one, two], null)).toEqual([]);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
