/** The stop switch over HTTP; also by admins of a tenant, who stop what is their own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayApp } from '../../../src/gateway/app';
import { StopRegister } from '../../../src/stop/register';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { gatewayParts, person } from '../../support/gateway';

const root = person('root', 'admin');
const ana = person('ana', 'approver');
const acme = { root: person('acme/root', 'admin'), ana: person('acme/ana', 'approver') };
const other = person('other/root', 'admin');
const people = [root, ana, acme.root, acme.ana, other];

describe('the stop switch over HTTP', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-stop-http-'));
  let store: Store;
  let app: ReturnType<typeof gatewayApp>;
  beforeEach(async () => {
    store = await FileStore.open(mkdtempSync(join(dir, 'store-')));
    app = gatewayApp(gatewayParts({ people, store, openMetrics: true }));
  });
  afterEach(async () => {
    await app.close();
    await store.close();
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, who = root, payload?: object) => {
    const response = await app.inject({ method, url, headers: who.headers, ...(payload ? { payload } : {}) });
    return { ...response.json(), status: response.statusCode };
  };
  const freeze = (body: object, who = root) => ask('POST', '/v1/freezes', who, { reason: 'why', ...body });
  const refused = (message: string) => ({
    status: 409,
    error: expect.objectContaining({ reason: 'stop_refused', message: expect.stringContaining(message) }),
  });

  it('freezes a tool, shows it to everybody and in the metrics, and ends it', async () => {
    const view = await freeze({ scope: 'tool', name: 'pay' });
    expect(view).toMatchObject({ status: 200, scope: 'tool', name: 'pay', by: 'root', reason: 'why' });
    for (const who of people) expect((await ask('GET', '/v1/freezes', who)).freezes).toMatchObject([{ id: view.id }]);
    const scraped = async () => (await app.inject({ method: 'GET', url: '/metrics' })).body;
    expect(await scraped()).toContain('holdfast_freezes{scope="tool"} 1');
    expect(await ask('DELETE', `/v1/freezes/${view.id}?reason=the%20ledger%20is%20right`)).toMatchObject({
      status: 200,
      accepted: true,
    });
    const [end] = (await store.trail.query({ state: 'unfrozen' })).entries;
    expect(JSON.stringify(await store.getBlock(end!.block))).toContain('the ledger is right');
    expect(await ask('DELETE', `/v1/freezes/${view.id}`)).toMatchObject({ status: 404 });
    expect(await scraped()).toContain('holdfast_freezes{scope="tool"} 0');
    jest.spyOn(store.registers, 'read').mockRejectedValue(new Error('no answer'));
    expect(await scraped()).toMatch(/^holdfast_http_requests_total\{/m); // and nothing of freezes, which are not known
    expect(await scraped()).not.toMatch(/^holdfast_freezes\{/m);
  });

  it('takes a name for all but everything, and only what is known', async () => {
    expect(await freeze({ scope: 'all' })).toMatchObject({ status: 200, scope: 'all', name: '' });
    expect(await freeze({ scope: 'all', name: 'pay' })).toMatchObject(refused('without a name'));
    expect(await freeze({ scope: 'tool' })).toMatchObject(refused('by its name'));
    expect(await freeze({ scope: 'model', name: 'opus' })).toMatchObject({ status: 400 });
    expect(await freeze({ scope: 'tool', name: 'pay', reason: ' ' })).toMatchObject({ status: 400 });
  });

  it('lets an admin of a tenant freeze and unfreeze that tenant only, and hides the freezes of others', async () => {
    for (const body of [
      { scope: 'all' },
      { scope: 'tool', name: 'pay' },
      { scope: 'agent', name: 'a' },
      { scope: 'tenant', name: 'other' },
    ])
      expect(await freeze(body, acme.root)).toMatchObject(refused('that tenant only'));
    const own = await freeze({ scope: 'tenant', name: 'acme' }, acme.root);
    expect(own).toMatchObject({ status: 200, by: 'acme/root' });
    expect((await ask('GET', '/v1/freezes', acme.ana)).freezes).toHaveLength(1);
    expect((await ask('GET', '/v1/freezes', other)).freezes).toEqual([]);
    expect(await ask('DELETE', `/v1/freezes/${own.id}`, other)).toMatchObject({ status: 404 });
    const tool = await freeze({ scope: 'tool', name: 'pay' });
    expect(await ask('DELETE', `/v1/freezes/${tool.id}`, acme.root)).toMatchObject({ status: 404 });
    expect(await ask('DELETE', `/v1/freezes/${own.id}`, acme.root)).toMatchObject({ status: 200 });
  });

  it('does not let an admin of a tenant end the freeze that somebody above has put on it', async () => {
    const own = await freeze({ scope: 'tenant', name: 'acme' }, acme.root);
    expect(await freeze({ scope: 'tenant', name: 'acme', reason: 'stolen accounts' })).toMatchObject({ status: 200, by: 'root' });
    expect(await freeze({ scope: 'tenant', name: 'acme' }, acme.root)).toMatchObject({ by: 'root', reason: 'stolen accounts' });
    expect(await ask('DELETE', `/v1/freezes/${own.id}`, acme.root)).toMatchObject(refused('root has frozen this tenant'));
    expect((await ask('GET', '/v1/freezes', acme.ana)).freezes).toHaveLength(1);
    expect(await ask('DELETE', `/v1/freezes/${own.id}`)).toMatchObject({ status: 200 });
  });

  it('withdraws approvals, by an admin of the person’s tenant', async () => {
    const withdraw = (approver: string, who = root) => ask('POST', '/v1/withdrawals', who, { approver, reason: 'stolen laptop' });
    expect(await withdraw('ana', acme.root)).toMatchObject(refused('its own people only'));
    expect(await withdraw('acme/ana', acme.root)).toMatchObject({ status: 200, approver: 'acme/ana', by: 'acme/root' });
    expect(await withdraw('ana')).toMatchObject({ status: 200, reason: 'stolen laptop' });
    expect((await new StopRegister(store).read()).withdrawals.map(({ approver }) => approver)).toEqual(['acme/ana', 'ana']);
    expect(await withdraw('ana', ana)).toMatchObject({ status: 403 });
  });
});
