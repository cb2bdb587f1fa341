/** Registering passkeys over HTTP, up to their enrolment; also by people who try to register what is not theirs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { makeEnrolment, readSignedEnrolment } from '../../../src/attestation/enrolment';
import { SigningKey } from '../../../src/attestation/signing-key';
import { gatewayApp } from '../../../src/gateway/app';
import type { GatewayParts } from '../../../src/gateway/route';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { SoftAuthenticator } from '../../support/authenticator';
import { gatewayParts, person } from '../../support/gateway';

const ana = person('ana', 'approver', 'treasurer');
const bob = person('bob', 'approver');
const root = person('root', 'admin');
const tenants = { ana: person('acme/ana', 'approver'), root: person('acme/root', 'admin') };
const people = [ana, bob, root, tenants.ana, tenants.root];

describe('passkeys over HTTP', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-passkeys-'));
  const trustedKeys = join(dir, 'trusted.json');
  const enroller = SigningKey.generate();
  let store: Store;
  let app: ReturnType<typeof gatewayApp>;
  const open = (parts: Partial<GatewayParts> = {}) =>
    gatewayApp(gatewayParts({ people, store, publicUrl: 'https://desk.example', trustedKeys, ...parts }));
  beforeEach(async () => {
    writeFileSync(trustedKeys, JSON.stringify([trustedEntry(enroller, { enroller: true })]));
    store = await FileStore.open(mkdtempSync(join(dir, 'store-')));
    app = open();
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
  const challenge = async (who = ana): Promise<string> => (await ask('POST', '/v1/passkeys/options', who)).challenge;
  const register = async (authenticator: SoftAuthenticator, who = ana, changed = {}) =>
    ask('POST', '/v1/passkeys', who, { response: authenticator.register(await challenge(who), changed) });
  const refused = (message: string) => ({
    status: 409,
    error: expect.objectContaining({ reason: 'passkey_refused', message: expect.stringContaining(message) }),
  });

  it('begins with options that ask for the person to be verified, on this site, without attestation', async () => {
    expect(await ask('POST', '/v1/passkeys/options')).toMatchObject({
      status: 200,
      rp: { id: 'desk.example' },
      user: { name: 'ana' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
      excludeCredentials: [],
    });
  });

  it.each(['ES256', 'EdDSA', 'RS256'] as const)('registers a passkey, which waits for its enrolment: %s', async (alg) => {
    const authenticator = new SoftAuthenticator(alg);
    const registered = await register(authenticator);
    expect(registered).toMatchObject({
      status: 200,
      ...{ principal: 'ana', state: 'waiting', alg, rp_id: 'desk.example', origins: ['https://desk.example'] },
      ...{ credential_id: authenticator.credentialId, public: authenticator.public, roles: [], enrolled_by: null },
      aaguid: '00112233-4455-6677-8899-00aabbccddee',
    });
    expect(registered.fingerprint.startsWith(registered.id)).toBe(true);
    expect((await ask('GET', '/v1/passkeys')).passkeys).toEqual([expect.objectContaining({ id: registered.id })]);
    expect((await ask('GET', '/v1/passkeys', bob)).passkeys).toEqual([]);
    expect((await ask('GET', '/v1/passkeys/waiting', root)).passkeys).toEqual([expect.objectContaining({ id: registered.id })]);
    expect((await ask('POST', '/v1/passkeys/options')).excludeCredentials).toMatchObject([{ id: authenticator.credentialId }]);
  });

  it('takes each challenge once, of the person who got it, and five at a time', async () => {
    const authenticator = new SoftAuthenticator();
    const first = await challenge();
    const response = authenticator.register(first);
    expect(await ask('POST', '/v1/passkeys', bob, { response })).toMatchObject(refused('its challenge is not open'));
    expect(await ask('POST', '/v1/passkeys', ana, { response })).toMatchObject({ status: 200 });
    expect(await ask('POST', '/v1/passkeys', ana, { response })).toMatchObject(refused('its challenge is not open'));
    const old = await challenge();
    for (let more = 0; more < 5; more++) await challenge();
    expect(await ask('POST', '/v1/passkeys', ana, { response: new SoftAuthenticator().register(old) })).toMatchObject(
      refused('its challenge is not open'),
    );
  });

  it('takes no registration of another page or site, without its person, or of another kind', async () => {
    expect(await register(new SoftAuthenticator(), ana, { origin: 'https://evil.example' })).toMatchObject(refused('origin'));
    expect(await register(new SoftAuthenticator(), ana, { rpId: 'evil.example' })).toMatchObject({ status: 409 });
    expect(await register(new SoftAuthenticator(), ana, { flags: 0x41 })).toMatchObject(refused('could not be verified'));
    expect(await register(new SoftAuthenticator(), ana, { clientData: { type: 'webauthn.get' } })).toMatchObject({ status: 409 });
    const weird = new SoftAuthenticator().register(await challenge());
    weird.response.attestationObject = 'AAAA';
    expect(await ask('POST', '/v1/passkeys', ana, { response: weird })).toMatchObject({ status: 409 });
    expect((await ask('GET', '/v1/passkeys')).passkeys).toEqual([]);
  });

  it('registers nobody else’s passkey: neither its key nor its credential', async () => {
    const authenticator = new SoftAuthenticator();
    await register(authenticator);
    expect(await register(authenticator, bob)).toMatchObject(refused('registered already'));
    const same = Object.assign(new SoftAuthenticator(), { credentialId: authenticator.credentialId });
    expect(await register(same, bob)).toMatchObject(refused('registered already'));
    expect((await ask('GET', '/v1/passkeys', bob)).passkeys).toEqual([]);
  });

  it('keeps ten of a person', async () => {
    for (let count = 0; count < 10; count++) expect((await register(new SoftAuthenticator('EdDSA'))).status).toBe(200);
    expect(await register(new SoftAuthenticator('EdDSA'))).toMatchObject(refused('you have 10 passkeys'));
    expect((await ask('GET', '/v1/passkeys')).passkeys).toHaveLength(10);
    expect((await ask('GET', '/v1/passkeys/everyone', root)).passkeys).toHaveLength(10);
  });

  const enrolmentOf = async (id: string, key = enroller, changed = {}) => {
    const [view] = (await ask('GET', '/v1/passkeys/everyone', root)).passkeys.filter((one: { id: string }) => one.id === id);
    return key.token({ ...makeEnrolment(view, { roles: ['treasurer'], kid: key.kid }), ...changed });
  };

  it('keeps the enrolment that an enroller signed', async () => {
    const { id } = await register(new SoftAuthenticator());
    const enrolment = await enrolmentOf(id);
    expect(await ask('POST', `/v1/passkeys/${id}/enrolment`, root, { enrolment })).toMatchObject({ status: 200, accepted: true });
    expect((await ask('GET', '/v1/passkeys')).passkeys).toMatchObject([
      { id, state: 'enrolled', roles: ['treasurer'], enrolled_by: enroller.kid },
    ]);
    expect((await ask('GET', '/v1/passkeys/waiting', root)).passkeys).toEqual([]);
    expect(readSignedEnrolment(enrolment)).not.toBeNull();
  });

  it('keeps no enrolment of another passkey or person, and none that a key known here may not sign', async () => {
    const { id } = await register(new SoftAuthenticator());
    const other = await register(new SoftAuthenticator());
    const enrol = (enrolment: string) => ask('POST', `/v1/passkeys/${id}/enrolment`, root, { enrolment });
    expect(await enrol(await enrolmentOf(other.id))).toMatchObject(refused('another passkey'));
    expect(await enrol(await enrolmentOf(id, enroller, { principal: 'bob' }))).toMatchObject(refused('another passkey'));
    expect(await enrol(await enrolmentOf(id, enroller, { origins: ['https://a.desk.example'] }))).toMatchObject(refused('site'));
    expect(await enrol(await enrolmentOf(id, SigningKey.generate(), { kid: enroller.kid }))).toMatchObject(refused('signature'));
    expect(await enrol('AAAA.AAAA')).toMatchObject(refused('form'));
    expect(await ask('POST', `/v1/passkeys/${'0'.repeat(16)}/enrolment`, root, { enrolment: 'x' })).toMatchObject({
      status: 404,
    });
  });

  it('keeps no enrolment that it cannot check, and enters none of these in the trail', async () => {
    const { id } = await register(new SoftAuthenticator());
    const stranger = SigningKey.generate();
    const enrolment = await enrolmentOf(id, stranger);
    expect(await ask('POST', `/v1/passkeys/${id}/enrolment`, root, { enrolment })).toMatchObject(
      refused(`key ${stranger.kid}, which enrolled its passkey, is not trusted here`),
    );
    const blind = open({ trustedKeys: join(dir, 'none.json') });
    const payload = { enrolment: await enrolmentOf(id) };
    const answer = await blind.inject({
      ...{ method: 'POST', url: `/v1/passkeys/${id}/enrolment`, headers: root.headers, payload },
    });
    await blind.close();
    expect({ ...answer.json(), status: answer.statusCode }).toMatchObject(refused('is not trusted here'));
    expect((await ask('GET', '/v1/passkeys')).passkeys).toMatchObject([{ id, state: 'waiting' }]);
    expect((await store.trail.query({})).entries).toEqual([]);
  });

  it('lets nobody shut a person out: what waits and what was taken back can be removed, and does not fill the list', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 10; at++) ids.push((await register(new SoftAuthenticator())).id);
    expect(await register(new SoftAuthenticator())).toMatchObject(refused('you have 10 passkeys already'));
    for (const id of ids)
      await ask('POST', `/v1/passkeys/${id}/enrolment`, root, { enrolment: await enrolmentOf(id, SigningKey.generate()) });
    expect(await ask('DELETE', `/v1/passkeys/${ids[0]}`)).toMatchObject({ status: 200 });
    await ask('POST', `/v1/passkeys/${ids[1]}/enrolment`, root, { enrolment: await enrolmentOf(ids[1]!) });
    expect(await ask('DELETE', `/v1/passkeys/${ids[1]}`)).toMatchObject(refused('holdfast keys revoke'));
    const taken = { kid: ids[1], use: 'passkey', revoked_at: new Date().toISOString() };
    writeFileSync(trustedKeys, JSON.stringify([trustedEntry(enroller, { enroller: true }), taken]));
    expect(await ask('DELETE', `/v1/passkeys/${ids[1]}`)).toMatchObject({ status: 200 });
    expect(await register(new SoftAuthenticator())).toMatchObject({ status: 200 });
  });

  it('shows what is revoked in the file of trusted keys', async () => {
    const { id } = await register(new SoftAuthenticator());
    const revoked_at = new Date().toISOString();
    writeFileSync(trustedKeys, JSON.stringify([{ kid: id, use: 'passkey', revoked_at }]));
    expect((await ask('GET', '/v1/passkeys')).passkeys).toMatchObject([{ id, state: 'revoked' }]);
  });

  it('removes a passkey of one’s own that waits, and no other', async () => {
    const { id } = await register(new SoftAuthenticator());
    expect(await ask('DELETE', `/v1/passkeys/${id}`, bob)).toMatchObject({ status: 404 });
    await ask('POST', `/v1/passkeys/${id}/enrolment`, root, { enrolment: await enrolmentOf(id) });
    expect(await ask('DELETE', `/v1/passkeys/${id}`)).toMatchObject(refused('holdfast keys revoke'));
    const second = await register(new SoftAuthenticator());
    expect(await ask('DELETE', `/v1/passkeys/${second.id}`)).toMatchObject({ status: 200 });
    expect((await ask('GET', '/v1/passkeys')).passkeys).toMatchObject([{ id }]);
    expect(await ask('DELETE', `/v1/passkeys/${second.id}`)).toMatchObject({ status: 404 });
  });

  it('shows an administrator of a tenant that tenant’s, and enrols no others', async () => {
    const { id } = await register(new SoftAuthenticator());
    const own = await register(new SoftAuthenticator(), tenants.ana);
    expect((await ask('GET', '/v1/passkeys/waiting', tenants.root)).passkeys).toMatchObject([{ id: own.id }]);
    const enrolment = await enrolmentOf(id);
    expect(await ask('POST', `/v1/passkeys/${id}/enrolment`, tenants.root, { enrolment })).toMatchObject({ status: 404 });
    expect((await ask('GET', '/v1/passkeys/waiting', root)).passkeys).toHaveLength(2);
  });

  it('has none where the gateway has no address that browsers have passkeys for', async () => {
    for (const publicUrl of [undefined, 'http://127.0.0.1:8480', 'http://desk.example']) {
      const other = open({ publicUrl });
      const { statusCode } = await other.inject({ method: 'POST', url: '/v1/passkeys/options', headers: ana.headers });
      expect({ publicUrl, statusCode }).toEqual({ publicUrl, statusCode: 501 });
      await other.close();
    }
  });
});
