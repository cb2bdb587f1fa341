/** The transcript of a turn, its report and a what-if over HTTP, made from a real turn. */
import { ofKey } from '../../../src/attestation/bundle-signer';
import { HoldfastClient } from '../../../src/client';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { ask, say } from '../../support/scripted-model';
import { ana, boss, eve, gatewayScene, invoice, ned, olga, rita, ron, type Scene } from '../support/gateway-scene';

const hostile = '<script>alert(1)</script><img src=x onerror=alert(2)>';

/** One payment that ana approved, in a turn that rita asked for. */
async function paid(body: (scene: Scene & { id: string }) => Promise<void>): Promise<void> {
  let made: HoldfastClient | undefined;
  const more = { client: async () => made!, trust: async () => TRUST };
  const script = [ask(['pay', invoice]), say(`done ${hostile}`)];
  await gatewayScene(
    { script },
    async (scene) => {
      const { client, store, taskQueue, send } = scene;
      const bundleSigner = async () => ofKey(BUNDLE_KEY);
      made = new HoldfastClient(client.temporal, { taskQueue, uiUrl: null, store, bundleSigner, signingKey: null });
      const turn = await client.start({ agent: 'tester', message: `Pay it. ${hostile}`, requester: 'acme/rita' });
      const [{ digest }] = await turn.waitForPending();
      await send(ana, 'POST', `/v1/turns/${turn.id}/decisions`, { decision: 'approve', call: digest, note: 'Checked.' });
      await turn.result();
      await body({ ...scene, id: turn.id });
    },
    more,
  );
}

it('the transcript tells who said and decided what, page by page, to those who may see the turn', () =>
  paid(async ({ send, id }) => {
    const url = `/v1/turns/${id}/transcript`;
    const { status, body } = await send(rita, 'GET', url);
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.entries[0]).toMatchObject({ kind: 'start', requester: 'acme/rita', agent: 'tester' });
    const messages = body.entries.filter(({ kind }: any) => kind === 'message');
    expect(messages).toMatchObject([
      { from: 'requester', by: 'acme/rita', text: `Pay it. ${hostile}` },
      { from: 'model', by: 'tester', calls: [{ call: '1.1', tool: 'pay', input: invoice }] },
      { from: 'tools', results: [{ call: '1.1', is_error: false, text: expect.stringContaining('paid') }] },
      { from: 'model', text: `done ${hostile}` },
    ]);
    expect(body.entries).toContainEqual(
      expect.objectContaining({
        kind: 'decision',
        call: '1.1',
        tool: 'pay',
        decision: 'approve',
        by: 'acme/ana',
        note: 'Checked.',
      }),
    );
    expect(body.entries).toContainEqual(expect.objectContaining({ kind: 'effect', call: '1.1', effect: 'applied' }));
    expect(body.entries.at(-1)).toMatchObject({ kind: 'end', state: 'completed' });

    const seen: object[] = [];
    for (let query = '?limit=2'; ;) {
      const page = (await send(boss, 'GET', url + query)).body;
      expect(page.entries.length).toBeLessThanOrEqual(2);
      seen.push(...page.entries);
      if (page.next_cursor === null) break;
      query = `?limit=2&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(body.entries);
    for (const who of [ron, eve, ned]) expect((await send(who, 'GET', url)).status).toBe(404);
  }));

it('a cursor opens the transcript of its own turn only', () =>
  paid(async ({ send, id, client }) => {
    const other = await client.start({ agent: 'tester', message: 'Hello.', requester: 'globex/eve' });
    await other.result();
    const { head } = await client.turn(id).status();
    const url = `/v1/turns/${other.id}/transcript`;
    for (const cursor of [`${head}.0`, `${head}.5`, 'x', `${'f'.repeat(64)}.0`])
      expect((await send(eve, 'GET', `${url}?cursor=${cursor}`)).status).toBeGreaterThanOrEqual(400);
    expect((await send(eve, 'GET', url)).status).toBe(200);
  }));

it('the report is verified, is to be saved, and can run nothing here', () =>
  paid(async ({ app, send, id }) => {
    const url = `/v1/turns/${id}/report`;
    for (const who of [rita, ana]) expect((await send(who, 'GET', url)).status).toBe(403);
    expect((await send(eve, 'GET', url)).status).toBe(404);
    const { statusCode, headers, body } = await app.inject({ url, headers: olga.headers });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toContain('text/html');
    expect(headers['content-disposition']).toBe(`attachment; filename="${id}.html"`);
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'; /);
    expect(headers['content-security-policy']).not.toContain('script');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).toContain('acme/ana');
    expect(body).not.toContain('Nobody has verified');
    expect(body).not.toContain('<script>alert');
    expect(body).not.toContain('<img');
  }));

it('a what-if tells which calls other rules would have refused, and what is wrong with a proposal', () =>
  paid(async ({ send, id }) => {
    const url = `/v1/turns/${id}/what-if`;
    const rules = { deny: ['pay'] };
    for (const who of [rita, ana]) expect((await send(who, 'POST', url, { rules })).status).toBe(403);
    expect((await send(eve, 'POST', url, { rules })).status).toBe(404);
    const { status, body } = await send(olga, 'POST', url, { rules });
    expect({ status, differences: body.differences }).toEqual({ status: 200, differences: 1 });
    expect(body.turns[0].calls[0]).toMatchObject({
      call_id: '1.1',
      tool: 'pay',
      was: { outcome: 'asked' },
      would: { outcome: 'refused' },
    });
    const yaml = await send(olga, 'POST', url, { rules: 'allow: [pay]' });
    expect(yaml.body.turns[0].calls[0].would.outcome).toBe('allowed');
    expect((await send(olga, 'POST', url, { limits: { steps: 1 } })).body.turns[0].would_stop).toMatchObject({ before_step: 2 });
    for (const bad of [
      {},
      { rules: { deny: ['pay('] } },
      { rules: '- x' },
      { rules: { allow: ['nothing'] } },
      { limits: { steps: -1 } },
      { agent: 'x', rules },
    ])
      expect({ bad, ...(await send(olga, 'POST', url, bad)) }).toMatchObject({
        status: 400,
        body: { error: { reason: 'bad_proposal' } },
      });
    expect((await send(olga, 'POST', url, { rules, more: 1 })).status).toBe(400);
  }));
