import { ofKey } from '../../../src/attestation/bundle-signer';
import { verifyBundle } from '../../../src/audit/verify';
import { HoldfastClient } from '../../../src/client';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import type { Setup } from '../support/engine';
import { ana, eve, gatewayScene, olga, rita, type Scene } from '../support/gateway-scene';
import { rewritten } from '../support/rewritten-history';

/** A gateway whose client signs bundles; decisions are signed where the setup does not say otherwise. */
async function bundleScene(setup: Partial<Setup>, body: (scene: Scene) => Promise<void>): Promise<void> {
  let made: HoldfastClient | undefined;
  const bundling = async () => made!;
  await gatewayScene(
    setup,
    async (scene) => {
      const { client, store, taskQueue } = scene;
      const bundleSigner = async () => ofKey(BUNDLE_KEY);
      made = new HoldfastClient(client.temporal, { taskQueue, uiUrl: null, store, bundleSigner, signingKey: null });
      await body(scene);
    },
    { client: bundling },
  );
}

it('a bundle is for auditors and admins who may see the turn, and for nobody else', async () => {
  await bundleScene({}, async ({ app, client, send }) => {
    const turn = await client.start({ agent: 'tester', message: 'Pay it.', requester: 'acme/rita' });
    await turn.waitForPending();
    const url = `/v1/turns/${turn.id}/bundle`;
    expect((await send(rita, 'GET', url)).status).toBe(403);
    expect((await send(ana, 'GET', url)).status).toBe(403);
    expect((await send(eve, 'GET', url)).status).toBe(404);
    expect((await send(olga, 'GET', '/v1/turns/nobody/bundle')).status).toBe(404);
    expect((await send(olga, 'GET', '/v1/sessions/nobody/bundle')).status).toBe(404);
    expect((await app.inject({ method: 'HEAD', url, headers: olga.headers })).statusCode).toBe(405);

    const response = await app.inject({ method: 'GET', url, headers: olga.headers });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('application/jsonl');
    expect(response.headers['content-disposition']).toBe(`attachment; filename="${turn.id}.jsonl"`);
    const lines = response.body.trimEnd().split('\n').map((line) => JSON.parse(line)); // oxfmt-ignore
    expect(lines[0]).toMatchObject({ kind: 'bundle', body: { subject: { kind: 'turn', id: turn.id } } });
    expect(lines.at(-1)).toMatchObject({ kind: 'end', body: { lines: lines.length, complete: false, kid: BUNDLE_KEY.kid } });
    await turn.cancel();
    await turn.result();
  });
});

it('a bundle whose history says the opposite of the effect is signed as contradictory over HTTP too', async () => {
  await bundleScene({ settings: {} }, async ({ app, client }) => {
    const turn = await client.start({ agent: 'tester', message: 'Pay it.', requester: 'acme/rita' });
    const [{ digest }] = await turn.waitForPending();
    await turn.approve(digest, { by: 'ana' });
    await turn.result();
    const undo = rewritten(client.temporal.connection, /"calls":\[/, '"effect":"applied"', '"effect":"not_applied"');
    const url = `/v1/turns/${turn.id}/bundle`;
    const response = await app.inject({ method: 'GET', url, headers: olga.headers }).finally(undo);
    const end = JSON.parse(response.body.trimEnd().split('\n').at(-1)!);
    expect(end.body.contradiction).toEqual({ line: expect.any(Number), rule: expect.stringMatching(/^[HBTD]\d/) });
    expect(await verifyBundle([Buffer.from(response.body)], TRUST)).toMatchObject({ verdict: 'contradictory' });
  });
});
