/** Naming deputies over HTTP; also by people who name one for somebody else, or with what nobody signed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeEnrolment } from '../../../src/attestation/enrolment';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { readSignedDeputyship } from '../../../src/attestation/deputyship';
import { SigningKey } from '../../../src/attestation/signing-key';
import type { HoldfastClient } from '../../../src/client/holdfast-client';
import { DeputyRegister } from '../../../src/deputies/register';
import { gatewayApp } from '../../../src/gateway/app';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { SoftAuthenticator, type Signed } from '../../support/authenticator';
import { named } from '../../support/deputies';
import { gatewayParts, person } from '../../support/gateway';

const ana = person('ana', 'approver', 'treasurer');
const bob = person('bob', 'approver');
const root = person('root', 'admin');
const tenants = { ana: person('acme/ana', 'approver', 'treasurer'), root: person('acme/root', 'admin') };
const people = [ana, bob, root, tenants.ana, tenants.root];
const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('deputies over HTTP', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-deputies-'));
  const trustedKeys = join(dir, 'trusted.json');
  const enroller = SigningKey.generate();
  const key = SigningKey.generate();
  const ofAna = SigningKey.generate();
  let store: Store;
  let app: ReturnType<typeof gatewayApp>;
  beforeEach(async () => {
    const trusted = [
      trustedEntry(enroller, { enroller: true }),
      trustedEntry(key),
      trustedEntry(ofAna, { principal: 'ana', roles: ['treasurer'] }),
    ];
    writeFileSync(trustedKeys, JSON.stringify(trusted));
    store = await FileStore.open(mkdtempSync(join(dir, 'store-')));
    const client = async () => ({ temporal: { options: { namespace: 'default' } } }) as unknown as HoldfastClient;
    app = gatewayApp(gatewayParts({ people, store, key, client, publicUrl: 'https://desk.example', trustedKeys }));
  });
  afterEach(async () => {
    await app.close();
    await store.close();
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, who = ana, payload?: object) => {
    const response = await app.inject({ method, url, headers: who.headers, ...(payload ? { payload } : {}) });
    return { ...response.json(), status: response.statusCode };
  };
  const name = (body: object, who = ana) => ask('POST', '/v1/deputies', who, body);
  const refused = (message: string) => ({
    status: 409,
    error: expect.objectContaining({ reason: 'deputy_refused', message: expect.stringContaining(message) }),
  });

  it('records a deputy in the name of the principal, in the principal’s roles and no others', async () => {
    const view = await name({ deputy: 'bob', until: later(1) });
    expect(view).toMatchObject({ status: 200, deputy: 'bob', for: 'ana', state: 'active', proof: 'record', named_by: 'ana' });
    expect(view.roles).toEqual(['approver', 'treasurer']);
    expect(view.signed_by).toBe(key.kid);
    expect(await name({ deputy: 'bob', until: later(1), roles: ['cfo'] })).toMatchObject(refused('you do not have the role cfo'));
    expect((await ask('GET', '/v1/deputies', bob)).deputies).toMatchObject([{ id: view.id, for: 'ana' }]);
    expect((await ask('GET', '/v1/deputies', tenants.ana)).deputies).toEqual([]);
  });

  it.each([
    [{ deputy: 'ana', until: later(1) }, 'nobody is their own deputy'],
    [{ deputy: 'acme/bob', until: later(1) }, 'of your own tenant'],
    [{ deputy: 'bob' }, 'until when'],
    [{ deputy: 'bob', until: later(-1) }, 'must end after it begins'],
    [{ deputy: 'bob', until: later(24 * 400) }, '366 days at most'],
    [{ deputy: 'bob', until: later(1), tools: ['a', 'a'] }, 'each name stands once'],
    [{}, 'send either'],
    [{ deputy: 'bob', until: later(1), signed: 'a.b' }, 'send either'],
    [{ signed: 'a.b' }, 'does not have the form'],
  ])('refuses %j', async (body, message) => {
    expect(await name(body)).toMatchObject(refused(message));
    expect((await ask('GET', '/v1/deputies')).deputies).toEqual([]);
  });

  it('takes a statement that the person signed, from the person, and from an admin of the tenant for somebody absent', async () => {
    expect(await name({ signed: named(ofAna) }, bob)).toMatchObject(refused('only for themselves'));
    expect(await name({ signed: named(ofAna) })).toMatchObject({ status: 200, proof: 'signed', signed_by: ofAna.kid });
    expect(await name({ signed: named(enroller) }, root)).toMatchObject({ status: 200, named_by: 'root' });
    expect(await name({ signed: named(enroller) }, tenants.root)).toMatchObject(refused('only for themselves'));
    const own = named(enroller, { for: 'acme/ana', deputy: 'acme/bob' });
    expect(await name({ signed: own }, tenants.root)).toMatchObject({ status: 200, for: 'acme/ana' });
    expect(await name({ deputy: 'bob', until: later(1) }, root)).toMatchObject(refused('only an approver'));
  });

  it('keeps nothing that a key signed that may not, as far as keys are known here', async () => {
    expect(await name({ signed: named(key) })).toMatchObject(refused('its use is gateway'));
    expect(await name({ signed: named(key, {}, true) })).toMatchObject(refused('makes its own records'));
    expect(await name({ signed: named(ofAna, { roles: ['cfo'] }) })).toMatchObject(refused('the role cfo'));
    expect(await name({ signed: named(ofAna, { namespace: 'staging' }) })).toMatchObject(refused('namespace "staging"'));
    const long = { from: 1_700_000_000, until: 1_700_003_600 };
    expect(await name({ signed: named(ofAna, long) })).toMatchObject(refused('its period is over'));
    const far = { from: 32_503_680_000, until: 32_503_683_600 };
    expect(await name({ signed: named(ofAna, far) })).toMatchObject(refused('begins more than a year from now'));
  });

  it('has the person’s passkey sign the statement, and counts each assertion once', async () => {
    const authenticator = new SoftAuthenticator();
    expect(await ask('POST', '/v1/deputies/challenge', ana, { deputy: 'bob', until: later(1) })).toMatchObject({ status: 409 });
    const { challenge } = await ask('POST', '/v1/passkeys/options');
    const passkey = await ask('POST', '/v1/passkeys', ana, { response: authenticator.register(challenge) });
    const enrolment = enroller.token(makeEnrolment(passkey, { roles: ['treasurer'], kid: enroller.kid }));
    await ask('POST', `/v1/passkeys/${passkey.id}/enrolment`, root, { enrolment });
    const begin = () => ask('POST', '/v1/deputies/challenge', ana, { deputy: 'bob', until: later(1) });
    const sign = async (changed: Partial<Signed> = {}, statement: object = {}) => {
      const asked = await begin();
      authenticator.counter += 1;
      const response = authenticator.assert(asked.options.challenge, changed);
      return { passkey: { statement: { ...asked.statement, ...statement }, response } };
    };
    expect(await name(await sign({ flags: 0x01 }))).toMatchObject(refused('did not verify'));
    expect(await name(await sign({ origin: 'https://evil.example' }))).toMatchObject(refused('does not allow'));
    expect(await name(await sign({}, { deputy: 'carl' }))).toMatchObject(refused('another challenge'));
    expect(await name(await sign({}, { roles: ['treasurer', 'cfo'] }))).toMatchObject(refused('the role cfo'));
    const good = await sign();
    expect(await name(good, bob)).toMatchObject({ status: 409 });
    const view = await name(good);
    expect(view).toMatchObject({ status: 200, proof: 'signed', signed_by: passkey.id, roles: ['treasurer'] });
    const [stored] = await new DeputyRegister(store).all();
    expect(readSignedDeputyship(stored!.text)).toMatchObject({ deputyship: { enrolment: expect.any(String) } });
  });

  it('is ended by the person, the deputy or an admin of the tenant, once and for all, and the trail says so', async () => {
    const signed = named(ofAna);
    const { id } = await name({ signed });
    expect(await ask('DELETE', `/v1/deputies/${id}`, tenants.root)).toMatchObject({ status: 404 });
    expect(await ask('DELETE', `/v1/deputies/${'0'.repeat(16)}`)).toMatchObject({ status: 404 });
    expect(await ask('DELETE', `/v1/deputies/${id}`, bob)).toMatchObject({ status: 200 });
    expect(await ask('DELETE', `/v1/deputies/${id}`)).toMatchObject({ status: 200 });
    expect(await name({ signed })).toMatchObject({ id, state: 'ended', ended_by: 'bob' });
    const { entries } = await store.trail.query({});
    expect(entries).toMatchObject([
      { kind: 'deputy', state: 'deputy_named', requester: 'ana', by: 'ana', workflow_id: `deputy/${id}`, verified: true },
      { kind: 'deputy', state: 'deputy_ended', requester: 'ana', by: 'bob', verified: true },
    ]);
  });

  it('lists those of the tenant for an admin, and keeps twenty of one person', async () => {
    await name({ deputy: 'bob', until: later(1) });
    expect((await ask('GET', '/v1/deputies/everyone', root)).deputies).toHaveLength(1);
    expect((await ask('GET', '/v1/deputies/everyone', tenants.root)).deputies).toEqual([]);
    expect(await ask('GET', '/v1/deputies/everyone')).toMatchObject({ status: 403 });
    for (let more = 1; more < 20; more++) await name({ deputy: `d${more}`, until: later(1) });
    expect(await name({ deputy: 'one-more', until: later(1) })).toMatchObject(refused('20 deputies already'));
  });

  it('keeps two hundred of one tenant, so that its admins leave room for others', async () => {
    const register = new DeputyRegister(store);
    const stranger = SigningKey.generate();
    for (let count = 0; count < 200; count++) {
      const about = { for: `acme/p${Math.floor(count / 20)}`, deputy: `acme/d${count}` };
      expect(await register.add(named(stranger, about), 'acme/root')).toBeNull();
    }
    const signed = named(stranger, { for: 'acme/one-more', deputy: 'acme/bob' });
    expect(await name({ signed }, tenants.root)).toMatchObject(refused('200 deputies in this tenant already'));
    expect(await name({ deputy: 'bob', until: later(1) })).toMatchObject({ status: 200 });
  });
});
